"""Large tables: time per query, memory and accuracy as training rows and queries grow.

    python -m benchmarks.scale [--fresh] [--smoke]

Each case runs in a process of its own, on two threads, and is kept in splits.jsonl: an interrupted run goes on. Writes
results.md and figure.png beside this file; with ``--smoke``, of a few hundred rows, under build/.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestRegressor

from benchmarks import pages, study
from benchmarks.simulations import make_continuous
from benchmarks.tables import PROJECT
from heedful import AttentionLasso
from heedful.plot._axes import finish, font_size
from heedful.plot._style import INK, series_colour
from heedful.similarity import default_forests

PACKAGES = ("heedful", "scikit-learn", "numba")
COLUMNS, SCORED, BEST_OF = 30, 2_000, 3
ROUTES: dict[str, dict[str, Any]] = {
    "default": {},
    "same trees": {"max_samples": 10_000, "leaf_rows": 1.0},
    "exact": {"max_samples": None, "leaf_rows": None},
    "fewer rows a tree, all in leaves": {"leaf_rows": None},
    "fewer rows a tree, as many in leaves": {"leaf_rows": 1.0},
    "fewer rows a tree, three times as many in leaves": {"leaf_rows": 3.0},
    "fewer rows a tree, 5 a leaf": {"leaf_rows": 5},
    "fewer rows a tree, 20 a leaf": {"leaf_rows": 20},
}


class Case(NamedTuple):
    """One fit: training rows, trees, how forests are made, and the numbers of queries to predict."""

    rows: int
    trees: int | str
    route: str
    queries: tuple[int, ...]

    @property
    def title(self) -> str:
        """What the case is called."""
        return f"{self.route}, {self.rows} rows, {self.trees} trees"


ASKED = (1_000, 10_000, 100_000)
TREES = {"default": "auto", "same trees": 500}
SPEED = [Case(n, trees, route, ASKED) for n in (10_000, 100_000, 1_000_000) for route, trees in TREES.items()]
ERROR = [Case(100_000, 100, route, (1_000,)) for route in ROUTES if route not in TREES]
SMOKE = [Case(n, 8, route, (20, 40)) for n in (200, 400) for route in ("default", "same trees", "exact")]


def measure(case: Case) -> dict[str, Any]:
    """Fit one case and predict; times are in seconds, memory is the largest so far in MB."""
    data = make_continuous(case.rows + SCORED, COLUMNS, random_state=0)
    (X, y), new = (data.X[: case.rows], data.y[: case.rows]), data.X[case.rows :]
    signal = data.signal[case.rows :]
    draws = ROUTES[case.route].get("max_samples", "auto")
    how = ROUTES[case.route] | ({"max_samples": min(draws, case.rows)} if isinstance(draws, int) else {})
    model = AttentionLasso(similarity=default_forests(case.trees, **how), n_jobs=2, random_state=0)
    start = time.perf_counter()
    model.fit(X, y)
    found: dict[str, Any] = {"fit": time.perf_counter() - start, "memory of fit": peak()}
    unexplained = np.var(signal)
    found["error"] = float(np.mean((model.predict(new) - signal) ** 2) / unexplained)
    found["error of the lasso"] = float(np.mean((model.baseline_.predict(new) - signal) ** 2) / unexplained)
    for n in case.queries:
        asked = np.resize(new, (n, COLUMNS))
        # small numbers of queries are asked again: the first call of a process touches memory for the first time
        times = [clock(model, asked) for _ in range(BEST_OF if n <= SCORED else 1)]
        found[f"{n} queries"] = min(times)
    return found | {"memory": peak()}


def clock(model: AttentionLasso, queries: np.ndarray) -> float:
    """Return the seconds that predictions take."""
    start = time.perf_counter()
    model.predict(queries)
    return time.perf_counter() - start


def peak() -> float:
    """Return the largest memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


def one_case(case: Case, seed: int) -> study.Scores:  # noqa: ARG001 - every study has a seed
    """Measure a case in a process of its own, whose peak of memory is its own too."""
    command = [sys.executable, "-m", "benchmarks.scale", "--case", json.dumps(case)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=PROJECT)
    return {"": json.loads(done.stdout.strip().splitlines()[-1])}


STUDY = study.Study(Path(__file__).parent, one_case, PACKAGES)


def run(cases: list[Case], options: argparse.Namespace) -> pd.DataFrame:
    """Return what was measured of all cases, now or in an earlier run."""
    found = study.run(STUDY, {case.title: (case,) for case in cases}, options).droplevel(1, axis=1)
    return pd.DataFrame([case._asdict() | found.loc[case.title, 0].dropna().to_dict() for case in cases])


