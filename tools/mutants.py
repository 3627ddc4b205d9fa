"""Make small wrong edits, one at a time in a copy of the project, and see that tests fail: `make mutants`.

tests/mutants.toml lists them, one line each: the file under src/heedful, a piece of it that is there once, what to put
in its place, the tests that must fail, and for a mutant that may live the reason why.
"""

import argparse
import importlib
import multiprocessing
import multiprocessing.queues
import os
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from typing import NamedTuple, NoReturn

import numba
import pytest

ROOT = Path(__file__).resolve().parents[1]
COPIED = ("src", "tests", "examples", "benchmarks", "docs", "tools", "pyproject.toml", "README.md", "CHANGELOG.md")
# What takes long to load is loaded once: each mutant has a process that begins as a copy of this one.
LOADED = ("numba.core.caching", "pandas", "scipy.optimize", "scipy.stats", "sklearn.ensemble", "sklearn.linear_model")
# A mutant may make a loop endless: that is noticed too.
SECONDS = 600
# So many may live, each with a reason.
MOST_LIVING = 0.05


class Mutant(NamedTuple):
    """One wrong edit, and the tests that must notice it; ``reason`` says why it may live."""

    file: str
    old: str
    new: str
    tests: str
    reason: str = ""

    @property
    def compiled(self) -> bool:
        """Whether its tests need compiled kernels: those of kernels alone do without, as an edit compiles all anew."""
        return not all(path.startswith("tests/_kernels/") for path in self.tests.split())

    def __str__(self) -> str:
        """Return the edit on a line."""
        return f"{self.file}: {self.old!r} -> {self.new!r}"


def read_mutants(root: Path = ROOT) -> list[Mutant]:
    """Return the list; raise if a line does not fit the code."""
    lines = tomllib.loads((root / "tests" / "mutants.toml").read_text(encoding="utf-8"))["mutants"]
    mutants = [Mutant(*line) for line in lines]
    edits = [mutant[:3] for mutant in mutants]
    if len(set(edits)) < len(edits):
        raise ValueError(f"An edit is there twice: {next(edit for edit in edits if edits.count(edit) > 1)}.")
    for mutant in mutants:
        times = (root / "src" / "heedful" / mutant.file).read_text(encoding="utf-8").count(mutant.old)
        if times != 1 or mutant.old == mutant.new:
            raise ValueError(f"{mutant}: the code must be there once, and change; it is there {times} times.")
        missing = [path for path in mutant.tests.split() if not _is_there(root, *path.split("::"))]
        if missing or not mutant.tests:
            raise ValueError(f"{mutant}: there are no tests {missing}.")
    return mutants


def _is_there(root: Path, path: str, name: str = "") -> bool:
    """Return whether there are such tests: a folder, a file, or a function of it."""
    function = name.partition("[")[0]
    return (root / path).exists() and (not name or f"def {function}(" in (root / path).read_text(encoding="utf-8"))


def run_tests(folder: Path, tests: str, *, compiled: bool = True, fresh: bool = False) -> bool:
    """Return whether tests of a copy pass; a crash or an endless loop is a failure too.

    With ``fresh`` no kernel that was compiled before is used, and none is kept.
    """
    output = folder / "output.txt"
    child = os.fork()
    if child == 0:
        _run_here(folder, tests, output, compiled, fresh)
    until = time.monotonic() + SECONDS
    while os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if time.monotonic() > until:
            os.kill(child, signal.SIGKILL)
        time.sleep(0.05)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    # pytest's own errors: a test that is not there, nothing to run
    if code > 2:
        raise RuntimeError(f"pytest {tests} ended with {code}:\n{output.read_text(encoding='utf-8')[-2000:]}")
    return code == 0


def _run_here(folder: Path, tests: str, output: Path, compiled: bool, fresh: bool) -> NoReturn:
    """Run tests in this process, which has no part of the package loaded, and end it."""
    code = 3
    try:
        with output.open("w", encoding="utf-8") as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
        os.chdir(folder)
        # processes that tests start find the copy too
        paths = [str(folder / "src"), str(folder)]
        os.environ |= {"PYTHONPATH": os.pathsep.join(paths), "NUMBA_DISABLE_JIT": str(int(not compiled))}
        if fresh:
            os.environ["NUMBA_CACHE_DIR"] = tempfile.mkdtemp(dir=folder)
        numba.config.reload_config()
        sys.path[:0] = paths
        # a file that changes twice within a second could be taken for the one before
        sys.dont_write_bytecode = True
        code = int(pytest.main(["-q", "-x", "-p", "no:cacheprovider", *tests.split()]))
    finally:
        os._exit(code)


