"""One head on the same image: Algorithm 2 as printed, with a pixel's neighbours in the similarity.

    python -m benchmarks.paper.spatial.printed [--data DIR] [--runs 1] [--jobs 1] [--fresh] [--smoke]

Writes printed.md beside this file, with ``--smoke`` under build/. Splits are kept in
splits.jsonl, so an interrupted run goes on where it stopped.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import GroupKFold

from benchmarks import pages, study
from benchmarks.paper.spatial.__main__ import (
    CONTEXTS,
    LASSO,
    N_FOLDS,
    N_TREES,
    RAW,
    add_context,
    add_options,
    compare,
    count_pixels,
    deal_fields,
    own_bands,
    read_pixels,
    score,
    stand_in,
)
from benchmarks.tables import data_folder
from heedful import AttentionLassoClassifier
from heedful._folds import Split
from heedful.baseline import LogisticBaseline
from heedful.similarity import ForestProximity

TEMPERATURES = {"one head, temperature 1": 1.0, "one head, temperature 0.1": 0.1}


def make_printed(own: list[str], temperature: float, seed: int) -> AttentionLassoClassifier:
    """Return the paper's recipe for classes with as many trees and folds as the other columns have."""
    forest = ForestProximity(N_TREES, min_samples_split=2)
    how = {"similarity": forest, "temperature": temperature, "features": {"model": own}, "cv": N_FOLDS}
    return AttentionLassoClassifier.as_in_the_paper(**how, random_state=seed)


def one_split(X: pd.DataFrame, y: np.ndarray, seed: int) -> study.Scores:
    """Return the scores of the lasso and of one head; whole fields are left out, in the test and in the folds."""
    train, own = deal_fields(X, y, seed), own_bands(X)
    fields, table = X["field"][train], add_context(X, CONTEXTS[RAW])
    folds = [Split(*rows) for rows in GroupKFold(N_FOLDS).split(fields, groups=fields)]
    found = {LASSO: score(LogisticBaseline(), X[own], y, train, splits=folds)}
    for name, temperature in TEMPERATURES.items():
        found[name] = score(make_printed(own, temperature, seed), table, y, train, groups=fields)
    return found


STUDY = study.Study(Path(__file__).parent, one_split, ("heedful", "scikit-learn"))


def write_page(X: pd.DataFrame, y: np.ndarray, results: pd.DataFrame) -> str:
    """Return the page: figures by split as in the paper's table, what they say, and what they cost."""
    results = results.droplevel("table")
    auc, seconds = 1 - results["error"], results["seconds"]
    values = auc.join(results["mixing"][list(TEMPERATURES)].add_prefix("mixing, "))
    rows = {str(seed): split for seed, split in values.iterrows()} | {"mean": values.mean()}
    if len(values) > 1:
        rows["standard error"] = values.sem()
    table = pages.draw_table(
        ["split", *values], [[name, *(f"{cell:.3f}" for cell in cells)] for name, cells in rows.items()]
    )
    about = (
        "AUC on fields that were left out as a whole, as in results.md. One head is Algorithm 2 as printed: one forest "
        f"({N_TREES} trees) that sees a pixel and its 8 neighbours, L1 logistic models of the pixel's own bands fitted "
        f"to convergence, penalty and a mixing of 0, 0.1, ..., 1 by {N_FOLDS} folds of whole fields, no guard. "
        f"Splits of results.md from the first on, {len(auc)} in all. {count_pixels(X, y, len(auc))} "
        f"{pages.stamp(*STUDY.packages)}. Rewritten by `python -m benchmarks.paper.spatial.printed`."
    )
    costs = ", ".join(f"{name} {value:.1f}" for name, value in seconds.mean().items())
    cost = f"Seconds by the clock to fit and predict a split, whatever else the machine did meanwhile: {costs}."
    told = pages.bullets(compare(auc, name, LASSO) for name in TEMPERATURES)
    return pages.join("One head, as printed", about, table, told, cost)


def add_runs(parser: argparse.ArgumentParser) -> None:
    """Add the options of the other columns, how often and on how many cores: a split is dear, one is the default."""
    add_options(parser)
    parser.add_argument("--runs", type=int, help="splits (default 1)")
    parser.add_argument("--jobs", type=int, help="splits at a time, each on one core (default 1)")


def main() -> None:
    """Run the study."""
    options = study.read_options(__doc__, 1, add=add_runs)
    path = None if options.smoke else data_folder(options.data) / "spatial" / "indian_pines.npz"
    X, y = stand_in() if path is None else read_pixels(path)
    title = "tissue" if options.smoke else "Indian Pines"
    results = study.run(STUDY, {title: (X, y)}, options, part="printed")
    study.publish(STUDY.home, options, write_page(X, y, results), name="printed.md")


if __name__ == "__main__":
    main()
