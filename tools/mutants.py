"""Make small wrong edits, one at a time in a copy of the project, and see that tests fail: `make mutants`.

tests/mutants.toml lists them, one line each: the file under src/heedful, a piece of it that is there once, what to put
in its place, the tests that must fail, and for a mutant that may live the reason why.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
COPIED = ("src", "tests", "examples", "benchmarks", "docs", "tools", "pyproject.toml", "README.md", "CHANGELOG.md")
# A mutant may make a loop endless: that is noticed too.
SECONDS = 600


class Mutant(NamedTuple):
    """One wrong edit, and the tests that must notice it; ``reason`` says why it may live."""

    file: str
    old: str
    new: str
    tests: str
    reason: str = ""

    def __str__(self) -> str:
        """Return the edit on a line."""
        return f"{self.file}: {self.old!r} -> {self.new!r}"


def read_mutants(root: Path = ROOT) -> list[Mutant]:
    """Return the list; raise if a line does not fit the code."""
    lines = tomllib.loads((root / "tests" / "mutants.toml").read_text(encoding="utf-8"))["mutants"]
    mutants = [Mutant(*line) for line in lines]
    for mutant in mutants:
        times = (root / "src" / "heedful" / mutant.file).read_text(encoding="utf-8").count(mutant.old)
        if times != 1 or mutant.old == mutant.new:
            raise ValueError(f"{mutant}: the code must be there once, and change; it is there {times} times.")
        missing = [path for path in mutant.tests.split() if not (root / path.split("::")[0]).exists()]
        if missing:
            raise ValueError(f"{mutant}: there are no tests {missing}.")
    return mutants


def run_tests(folder: Path, tests: str) -> bool:
    """Return whether tests of a copy pass."""
    paths = os.pathsep.join([str(folder / "src"), str(folder)])
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests.split()]
    how = {"cwd": folder, "env": os.environ | {"PYTHONPATH": paths}, "capture_output": True, "timeout": SECONDS}
    try:
        done = subprocess.run(command, check=False, **how)
    except subprocess.TimeoutExpired:
        return False
    if done.returncode not in (0, 1, 2):
        raise RuntimeError(f"pytest {tests} ended with {done.returncode}:\n{done.stdout.decode()[-2000:]}")
    return done.returncode == 0


def lives(mutant: Mutant, folder: Path) -> bool:
    """Return whether the tests of a copy pass with a wrong edit in it."""
    file = folder / "src" / "heedful" / mutant.file
    right = file.read_text(encoding="utf-8")
    file.write_text(right.replace(mutant.old, mutant.new), encoding="utf-8")
    try:
        return run_tests(folder, mutant.tests)
    finally:
        file.write_text(right, encoding="utf-8")


def main() -> int:
    """Try all mutants, or those with some text in their line; say which live."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="try mutants whose line holds this text")
    options = parser.parse_args()
    mutants = [mutant for mutant in read_mutants() if options.only in str(mutant) + mutant.tests]
    found = list[Mutant]()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for name in COPIED:
            source = ROOT / name
            (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / name)
        for tests in sorted({mutant.tests for mutant in mutants}):
            if not run_tests(folder, tests):
                print(f"These tests must pass without a mutant: {tests}")
                return 2
        for number, mutant in enumerate(mutants, 1):
            start = time.perf_counter()
            alive = lives(mutant, folder)
            found += [mutant] * alive
            word = "LIVES" if alive else "noticed"
            print(f"{number}/{len(mutants)} {word} ({time.perf_counter() - start:.0f} s) {mutant}", flush=True)
    unexplained = [mutant for mutant in found if not mutant.reason]
    print(f"{len(mutants) - len(found)} of {len(mutants)} mutants were noticed.")
    for mutant in found:
        print(f"lives: {mutant} {'- ' + mutant.reason if mutant.reason else '(no reason given)'}")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
