"""Wide tables: seconds and errors of default estimators, against another version or with other caps on columns.

    python -m benchmarks.speed.wide [--before FOLDER | --caps N ...] [--seeds N ...] [--table NAME [--inside]] [--smoke]

FOLDER holds the other version's package, like src; both are measured, each in a process of one thread. ``--caps`` sets
``LocalLasso(n_screened=...)`` instead, 0 for all columns. The table is simulated (33 numeric and 40 text columns of 4
to 20 levels, 800 rows to learn from and 800 to predict), or one of the paper's by its name, of which ``--inside`` takes
the training half only. Prints a table and writes nothing.
"""

import argparse
import json
import os
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

import heedful
from benchmarks import pages, study
from benchmarks.speed.compare import NOW
from benchmarks.speed.jobs import seconds
from benchmarks.tables import PROJECT, data_folder, halves, load
from heedful.similarity import ForestProximity

CHILD = "from benchmarks.speed import wide; wide.tell({job!r})"


def make_wide(n_rows: int, seed: int, numeric: int = 33, text: int = 40) -> tuple[pd.DataFrame, np.ndarray]:
    """Return rows of numbers and text: six numbers, every fifth text and a product of both make the response."""
    rng, law = np.random.default_rng(seed), np.random.default_rng(12345)
    X = rng.normal(size=(n_rows, numeric))
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(numeric)])
    y = X[:, :6] @ law.normal(size=6)
    codes = []
    for k, size in enumerate(4 + np.round(16 * np.linspace(0, 1, text) ** 3).astype(int)):
        codes.append(rng.integers(size, size=n_rows))
        effect = law.normal(size=size)
        if k % 5 == 0:
            y = y + 0.7 * effect[codes[-1]]
        frame[f"c{k}"] = np.array([f"level {v}" for v in range(size)], dtype=object)[codes[-1]]
    return frame, y + np.where(codes[3] < 2, 1.5, -1.5) * X[:, 6] + rng.normal(size=n_rows)


def draw(job: dict[str, Any]) -> tuple[pd.DataFrame, np.ndarray, np.ndarray, np.ndarray]:
    """Return a table with the rows to learn from and those to predict."""
    if job["table"] is None:
        X, y = make_wide(2 * job["rows"], job["seed"])
        return X, y, np.arange(job["rows"]), np.arange(job["rows"], 2 * job["rows"])
    X, y = load(job["table"], Path(job["data"]))
    train, test = halves(len(X), job["seed"])
    if job["inside"]:
        first, second = halves(train.size, 100 + job["seed"])
        train, test = train[first], train[second]
    return X, y, train, test


def tell(job: dict[str, Any]) -> None:
    """Print the seconds and the error of the heedful in a folder; kernels are loaded before."""
    if Path(job["source"]) not in Path(heedful.__file__).parents:
        raise SystemExit(f"heedful is that of {heedful.__file__}, not of {job['source']}.")
    X, y, train, test = draw(job)
    local = None if job["cap"] is None else heedful.LocalLasso(n_screened=job["cap"] or None)
    model = heedful.AttentionLasso(local=local, random_state=0)
    rng = np.random.default_rng(0)
    for columns in (5, 60):
        few = rng.normal(size=(80, columns))
        clone(model).fit(few, few[:, 0] + rng.normal(size=80)).predict(few)
    grown, found = clock_forests(), list[np.ndarray]()
    fit = seconds(lambda: model.fit(X.iloc[train], y[train]), 1)
    predict = seconds(lambda: found.append(model.predict(X.iloc[test])), 1)
    error = float(np.mean((found[0] - y[test]) ** 2))
    print(json.dumps({"fit": fit, "forests": sum(grown), "predict": predict, "error": error}))


def clock_forests() -> list[float]:
    """Return a list to which every forest that is fitted from now on adds its seconds."""
    taken, fit = list[float](), ForestProximity.fit

    def timed(self: ForestProximity, *rows: Any) -> ForestProximity:
        taken.append(seconds(lambda: fit(self, *rows), 1))
        return self

    ForestProximity.fit = timed  # type: ignore[method-assign]  # every fit is timed from now on
    return taken


def measure(job: dict[str, Any]) -> dict[str, float]:
    """Return what one version says in a process of its own."""
    env = os.environ | {"PYTHONPATH": job["source"], "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", CHILD.format(job=job)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=env, cwd=PROJECT)
    if done.returncode:
        raise SystemExit(f"{done.stderr}\n{job} failed.")
    return json.loads(done.stdout.strip().splitlines()[-1])


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that only this comparison has."""
    parser.add_argument("--before", type=Path, metavar="FOLDER", help="src of the other version")
    parser.add_argument("--caps", type=int, nargs="+", metavar="N", help="numbers of columns to try, 0 for all")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0], metavar="N", help="draws or splits")
    parser.add_argument("--table", metavar="NAME", help="one of the paper's tables instead of the simulation")
    parser.add_argument("--inside", action="store_true", help="both halves of the table's training half only")
    parser.add_argument("--data", metavar="FOLDER", help="folder of the tables")


def main() -> None:
    """Measure and print."""
    options = study.read_options(__doc__, add=add_options, rows=(800, 60))
    data = str(data_folder(options.data)) if options.table else ""
    shared = {"table": options.table, "inside": options.inside, "data": data, "rows": options.rows}
    caps = {"all columns" if cap == 0 else f"{cap} columns": (NOW, cap) for cap in options.caps or ()}
    versions = caps or ({"before": (options.before.resolve(), None)} if options.before else {}) | {"now": (NOW, None)}
    rows = []
    for seed, (name, (source, cap)) in product(options.seeds, versions.items()):
        found = measure(shared | {"source": str(source), "cap": cap, "seed": seed})
        rest = found["fit"] - found["forests"] + found["predict"]
        told = [f"{value:.2f} s" for value in (found["fit"], found["predict"], rest)]
        rows.append([name, str(seed), *told, f"{found['error']:.4g}"])
    print(pages.draw_table(["version", "seed", "fit", "predict", "both without forests", "squared error"], rows))


if __name__ == "__main__":
    main()
