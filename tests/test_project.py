"""The project keeps its promises: lazy imports, rooms, no misspelled part."""

import importlib
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from tests.conftest import pytest_collection_modifyitems

ROOT = Path(__file__).resolve().parent.parent


def run_python(*arguments):
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_heedful_does_not_import_what_takes_long():
    assert run_python("-c", "import sys, heedful; print({'numba', 'skops'} & {*sys.modules})").strip() == "set()"


@pytest.mark.more
def test_rooms_import_only_from_rooms_above():
    assert "every import goes up" in run_python("tools/check_rooms.py")


def load_tool(name):
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.pop(0)


def test_the_room_checker_can_fail(tmp_path):
    checker = load_tool("check_rooms")
    checker.ROOT = tmp_path / "src" / "heedful"
    wrong = checker.ROOT / "attention" / "_wrong.py"
    wrong.parent.mkdir(parents=True)
    wrong.write_text("from heedful.heads import tune\ndef f():\n    import json\n", encoding="utf-8")
    assert len(checker.breaches(wrong)) == 2


def test_the_room_checker_sees_private_imports_and_circles(tmp_path):
    checker = load_tool("check_rooms")
    checker.ROOT = tmp_path / "src" / "heedful"
    room = checker.ROOT / "plot"
    room.mkdir(parents=True)
    first, second = room / "_first.py", room / "_second.py"
    circle = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from heedful.plot._first import a\n"
    first.write_text("from heedful.explain._cells import b\nfrom heedful.plot._second import c\n", encoding="utf-8")
    second.write_text("from heedful.explain import b\n", encoding="utf-8")
    assert len(checker.private_imports(first)) == 1
    assert not checker.private_imports(second)
    assert not checker.file_circles([first, second])
    second.write_text(circle, encoding="utf-8")
    assert len(checker.file_circles([first, second])) == 1


def test_every_wrong_edit_on_the_list_still_fits_the_code():
    mutants = load_tool("mutants").read_mutants()
    assert len(mutants) >= 80
    assert sum(bool(mutant.reason) for mutant in mutants) <= 0.05 * len(mutants)


RIGHT = ["a.py", "x = ", "x = -", "tests/test_a.py::test_b"]


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([["a.py", "1 + 1", "1 - 1", "tests/test_a.py"]], "there 0 times"),
        ([["a.py", "x = ", "x = ", "tests/test_a.py"]], "and change"),
        ([["a.py", "x = ", "x = -", "tests/test_a.py::test_c"]], "there are no tests"),
        ([["a.py", "x = ", "x = -", "tests/test_c.py"]], "there are no tests"),
        ([RIGHT, RIGHT], "there twice"),
    ],
)
def test_a_wrong_edit_that_does_not_fit_is_an_error(tmp_path, lines, words):
    code, tests = tmp_path / "src" / "heedful", tmp_path / "tests"
    code.mkdir(parents=True)
    tests.mkdir()
    (code / "a.py").write_text("x = 2\n", encoding="utf-8")
    (tests / "test_a.py").write_text("def test_b():\n    pass\n", encoding="utf-8")
    read = load_tool("mutants").read_mutants
    (tests / "mutants.toml").write_text(f"mutants = {[RIGHT]}\n", encoding="utf-8")
    assert [list(mutant[:4]) for mutant in read(tmp_path)] == [RIGHT]
    (tests / "mutants.toml").write_text(f"mutants = {lines}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=words):
        read(tmp_path)


def versions(lines, sign):
    """Return the versions that requirements name after a sign, as numbers without zeros at their end."""
    found = (re.match(rf"([\w-]+){sign}([\d.]+)", line) for line in lines)
    return {match[1]: re.sub(r"(\.0)+$", "", match[2]) for match in found if match}


def test_the_oldest_packages_that_are_tested_are_the_oldest_that_are_allowed():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    allowed = versions(project["dependencies"], ">=")
    pinned = versions((ROOT / "tests" / "oldest.txt").read_text(encoding="utf-8").splitlines(), "==")
    assert len(allowed) == len(project["dependencies"])
    assert allowed.items() <= pinned.items()
    assert pinned.items() <= (allowed | versions(project["optional-dependencies"]["dev"], ">=")).items()


def test_words_to_avoid_are_found_in_pages_and_strings_but_not_in_code(tmp_path):
    checker = load_tool("check_words")
    (tmp_path / "docs").mkdir()
    (tmp_path / "src").mkdir()
    (tmp_path / "README.md").write_text("It is\ndear indeed; `dear` is code.\n\n```\ndear\n```\n", encoding="utf-8")
    (tmp_path / "src" / "a.py").write_text('dear = 1\n"""What a dear thing."""\n', encoding="utf-8")
    table = "| instead of | write |\n|---|---|\n| is dear | is expensive |\n| dear | expensive |\n"
    words = checker.read_words(f"\n## Words\n\n{table}")
    places = [":".join(line.split(":")[:2]) for line in checker.findings(tmp_path, words)]
    assert places == ["README.md:1", "README.md:2", "src/a.py:2"]


class Item:
    """A test in one setting, as far as it is chosen by its marks."""

    parent = None

    def __init__(self, name, *marks):
        self.name, self.originalname, self.marks = name, name.split("[")[0], set(marks)

    def get_closest_marker(self, mark):
        return mark if mark in self.marks else None

    def add_marker(self, mark):
        self.marks.add(mark)


def test_every_test_is_run_in_a_setting_that_ci_does_not_leave_out():
    alone = [Item(f"test_slow[{k}]", "more") for k in "abc"]
    beside = [Item("test_both[a]"), Item("test_both[b]", "more")]
    one = [Item(f"test_one[{k}]", "one_value") for k in "ab"]
    pytest_collection_modifyitems([*alone, *beside, *one])
    assert ["setting" in item.marks for item in beside] == [False, True]
    for group in (alone, one):
        assert sum("setting" not in item.marks for item in group) == 1
    assert all("more" in item.marks for item in one if "setting" in item.marks)
