"""Draw the pictures of pages: ``python tools/draw_pages.py docs/explain.md -o build/pictures``.

A page shows ``![what is to be seen](pictures/explain_waterfall.png)`` after an example that leaves a figure open. The
examples of the page are run from top to bottom, and the newest open figure is saved where a picture is shown. Names of
pictures start with the name of their page. `tools/make_site.py` calls this for all pages.
"""

import argparse
import contextlib
import doctest
import io
import re
import sys
import warnings
from pathlib import Path

import matplotlib.pyplot as plt

# a block between fences, or a picture that is to be saved
PART = re.compile(
    r"^(?P<fence>```+|~~~+|:::+)(?P<kind>[^\n]*)\n(?P<inside>.*?)^(?P=fence)$|^!\[[^\]]*\]\(pictures/(?P<picture>[\w.-]+)\)",
    re.DOTALL | re.MULTILINE,
)
DPI = 110


def pictures_of(page: Path) -> list[str]:
    """Return the names of the pictures that a page has drawn, in their order."""
    names = [part["picture"] for part in PART.finditer(page.read_text(encoding="utf-8")) if part["picture"]]
    wrong = [name for name in names if not name.startswith(f"{page.stem}_")]
    if wrong or len(names) != len(set(names)):
        raise ValueError(f"{page.name}: pictures must be named {page.stem}_NAME.png, each once; got {names}")
    return names


def draw(page: Path, folder: Path) -> list[Path]:
    """Run a page's examples, save each picture that it shows into a folder, and return the files."""
    if not pictures_of(page):
        return []
    plt.switch_backend("Agg")
    plt.close("all")
    folder.mkdir(parents=True, exist_ok=True)
    names, drawn = {"__name__": "__main__"}, []
    for part in PART.finditer(page.read_text(encoding="utf-8")):
        if part["kind"] == "python":
            code = "".join(example.source for example in doctest.DocTestParser().get_examples(part["inside"]))
            with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
                warnings.simplefilter("ignore")
                exec(compile(code, str(page), "exec"), names)  # noqa: S102 - examples of our own pages
        if not part["picture"]:
            continue
        if not plt.get_fignums():
            raise ValueError(f"{page.name}: no example before {part['picture']} leaves a figure open")
        figure = plt.figure(plt.get_fignums()[-1])
        path = folder / part["picture"]
        figure.savefig(path, dpi=DPI, bbox_inches="tight")
        plt.close("all")
        drawn.append(path)
    return drawn


def main() -> int:
    """Draw the pictures of the pages that were named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="+", type=Path)
    parser.add_argument("-o", "--output", type=Path, default=Path("build/pictures"))
    given = parser.parse_args()
    for page in given.pages:
        for path in draw(page, given.output):
            print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
