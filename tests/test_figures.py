"""Figures in the README and in the docs are those of the pages that they cite, and name the study they come from."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
UNITS = r"(?:%|per cent|ms\b|seconds?\b|minutes?\b|points\b|times (?:as|the|faster|slower|its))"
FIGURE = re.compile(rf"\d[\d.,]*\s?{UNITS}|\(\d+\.\d+\)")
SOURCE = re.compile(
    r"benchmarks/\w+/[\w/]*\.(?:md|py)|`make [\w-]+`|benchmarks\.\w+|(?:tests|examples|tools)/[\w/]+\.py"
)
# What was chosen, not measured: a coverage, a share of rows, a limit, the size of letters.
SETTINGS = {
    ("index.md", "What it answers"),
    ("plots.md", "Plots and the report page"),
    ("deployment.md", "Saving models"),
}
# Figures that are compared: see the head of the file.
FIGURES = tomllib.loads((ROOT / "tests" / "figures.toml").read_text(encoding="utf-8"))
NUMBER = r"(-?\d[\d,]*(?:\.\d+)?)"
# Sections of arXiv 2512.09912 that a study is about
PARTS = {"us_change": "6.1", "spatial": "6.2", "lightgbm": "7.3", "drift": "8"}


def read_part(path, under=None):
    """Return a file, or what stands under the heading that begins so."""
    text = (ROOT / path).read_text(encoding="utf-8")
    parts = re.split(r"^## ", text, flags=re.MULTILINE)
    return text if under is None else next(part for part in parts if part.startswith(under))


def read_number(text):
    return float(re.search(NUMBER, text)[1].replace(",", ""))


def read_tables(text):
    """Yield the tables of a page, each as the titles of its columns and the cells of its rows."""
    for lines in re.findall(r"(?:^\|.*\n?)+", text, re.MULTILINE):
        head, _, *rows = ([cell.strip("* ") for cell in line[1:-1].split("|")] for line in lines.splitlines())
        yield head, rows


def read_cells(text, row, column):
    """Return the numbers of a column in the first table that has it and a row that begins so."""
    for head, rows in read_tables(text):
        if column in head:
            mine = [cells[head.index(column)] for cells in rows if " | ".join(cells).startswith(row)]
            found = [read_number(cell) for cell in mine if re.search(NUMBER, cell)]
            if found:
                return found
    raise AssertionError(f"no number in a column {column!r} of a row {row!r}")


def fill_in(words, text):
    """Return the numbers that stand in a text where words have a #."""
    found = re.search(re.escape(words).replace(r"\#", NUMBER), " ".join(text.split()))
    assert found, f"not said: {words}"
    return found.groups()


def find_number(find, text):
    """Return a number of a page, found as the head of figures.toml says."""
    if isinstance(find, list):
        return find_number(find[0], text) - find_number(find[1], text)
    find, _, times = find.partition(" * ")
    if " -> " not in find:
        return read_number(fill_in(find, text)[0]) * float(times or 1)
    row, column = find.split(" -> ")
    choose = {"least": min, "most": max}.get(row, lambda found: found[0])
    return choose(read_cells(text, "" if row in ("least", "most") else row, column)) * float(times or 1)


def is_rounded(quoted, measured):
    """Return whether a quoted number is a measured one, to the digits that are quoted."""
    digits = len(quoted.partition(".")[2])
    return abs(read_number(quoted) - measured) <= 0.501 * 10.0**-digits


@pytest.mark.parametrize("quote", FIGURES["quote"], ids=lambda quote: quote["words"][:40])
def test_a_quoted_figure_is_that_of_the_page(quote):
    page = read_part(quote["page"], quote.get("under"))
    measured = [find_number(find, page) for find in quote["find"]]
    quoted = fill_in(quote["words"], read_part(quote["file"]))
    assert list(map(is_rounded, quoted, measured)) == len(measured) * [True], (quoted, measured)


