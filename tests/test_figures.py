"""Figures in the README and in the pages name the study they come from, whose own page names commit and machine."""

import re
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
    ("certainty.md", "How it works"),
    ("datasets.md", "Simulated and real tables"),
    ("plots.md", "Plots"),
    ("report.md", "Has the model drifted?"),
    ("saving.md", "Saving models"),
}


def sections(text):
    """Yield title and words of each section, without code."""
    text = re.sub(r"```.*?```|^    .*$", "", text, flags=re.DOTALL | re.MULTILINE)
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


def test_settings_are_of_pages_that_are_there():
    known = {(page.name, title) for page in PAGES for title in without_source(page.read_text(encoding="utf-8"))}
    assert known >= SETTINGS


# Sections of arXiv 2512.09912 that a study is about
PARTS = {"us_change": "6.1", "spatial": "6.2", "lightgbm": "7.3", "drift": "8"}


@pytest.mark.parametrize("study", PARTS)
def test_a_study_names_the_section_of_the_paper_that_it_is_about(study):
    folder = ROOT / "benchmarks" / "paper" / study
    texts = [path.read_text(encoding="utf-8") for path in (folder / "README.md", *folder.glob("__*__.py"))]
    lists = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "Makefile", ROOT / "docs" / "results.md"))
    texts += re.findall(rf"^(?:{study}:|\| `{study}` ).*", lists, re.MULTILINE)
    assert len(texts) == 5
    assert [set(re.findall(r"[Ss]ection ([4-9][.\d]*\b)", text)) for text in texts] == 5 * [{PARTS[study]}]
