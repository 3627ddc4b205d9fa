"""Large tables: time per query, memory and accuracy as training rows and queries grow.

    python benchmarks/scale/run.py [--smoke] [--fresh]

Each case runs in a process of its own, on two threads, and is kept in build/scale: an interrupted run goes on. Writes
results.md and figure.png beside this file once all cases are there; with ``--smoke`` it prints small ones.
"""

import argparse
import datetime as dt
import json
import platform
import resource
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestRegressor
from tqdm import tqdm

from heedful import AttentionLasso
from heedful.datasets import make_continuous
from heedful.plot._axes import finish, fonts
from heedful.plot._style import INK, series_colour
from heedful.similarity import default_forests

HERE = Path(__file__).resolve().parent
KEPT = HERE.parents[1] / "build" / "scale"
COLUMNS, SCORED, BEST_OF = 30, 2_000, 3
ROUTES: dict[str, dict[str, Any]] = {
    "default": {},
    "same trees": {"max_samples": 10_000, "leaf_rows": "drawn"},
    "exact": {"max_samples": None, "leaf_rows": None},
    "fewer rows a tree, all in leaves": {"leaf_rows": None},
    "fewer rows a tree, 5 a leaf": {"leaf_rows": 5},
    "fewer rows a tree, 20 a leaf": {"leaf_rows": 20},
}


class Case(NamedTuple):
    """One fit: training rows, trees, how forests are made, and the numbers of queries to predict."""

    rows: int
    trees: int
    route: str
    queries: tuple[int, ...]

    @property
    def path(self) -> Path:
        """Where what was measured is kept."""
        return KEPT / f"{self.route.replace(' ', '_').replace(',', '')}-{self.rows}-{self.trees}.json"


ASKED = (1_000, 10_000, 100_000)
SPEED = [Case(n, 500, route, ASKED) for n in (10_000, 100_000, 1_000_000) for route in ("default", "same trees")]
ERROR = [Case(100_000, 100, route, (1_000,)) for route in ROUTES if route != "same trees"]
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


def run(cases: list[Case], fresh: bool) -> pd.DataFrame:
    """Measure the cases that are not kept yet, one process each, and return all of them."""
    KEPT.mkdir(parents=True, exist_ok=True)
    for case in tqdm(cases, unit="case"):
        if fresh or not case.path.exists():
            command = [sys.executable, __file__, "--case", json.dumps(case)]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            case.path.write_text(done.stdout.strip().splitlines()[-1], encoding="utf-8")
    rows = [case._asdict() | json.loads(case.path.read_text(encoding="utf-8")) for case in cases]
    return pd.DataFrame(rows)


def tabulate_speed(found: pd.DataFrame) -> str:
    """Return time per query, memory and error by training rows."""
    counts = [name for name in found if name.endswith(" queries")]
    lines = ["| forests | training rows | fit, s | " + " | ".join(f"ms a query, {name}" for name in counts)]
    lines[0] += " | peak memory, MB | error | the lasso's |"
    lines.append("|---" * (6 + len(counts)) + "|")
    for _, row in found.iterrows():
        each = " | ".join(f"{1e3 * row[name] / int(name.split()[0]):.3f}" for name in counts)
        cells = f"| {row['route']} | {row['rows']:,} | {row['fit']:.0f} | {each} | {row['memory']:,.0f} "
        lines.append(f"{cells}| {row['error']:.3f} | {row['error of the lasso']:.3f} |")
    return "\n".join(lines)


def tabulate_error(found: pd.DataFrame) -> str:
    """Return what a sample of rows costs in accuracy and saves in time and memory."""
    name = next(name for name in found if name.endswith(" queries"))
    lines = ["| forests | error | fit, s | ms a query | peak memory, MB |", "|---" * 5 + "|"]
    for _, row in found.iterrows():
        per_query = 1e3 * row[name] / int(name.split()[0])
        numbers = f"{row['error']:.4f} | {row['fit']:.0f} | {per_query:.3f} | {row['memory']:,.0f}"
        lines.append(f"| {row['route']} | {numbers} |")
    return "\n".join(lines)


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
    axes[0].legend(fontsize=fonts().tick, frameon=False, labelcolor=INK)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def write_page(speed: pd.DataFrame, error: pd.DataFrame) -> str:
    """Return the page."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("heedful", "scikit-learn", "numba"))
    about = (
        f"`AttentionLasso` with its four forests on `make_continuous`, {COLUMNS} columns; two threads. Error is the "
        "mean squared distance from the truth without noise, divided by the variance of that truth, over "
        f"{SCORED:,} new rows. {dt.date.today()}, {packages}, Python {platform.python_version()}. This page is "
        "rewritten by `make scale`; the README explains the rows."
    )
    saying = "\n".join(f"- {sentence}" for sentence in read_figures(speed))
    last = error.iloc[0]
    forest = f"A forest of scikit-learn: {ask_forest(int(last['rows']), int(last['trees'])):.4f}."
    title = f"## What a sample costs: {last['rows']:,} rows, {last['trees']} trees"
    parts = ["# Large tables", about, tabulate_speed(speed), saying, title, tabulate_error(error), forest]
    return "\n\n".join(parts) + "\n"


def main() -> None:
    """Run the study."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--smoke", action="store_true", help="a few hundred rows, to see that it runs")
    parser.add_argument("--fresh", action="store_true", help="measure everything anew")
    parser.add_argument("--case", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.case:
        print(json.dumps(measure(Case(*json.loads(options.case)))))
        return
    if options.smoke:
        found = pd.DataFrame([case._asdict() | measure(case) for case in SMOKE])
        print(write_page(found[found["route"] != "exact"], found[found["rows"] == SMOKE[-1].rows]))
        return
    plt.switch_backend("Agg")
    speed, error = run(SPEED, options.fresh), run(ERROR, options.fresh)
    page = write_page(speed, error)
    print(page)
    (HERE / "results.md").write_text(page, encoding="utf-8")
    draw(speed, HERE / "figure.png")


if __name__ == "__main__":
    main()
