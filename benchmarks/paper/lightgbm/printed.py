"""Algorithms 1 and 3 as they are printed, around a small LightGBM: no guard, nothing chosen but rounds and mixing.

    python -m benchmarks.paper.lightgbm.printed [--tables NAME ...] [--runs 1] [--jobs 1] [--fresh] [--smoke]

Writes printed.md beside this file; of fewer tables or splits, and with ``--smoke``, under build/. Splits are kept in
splits.jsonl, so an interrupted run goes on where it stopped.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks import pages, study
from benchmarks.paper.lightgbm.__main__ import LARGE, SMALL
from benchmarks.rivals import LightGBM
from benchmarks.tables import TABLES, halves, one_hot
from heedful import AttentionRegressor, LeafAttentionRegressor, LocalLearner

FIRST, THIRD = "Algorithm 1", "Algorithm 3"
# Communities has 126 columns: a split of it takes as long as one of all others.
TABLES_TRIED = [name for name in TABLES if name != "communities_and_crime"]
# One forest, the softmax as it is, a mixing of eleven by ten folds; nothing is trimmed, and all rows are tried.
PRINTED = {"temperature": 1.0, "mixing": [tenths / 10 for tenths in range(11)], "cv": 10}


def one_split(X: pd.DataFrame, y: np.ndarray, seed: int) -> study.Scores:
    """Return errors and seconds of each method; all see tables as in table 1, missing values as training means."""
    train, test = halves(len(y), seed)
    first, second = one_hot(X.iloc[train], X.iloc[test])
    models = {
        LARGE: LightGBM(seed),
        SMALL: LightGBM(seed, leaves=8, most=100),
        FIRST: AttentionRegressor(**PRINTED, local=LocalLearner(tuning_rows=None, trim_weight=0.0), random_state=seed),
        THIRD: LeafAttentionRegressor(**PRINTED, leaf_value="responses", random_state=seed),
    }
    found = study.measure(models, (first, y[train]), (second, y[test]))
    for name in (FIRST, THIRD):
        found[name]["mixing"] = models[name].mixing_
    return found


STUDY = study.Study(Path(__file__).parent, one_split, ("heedful", "scikit-learn", "lightgbm"))


def write_page(results: pd.DataFrame) -> str:
    """Return the page: figures, what they say, the mixings that were chosen, what it cost."""
    percent, seconds = study.improvement(results, LARGE), results["seconds"]
    about = (
        "Per cent improvement in mean squared test error over a large LightGBM (31 leaves, at most 500 rounds). The "
        "others have 8 leaves and at most 100 rounds, as many as are best for rows left out. The algorithms are to the "
        "letter of the paper: proximity of one forest of 500 trees, softmax at temperature 1, a mixing of 0, 0.1, ..., "
        "1 by ten folds, no guard. Communities is left out unless it is asked for: its 126 columns cost most. Mean "
        f"(standard error) of {study.describe_splits(results)}, seeds from 0. "
        f"{pages.stamp(*STUDY.packages)}; {seconds.to_numpy().sum() / 60:.0f} minutes of one core. This page is "
        f"rewritten by `python -m benchmarks.paper.lightgbm.printed --runs {results.index.unique('seed').size}`."
    )
    pairs = [(FIRST, LARGE), (THIRD, LARGE), (FIRST, SMALL), (THIRD, SMALL)]
    told = [study.compare(percent, *pair) for pair in pairs] + [study.name_best(percent, LARGE)]
    chosen = study.summarise(results["mixing"].dropna(axis=1))
    mixing = f"Mixing; 0 is the algorithm's own small LightGBM, whose rounds its own folds choose:\n\n{chosen}"
    costs = f"Seconds to fit one half and predict the other, on one core:\n\n{study.summarise(seconds)}"
    title = "Algorithms 1 and 3 as printed"
    return pages.join(title, about, study.summarise(percent), pages.bullets(told), mixing, costs)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the tables, and how often and on how many cores: a split is dear, and one is the default."""
    study.add_tables(parser)
    parser.set_defaults(tables=TABLES_TRIED)
    parser.add_argument("--runs", type=int, help="splits of each table (default 1)")
    parser.add_argument("--jobs", type=int, help="splits at a time, each on one core (default 1)")


def main() -> None:
    """Run the study."""
    options = study.read_options(__doc__, runs=1, add=add_options)
    results = study.run(STUDY, study.read_tables(options), options, part="printed")
    study.publish(STUDY.home, options, write_page(results), set(options.tables) >= set(TABLES_TRIED), "printed.md")


if __name__ == "__main__":
    main()
