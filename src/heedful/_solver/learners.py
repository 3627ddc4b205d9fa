"""One learner per query, fitted to the same training rows under other weights.

``make_learner`` chooses the route: LightGBM keeps its binned columns and changes the weights only; every other learner
is cloned and fitted.
"""

import threading
from typing import Any, NamedTuple, Protocol

import numpy as np
from sklearn.base import clone

from heedful._frames import take
from heedful._solver.boosters import LightGBM, can_share_bins, in_one_thread
from heedful._solver.contract import check_takes_weights, fit_weighted, importance_of

# Rows are left out if at most this share of them stays, and this many stay at least: learners that count rows, such as
# trees with leaves of 20, would make little of fewer.
MOST, FEWEST = 0.5, 100


class Refit(NamedTuple):
    """What one query's fit gives.

    ``value`` is the prediction, one number or a probability per class; ``importance`` the share of each column in the
    model, all zero if the learner tells none or uses none; ``model`` the fitted learner or bare booster, None where
    nothing was fitted. A booster holds on to what it was trained with; ``copy.copy`` of it does not.
    """

    value: np.ndarray
    importance: np.ndarray
    model: Any


class LocalLearner(Protocol):
    """What fits one query at a time; threads may share it."""

    n_values: int
    n_features: int

    def refit(self, weight: np.ndarray, query: Any) -> Refit:
        """Fit under ``weight`` (n_train,), not negative, and predict ``query``, a table of one row."""


def make_learner(
    estimator: Any, table: Any, response: np.ndarray, weight: np.ndarray, *, n_classes: int | None, trim_weight: float
) -> LocalLearner:
    """Return what fits ``estimator`` to the rows of ``table`` once per query.

    The weights of a fit are scaled to the sum of ``weight``, so attention in proportion to it gives back the plain
    learner. Rows that ``heavy_rows`` leaves out are not seen by a fit: it is the one that the learner makes of the
    others alone. ``response`` are numbers, or classes by number if ``n_classes`` is given; ``weight`` are the sample
    weights of the plain learner; ``trim_weight`` is the share of the weight that may be left out.
    """
    check_takes_weights(estimator)
    if n_classes is not None:
        response = response.astype(np.int64)
        if not hasattr(estimator, "predict_proba"):
            raise TypeError(f"`estimator` must have `predict_proba`, got {estimator!r}. Take a learner that has it.")
    shared = (table, response, weight, n_classes, trim_weight)
    if np.ptp(response) > 0 and can_share_bins(estimator):
        return BinnedLearner(estimator, *shared)
    return AnyLearner(in_one_thread(estimator), *shared)


def heavy_rows(weight: np.ndarray, trim_weight: float) -> np.ndarray:
    """Return the rows that a fit needs, in order.

    The rows of smallest weight that together hold at most the share ``trim_weight`` of it are left out; of rows with
    the same weight all stay or none. At least 100 rows stay. If more than half would stay, all do: leaving out so few
    would hardly make a fit faster.
    """
    everyone = np.arange(weight.size)
    if trim_weight == 0 or weight.size <= FEWEST:
        return everyone
    ascending = np.sort(weight)
    n_light = np.searchsorted(np.cumsum(ascending), trim_weight * weight.sum(), side="right")
    rows = np.flatnonzero(weight >= ascending[min(n_light, weight.size - FEWEST)])
    return rows if rows.size <= MOST * weight.size else everyone


