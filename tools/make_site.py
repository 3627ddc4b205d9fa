"""Build the site into build/site: pages, gallery, API, search and llms.txt. Run as ``make docs``.

The sources are gathered in build/site-source first: docs/ as it is, the pages of the studies below `studies`, API pages
written from the code. Links between these places are written as they are on disk, and are moved along. Warnings of
Sphinx are errors; the built pages are checked by `check_site`.
"""

import hashlib
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import check_site
import draw_pages
import make_api
from make_api import GALLERY_ORDER

ROOT = Path(__file__).resolve().parent.parent
SOURCE, SITE = ROOT / "build" / "site-source", ROOT / "build" / "site"
FENCE = re.compile(r"(^```.*?^```$|`[^`\n]*`)", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"(\]\()(?!\w+:|#)([^)#\s]+)((?:#[^)\s]*)?\))")
STUDIES = """\
# Studies

Every page of figures, as its study wrote it. [Results](../results.md) sums them up and says how to run each again.

```{{toctree}}
:maxdepth: 1

{pages}
```
"""


def in_order(name: str) -> int:
    """Return the place of an example in the gallery, by its file name; files that are not in it come last."""
    name = Path(name).stem
    return GALLERY_ORDER.index(name) if name in GALLERY_ORDER else len(GALLERY_ORDER)


def quiet(_conf: object, _name: str) -> None:
    """Keep warnings about settings of notebooks and threads out of pages; those of heedful stay."""
    warnings.filterwarnings("ignore", message=".*sklearn.utils.parallel.delayed.*")


def place(path: Path) -> Path | None:
    """Return where a file of the project is in the site's sources, None if it is not part of the site."""
    name = path.relative_to(ROOT)
    if name.parts[0] == "docs" and len(name.parts) > 1:
        return Path(*name.parts[1:])
    if name.parts[0] == "benchmarks" and name.suffix in (".md", ".png"):
        return Path("studies", *name.parts[1:])
    if name.parts[0] == "examples" and name.suffix == ".py":
        return Path("gallery", f"{name.stem}.rst") if name.stem in GALLERY_ORDER else name
    if name.name in ("CONTRIBUTING.md", "CHANGELOG.md"):
        return Path(name.name.lower())
    return None


def sources() -> Iterator[Path]:
    """Yield the files that are copied into the site's sources."""
    for folder, patterns in (("docs", ("*",)), ("benchmarks", ("*.md", "*.png")), ("examples", ("*.py",))):
        for pattern in patterns:
            yield from (path for path in sorted((ROOT / folder).rglob(pattern)) if path.is_file())
    yield from (ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md")


def move_links(text: str, path: Path) -> str:
    """Return a page with its links as they are among the site's sources; one that leads elsewhere stays as it is."""
    here = place(path)

    def move(found: re.Match) -> str:
        target = (path.parent / found[2]).resolve()
        there = place(target) if target.is_relative_to(ROOT) and target.exists() else None
        if there is None:
            return f"{found[1]}{found[2]}{found[3]}"
        return f"{found[1]}{os.path.relpath(there, here.parent)}{found[3]}"

    parts = FENCE.split(text)
    # every second part is code
    parts[::2] = [LINK.sub(move, part) for part in parts[::2]]
    return "".join(parts)


def put(path: Path, content: bytes) -> None:
    """Write a file if it is not as it should be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_bytes() != content:
        path.write_bytes(content)


def gather() -> None:
    """Copy pages into the site's sources, write those that are made, and drop what is no longer there."""
    kept = set()
    for path in sources():
        there = place(path)
        if there is None or "__pycache__" in there.parts or there.parts[0] == "gallery":
            continue
        content = path.read_bytes()
        if path.suffix == ".md":
            content = move_links(content.decode(), path).encode()
        put(SOURCE / there, content)
        kept.add(SOURCE / there)
    pages = sorted(page.relative_to(SOURCE / "studies") for page in kept if page.is_relative_to(SOURCE / "studies"))
    listed = "\n".join(str(page.with_suffix("")) for page in pages if page.suffix == ".md")
    made = {SOURCE / "studies" / "index.md": STUDIES.format(pages=listed)}
    made |= {SOURCE / "api" / name: text for name, text in make_api.pages().items()}
    for path, text in made.items():
        put(path, text.encode())
    kept |= set(made)
    for path in [path for path in SOURCE.rglob("*") if path.is_file()]:
        if path not in kept and path.relative_to(SOURCE).parts[0] not in ("gallery", "backreferences", "pictures"):
            path.unlink()


def code_fingerprint() -> str:
    """Return a fingerprint of all that outputs of examples depend on beside the example itself."""
    digest = hashlib.sha256()
    for path in sorted((ROOT / "src" / "heedful").rglob("*.py")):
        digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    for name in ("numpy", "scipy", "pandas", "scikit-learn", "numba", "matplotlib", "lightgbm", "sphinx-gallery"):
        digest.update(f"{name} {importlib.metadata.version(name)}\n".encode())
    return digest.hexdigest()


def draw_pictures() -> None:
    """Draw the pictures of pages, each page again only if it or the code has changed since."""
    folder = SOURCE / "pictures"
    for page in sorted((ROOT / "docs").glob("*.md")):
        known = folder / f"{page.stem}.txt"
        now = hashlib.sha256(page.read_bytes() + code_fingerprint().encode()).hexdigest()
        if draw_pages.pictures_of(page) and not (known.exists() and known.read_text(encoding="utf-8") == now):
            draw_pages.draw(page, folder)
            put(known, now.encode())


def drop_stale_outputs() -> None:
    """Forget outputs of examples if the package has changed: sphinx-gallery looks at the examples alone."""
    known, now = SOURCE / "gallery" / "code.txt", code_fingerprint()
    if known.exists() and known.read_text(encoding="utf-8") == now:
        return
    shutil.rmtree(SOURCE / "gallery", ignore_errors=True)
    put(known, now.encode())


def build() -> int:
    """Run Sphinx with warnings as errors, and return its status."""
    command = ["-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q", "-d", str(ROOT / "build" / "site-doctrees")]
    run = [sys.executable, *command, str(SOURCE), str(SITE)]
    return subprocess.run(run, check=False, env=os.environ | {"HEEDFUL_ROOT": str(ROOT)}).returncode


def write_llms() -> None:
    """Write llms.txt: each page of the guide with its address and its first sentence, for readers that are programs."""
    lines = ["# heedful", "", f"> {importlib.metadata.metadata('heedful')['Summary']}.", ""]
    guide = [path for path in sorted(SOURCE.glob("*.md")) if path.name not in ("index.md", "api.md")]
    gallery = [SOURCE / "gallery" / f"{name}.rst" for name in GALLERY_ORDER]
    api = sorted((SOURCE / "api").glob("*.rst"))
    for title, pages in (("Guide", guide), ("Gallery", gallery), ("API", api)):
        lines += [f"## {title}", ""]
        for path in pages:
            address = path.relative_to(SOURCE).with_suffix(".html").as_posix()
            heading, first = check_site.read_head(SITE / address)
            lines.append(f"- [{heading}]({address}): {first}")
        lines.append("")
    put(SITE / "llms.txt", "\n".join(lines).encode())


def main() -> int:
    """Gather, build, write llms.txt and check."""
    # no page shows that kernels are compiled
    os.environ["HEEDFUL_QUIET"] = "1"
    gather()
    draw_pictures()
    drop_stale_outputs()
    status = build()
    if status:
        return status
    write_llms()
    return check_site.report(SITE)


if __name__ == "__main__":
    sys.exit(main())