def tabulate_speed(found: pd.DataFrame) -> str:
    """Return time per query, memory and error by training rows."""
    counts = [name for name in found if name.endswith(" queries")]
    head = ["forests", "training rows", "fit, s", *(f"ms a query, {name}" for name in counts)]
    rows = []
    for _, row in found.iterrows():
        each = [f"{1e3 * row[name] / int(name.split()[0]):.3f}" for name in counts]
        errors = [f"{row['error']:.3f}", f"{row['error of the lasso']:.3f}"]
        rows.append([row["route"], f"{row['rows']:,}", f"{row['fit']:.0f}", *each, f"{row['memory']:,.0f}", *errors])
    return pages.draw_table([*head, "peak memory, MB", "error", "the lasso's"], rows)


def tabulate_error(found: pd.DataFrame) -> str:
    """Return what a sample of rows costs in accuracy and saves in time and memory."""
    name = next(name for name in found if name.endswith(" queries"))
    rows = []
    for _, row in found.iterrows():
        per_query = f"{1e3 * row[name] / int(name.split()[0]):.3f}"
        rows.append([row["route"], f"{row['error']:.4f}", f"{row['fit']:.0f}", per_query, f"{row['memory']:,.0f}"])
    return pages.draw_table(["forests", "error", "fit, s", "ms a query", "peak memory, MB"], rows)


def read_figures(found: pd.DataFrame) -> list[str]:
    """Return what the figures say."""
    said = []
    name = next(name for name in found if name.endswith(" queries"))
    for route, part in found.groupby("route", sort=False):
        first, last = part.iloc[0], part.iloc[-1]
        said.append(
            f"{route}: a query against {last['rows']:,} rows takes {last[name] / first[name]:.2f} times as long as one "
            f"against {first['rows']:,}; the largest peak of memory is {part['memory'].max() / 1024:.2f} GB."
        )
    return said


def ask_forest(n: int, trees: int) -> float:
    """Return the error of scikit-learn's forest of as many trees, each of at most 20,000 rows."""
    data = make_continuous(n + SCORED, COLUMNS, random_state=0)
    few = {"max_samples": 20_000} if n > 20_000 else {}
    forest = RandomForestRegressor(trees, min_samples_leaf=2, n_jobs=2, random_state=0, **few)
    said = forest.fit(data.X[:n], data.y[:n]).predict(data.X[n:])
    return float(np.mean((said - data.signal[n:]) ** 2) / np.var(data.signal[n:]))


def draw(found: pd.DataFrame, path: Path) -> None:
    """Draw milliseconds per query and peak memory by training rows, both axes in powers of ten."""
    figure, axes = plt.subplots(1, 2, figsize=(7, 3), layout="constrained")
    name = next(name for name in found if name.endswith(" queries"))
    for number, (route, part) in enumerate(found.groupby("route", sort=False)):
        style = {"marker": "o", "markersize": 3, "color": series_colour(number), "label": route}
        axes[0].plot(part["rows"], 1e3 * part[name] / int(name.split()[0]), **style)
        axes[1].plot(part["rows"], part["memory"], **style)
    for ax, label in zip(axes, (f"ms a query, of {name}", "peak memory, MB"), strict=True):
        ax.set(xscale="log", yscale="log")
        finish(ax, "training rows", label)
    axes[0].set_ylim(0.01, 10)
    axes[1].set_ylim(100, 10_000)
    axes[0].legend(fontsize=font_size(), frameon=False, labelcolor=INK)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def write_page(speed: pd.DataFrame, error: pd.DataFrame) -> str:
    """Return the page."""
    about = (
        f"`AttentionLasso` with its five forests on `make_continuous`, {COLUMNS} columns; two threads. Error is the "
        "mean squared distance from the truth without noise, divided by the variance of that truth, over "
        f"{SCORED:,} new rows. {pages.stamp(*PACKAGES)}. This page is rewritten by `make scale`; the README explains "
        "the rows."
    )
    saying = pages.bullets(read_figures(speed))
    last = error.iloc[0]
    forest = f"A forest of scikit-learn: {ask_forest(int(last['rows']), int(last['trees'])):.4f}."
    title = f"## What a sample costs: {last['rows']:,} rows, {last['trees']} trees"
    return pages.join("Large tables", about, tabulate_speed(speed), saying, title, tabulate_error(error), forest)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the option by which a process is told its case."""
    parser.add_argument("--case", help=argparse.SUPPRESS)


def main() -> None:
    """Run the study, or one case of it."""
    options = study.read_options(__doc__, runs=1, add=add_options, cases=(SPEED + ERROR, SMOKE))
    if options.case:
        print(json.dumps(measure(Case(*json.loads(options.case)))))
        return
    plt.switch_backend("Agg")
    found = run(options.cases, options)
    # what a sample costs is asked of few trees, in a smoke run of the larger table
    costs = found["rows"] == SMOKE[-1].rows if options.smoke else found["trees"] == ERROR[0].trees
    speed = found[found["route"] != "exact"] if options.smoke else found[~costs]
    error = found[costs]
    folder = study.publish(STUDY.home, options, write_page(speed, error))
    draw(speed, folder / "figure.png")


if __name__ == "__main__":
    main()
