"""Whom local lassos attend to: forests, boosted proximity and teachers, beside the teachers, on the twelve tables.

    python -m benchmarks.paper.similarities [--tables NAME ...] [--runs 5] [--jobs -1] [--fresh] [--smoke]

Writes results.md beside this file; of fewer tables or splits, and with ``--smoke``, under build/. Splits are kept in
splits.jsonl, so an interrupted run goes on where it stopped. CatBoost is left out if it is not installed.
"""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from lightgbm import LGBMRegressor

from benchmarks import study
from benchmarks.rivals import make_catboost
from benchmarks.tables import halves, one_hot
from heedful import AttentionLasso
from heedful.baseline import LassoBaseline
from heedful.similarity import TeacherSimilarity

LASSO, TEACHER = "lasso", "LightGBM, the teacher"
HEADS = {
    "forests": {},
    "boosted": {"similarity": ["boosted"]},
    "teacher": {"similarity": ["teacher"]},
    "boosted + teacher": {"similarity": ["boosted", "teacher"]},
    "all": {"similarity": ["forest", "boosted", "teacher"]},
    "one head, teacher": {"heads": "single", "similarity": "teacher"},
    "one head, teacher, anchor": {"heads": "single", "similarity": TeacherSimilarity(anchor=True)},
}
HAS_CATBOOST = find_spec("catboost") is not None


def boosters(seed: int) -> dict[str, Any]:
    """Return the boosters beside which the local lassos stand."""
    quiet = {"n_jobs": 1, "verbose": -1, "random_state": seed}
    models = {
        TEACHER: LGBMRegressor(n_estimators=300, num_leaves=8, **quiet),
        "LightGBM": LGBMRegressor(n_estimators=500, **quiet),
    }
    if HAS_CATBOOST:
        models["CatBoost"] = make_catboost(seed)
    return models


def one_split(X: pd.DataFrame, y: np.ndarray, seed: int) -> study.Scores:
    """Return errors and seconds of each method; all see one column per level and missing values as training means."""
    train, test = halves(len(y), seed)
    first, second = one_hot(X.iloc[train], X.iloc[test])
    models = {LASSO: LassoBaseline(random_state=seed)}
    models |= {name: AttentionLasso(random_state=seed, **how) for name, how in HEADS.items()}
    return study.measure(models | boosters(seed), (first, y[train]), (second, y[test]))


TITLE = "Similarities"
LEAD = (
    "Per cent improvement in mean squared test error over the lasso. First local lassos, named by the similarities of "
    "their heads; then boosters, the first of them being the teacher: 300 rounds, 8 leaves, as for boosted proximity."
)
PACKAGES = ("heedful", "scikit-learn", "lightgbm", *(["catboost"] if HAS_CATBOOST else []))
STUDY = study.Study(Path(__file__).parent, one_split, PACKAGES)


def read_figures(percent: pd.DataFrame) -> list[str]:
    """Return what the figures say."""
    pairs = [(name, LASSO) for name in HEADS]
    pairs += [(name, "forests") for name in ("boosted", "teacher", "boosted + teacher", "all")]
    pairs += [(name, TEACHER) for name in HEADS if name != "forests"]
    pairs += [("one head, teacher, anchor", "one head, teacher")]
    pairs += [("all", rival) for rival in ("LightGBM", "CatBoost") if rival in percent]
    return [study.compare(percent, *pair) for pair in pairs]


def main() -> None:
    """Run the study."""
    options = study.read_options(__doc__, runs=5, add=study.add_tables)
    results = study.run(STUDY, study.read_tables(options), options)
    sentences = read_figures(study.improvement(results, LASSO))
    lead = LEAD if HAS_CATBOOST else f"{LEAD} CatBoost was not installed."
    page = study.write_page(STUDY, results, (TITLE, lead), LASSO, sentences)
    study.publish(STUDY.home, options, page, study.has_all_tables(options))


if __name__ == "__main__":
    main()
