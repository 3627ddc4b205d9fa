"""LightGBM without its scikit-learn objects: columns are binned once, then only the weights change.

It fits in one thread: the queries are the parallel work, and sums must not depend on how many threads there are.
XGBoost places its bins by weight, so that bins which are kept give other fits, and none that are faster.
"""

from typing import Any

import numpy as np
from sklearn.base import clone


def can_share_bins(estimator: Any) -> bool:
    """Return whether LightGBM on shared bins fits what ``estimator`` would."""
    module, kind = type(estimator).__module__.split(".")[0], type(estimator).__name__
    if callable(getattr(estimator, "objective", None)) or getattr(estimator, "class_weight", None) is not None:
        return False
    return module == "lightgbm" and kind in ("LGBMRegressor", "LGBMClassifier")


def in_one_thread(estimator: Any) -> Any:
    """Return a learner that is told to take one thread where it would take all: XGBoost, unless its number is given."""
    takes_all = type(estimator).__module__.split(".")[0] == "xgboost" and estimator.n_jobs is None
    return clone(estimator).set_params(n_jobs=1) if takes_all else estimator


def takes_codes(estimator: Any) -> bool:
    """Return whether a learner is LightGBM's or XGBoost's, which take categories as numbers."""
    return type(estimator).__module__.split(".")[0] in ("lightgbm", "xgboost")


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


class LightGBM:
    """LightGBM's bins and boosters, with the parameters that ``estimator`` has when fitted to all rows."""

    def __init__(self, estimator: Any, table: Any, response: np.ndarray, weight: np.ndarray):
        fitted = clone(estimator).fit(table, response, sample_weight=weight)
        params = {name: value for name, value in fitted.booster_.params.items() if name != "verbose"}
        # the automatic choice between the two ways to build histograms goes by the clock
        way = {} if "force_row_wise" in params else {"force_col_wise": True}
        self.params = params | way | {"num_threads": 1, "verbosity": -1}

    def bin(self, table, response, weight):
        """Return a constructed Dataset."""
        import lightgbm  # noqa: PLC0415 - an extra

        return lightgbm.Dataset(table, response, weight=weight, params=self.params).construct()

    def reweigh(self, bins, weight):
        """Set the weights; LightGBM's own ``set_weight`` keeps the old ones if all the new ones are one."""
        bins.set_field("weight", weight)

    def train(self, bins):
        """Return a Booster; rows too few to be split give the weighted mean."""
        import lightgbm  # noqa: PLC0415 - an extra

        booster = lightgbm.Booster(self.params, bins)
        for _ in range(self.params["num_iterations"]):
            booster.update()
        return booster

    def value(self, booster, query):
        """Return the prediction at one row."""
        return booster.predict(query, num_threads=1)[0]