class OneByOne:
    """What every route shares: which rows a fit gets, their weights, and the answer where one class is left."""

    def __init__(self, table: Any, response: np.ndarray, weight: np.ndarray, n_classes: int | None, trim_weight: float):
        self.table, self.response, self.weight = table, response, weight
        self.n_classes, self.trim_weight = n_classes, trim_weight
        self.n_values, self.n_features = n_classes or 1, table.shape[1]
        # classes by number without a gap, as some learners want them
        self.classes: np.ndarray | None = None
        self.labels = response
        if n_classes is not None:
            self.classes, self.labels = np.unique(response, return_inverse=True)

    def refit(self, weight: np.ndarray, query: Any) -> Refit:
        """Fit to the rows that matter and predict ``query``."""
        rows = heavy_rows(weight, self.trim_weight)
        if self.n_classes is not None and np.ptp(self.response[rows]) == 0:
            certain = self._place(np.ones(1), self.response[rows[:1]])
            return Refit(certain, np.zeros(self.n_features), None)
        return self._fit(rows, weight, query)

    def _fit(self, rows: np.ndarray, weight: np.ndarray, query: Any) -> Refit:
        raise NotImplementedError

    def _scale(self, weight: np.ndarray) -> np.ndarray:
        """Return weights with the sum of the plain learner's."""
        return weight * (self.weight.sum() / weight.sum())

    def _place(self, chance: np.ndarray, classes: np.ndarray) -> np.ndarray:
        """Return probabilities of some classes among those of all."""
        value = np.zeros(self.n_values)
        value[classes] = chance
        return value


class AnyLearner(OneByOne):
    """A scikit-learn object, cloned and fitted for every query to rows that have any weight."""

    def __init__(self, estimator: Any, *shared: Any):
        super().__init__(*shared)
        self.estimator = estimator

    def _fit(self, rows, weight, query):
        rows = rows[weight[rows] > 0]
        if self.n_classes is not None:
            rows = with_every_class(rows, weight, self.response)
        table = take(self.table, rows)
        model = fit_weighted(clone(self.estimator), table, self.labels[rows], self._scale(weight[rows]))
        return Refit(self._value(model, query), importance_of(model, table), model)

    def _value(self, model: Any, query: Any) -> np.ndarray:
        if self.classes is None:
            return np.asarray(model.predict(query), dtype=np.float64).reshape(1)
        return self._place(model.predict_proba(query)[0], self.classes[model.classes_])


class BinnedLearner(OneByOne):
    """LightGBM on columns that are binned once in every thread that asks."""

    def __init__(self, estimator: Any, *shared: Any):
        super().__init__(*shared)
        self.package = LightGBM(estimator, self.table, self.labels, self.weight)
        self._thread = threading.local()

    def __getstate__(self):
        return {name: value for name, value in vars(self).items() if name != "_thread"}

    def __setstate__(self, state):
        vars(self).update(state, _thread=threading.local())

    def _fit(self, rows, weight, query):
        booster = self.package.train(self._bins(rows, self._scale(weight[rows])))
        return Refit(self._value(booster, query), importance_of(booster, self.table), booster)

    def _bins(self, rows: np.ndarray, weight: np.ndarray) -> Any:
        """Return all rows in the bins of this thread, or fewer rows in new ones: fewer bins are scanned faster."""
        if rows.size < self.labels.size:
            return self.package.bin(take(self.table, rows), self.labels[rows], weight)
        if not hasattr(self._thread, "bins"):
            self._thread.bins = self.package.bin(self.table, self.labels, self.weight)
        self.package.reweigh(self._thread.bins, weight)
        return self._thread.bins

    def _value(self, booster: Any, query: Any) -> np.ndarray:
        value = np.atleast_1d(self.package.value(booster, query))
        if self.classes is None:
            return value.astype(np.float64)
        return self._place(value if self.classes.size > 2 else np.append(1.0 - value, value), self.classes)


def with_every_class(rows: np.ndarray, weight: np.ndarray, response: np.ndarray) -> np.ndarray:
    """Return ``rows`` with the heaviest row of each class they lack: not every learner bears a gap in the classes."""
    lost = np.setdiff1d(response, response[rows])
    heaviest = [np.argmax(np.where(response == number, weight, -1.0)) for number in lost]
    return np.union1d(rows, np.array(heaviest, dtype=np.int64))
