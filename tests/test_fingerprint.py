"""Pages of results say which code they are of, and a page of other code than today's says so."""

import sys
from pathlib import Path

import pytest

from benchmarks import fingerprint as fp
from benchmarks.__main__ import find_studies
from benchmarks.effects.methods import METHODS, OURS

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import mark_pages  # noqa: E402 - a script of ``tools``

STUDY = """
from heedful.sums import add
from benchmarks import tools

SCALE, BEST = 2, "ours"
METHODS = {BEST: add, "theirs": tools.slow, "third": lambda x: SCALE * x}

def measure(name):
    \"\"\"Measure.\"\"\"
    return METHODS[name]

def write_page(x):
    return "words"

def main():
    # a comment
    print(write_page(measure("ours")))

def unused():
    return 1
"""
FILES = {
    "benchmarks/sums/__main__.py": STUDY,
    "benchmarks/sums/__init__.py": "",
    "benchmarks/__init__.py": "",
    "benchmarks/tools.py": "def slow(x):\n  return fast(x)\ndef fast(x):\n  return x\ndef other(x):\n  return 3\n",
    "src/heedful/__init__.py": "",
    "src/heedful/sums.py": "from heedful import _kernels, plot\n\ndef add(x):\n    return _kernels.go(x)\n",
    "src/heedful/plot/__init__.py": "def draw():\n    pass\n",
    "src/heedful/_kernels/__init__.py": '_HOME = {"go": "going", "stay": "staying"}\n',
    "src/heedful/_kernels/going.py": "def go(x):\n    return x + 1\n",
    "src/heedful/_kernels/staying.py": "def stay(x):\n    return x\n",
}


@pytest.fixture
def project(monkeypatch, tmp_path):
    """A project with one study; its files can be changed by ``change``."""
    monkeypatch.setattr(fp, "SOURCES", {"heedful": tmp_path / "src", "benchmarks": tmp_path})
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    forget()
    yield tmp_path
    forget()


def forget():
    for function in (fp.read_module, fp.loads_late, fp.package_code, fp.module_code, fp.fingerprint):
        function.cache_clear()


def change(project, name, old, new):
    text = (project / name).read_text(encoding="utf-8")
    assert old in text
    (project / name).write_text(text.replace(old, new), encoding="utf-8")
    forget()


NUMBERS = [
    ("src/heedful/sums.py", "go(x)", "go(2 * x)"),
    ("src/heedful/_kernels/going.py", "x + 1", "x + 2"),
    ("benchmarks/tools.py", "return x\n", "return -x\n"),
    ("benchmarks/sums/__main__.py", "SCALE, BEST = 2", "SCALE, BEST = 3"),
    ("benchmarks/sums/__main__.py", 'measure("ours")', 'measure("theirs")'),
]
WORDS = [
    ("src/heedful/plot/__init__.py", "pass", "return 1"),
    ("src/heedful/_kernels/staying.py", "return x", "return -x"),
    ("benchmarks/tools.py", "return 3", "return 4"),
    ("benchmarks/sums/__main__.py", "Measure.", "It measures."),
    ("benchmarks/sums/__main__.py", "# a comment", "# another comment\n"),
    ("benchmarks/sums/__main__.py", '"words"', '"other words"'),
    ("benchmarks/sums/__main__.py", "return 1", "return 2"),
]


@pytest.mark.parametrize("edit", NUMBERS, ids=str)
def test_code_that_numbers_depend_on_changes_the_fingerprint(project, edit):
    before = fp.fingerprint("benchmarks.sums")
    change(project, *edit)
    assert fp.fingerprint("benchmarks.sums") != before


@pytest.mark.parametrize("edit", WORDS, ids=str)
def test_words_and_code_that_is_not_used_do_not(project, edit):
    before = fp.fingerprint("benchmarks.sums")
    change(project, *edit)
    assert fp.fingerprint("benchmarks.sums") == before


