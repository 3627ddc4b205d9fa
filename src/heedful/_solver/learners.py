"""One learner per query, fitted to the same training rows under other weights.

``make_learner`` chooses the route: LightGBM keeps its binned columns and changes the weights only; every other learner
is cloned and fitted.
"""

import threading
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from heedful._frames import take
from heedful._solver.boosters import can_share_bins, in_one_thread
from heedful._solver.contract import check_takes_weights, fit_weighted, importance_of

# Rows are left out if at most this share of them stays, and this many stay at least: learners that count rows, such as
# trees with leaves of 20, would make little of fewer.
MOST, FEWEST = 0.5, 100


class Refit(NamedTuple):
    """One query's fit: the prediction, the share of each column in the model, and the fitted learner or bare booster.

    The prediction is one number, or a probability per class. The model is None where nothing was fitted. A booster
    holds on to what it was trained with; ``copy.copy`` of it does not.
    """

    value: np.ndarray
    importance: np.ndarray
    model: Any


def make_learner(
    estimator: Any, table: Any, response: np.ndarray, weight: np.ndarray, *, n_classes: int | None, trim_weight: float
) -> "AnyLearner":
    """Return what fits ``estimator`` to the rows of ``table`` once per query.

    The weights of a fit are scaled to the sum of ``weight``, so attention in proportion to it gives back the plain
    learner. A fit does not see the rows that ``heavy_rows`` leaves out. ``response`` are numbers, or classes by number
    if ``n_classes`` is given; ``trim_weight`` is the share of the weight that may be left out.
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


class AnyLearner:
    """A scikit-learn object, cloned and fitted for every query; threads may share it."""

    def __init__(
        self,
        estimator: Any,
        table: Any,
        response: np.ndarray,
        weight: np.ndarray,
        n_classes: int | None,
        trim_weight: float,
    ):
        self.estimator, self.table, self.response, self.weight = estimator, table, response, weight
        self.n_classes, self.trim_weight, self.n_features = n_classes, trim_weight, table.shape[1]
        # classes by number without a gap, as some learners want them
        self.classes: np.ndarray | None = None
        self.labels = response
        if n_classes is not None:
            self.classes, self.labels = np.unique(response, return_inverse=True)

    def refit(self, weight: np.ndarray, query: Any) -> Refit:
        """Fit under ``weight`` (n_train,), not negative, and predict ``query``, a table of one row."""
        rows = heavy_rows(weight, self.trim_weight)
        if self.n_classes is not None and np.ptp(self.response[rows]) == 0:
            return Refit(self._among_all(np.ones(1), self.response[rows[:1]]), np.zeros(self.n_features), None)
        return self._fit(rows, weight, query)

    def _fit(self, rows: np.ndarray, weight: np.ndarray, query: Any) -> Refit:
        rows = rows[weight[rows] > 0]
        if self.n_classes is not None:
            rows = with_every_class(rows, weight, self.response)
        table = take(self.table, rows)
        model = fit_weighted(clone(self.estimator), table, self.labels[rows], self._scale(weight[rows]))
        if self.classes is None:
            value = np.asarray(model.predict(query), dtype=np.float64).reshape(1)
        else:
            value = self._among_all(model.predict_proba(query)[0], self.classes[model.classes_])
        return Refit(value, importance_of(model, table), model)

    def _scale(self, weight: np.ndarray) -> np.ndarray:
        """Return weights with the sum of the plain learner's."""
        return weight * (self.weight.sum() / weight.sum())

    def _among_all(self, chance: np.ndarray, classes: np.ndarray) -> np.ndarray:
        """Return probabilities of some classes among those of all."""
        value = np.zeros(self.n_classes or 1)
        value[classes] = chance
        return value


class BinnedLearner(AnyLearner):
    """LightGBM without its scikit-learn objects, on columns that are binned once in every thread.

    It fits in one thread: the queries are the parallel work, and sums must not depend on how many threads there are.
    XGBoost places its bins by weight, so that bins which are kept give other fits, and none that are faster.
    """

    def __init__(self, *args: Any):
        super().__init__(*args)
        fitted = clone(self.estimator).fit(self.table, self.labels, sample_weight=self.weight)
        params = {name: value for name, value in fitted.booster_.params.items() if name != "verbose"}
        # the automatic choice between the two ways to build histograms goes by the clock
        way = {} if "force_row_wise" in params else {"force_col_wise": True}
        self.params = params | way | {"num_threads": 1, "verbosity": -1}
        self._thread = threading.local()

    def _fit(self, rows: np.ndarray, weight: np.ndarray, query: Any) -> Refit:
        import lightgbm  # noqa: PLC0415 - an extra

        booster = lightgbm.Booster(self.params, self._weighted_bins(rows, self._scale(weight[rows])))
        for _ in range(self.params["num_iterations"]):
            booster.update()
        value = np.atleast_1d(booster.predict(query, num_threads=1)[0]).astype(np.float64)
        if self.classes is not None:
            value = self._among_all(value if self.classes.size > 2 else np.append(1.0 - value, value), self.classes)
        return Refit(value, importance_of(booster, self.table), booster)

    def _weighted_bins(self, rows: np.ndarray, weight: np.ndarray) -> Any:
        """Return all rows in the bins of this thread, or fewer rows in new ones: fewer bins are scanned faster."""
        if rows.size < self.labels.size:
            return self._bin(take(self.table, rows), self.labels[rows], weight)
        if not hasattr(self._thread, "bins"):
            self._thread.bins = self._bin(self.table, self.labels, self.weight)
        # LightGBM's own `set_weight` keeps the old ones if all the new ones are one
        self._thread.bins.set_field("weight", weight)
        return self._thread.bins

    def _bin(self, table: Any, labels: np.ndarray, weight: np.ndarray) -> Any:
        import lightgbm  # noqa: PLC0415 - an extra

        return lightgbm.Dataset(table, labels, weight=weight, params=self.params).construct()


def with_every_class(rows: np.ndarray, weight: np.ndarray, response: np.ndarray) -> np.ndarray:
    """Return ``rows`` with the heaviest row of each class they lack: not every learner bears a gap in the classes."""
    lost = np.setdiff1d(response, response[rows])
    heaviest = [np.argmax(np.where(response == number, weight, -1.0)) for number in lost]
    return np.union1d(rows, np.array(heaviest, dtype=np.int64))
