"""The default learner: a small LightGBM, its number of rounds by cross-validation."""

from typing import Any

import numpy as np

from heedful._folds import Split
from heedful._optional import import_optional

ROUNDS, LEAVES = 100, 8
# Trees of few leaves need few cuts, and a fit costs as much as there are bins to look at.
BINS = 63


def small_booster(who: str, *, n_classes: int | None, rounds: int = ROUNDS, random_state: int | None = None) -> Any:
    """Return an unfitted LightGBM of at most 100 rounds and 8 leaves; ``who`` asked for it."""
    lightgbm = import_optional("lightgbm", "lightgbm", who)
    kind = lightgbm.LGBMRegressor if n_classes is None else lightgbm.LGBMClassifier
    how = {"n_estimators": rounds, "num_leaves": LEAVES, "max_bin": BINS, "random_state": random_state}
    return kind(**how, n_jobs=1, verbose=-1)


def choose_rounds(x: np.ndarray, y: np.ndarray, weight: np.ndarray, splits: list[Split], n_classes: int | None) -> int:
    """Return the number of rounds with the smallest loss of left-out rows, summed over the folds."""
    lightgbm = import_optional("lightgbm", "lightgbm", "estimator=None")
    params: dict[str, Any] = {"num_leaves": LEAVES, "max_bin": BINS, "num_threads": 1, "verbose": -1}
    if n_classes is None:
        params |= {"objective": "regression", "metric": "l2"}
    elif n_classes == 2:
        params |= {"objective": "binary", "metric": "binary_logloss"}
    else:
        params |= {"objective": "multiclass", "num_class": n_classes, "metric": "multi_logloss"}
    total = np.zeros(ROUNDS)
    for train, test in splits:
        fitted = lightgbm.Dataset(x[train], y[train], weight=weight[train], params=params)
        left_out = lightgbm.Dataset(x[test], y[test], weight=weight[test], reference=fitted, params=params)
        curves: dict[str, Any] = {}
        keep = [lightgbm.record_evaluation(curves)]
        lightgbm.train(params, fitted, ROUNDS, valid_sets=[left_out], valid_names=["out"], callbacks=keep)
        (curve,) = curves["out"].values()
        total += weight[test].sum() * np.array(curve)
    return int(np.argmin(total)) + 1
