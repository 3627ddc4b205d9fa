"""Check a built site: every link inside leads somewhere, and no page asks another host for anything.

Run as ``python tools/check_site.py build/site``. A link to another host is fine, as a reader follows it or not; a
script, a picture, a font or a style of another host is not, as it would be fetched by opening the page.
"""

import re
import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

FETCHED = {("img", "src"), ("script", "src"), ("link", "href"), ("iframe", "src"), ("source", "src"), ("video", "src")}
# links of a head that are only told, not fetched
TOLD = {"canonical", "next", "prev", "search", "index", "author", "license", "help", "contents"}
STYLE = re.compile(r"url\(\s*['\"]?((?:https?:)?//[^)'\"]+)|@import\s+['\"]((?:https?:)?//[^'\"]+)")


class Page(HTMLParser):
    """What a page has and asks for: names of places, links, what is fetched, its heading and first paragraph."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.heading, self.first = "", ""
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note names, links and what is fetched."""
        given = {name: value or "" for name, value in attrs}
        self.names |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        for name in ("src", "href"):
            if (tag, name) in FETCHED and name in given and given.get("rel", "") not in TOLD:
                self.fetched.append(given[name])
        self.fetched += [part.split()[0] for part in given.get("srcset", "").split(",") if part.strip()]
        # a link in a heading, to itself, is no part of its words
        if tag == "a" and "headerlink" in given.get("class", ""):
            self._inside = ""
        elif (tag == "h1" and not self.heading) or (tag == "p" and self.heading and len(self.first) < 20):
            self._inside = tag
            self.first = "" if tag == "p" else self.first

    def handle_endtag(self, tag: str) -> None:
        """End the heading or the first paragraph."""
        if tag == self._inside:
            self._inside = ""

    def handle_data(self, data: str) -> None:
        """Gather the words of the heading and of the first paragraph."""
        if self._inside == "h1":
            self.heading += data
        elif self._inside == "p":
            self.first += data


@cache
def read(path: Path) -> Page:
    """Return a page read."""
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def read_head(path: Path) -> tuple[str, str]:
    """Return the heading of a page and the first sentence below it."""
    page = read(path)
    words = " ".join(page.first.split())
    return " ".join(page.heading.split()), re.split(r"(?<=[.:])\s", words)[0]


def find(link: str, path: Path) -> tuple[Path, str]:
    """Return the file that a link leads to, and the place in it."""
    address, name = urldefrag(link)
    address = address.partition("?")[0]
    target = (path.parent / unquote(address)).resolve() if address else path.resolve()
    return (target / "index.html" if target.is_dir() else target), unquote(name)


def faults(path: Path) -> list[str]:
    """Return what is wrong with a page."""
    page, found = read(path), []
    for link in [*page.links, *page.fetched]:
        parts = urlsplit(link)
        if parts.netloc or parts.scheme:
            if link in page.fetched and parts.scheme != "data":
                found.append(f"asks another host: {link}")
            continue
        target, name = find(link, path)
        if not target.exists():
            found.append(f"leads nowhere: {link}")
        elif name and target.suffix == ".html" and name not in read(target).names:
            found.append(f"no such place: {link}")
    return found


def style_faults(path: Path) -> list[str]:
    """Return the addresses of other hosts that a style asks for."""
    found = STYLE.findall(path.read_text(encoding="utf-8"))
    return [f"asks another host: {first or second}" for first, second in found]


def report(site: Path) -> int:
    """Print what is wrong with a site, and return 1 if anything is."""
    # the theme keeps templates of its own among its scripts
    pages = sorted(path for path in site.rglob("*.html") if "_static" not in path.relative_to(site).parts)
    styles = sorted(site.rglob("*.css"))
    told = [(path, fault) for path in pages for fault in faults(path)]
    told += [(path, fault) for path in styles for fault in style_faults(path)]
    for path, fault in told:
        print(f"{path.relative_to(site)}: {fault}")
    print(f"{len(pages)} pages, {len(told)} faults: {site}")
    return int(bool(told))


if __name__ == "__main__":
    sys.exit(report(Path(sys.argv[1])))
