"""How much of the gain over the lasso small models keep, and how small models are by themselves.

    python -m benchmarks.small [--runs 2] [--jobs -1] [--data DIR] [--fresh] [--smoke]

A random half of each development table is fitted, rows of the other half are predicted by the whole models of queries
and by small ones, before these are moved to the prediction. Writes results.md beside this file once all is in; of
less, and with ``--smoke``, under build/. Each split is kept, so an interrupted run goes on where it stopped.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks import pages, study
from benchmarks.league.tables import read_numbers
from benchmarks.tables import data_folder, halves, stand_in
from heedful import AttentionLasso
from heedful.explain import Explanation

HERE, RUNS, PACKAGES = Path(__file__).parent, 2, ("heedful",)
MOST_QUERIES = 300
SIZES = (3, 5, 8)
LASSO, WHOLE, JUDGED = "lasso", "whole models", "at most 5 columns"


def count_columns(explanation: Explanation) -> float:
    """Return how many columns of the table the models of queries use, on the mean."""
    used = (explanation.coef != 0) | (explanation.shape != 0)
    return float(used.T.groupby(explanation.sources.to_numpy(dtype=object)).any().sum().mean())


def one_split(X: pd.DataFrame, y: np.ndarray, seed: int) -> study.Scores:
    """Return error, number of columns and fidelity of whole and small models, and of the lasso."""
    train, test = halves(len(y), seed)
    test = test[:MOST_QUERIES]
    model = AttentionLasso(random_state=seed, n_jobs=1).fit(X.iloc[train], y[train])
    lasso = model.baseline_
    queries = X.iloc[test]
    explained = model.explain(queries)

    def error(predicted: np.ndarray) -> float:
        return float(np.mean((np.asarray(predicted) - y[test]) ** 2))

    slopes = explained.baseline_coef.groupby(explained.sources.to_numpy(dtype=object)).any()
    plain = lasso.predict(explained.design)
    found = {
        LASSO: {"error": error(plain), "columns": float(slopes.sum()), "fidelity": 0.0},
        WHOLE: {"error": error(explained.prediction), "columns": count_columns(explained), "fidelity": 1.0},
    }
    for size in SIZES:
        small = model.explain(queries, max_features=size)
        found[f"at most {size} columns"] = {
            "error": error(small.small_prediction),
            "columns": count_columns(small),
            "fidelity": float(small.fidelity.mean()),
        }
    return found


def tell(found: pd.DataFrame) -> str:
    """Return one row per table: gains over the lasso, and columns in use."""
    gain = 100 * (1 - found["error"].div(found["error"][LASSO], axis=0)).groupby("table").mean()
    columns, fidelity = (found[name].groupby("table").mean() for name in ("columns", "fidelity"))
    names = [name for name in gain.columns if name != LASSO]
    rows = [
        [
            title,
            *(f"{gain.loc[title, name]:.1f}" for name in names),
            *(f"{columns.loc[title, name]:.1f}" for name in (LASSO, WHOLE)),
            f"{fidelity.loc[title, JUDGED]:.3f}",
        ]
        for title in gain.index
    ]
    mean = [f"{gain[name].mean():.1f}" for name in names]
    rows.append(["mean", *mean, f"{columns[LASSO].mean():.1f}", f"{columns[WHOLE].mean():.1f}"])
    rows[-1].append(f"{fidelity[JUDGED].mean():.3f}")
    kept = [f"{100 * gain[name].mean() / gain[WHOLE].mean():.1f} %" for name in names]
    rows.append(["part of the mean gain that is kept", *kept, "", "", ""])
    head = ["table", *names, "columns of the lasso", "of whole models", "fidelity, 5 columns"]
    return pages.draw_table(head, rows)


def tell_columns(found: pd.DataFrame) -> str:
    """Return how many columns models have, in words."""
    columns = found["columns"].mean()
    return (
        f"Of the columns of a table {columns[LASSO]:.1f} have a coefficient in the lasso on the mean, "
        f"{columns[WHOLE]:.1f} a coefficient or a curve in the whole model of a query, {columns[JUDGED]:.1f} in one of "
        f"{JUDGED}."
    )


def write_about(options: argparse.Namespace) -> str:
    """Return what leads to the page."""
    return (
        f"Improvement on the lasso in per cent of its squared error, {options.runs} random halves each, at most "
        f"{MOST_QUERIES} queries of the other half. Small models are those of `explain(X, max_features=k)` as they "
        f"predict by themselves. {pages.stamp(*PACKAGES)}. Run again: `make small`."
    )


def main() -> None:
    """Run the study."""
    options = study.read_options(__doc__, RUNS, add=add_options)
    tables = {"stand-in": stand_in(160, 0)} if options.smoke else read_numbers(data_folder(options.data))
    found = study.run(study.Study(HERE, one_split, PACKAGES), tables, options)
    about = write_about(options)
    study.publish(HERE, options, pages.join("Small models", about, tell(found), tell_columns(found)))


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the folder of the tables."""
    parser.add_argument("--data", help="folder that holds uci/manifest.json")


if __name__ == "__main__":
    main()
