"""The project keeps its promises: lazy imports, rooms, no misspelled part."""

import importlib
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def run_python(*arguments):
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_heedful_does_not_import_what_takes_long():
    assert run_python("-c", "import sys, heedful; print({'numba', 'skops'} & {*sys.modules})").strip() == "set()"


def test_rooms_import_only_from_rooms_above():
    assert "every import goes up" in run_python("tools/check_rooms.py")


def test_the_room_checker_can_fail(tmp_path):
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        checker = importlib.import_module("check_rooms")
    finally:
        sys.path.pop(0)
    checker.ROOT = tmp_path / "src" / "heedful"
    wrong = checker.ROOT / "attention" / "_wrong.py"
    wrong.parent.mkdir(parents=True)
    wrong.write_text("from heedful.heads import tune\ndef f():\n    import json\n", encoding="utf-8")
    assert len(checker.breaches(wrong)) == 2


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
