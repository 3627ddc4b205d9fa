"""The default learner: a small LightGBM, its number of rounds by cross-validation."""

from typing import Any

import numpy as np

from heedful._optional import need
from heedful.baseline._folds import Split

ROUNDS, LEAVES = 100, 8
# Trees of few leaves need few cuts, and a fit costs as much as there are bins to look at.
BINS = 63


def small_booster(who: str, *, n_classes: int | None, rounds: int = ROUNDS, random_state: int | None = None) -> Any:
    """Return an unfitted LightGBM of 8 leaves to a tree.

    Parameters
    ----------
    who : str
        Argument that asked for it, named if LightGBM is not installed.
    n_classes : int or None
        Number of classes; None means a response of numbers.
    rounds : int, default=100
        Number of trees.
    random_state : int or None, default=None
        Seed.

    Returns
    -------
    LGBMRegressor or LGBMClassifier
        The booster, quiet and on one thread.

    Examples
    --------
    >>> small_booster("estimator=None", n_classes=None, rounds=20).n_estimators
    20
    """
    lightgbm = need("lightgbm", "boost", who)
    kind = lightgbm.LGBMRegressor if n_classes is None else lightgbm.LGBMClassifier
    how = {"n_estimators": rounds, "num_leaves": LEAVES, "max_bin": BINS, "random_state": random_state}
    return kind(**how, n_jobs=1, verbose=-1)


def choose_rounds(x: np.ndarray, y: np.ndarray, weight: np.ndarray, splits: list[Split], n_classes: int | None) -> int:
    """Return the number of rounds with the smallest loss of left-out rows.

    The booster is that of :func:`small_booster`; losses are summed over the folds.

    Parameters
    ----------
    x : ndarray of shape (n_train, n_features)
        Training rows.
    y : ndarray of shape (n_train,)
        Response: numbers, or the number of each row's class.
    weight : ndarray of shape (n_train,)
        Sample weights.
    splits : list of Split
        Rows to fit on and rows to predict.
    n_classes : int or None
        Number of classes; None means a response of numbers.

    Returns
    -------
    int
        Number of rounds, 1 to 100.

    Examples
    --------
    >>> from heedful.baseline import random_splits
    >>> x = np.random.default_rng(0).normal(size=(200, 2))
    >>> choose_rounds(x, np.zeros(200), np.ones(200), random_splits(200, 5, 0), None)
    1
    """
    lightgbm = need("lightgbm", "boost", "estimator=None")
    params = {"num_leaves": LEAVES, "max_bin": BINS, "num_threads": 1, "verbose": -1} | _objective(n_classes)
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


def _objective(n_classes: int | None) -> dict[str, Any]:
    if n_classes is None:
        return {"objective": "regression", "metric": "l2"}
    if n_classes == 2:
        return {"objective": "binary", "metric": "binary_logloss"}
    return {"objective": "multiclass", "num_class": n_classes, "metric": "multi_logloss"}