def test_a_part_depends_on_its_own_method_alone(project):
    parts = {name: fp.fingerprint("benchmarks.sums", (name,)) for name in ("ours", "theirs", "third")}
    change(project, "src/heedful/_kernels/going.py", "x + 1", "x + 2")
    assert {name: fp.fingerprint("benchmarks.sums", (name,)) != old for name, old in parts.items()} == {
        "ours": True,
        "theirs": False,
        "third": False,
    }


def test_a_page_says_that_its_code_has_changed_and_stops_saying_so_when_it_is_measured_again(project):
    def page():
        code = f"Code `{fp.fingerprint('benchmarks.sums')}` of `benchmarks.sums`, measured at commit a1 on x86.\n"
        return f"# Sums\n\n1 + 1 = 2\n\n{code}"

    fresh = page()
    assert mark_pages.mark(fresh) == fresh
    change(project, "src/heedful/_kernels/going.py", "x + 1", "x + 2")
    old = mark_pages.mark(fresh)
    assert old.split("\n\n")[:2] == ["# Sums", mark_pages.CHANGED]
    assert mark_pages.mark(old) == old
    change(project, "src/heedful/_kernels/going.py", "x + 2", "x + 1")
    assert mark_pages.mark(old) == fresh
    assert mark_pages.UNKNOWN in mark_pages.mark("# Sums\n\n1 + 1 = 2\n")


def test_the_overview_tells_pages_that_were_confirmed_from_those_measured_whole(project):
    code = f"Code `{fp.fingerprint('benchmarks.sums')}` of `benchmarks.sums`, measured at commit a1 on x86."
    again = " The first 2 splits of each table, measured again at commit b2 on arm (v8.2), gave the same numbers."
    assert mark_pages.tell_age(f"# Sums\n\n{code}\n") == "yes"
    assert mark_pages.tell_age(f"# Sums\n\n{code}{again}\n") == "the same on the first 2 splits of each table"
    change(project, "src/heedful/_kernels/going.py", "x + 1", "x + 2")
    assert mark_pages.tell_age(f"# Sums\n\n{code}{again}\n") == "no"


def test_the_default_estimator_depends_on_trees_kernels_and_guard_but_not_on_the_report():
    code = fp.code_of("benchmarks.league", ("numbers", "heedful"))
    needed = {
        "heedful._kernels.trees",
        "heedful._kernels.descent",
        "heedful._tuning.guard",
        "heedful.estimators._lasso",
    }
    assert needed <= set(code)
    assert not [
        name for name in code if name.startswith(("heedful.report", "heedful.cli", "heedful.estimators._drift"))
    ]


def test_rivals_do_not_depend_on_our_models():
    code = fp.code_of("benchmarks.league", ("numbers", "CatBoost"))
    assert "benchmarks.league.newer:WithCategories" in code
    assert not [name for name in code if name.startswith(("heedful._tuning", "heedful.estimators", "heedful._kernels"))]


@pytest.mark.parametrize("name", [name for name in METHODS if name != OURS])
def test_rivals_of_effects_do_not_depend_on_our_models(name):
    assert not [code for code in fp.code_of("benchmarks.effects", (name,)) if code.startswith("heedful.estimators")]


@pytest.mark.parametrize("name", list(find_studies()))
def test_every_study_has_code_to_depend_on(name):
    assert f"{fp.run_as(f'benchmarks.{name}')}:main" in fp.code_of(f"benchmarks.{name}")


@pytest.mark.parametrize("path", mark_pages.find_pages(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_page_says_whether_its_code_is_that_of_today(path):
    text = path.read_text(encoding="utf-8")
    assert mark_pages.mark(text) == text, "Run `make pages`, or measure the page again."


def test_the_overview_lists_every_page_as_it_is():
    text = mark_pages.OVERVIEW.read_text(encoding="utf-8")
    assert mark_pages.fill_overview(text) == text, "Run `make pages`."