def list_cells(table):
    """Yield row, column and number of the cells that a file quotes, and where the page may have each of them."""
    found = (pair for pair in read_tables(read_part(table["file"])) if " | ".join(pair[0]).startswith(table["head"]))
    head, rows = next(found)
    for row in rows:
        name = table.get("rows", {}).get(row[0], row[0])
        for column, there in table["columns"].items():
            others = there if isinstance(there, list) else [there]
            quoted = re.search(NUMBER, row[head.index(column)])
            if quoted:
                finds = [f"{other}{name}" if other.endswith("-> ") else f"{name} -> {other}" for other in others]
                yield row[0], column, quoted[1], finds


@pytest.mark.parametrize("table", FIGURES["table"], ids=lambda table: table["head"])
def test_a_quoted_table_is_that_of_the_page(table):
    page = read_part(table["page"], table.get("under"))
    found = [(*where, max(find_number(find, page) for find in finds)) for *where, finds in list_cells(table)]
    assert found
    assert [cell for cell in found if not is_rounded(*cell[2:])] == []


@pytest.mark.parametrize(
    ("find", "number"),
    [
        ("b | 2 -> gain, %", 1200.5),
        ("least -> gain, %", -3.4),
        ("most -> gain, % * 0.001", 1.2005),
        ("It takes # s", 7),
        (["It takes # s", "a -> gain, %"], 10.4),
    ],
)
def test_numbers_are_found_on_a_page(find, number):
    page = "It takes\n7 s.\n\n| x | rows | gain, % |\n|---|---|---|\n| a | 1 | -3.4 (0.1) |\n| **b** | 2 | 1,200.5 |\n"
    assert find_number(find, page) == pytest.approx(number)


@pytest.mark.parametrize(
    ("quoted", "same"), [("4.3", True), ("4.26", True), ("4", True), ("4.2", False), ("5", False), ("-4.3", False)]
)
def test_a_quoted_number_is_compared_to_its_own_digits(quoted, same):
    assert is_rounded(quoted, 4.26) is same


def sections(text):
    """Yield title and words of each section, without code."""
    text = re.sub(r"^    .*$", "", re.sub(r"```.*?```", "", text, flags=re.DOTALL), flags=re.MULTILINE)
    for section in re.split(r"^#+ ", text, flags=re.MULTILINE)[1:]:
        title, _, words = section.partition("\n")
        yield title.strip(), words


def without_source(text):
    """Return sections that hold figures and name no study, with their figures."""
    found = {title: FIGURE.findall(words) for title, words in sections(text) if not SOURCE.search(words)}
    return {title: figures for title, figures in found.items() if figures}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_figure_names_its_study(page):
    found = without_source(page.read_text(encoding="utf-8"))
    assert {title: figures for title, figures in found.items() if (page.name, title) not in SETTINGS} == {}


def test_a_figure_without_a_study_is_found():
    text = (
        "# Page\n\nA fit is 3 times faster.\n\n## Part\n\nIt gains 4.5 % ([page](../benchmarks/league/results.md)).\n"
    )
    assert without_source(text) == {"Page": ["3 times faster"]}
    assert without_source("# Page\n\n```\n30 %\n```\n") == {}
    assert without_source("# Page\n\n    30 %\n\nIt takes 5 %.\n") == {"Page": ["5 %"]}


def test_settings_are_of_pages_that_are_there():
    known = {(page.name, title) for page in PAGES for title in without_source(page.read_text(encoding="utf-8"))}
    assert known >= SETTINGS


@pytest.mark.parametrize("study", PARTS)
def test_a_study_names_the_section_of_the_paper_that_it_is_about(study):
    folder = ROOT / "benchmarks" / "paper" / study
    texts = [path.read_text(encoding="utf-8") for path in (folder / "README.md", *folder.glob("__*__.py"))]
    lists = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "Makefile", ROOT / "docs" / "results.md"))
    texts += re.findall(rf"^(?:{study}:|\| `{study}` ).*", lists, re.MULTILINE)
    assert len(texts) == 5
    assert [set(re.findall(r"[Ss]ection ([4-9][.\d]*\b)", text)) for text in texts] == 5 * [{PARTS[study]}]
