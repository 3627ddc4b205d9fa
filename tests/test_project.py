"""The project keeps its promises: lazy imports, rooms, no misspelled part."""

import importlib
import subprocess
import sys
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
