"""How long fits of effects take beside econml's forest, one after the other in one process.

    python -m benchmarks.effects.timing [--runs 5] [--fresh] [--smoke]

On one and on two threads. Writes timing.md beside this file; with ``--smoke``, and without econml, under build/.
"""

import warnings
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import pandas as pd

from benchmarks import pages, study
from benchmarks.effects.methods import FOREST, OURS, find_present, make_econml
from heedful import AttentionEffect
from heedful.datasets import Effects, make_effects

HERE, RUNS, PART = Path(__file__).parent, 5, "time"
SETUPS, COLUMNS, THREADS = ("B", "D"), 20, (1, 2)


def fit_ours(train: Effects, seed: int, threads: int) -> Any:
    """Fit heedful."""
    return AttentionEffect(random_state=seed, n_jobs=threads).fit(train.X, train.y, train.treatment)


def fit_forest(train: Effects, seed: int, threads: int) -> Any:
    """Fit econml's forest; its models of outcome and treatment have one thread, as it comes."""
    return make_econml(FOREST, seed, n_jobs=threads).fit(train.y, train.treatment, X=train.X)


FITS: dict[str, Callable[[Effects, int, int], Any]] = {OURS: fit_ours, FOREST: fit_forest}


def one_fit(setup: str, n: int, seed: int) -> study.Scores:
    """Return seconds of fits on one machine, and how much CPU time they took; the first, which compiles, not."""
    train = make_effects(setup, n, COLUMNS, random_state=seed)
    found = {}
    names = [name for name in FITS if name in find_present()]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in names:
            FITS[name](make_effects(setup, 100, COLUMNS, random_state=seed), seed, 1)
        for threads in THREADS:
            for name in names:
                start, cpu = perf_counter(), process_time()
                FITS[name](train, seed, threads)
                seconds = {"seconds": perf_counter() - start, "cpu": process_time() - cpu}
                found[f"{name}, {threads} thread{'s' * (threads > 1)}"] = seconds
    return found


def write_times(timed: pd.DataFrame, runs: int, packages: tuple[str, ...]) -> str:
    """Return the page."""
    rows = []
    for title, table in timed.groupby("table"):
        for name in table["seconds"]:
            rival = name.replace(OURS, FOREST)
            ratio = table["seconds"][name] / table["seconds"][rival] if rival in table["seconds"] else None
            told = "" if ratio is None or rival == name else f"{ratio.median():.2f}"
            seconds, cpu = (pages.format_mean(table[what][name], 2) for what in ("seconds", "cpu"))
            rows.append([f"{title}: {name}", seconds, cpu, told])
    head = ["setup and method", "seconds to fit", "CPU seconds", f"seconds, ratio to {FOREST} (median)"]
    about = f"Mean (standard error) of {runs} draws, one after the other in one process. {pages.stamp(*packages)}."
    return pages.join("Time to fit effects", f"{about} Run again: `make effects`.", pages.draw_table(head, rows))


def main() -> None:
    """Run the study."""
    options = study.read_options(__doc__, RUNS, alone=True, n=(1000, 120))
    tables = {f"{setup}, n = {options.n}, p = {COLUMNS}": (setup, options.n) for setup in SETUPS}
    there = FOREST in find_present()
    packages = ("heedful", "scikit-learn", *(("econml",) if there else ()))
    timed = study.run(study.Study(HERE, one_fit, packages), tables, options, PART)
    study.publish(HERE, options, write_times(timed, options.runs, packages), whole=there, name="timing.md")


if __name__ == "__main__":
    main()
