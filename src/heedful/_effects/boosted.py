"""Boosted trees of scikit-learn for tables as they are given: one of two models of what is expected of a row.

An attention lasso shrinks outcome and treatment alike, so that its errors in the two go together, and the average
effect is off by their product. Trees err elsewhere: the mean of both models is nearer the truth, and its two errors
are less alike.
"""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from threadpoolctl import threadpool_limits

from heedful._frames import TableReader, count_rows, find_observations
from heedful._kernels.shapes import MISSING
from heedful._trees import Bins

MOST_BINS = 64
# Small trees, so that a fit costs little beside that of an attention lasso.
SETTINGS: dict[str, Any] = {
    "max_iter": 60,
    "learning_rate": 0.1,
    "max_leaf_nodes": 8,
    "min_samples_leaf": 5,
    "max_features": 0.5,
    "max_bins": MOST_BINS,
    "early_stopping": False,
}


class _Boosted(BaseEstimator):
    """Boosted trees on codes; copies of a row are one row of their weight."""

    def __init__(self, random_state: int) -> None:
        self.random_state = random_state

    def fit(self, X: Any, y: np.ndarray, sample_weight: np.ndarray | None = None) -> Self:
        """Grow the trees."""
        self.reader_ = TableReader().fit(X)
        codes = self.reader_.read(X)
        weight = np.ones(len(codes)) if sample_weight is None else sample_weight
        observations = find_observations(codes, y, np.zeros(len(codes)), weight, count_rows(weight))
        codes, total = codes[observations.source], observations.weight
        self.empty_ = np.isnan(codes).all(axis=0)
        # levels that are too many to be split into sets are cut in their order
        n_levels = np.nan_to_num(codes, nan=-1.0).max(axis=0) + 1
        self.bins_ = Bins().fit(codes, self.reader_.unordered & (n_levels <= MOST_BINS), total)
        kind = HistGradientBoostingClassifier if isinstance(self, ClassifierMixin) else HistGradientBoostingRegressor
        levels = np.flatnonzero(self.bins_.categories).tolist()
        trees = kind(**SETTINGS, categorical_features=levels, random_state=self.random_state)
        # trees so small are grown faster by one thread than by several that wait for each other
        with threadpool_limits(1, "openmp"):
            self.trees_ = trees.fit(self._cut(codes), y[observations.source], sample_weight=total / total.mean())
        return self

    def _cut(self, codes: np.ndarray) -> np.ndarray:
        """Return the bins of codes, not too many: scikit-learn would cut columns itself, slowly if rows have weights.

        A column without a single value is 0, as its trees take none.
        """
        sizes, bins = self.bins_.sizes, self.bins_.transform(codes).codes
        bins = np.where(bins == MISSING, np.nan, bins >> np.where(sizes > MOST_BINS, 2, 0).astype(np.uint8))
        return np.where(self.empty_, 0.0, bins)


class BoostedRegressor(RegressorMixin, _Boosted):
    """The mean of numbers."""

    def predict(self, X: Any) -> np.ndarray:
        """Return the mean at each row."""
        return self.trees_.predict(self._cut(self.reader_.read(X)))


class BoostedClassifier(ClassifierMixin, _Boosted):
    """The chance of labels."""

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the chance of each label at each row."""
        return self.trees_.predict_proba(self._cut(self.reader_.read(X)))
