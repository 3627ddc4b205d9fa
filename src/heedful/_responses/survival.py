"""Right-censored times: Cox's partial likelihood, and Breslow's estimator of the hazard."""

from functools import cached_property
from typing import Any, Self

import numpy as np

from heedful._checks import check_survival, check_weights
from heedful._kernels.shapes import COX, Outcome
from heedful._responses.follow_up import FollowUp, follow
from heedful._responses.response import FLAT, LeftOutLoss, Links, Losses, Response, like_rows, log_ratio, unit_response
from heedful._responses.survival_scores import concordance
from heedful._responses.words import Words

# Larger linear predictors count as this much where their exponentials are added up.
LARGEST = 500.0


class SurvivalTimes(Response):
    """Right-censored events and times as two columns; the log hazard relative to the average row is blended.

    The loss is Cox's partial likelihood with Breslow's ties. ``hazard`` is the cumulative hazard at each row's time of
    a row whose linear predictor is 0. Where heads are compared it is held fixed: the loss of a row is then that of its
    number of events, and rows stand on their own.
    """

    task, estimator_type = "survival", None
    words = Words(
        "survival",
        "log hazard",
        "log hazard",
        "integrated Brier score",
        factor="hazard ratio",
        lasso="Cox lasso",
        alone="Kaplan-Meier",
        inverse_link="identity",
        numeric=False,
        timed=True,
    )
    n_encoded = 2
    # A hazard a hundred times as high, or as low: the loss grows with its exponential.
    farthest_step = float(np.log(100.0))
    has_level = row_by_row = False
    event: np.ndarray
    time: np.ndarray
    hazard: np.ndarray | None = None
    follow_up: FollowUp | None = None

    def encode(self, y: Any) -> np.ndarray:
        return np.column_stack(check_survival(y))

    def reweigh(self, encoded: np.ndarray, sample_weight: np.ndarray) -> np.ndarray:
        """Return the weights as they are; an event must have some."""
        if not (sample_weight * encoded[:, 0]).any():
            raise ValueError("`sample_weight` must leave at least one row with an event a positive weight.")
        return sample_weight

    def strata(self, encoded: np.ndarray) -> np.ndarray:
        return encoded[:, 0]

    def similarity_target(self, encoded: np.ndarray, sample_weight: np.ndarray) -> np.ndarray:
        """Return the martingale residuals of the model without columns, on a unit scale."""
        link = np.zeros((sample_weight.size, 1))
        return unit_response(self.with_rows(encoded).residual(link, sample_weight)[:, 0], sample_weight)

    def score(self, encoded: np.ndarray, values: np.ndarray, sample_weight: Any) -> float:
        event, time = encoded.T
        return concordance(event, time, values[:, 0], check_weights(sample_weight, time.size))

    def with_rows(self, encoded: np.ndarray) -> Self:
        return self._with(*encoded.T)

    def _with(
        self, event: np.ndarray, time: np.ndarray, hazard: np.ndarray | None = None, follow_up: FollowUp | None = None
    ) -> Self:
        rows = type(self)()
        rows.event, rows.time, rows.hazard, rows.follow_up = event, time, hazard, follow_up
        return rows

    @property
    def response(self) -> np.ndarray:
        return np.zeros(self.event.size)

    @property
    def outcome(self) -> Outcome:
        return Outcome(COX, self.event, self.time, self.by_time[0])

    @cached_property
    def by_time(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return rows in order of time, and where the rows of each row's time begin and end in it."""
        order = np.argsort(self.time, kind="stable")
        ordered = self.time[order]
        return order, np.searchsorted(ordered, self.time), np.searchsorted(ordered, self.time, side="right")

    def __getstate__(self) -> dict:
        return {name: value for name, value in self.__dict__.items() if name != "by_time"}

    def part(self, rows: np.ndarray) -> Self:
        hazard = None if self.hazard is None else self.hazard[rows]
        return self._with(self.event[rows], self.time[rows], hazard, self.follow_up)

    def new_rows(self, encoded: np.ndarray) -> Self:
        """Return the family of other rows under the hazard of these."""
        event, time = encoded.T
        return self._with(event, time, self.hazard_at(time), self._followed())

    def hazard_at(self, times: np.ndarray) -> np.ndarray:
        """Return the fixed cumulative hazard at some times."""
        order = np.argsort(self.time, kind="stable")
        upto = np.searchsorted(self.time[order], times, side="right")
        return np.append(0.0, self._fixed_hazard()[order])[upto]

    def anchored(self, link: np.ndarray, weight: np.ndarray) -> Self:
        """Return the family with the cumulative hazard that Breslow's estimator gives under ``link``."""
        fixed = self._with(self.event, self.time, cumulative_hazard(self, link[:, 0], weight))
        fixed.follow_up = follow(fixed.event, fixed.time, weight, fixed.hazard_at)
        return fixed

    def null_link(self, weight: np.ndarray) -> np.ndarray:
        return np.zeros(1)

    def residual(self, link: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Return martingale residuals: events less the number expected.

        Columns of ``link`` may be models of their own, with a column of weights for each.
        """
        return self.event[:, None] - self._expected(link, weight)

    def hessian(self, link: np.ndarray, weight: np.ndarray) -> np.ndarray:
        return np.maximum(self._expected(link, weight), FLAT)

    def means(self) -> np.ndarray:
        """Return events, and what is expected of a row whose linear predictor is 0."""
        return np.column_stack([self.event, self._fixed_hazard()])

    def mean_link(self, means: np.ndarray, overall: np.ndarray) -> np.ndarray:
        return log_ratio(means, overall)

    def attended_level(self, link: np.ndarray, attention: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Return what to add to linear predictors (..., n_rows) so that, attended to, events are as many as expected.

        A Cox model has no level of its own; this one is relative to the fixed hazard, and so can be compared.
        """
        events = (attention * self.event).sum(axis=-1)
        expected = (attention * np.exp(np.minimum(link, LARGEST)) * self._fixed_hazard()).sum(axis=-1)
        events = np.broadcast_to(events, expected.shape)
        return self.mean_link(np.stack([events, expected], axis=-1), np.average(self.event, weights=weight))

    def losses(self, observed: np.ndarray) -> Losses:
        """Return minus the log likelihood of each row under the fixed hazard."""
        expected = np.exp(np.clip(observed, -50, 50)) * like_rows(self._fixed_hazard(), observed)
        event = like_rows(self.event, observed)
        return Losses(expected - event * observed, expected - event, np.maximum(expected, 1e-12))

    def reported(self, observed: np.ndarray) -> np.ndarray:
        """Return the integrated Brier score of each row's survival curve under the fixed hazard."""
        follow_up = self._followed()
        curves = np.exp(-np.outer(np.exp(np.clip(observed, -50, 50)), follow_up.hazard))
        return follow_up.brier(self.event, self.time, curves)

    def reported_alone(self) -> np.ndarray:
        """Return the integrated Brier score of each row by the Kaplan-Meier curve of all rows."""
        follow_up = self._followed()
        return follow_up.brier(self.event, self.time, follow_up.plain[None])

    def survival_curves(self, values: np.ndarray, times: np.ndarray) -> np.ndarray:
        """Return the survival probabilities (n_rows, n_times) of log hazards under the fixed hazard."""
        return np.exp(-np.outer(np.exp(values), self.hazard_at(times)))

    def left_out_loss(self, train: np.ndarray, test: np.ndarray, weight: np.ndarray) -> LeftOutLoss:
        """Return the partial loss of all rows less that of the training rows (Verweij and van Houwelingen)."""
        rows = np.concatenate([train, test])
        everyone, some = self.part(rows), self.part(train)

        def loss(link: Links) -> np.ndarray:
            both = np.moveaxis(link(rows)[..., 0], 0, -1)
            trained = both[..., : train.size]
            return partial_loss(everyone, both, weight[rows]) - partial_loss(some, trained, weight[train])

        return loss

    def _expected(self, link: np.ndarray, weight: np.ndarray) -> np.ndarray:
        weight = weight.reshape(len(link), -1)
        seen = np.where(weight > 0.0, link, -np.inf)
        top = seen.max(axis=0)  # hazards that are far apart must not overflow
        return np.exp(np.minimum(link - top, LARGEST)) * cumulative_hazard(self, (seen - top).T, weight.T).T

    def _fixed_hazard(self) -> np.ndarray:
        if self.hazard is None:
            raise ValueError("The hazard is not fixed yet: use `anchored` first.")
        return self.hazard

    def _followed(self) -> FollowUp:
        # files of before do not know it
        if self.follow_up is not None:
            return self.follow_up
        return follow(self.event, self.time, np.ones(self.time.size), self.hazard_at)


def risk_sums(rows: SurvivalTimes, mass: np.ndarray) -> np.ndarray:
    """Return the sum of ``mass`` (..., n_rows) over the rows still at risk at each row's time."""
    order, first, _ = rows.by_time
    ordered = np.flip(np.cumsum(np.flip(mass[..., order], axis=-1), axis=-1), axis=-1)
    return ordered[..., first]


def partial_loss(rows: SurvivalTimes, link: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return minus the weighted log partial likelihood of linear predictors (..., n_rows)."""
    top = link.max(axis=-1, keepdims=True)
    at_risk = np.log(np.maximum(risk_sums(rows, weight * np.exp(link - top)), 1e-300)) + top
    return ((at_risk - link) * (weight * rows.event)).sum(axis=-1)


def cumulative_hazard(rows: SurvivalTimes, link: np.ndarray, weight: np.ndarray, at: np.ndarray | None = None):
    """Return Breslow's cumulative hazard of a row with link 0, at each row's time or ``at`` times.

    ``link`` and ``weight`` may have leading axes: one hazard for each.
    """
    top = link.max(axis=-1, keepdims=True)
    # where no weight is at risk there is no weighted event either
    at_risk = np.maximum(risk_sums(rows, weight * np.exp(link - top)), 1e-300)
    order, _, upto = rows.by_time
    total = np.cumsum((weight * rows.event / at_risk)[..., order], axis=-1)
    if at is not None:
        upto = np.searchsorted(rows.time[order], at, side="right")
    padded = np.concatenate([np.zeros((*total.shape[:-1], 1)), total], axis=-1)
    return padded[..., upto] * np.exp(-top)
