"""Shapes where the truth is a sum of curves and steps, beside an EBM; and where it is an interaction.

    python -m benchmarks.shapes [--runs 5] [--jobs -1] [--fresh] [--smoke]

Errors are mean squared differences to the truth without noise. Writes results.md beside this file once all is in; of
less, and with ``--smoke``, under build/. Each draw is kept, so an interrupted run goes on where it stopped.
"""

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd

from benchmarks import pages, rivals, study
from benchmarks.simulations import make_soft_clusters
from heedful import AttentionLasso, LocalLasso
from heedful.datasets import make_subgroups

HERE, RUNS, PACKAGES = Path(__file__).parent, 5, ("heedful", "interpret-core")
Draw = Callable[[int], tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]
NEW = 2000


def additive(n_rows: int, seed: int) -> tuple[np.ndarray, ...]:
    """Return rows, responses, new rows and their truth: a sum of waves, steps, a square, a kink and a line."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(n_rows + NEW, 10))
    truth = (
        2 * np.sin(2 * X[:, 0])
        + np.where(X[:, 1] > 0.3, 1.5, -1.0)
        + np.digitize(X[:, 2], [-1, 0, 1.5])
        + X[:, 3] ** 2
        + np.abs(X[:, 4])
        + X[:, 5]
    )
    y = truth + rng.normal(size=truth.size)
    return X[:n_rows], y[:n_rows], X[n_rows:], truth[n_rows:]


def setting(make: Callable, n_rows: int, seed: int) -> tuple[np.ndarray, ...]:
    """Return a draw of one of the paper's simulations, whose test rows are held against their responses."""
    train, test = make(n_rows + NEW, random_state=seed).split(n_rows)
    return train.X, train.y, test.X, test.y


def one_draw(draw: Draw, ebm: bool, seed: int) -> study.Scores:
    """Return error and CPU seconds of each method."""
    X, y, X_new, truth = draw(seed)
    models = {
        "heedful": AttentionLasso(random_state=seed),
        "without shapes": AttentionLasso(local=LocalLasso(shapes=False), random_state=seed),
    }
    if ebm:
        models["EBM without interactions"] = rivals.make_ebm(seed, interactions=0)
    found = {}
    for name, model in models.items():
        start = process_time()
        error = float(np.mean((model.fit(X, y).predict(X_new) - truth) ** 2))
        found[name] = {"error": error, "seconds": process_time() - start}
    return found


def write_table(found: pd.DataFrame, titles: list[str]) -> str:
    """Return one line per truth and method."""
    rows = []
    for title in titles:
        errors = found["error"].loc[title]
        for name in errors.columns[errors.notna().any()]:
            ratio = errors[name] / errors["without shapes"]
            rows.append([f"{title}: {name}", pages.format_mean(errors[name], 3), pages.format_mean(ratio, 3)])
    return pages.draw_table(["truth and method", "error", "ratio to no shapes"], rows)


def write_about(options: argparse.Namespace) -> str:
    """Return what leads to the page."""
    return (
        f"Mean squared error (standard error) over {options.runs} draws, seeds from 0, and its ratio to that without "
        f"shapes; every method at its defaults. {pages.stamp(*PACKAGES)}. Run again: `make shapes`."
    )


def main() -> None:
    """Run the study."""
    options = study.read_options(__doc__, RUNS, rows=((500, 300), (60,)))
    many, few = options.rows[0], options.rows[-1]
    tables = {
        f"sum of curves and steps, {many} rows": (partial(additive, many), True),
        f"setting 1, {few} rows": (partial(setting, make_subgroups, few), False),
        f"setting 3, {few} rows": (partial(setting, make_soft_clusters, few), False),
    }
    found = study.run(study.Study(HERE, one_draw, PACKAGES), tables, options)
    about = write_about(options)
    study.publish(HERE, options, pages.join("Shapes", about, write_table(found, list(tables))))


if __name__ == "__main__":
    main()
