"""Two versions of heedful in one run: how long the same jobs take now, and what memory, against before.

    python -m benchmarks.speed.compare [--before FOLDER] [--rows N [N ...]] [--smoke]

FOLDER holds the other version's package, like src; without it this version is compared with itself, which shows the
noise. The versions take turns, each time in new processes of one thread. With ``--rows`` only fits of tables of these
sizes are timed, once each, on all cores. Prints a table and writes nothing; with ``--smoke``, of few rows.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd

from benchmarks import pages, study
from benchmarks.speed.jobs import Sizes
from benchmarks.tables import PROJECT

NOW, REPEATS = PROJECT / "src", 3
MEASURES = ("times", "memory")
CHILD = "from benchmarks.speed import jobs; jobs.tell(jobs.{measure}, {source!r}, {sizes})"
WHOLE = Sizes(rows=1000, columns=30, predicted=1000, explained=300, recent=2000, corrected=5000, at_once=20_000)
SMALL = Sizes(rows=80, columns=5, predicted=40, explained=20, recent=60, corrected=100, at_once=200)


def measure(source: Path, sizes: Sizes, measures: tuple[str, ...] = MEASURES) -> dict[str, float]:
    """Return all figures of one version."""
    found: dict[str, float] = {}
    for name in measures:
        command = [sys.executable, "-c", CHILD.format(measure=name, source=str(source), sizes=tuple(sizes))]
        env = os.environ | {"PYTHONPATH": str(source), "OMP_NUM_THREADS": "1", "HEEDFUL_QUIET": "1"}
        done = subprocess.run(command, check=False, capture_output=True, text=True, env=env, cwd=PROJECT)
        if done.returncode:
            raise SystemExit(f"{done.stderr}\n{name} of {source} failed.")
        found |= json.loads(done.stdout.strip().splitlines()[-1])
    return found


def take_turns(before: Path, sizes: Sizes, repeats: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the figures before and now: one row per repeat; who is first changes."""
    found: dict[str, list[dict[str, float]]] = {"before": [], "now": []}
    sources = {"before": before, "now": NOW}
    for repeat in range(repeats):
        for version in sorted(sources, reverse=repeat % 2 == 1):
            found[version].append(measure(sources[version], sizes))
    return pd.DataFrame(found["before"]), pd.DataFrame(found["now"])


def tabulate(before: pd.DataFrame, now: pd.DataFrame) -> str:
    """Return the smallest figures and their ratio, and the ratios of single repeats."""
    rows, each = [], now / before
    for name in now:
        unit, _, job = name.partition(": ")
        first, second = before[name].min(), now[name].min()
        told = [f"{value:.3f} s" if unit == "s" else f"{value:.1f} MB" for value in (first, second)]
        rows.append([job, *told, f"{second / first:.2f}", f"{each[name].min():.2f} to {each[name].max():.2f}"])
    return pages.draw_table(["job", "before", "now", "now / before", "single repeats"], rows)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the option that only this comparison has."""
    parser.add_argument("--before", type=Path, default=NOW, metavar="FOLDER", help="src of the other version")
    parser.add_argument("--rows", type=int, nargs="+", metavar="N", help="time fits of tables of these sizes only")


def main() -> None:
    """Measure and print."""
    options = study.read_options(__doc__, add=add_options, sizes=(WHOLE, SMALL), repeats=(REPEATS, 1))
    before = options.before.resolve()
    if not (before / "heedful" / "__init__.py").is_file():
        raise SystemExit(f"There is no heedful in {before}. --before names the folder that holds the package.")
    if not options.rows:
        print(tabulate(*take_turns(before, options.sizes, options.repeats)))
        return
    found: list[dict[str, float]] = [{}, {}]
    for rows in options.rows:
        for part, source in zip(found, (before, NOW), strict=True):
            part.update(measure(source, options.sizes._replace(rows=rows), ("large_fit",)))
    print(tabulate(*(pd.DataFrame([part]) for part in found)))


if __name__ == "__main__":
    main()
