"""Joint learning of a diagonal attention matrix, which the paper sets aside, beside ridge attention and a forest.

    python -m benchmarks.paper.diagonal [--tables NAME ...] [--runs 5] [--jobs -1] [--fresh] [--smoke]

Writes results.md beside this file; of fewer tables or splits, and with ``--smoke``, under build/. Splits are kept in
splits.jsonl, so an interrupted run goes on where it stopped. Communities has to be asked for: a step of the gradient
costs rows times columns squared, and it has 126.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks import study
from benchmarks.paper.diagonal.learning import LearnedDiagonal
from benchmarks.tables import TABLES, halves, one_hot
from heedful import AttentionLasso
from heedful.baseline import LassoBaseline
from heedful.similarity import ForestProximity, RidgeSimilarity

LASSO, RIDGE, FOREST = "lasso", "ridge attention", "forest"
PRODUCT, DISTANCE = "learned diagonal", "learned diagonal, distance"
# Similarities are fitted anew in each fold: rows that have taught one must not judge it.
FOLDS = 5
USUAL = [name for name in TABLES if name != "communities_and_crime"]


def one_split(X: pd.DataFrame, y: np.ndarray, seed: int) -> study.Scores:
    """Return errors and seconds of each method; all see one column per level and missing values as training means."""
    train, test = halves(len(y), seed)
    first, second = one_hot(X.iloc[train], X.iloc[test])
    similarities = {
        RIDGE: RidgeSimilarity(),
        PRODUCT: LearnedDiagonal(random_state=seed),
        DISTANCE: LearnedDiagonal(distance=True, random_state=seed),
        FOREST: ForestProximity(),
    }
    models = {LASSO: LassoBaseline(random_state=seed)}
    how = {"cv": FOLDS, "random_state": seed}
    models |= {name: AttentionLasso(heads="single", similarity=entry, **how) for name, entry in similarities.items()}
    return study.measure(models, (first, y[train]), (second, y[test]))


TITLE = "A diagonal attention matrix, learned jointly"
LEAD = (
    "Per cent improvement in mean squared test error over the lasso, of local lassos under one head. Ridge attention "
    "scores x'Dz by ridge coefficients; the learned diagonals start there and take 150 steps down the squared error of "
    "local ridge models of rows left out, on x'Dz or on the distance."
)
STUDY = study.Study(Path(__file__).parent, one_split, ("heedful", "scikit-learn"))


def read_figures(percent: pd.DataFrame) -> list[str]:
    """Return what the figures say."""
    pairs = [(PRODUCT, RIDGE), (DISTANCE, RIDGE), (DISTANCE, PRODUCT), (RIDGE, FOREST), (PRODUCT, FOREST)]
    return [study.compare(percent, *pair) for pair in [*pairs, (DISTANCE, FOREST)]]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the tables, without the one that takes too long."""
    study.add_tables(parser)
    parser.set_defaults(tables=USUAL)


def main() -> None:
    """Run the study."""
    options = study.read_options(__doc__, runs=5, add=add_options)
    results = study.run(STUDY, study.read_tables(options), options)
    sentences = read_figures(study.improvement(results, LASSO))
    page = study.write_page(STUDY, results, (TITLE, LEAD), LASSO, sentences)
    study.publish(STUDY.home, options, page, set(USUAL) <= set(options.tables))


if __name__ == "__main__":
    main()