def lives(mutant: Mutant, folder: Path) -> bool:
    """Return whether the tests of a copy pass with a wrong edit in it."""
    file = folder / "src" / "heedful" / mutant.file
    right, times = file.read_text(encoding="utf-8"), file.stat()
    file.write_text(right.replace(mutant.old, mutant.new), encoding="utf-8")
    try:
        edited = mutant.file.startswith("_kernels/")
        return run_tests(folder, mutant.tests, compiled=mutant.compiled, fresh=edited)
    finally:
        file.write_text(right, encoding="utf-8")
        # compiled kernels go by the time of their file
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))


def failing(mutants: list[Mutant], folder: Path) -> list[str]:
    """Return the tests that fail without any mutant: all in one run, and one by one if that fails."""
    found = []
    for compiled in (True, False):
        tests = sorted({mutant.tests for mutant in mutants if mutant.compiled == compiled})
        if tests and not run_tests(folder, " ".join(tests), compiled=compiled):
            found += [one for one in tests if not run_tests(folder, one, compiled=compiled)]
    return found


def try_mutants(mutants: list[Mutant], folder: Path, jobs: int) -> list[Mutant]:
    """Return the mutants that live; every process has a copy of the project of its own."""
    context = multiprocessing.get_context("fork")
    copies = context.SimpleQueue()
    for number in range(jobs):
        copies.put(shutil.copytree(folder, folder.parent / f"copy{number}"))
    found = list[Mutant]()
    with context.Pool(jobs, _Trial.begin, (copies,)) as pool:
        for number, (mutant, alive, seconds) in enumerate(pool.imap_unordered(_Trial.run, mutants), 1):
            found += [mutant] * alive
            word = "LIVES" if alive else "noticed"
            print(f"{number}/{len(mutants)} {word} ({seconds:.0f} s) {mutant}", flush=True)
    return found


class _Trial:
    """The copy of the project in which this process tries its mutants."""

    folder: Path

    @classmethod
    def begin(cls, copies: "multiprocessing.queues.SimpleQueue[Path]") -> None:
        cls.folder = copies.get()

    @classmethod
    def run(cls, mutant: Mutant) -> tuple[Mutant, bool, float]:
        start = time.perf_counter()
        return mutant, lives(mutant, cls.folder), time.perf_counter() - start


def main() -> int:
    """Try all mutants, or those with some text in their line; say which live."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="try mutants whose line holds this text")
    parser.add_argument("--jobs", type=int, default=2, help="so many at a time")
    options = parser.parse_args()
    for name in LOADED:
        importlib.import_module(name)
    mutants = [mutant for mutant in read_mutants() if options.only in str(mutant) + mutant.tests]
    with tempfile.TemporaryDirectory() as place:
        folder, begun = Path(place) / "project", time.perf_counter()
        folder.mkdir()
        for name in COPIED:
            source = ROOT / name
            (shutil.copytree if source.is_dir() else shutil.copy2)(source, folder / name)
        if broken := failing(mutants, folder):
            print(f"These tests must pass without a mutant: {broken}")
            return 2
        found = try_mutants(mutants, folder, options.jobs)
        minutes = (time.perf_counter() - begun) / 60
    print(f"{len(mutants) - len(found)} of {len(mutants)} mutants were noticed, in {minutes:.0f} minutes.")
    for mutant in found:
        print(f"lives: {mutant} {'- ' + mutant.reason if mutant.reason else '(no reason given)'}")
    for mutant in mutants:
        if mutant.reason and mutant not in found:
            print(f"noticed, so that its reason can go: {mutant}")
    explained = all(mutant.reason for mutant in found)
    return 0 if explained and len(found) <= MOST_LIVING * len(mutants) else 1


if __name__ == "__main__":
    sys.exit(main())
