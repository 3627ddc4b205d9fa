"""What it costs that curves of a large table are fitted to some of its rows, for numbers and a rare class.

    python -m benchmarks.scale.curves [--fresh] [--smoke]

Writes curves.md beside this file; with ``--smoke``, of a few hundred rows, under build/. What was measured is kept.
"""

import time
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
from sklearn.metrics import log_loss

from benchmarks import pages, study
from heedful import AttentionLasso, AttentionLassoClassifier, LocalLasso
from heedful._models import linear
from heedful.similarity import default_forests

HOME, PACKAGES = Path(__file__).parent, ("heedful",)
COLUMNS = 10
NUMBERS, RARE = "numbers", "a rare class"
ALL = "all rows"


def simulate(kind: str, n_rows: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return columns, response and signal: curves, a product and steps; of classes about one row in seventy is rare."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, COLUMNS))
    signal = 2 * np.sin(2 * X[:, 0]) + X[:, 1] ** 2 + np.abs(X[:, 2]) + X[:, 3]
    signal += 0.5 * X[:, 4] * X[:, 5] + 0.3 * np.floor(3 * X[:, 6])
    if kind == NUMBERS:
        return X, signal + 2 * rng.normal(size=n_rows), signal
    return X, (rng.uniform(size=n_rows) < 1 / (1 + np.exp(9 - signal))).astype(int), signal


def one_split(kind: str, n_rows: int, trees: int, drawn: tuple[int, ...], new: int, seed: int) -> study.Scores:
    """Return error and seconds of a fit whose curves are those of so many rows."""
    X, y, signal = simulate(kind, n_rows + new, seed)
    found = {}
    for most in drawn:
        local = LocalLasso(tuning_rows=min(10_000, *drawn))
        how: dict[str, Any] = {"similarity": default_forests(trees), "local": local, "n_jobs": 2, "random_state": seed}
        model = AttentionLasso(**how) if kind == NUMBERS else AttentionLassoClassifier(**how)
        with patch.object(linear, "SHAPE_ROWS", most):
            start = time.perf_counter()
            model.fit(X[:n_rows], y[:n_rows])
        seconds = time.perf_counter() - start
        if kind == NUMBERS:
            error = np.mean((model.predict(X[n_rows:]) - signal[n_rows:]) ** 2) / np.var(signal[n_rows:])
        else:
            error = log_loss(y[n_rows:], model.predict_proba(X[n_rows:])[:, 1])
        found[ALL if most >= n_rows else f"{most:,} rows"] = {"error": float(error), "seconds": seconds}
    return found


def write_page(found: pd.DataFrame, n_rows: int, new: int) -> str:
    """Return the page."""
    about = (
        f"Fits to {n_rows:,} rows of {COLUMNS} columns, whose curves are those of some of the rows; two threads. Error "
        "of numbers: mean squared distance from the truth, divided by its variance; of a class that has one row in "
        f"seventy: log loss; over {new:,} new rows. {pages.stamp(*PACKAGES)}. The default is {linear.SHAPE_ROWS:,} "
        "rows. This page is rewritten by `make scale`."
    )
    rows = [
        [f"{kind}, {name}", f"{row['error', name]:.4f}", f"{row['seconds', name]:.0f}"]
        for (kind, _), row in found.iterrows()
        for name in found["error"]
    ]
    table = pages.draw_table(["response, curves of", "error", "fit, s"], rows)
    return pages.join("Curves of large tables", about, table)


def main() -> None:
    """Run the study."""
    sizes = {"rows": (100_000, 2_000), "trees": (24, 8), "new": (20_000, 500)}
    drawn = ((20_000, 50_000, 100_000), (500, 2_000))
    options = study.read_options(__doc__, runs=1, alone=True, drawn=drawn, **sizes)
    tables = {kind: (kind, options.rows, options.trees, options.drawn, options.new) for kind in (NUMBERS, RARE)}
    found = study.run(study.Study(HOME, one_split, PACKAGES), tables, options, "curves")
    study.publish(HOME, options, write_page(found, options.rows, options.new), name="curves.md")


if __name__ == "__main__":
    main()
