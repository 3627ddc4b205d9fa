"""LightGBM and XGBoost without their scikit-learn objects: columns are binned once, then only the weights change.

Both fit in one thread: the queries are the parallel work, and sums must not depend on how many threads there are.
"""

from typing import Any, Protocol

import numpy as np
from sklearn.base import clone


class Package(Protocol):
    """What a package with binned tables must offer. Responses are numbers, or classes from 0 without a gap."""

    def bin(self, table: Any, response: np.ndarray, weight: np.ndarray) -> Any:
        """Return the rows with their columns cut into bins."""

    def reweigh(self, bins: Any, weight: np.ndarray) -> None:
        """Give binned rows other weights."""

    def train(self, bins: Any) -> Any:
        """Return a booster fitted to binned rows."""

    def value(self, booster: Any, query: Any) -> np.ndarray:
        """Return the prediction at one row: a number, or a probability for each class."""


def find_package(estimator: Any) -> type["LightGBM"] | type["XGBoost"] | None:
    """Return the package that can fit what ``estimator`` would; None if only its own ``fit`` can."""
    module, kind = type(estimator).__module__.split(".")[0], type(estimator).__name__
    if callable(getattr(estimator, "objective", None)) or getattr(estimator, "class_weight", None) is not None:
        return None
    if module == "lightgbm" and kind in ("LGBMRegressor", "LGBMClassifier"):
        return LightGBM
    if module == "xgboost" and kind in ("XGBRegressor", "XGBClassifier"):
        return XGBoost if _has_bins(estimator) else None
    return None


def _has_bins(estimator: Any) -> bool:
    """Return whether an XGBoost learner grows trees on bins and gives probabilities by itself."""
    trees = estimator.booster in (None, "gbtree", "dart") and estimator.tree_method in (None, "auto", "hist")
    return trees and estimator.objective != "multi:softmax"


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


class XGBoost:
    """XGBoost's bins and boosters, with the parameters that ``estimator`` has when fitted to all rows.

    XGBoost cuts a column of more than ``max_bin`` values at its weighted quantiles. The bins of all rows are those of
    the weights at which they were made, so fits to them are not quite those of ``estimator`` under other weights.
    """

    def __init__(self, estimator: Any, table: Any, response: np.ndarray, weight: np.ndarray):
        fitted = clone(estimator).fit(table, response, sample_weight=weight)
        self.params = fitted.get_xgb_params() | {"nthread": 1, "verbosity": 0}
        self.params.pop("n_jobs", None)
        if getattr(fitted, "n_classes_", 2) > 2:
            self.params["num_class"] = fitted.n_classes_
        self.rounds = fitted.get_num_boosting_rounds()
        names = ("max_bin", "missing", "enable_categorical", "feature_types")
        self.reading = {"nthread": 1} | {name: getattr(fitted, name) for name in names}

    def bin(self, table, response, weight):
        """Return a QuantileDMatrix."""
        import xgboost  # noqa: PLC0415 - an extra

        return xgboost.QuantileDMatrix(table, response, weight=weight, **self.reading)

    def reweigh(self, bins, weight):
        """Set the weights."""
        bins.set_weight(weight)

    def train(self, bins):
        """Return a Booster."""
        import xgboost  # noqa: PLC0415 - an extra

        booster = xgboost.Booster(self.params, [bins])
        for number in range(self.rounds):
            booster.update(bins, number)
        return booster

    def value(self, booster, query):
        """Return the prediction at one row."""
        return booster.inplace_predict(query, missing=self.reading["missing"])[0]
