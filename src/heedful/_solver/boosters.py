"""What is known of LightGBM and XGBoost: which bins can be shared, who takes codes, and gains of columns."""

from typing import Any

import numpy as np
from sklearn.base import clone


def can_share_bins(estimator: Any) -> bool:
    """Return whether LightGBM on shared bins fits what ``estimator`` would."""
    if callable(getattr(estimator, "objective", None)) or getattr(estimator, "class_weight", None) is not None:
        return False
    return _package(estimator) == "lightgbm" and type(estimator).__name__ in ("LGBMRegressor", "LGBMClassifier")


def in_one_thread(estimator: Any) -> Any:
    """Return a learner that is told to take one thread where it would take all: XGBoost, unless its number is given."""
    takes_all = _package(estimator) == "xgboost" and estimator.n_jobs is None
    return clone(estimator).set_params(n_jobs=1) if takes_all else estimator


def takes_codes(estimator: Any) -> bool:
    """Return whether a learner is LightGBM's or XGBoost's, which take categories as numbers."""
    return _package(estimator) in ("lightgbm", "xgboost")


def _package(estimator: Any) -> str:
    return type(estimator).__module__.split(".")[0]


def total_gain(model: Any) -> np.ndarray | None:
    """Return the gain of all splits on each column, of a booster bare or in a scikit-learn object; None of others."""
    if not takes_codes(model):
        return None
    booster = model.booster_ if hasattr(model, "booster_") else model
    if hasattr(booster, "feature_importance"):
        return booster.feature_importance("gain")
    booster = booster.get_booster() if hasattr(booster, "get_booster") else booster
    gain = booster.get_score(importance_type="total_gain")
    names = booster.feature_names or [f"f{j}" for j in range(booster.num_features())]
    return np.array([gain.get(name, 0.0) for name in names])
