"""Write into every page of results whether its code has changed since, and into docs/results.md which page is of what.

Run as ``python tools/mark_pages.py`` (``make pages``). A page of a study ends with the fingerprint of the code that its
numbers depend on (benchmarks/fingerprint.py), the commit and the machine.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.fingerprint import find_module, fingerprint  # noqa: E402 - it is found from the root

STUDIES, OVERVIEW = ROOT / "benchmarks", ROOT / "docs" / "results.md"
CODE = re.compile(r"Code `([0-9a-f]{12})` of `([\w.]+)`, measured at commit (.+?) on (.+?)\.(?: |\n|$)")
CONFIRMED = re.compile(r"(The first .+? of each table), measured again at commit .+?, gave the same numbers\.")
DATE = re.compile(r"\b(20\d\d-\d\d-\d\d)\b")
UNKNOWN = "**Older code.** This page was measured before pages named their code."
CHANGED = "**Older code.** What this page depends on has changed since it was measured."
START, END = "<!-- pages -->\n", "<!-- end of pages -->\n"


def find_pages(folder: Path = STUDIES) -> list[Path]:
    """Return the pages that studies write: all but those written by hand."""
    return sorted(path for path in folder.rglob("*.md") if path.name != "README.md")


def notice(page: str) -> str:
    """Return what a page must say of its age; nothing if its code is that of today."""
    found = CODE.search(page)
    if found is None:
        return UNKNOWN
    code, module, *_ = found.groups()
    return "" if find_module(module) and fingerprint(module) == code else CHANGED


def mark(page: str) -> str:
    """Return a page that says of its age what is true, below its title."""
    title, *parts = [part for part in page.split("\n\n") if part.strip() not in (UNKNOWN, CHANGED)]
    return "\n\n".join([title, *filter(None, [notice(page)]), *parts])


def list_pages() -> str:
    """Return a table: which page is of what code, when and where it was measured."""
    rows = ["| page | measured | commit | machine | code of today |", "|---|---|---|---|---|"]
    for path in find_pages():
        page, name = path.read_text(encoding="utf-8"), path.relative_to(STUDIES).with_suffix("").as_posix()
        found, date = CODE.search(page), DATE.search(page)
        where = found.groups()[2:] if found else ("older", "not named")
        link = f"[{name.removesuffix('/results')}](../{path.relative_to(ROOT).as_posix()})"
        rows.append(f"| {link} | {date[1] if date else ''} | {' | '.join(where)} | {tell_age(page)} |")
    return "\n".join(rows) + "\n"


def tell_age(page: str) -> str:
    """Return whether the numbers of a page are those of today's code, in a word or two."""
    if notice(page):
        return "no"
    confirmed = CONFIRMED.search(page)
    return f"the same on {confirmed[1].lower()}" if confirmed else "yes"


def fill_overview(text: str) -> str:
    """Return docs/results.md with the table between its marks."""
    before, _, rest = text.partition(START)
    return f"{before}{START}\n{list_pages()}\n{END}{rest.partition(END)[2]}"


def main() -> None:
    """Mark all pages, then list them."""
    for path in find_pages():
        text = path.read_text(encoding="utf-8")
        page = mark(text)
        if page != text:
            path.write_text(page, encoding="utf-8")
            print(path.relative_to(ROOT), notice(page) or "Its code is that of today.")
    OVERVIEW.write_text(fill_overview(OVERVIEW.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
