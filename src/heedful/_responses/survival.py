"""A response of right-censored times, under the partial likelihood."""

from typing import Any

import numpy as np

from heedful._checks import check_survival, check_weights
from heedful._folds import by_group
from heedful._responses.protocol import Words, no_offset, unit_response
from heedful._solver import Survival
from heedful.baseline import CoxBaseline


class SurvivalTimes:
    """Events and times, encoded as two columns; what is blended is the log hazard relative to the average row."""

    task, estimator_type = "survival", None
    words = Words(
        "survival", "log hazard", "log hazard", "integrated Brier score", factor="hazard ratio", lasso="Cox lasso"
    )
    classes = outputs = None
    n_values = 1
    n_encoded = 2

    def encode(self, y: Any) -> np.ndarray:
        """Return events (0 or 1) and times as columns."""
        return np.column_stack(check_survival(y))

    def decode(self, encoded: np.ndarray) -> np.ndarray:
        """Return both columns."""
        return encoded

    def reweigh(self, encoded: np.ndarray, sample_weight: np.ndarray) -> np.ndarray:
        """Return the weights as they are; an event must have some."""
        if not (sample_weight * encoded[:, 0]).any():
            raise ValueError("`sample_weight` must leave at least one row with an event a positive weight.")
        return sample_weight

    def family(self, encoded: np.ndarray) -> Survival:
        """Return the rows under the partial likelihood."""
        return Survival(*encoded.T)

    def strata(self, encoded: np.ndarray) -> np.ndarray:
        """Return whether a row has an event."""
        return encoded[:, 0]

    def similarity_target(self, encoded: np.ndarray, sample_weight: np.ndarray) -> np.ndarray:
        """Return the martingale residuals of the model without columns, on a unit scale."""
        nothing = np.zeros((sample_weight.size, 1))
        return unit_response(self.family(encoded).residual(nothing, sample_weight)[:, 0], sample_weight)

    def baseline(self, alpha: float | str, tol: float, n_jobs: int | None) -> CoxBaseline:
        """Return a Cox lasso."""
        return CoxBaseline(alpha, tol=tol, n_jobs=n_jobs)

    def learner_target(self, learner: Any, encoded: np.ndarray) -> np.ndarray:
        """Return both columns."""
        return encoded

    def learner_values(self, model: Any, X: Any) -> np.ndarray:
        """Return predicted log hazards as one column."""
        return np.asarray(model.predict(X), dtype=np.float64).reshape(-1, 1)

    def expected(self, values: np.ndarray, offset: np.ndarray | None = None) -> np.ndarray:
        """Return the log hazards."""
        return no_offset(values, offset)

    def predict(self, expected: np.ndarray) -> np.ndarray:
        """Return the log hazards."""
        return expected[:, 0]

    def score(self, encoded: np.ndarray, values: np.ndarray, sample_weight: Any) -> float:
        """Return the concordance index."""
        event, time = encoded.T
        return concordance(event, time, values[:, 0], check_weights(sample_weight, time.size))


def concordance(event: np.ndarray, time: np.ndarray, risk: np.ndarray, weight: np.ndarray) -> float:
    """Return Harrell's index: pairs whose earlier time is an event; equal risks count one half."""
    pairs, agree = pair_sums(event, time, risk[:, None], weight)
    if pairs.sum() == 0:
        raise ValueError("`y` must hold at least one event before another row's time: no two rows can be compared.")
    return float(agree.sum() / pairs.sum())


def concordance_gain(
    event: np.ndarray, time: np.ndarray, risks: np.ndarray, weight: np.ndarray, groups: np.ndarray | None = None
) -> tuple[float, float]:
    """Return by how much the first of two risks (n_rows, 2) has the higher index, and the standard error of that.

    Both rank the same pairs; the error is the infinitesimal jackknife's over rows, or over groups of them.
    """
    pairs, agree = pair_sums(event, time, risks, weight)
    gain = agree[:, 0] - agree[:, 1]
    mean = gain.sum() / pairs.sum()
    # each pair is counted for both of its rows
    away = by_group((gain - mean * pairs)[:, None], groups)[:, 0] / (pairs.sum() / 2)
    return float(mean), float(np.sqrt((away**2).sum()))


def pair_sums(
    event: np.ndarray, time: np.ndarray, risk: np.ndarray, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the weight of the pairs of each row that can be compared, and that of those which each risk ranks well."""
    pairs, agree = np.zeros(time.size), np.zeros(risk.shape)
    for i in np.flatnonzero(event > 0):
        later = (time > time[i]) | ((time == time[i]) & (event == 0))
        mass = weight[i] * weight[later]
        well = mass[:, None] * ((risk[later] < risk[i]) + 0.5 * (risk[later] == risk[i]))
        pairs[later] += mass
        agree[later] += well
        pairs[i] += mass.sum()
        agree[i] += well.sum(axis=0)
    return pairs, agree


def survival_at(event: np.ndarray, time: np.ndarray, weight: np.ndarray, at: float) -> tuple[float, float]:
    """Return the Kaplan-Meier estimate at a time, and Greenwood's standard error of its logarithm."""
    distinct, place = np.unique(time, return_inverse=True)
    # weights of mean one: rows are as many as they are
    weight = weight * weight.sum() / (weight**2).sum()
    there = np.cumsum(np.bincount(place, weight)[::-1])[::-1]
    gone = np.bincount(place, weight * (event > 0))
    until = (distinct <= at) & (gone > 0)
    left = np.maximum(there - gone, 0.0)
    share = float(np.prod(left[until] / there[until]))
    spread = gone[until] / np.maximum(there[until] * left[until], 1e-300)
    return share, float(np.sqrt(spread.sum())) if share > 0 else np.inf
