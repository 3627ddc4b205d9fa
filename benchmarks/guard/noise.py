"""Responses that have nothing to do with the columns: how often is skill claimed of a model."""

import numpy as np
import pandas as pd

from benchmarks import pages, study
from heedful import AttentionLasso, AttentionLassoClassifier
from heedful.explain._unseen import judge

SIZES, N_COLUMNS, RUNS = (40, 80, 150, 300), 5, 100
KINDS = {"numbers": (False,), "two classes": (True,)}
CLAIM = "It predicts new rows better"


def one_sample(of_classes: bool, seed: int) -> study.Scores:
    """Return whether a model of pure noise is said to predict new rows better than the lasso, and its gain."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(SIZES[seed % len(SIZES)], N_COLUMNS)), rng.normal(size=SIZES[seed % len(SIZES)])
    estimator, y = (AttentionLassoClassifier, y > 0) if of_classes else (AttentionLasso, y)
    model = estimator(random_state=seed, n_jobs=1).fit(X, y)
    unseen = model.unseen_error_
    claimed = judge(unseen, model.mixing_).meaning.startswith(CLAIM)
    return {"noise": {"claimed": float(claimed), "gain": float(1 - unseen["attention"] / unseen["baseline"])}}


def tell(found: pd.DataFrame) -> str:
    """Return one row for each kind of response."""
    rows = []
    for kind in found.index.unique("table"):
        own = found.loc[kind]
        rows.append(
            [
                kind,
                f"{len(own)}",
                f"{int(own['claimed', 'noise'].sum())}",
                f"{int((own['gain', 'noise'] > 0.01).sum())}",
            ]
        )
    return pages.draw_table(["response", "draws", "skill is claimed", "error at least 1 % lower"], rows)
