"""The family of right-censored survival times, Breslow's estimator of the hazard, and Brier scores of its curves."""

from functools import cached_property
from typing import NamedTuple

import numpy as np

from heedful._kernels.shapes import COX, Outcome
from heedful._solver.families import FLAT, SMOOTH, Links, Losses, like_rows

# Larger linear predictors count as this much where their exponentials are added up.
LARGEST = 500.0
# Brier scores are integrated as long as this share of the rows is still followed, over so many times of events at most.
STILL_FOLLOWED, MOST_TIMES = 0.1, 100


class FollowUp(NamedTuple):
    """What survival curves are judged by: times and their parts of the integral, and what is known of all rows at them.

    ``hazard`` is the cumulative hazard of a row whose linear predictor is 0, ``plain`` the Kaplan-Meier estimate.
    ``free`` is the probability of not being censored by each of the times ``until``, the first of which is 0.
    """

    times: np.ndarray
    part: np.ndarray
    hazard: np.ndarray
    plain: np.ndarray
    until: np.ndarray
    free: np.ndarray

    def brier(self, event: np.ndarray, time: np.ndarray, survival: np.ndarray) -> np.ndarray:
        """Return the integrated Brier score of each row's curve (n_rows or 1, n_times), weighed against censoring.

        A row counts by one over the chance of still being followed (Graf and others, 1999): up to its event just
        before it, later than its event likewise, and not at all once it is censored.
        """
        # of the rows that are judged no smaller share is followed, but for tables with hardly an event
        free = np.maximum(self.free, STILL_FOLLOWED)
        before = free[np.searchsorted(self.until, time, side="left") - 1]
        at_times = free[np.searchsorted(self.until, self.times, side="right") - 1]
        total = np.zeros(time.size)
        for k, (at, part) in enumerate(zip(self.times, self.part, strict=True)):
            known = np.where(time > at, (1.0 - survival[:, k]) ** 2 / at_times[k], event * survival[:, k] ** 2 / before)
            total += part * known
        return total


class Survival:
    """Events and times, right-censored: Cox's partial likelihood with Breslow's ties.

    ``hazard`` is the cumulative hazard at each row's time of a row whose linear predictor is 0. Where heads are
    compared it is held fixed: the loss of a row is then that of its number of events, and rows stand on their own.
    """

    n_outputs = n_values = 1
    # A hazard a hundred times as high, or as low: the loss grows with its exponential.
    farthest_step = float(np.log(100.0))
    row_by_row = False
    noisy = False
    follow_up: FollowUp | None = None

    def __init__(
        self,
        event: np.ndarray,
        time: np.ndarray,
        hazard: np.ndarray | None = None,
        follow_up: FollowUp | None = None,
    ):
        self.event, self.time, self.hazard, self.follow_up = event, time, hazard, follow_up

    @property
    def response(self) -> np.ndarray:
        """Return zeros: log hazards have a unit of their own."""
        return np.zeros(self.event.size)

    @property
    def outcome(self) -> Outcome:
        """Return events and times as kernels take them."""
        return Outcome(COX, self.event, self.time, self.by_time[0])

    @cached_property
    def by_time(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return rows in order of time, and where the rows of each row's time begin and end in it."""
        order = np.argsort(self.time, kind="stable")
        ordered = self.time[order]
        return order, np.searchsorted(ordered, self.time), np.searchsorted(ordered, self.time, side="right")

    def __getstate__(self) -> dict:
        """Return the attributes without what can be had again."""
        return {name: value for name, value in self.__dict__.items() if name != "by_time"}

    def scaled(self, center, unit):
        """Return the family as it is."""
        return self

    def part(self, rows):
        """Return the family of some of the rows."""
        hazard = None if self.hazard is None else self.hazard[rows]
        return Survival(self.event[rows], self.time[rows], hazard, self.follow_up)

    def new_rows(self, encoded):
        """Return the family of other rows under the hazard of these."""
        event, time = encoded.T
        return Survival(event, time, self.hazard_at(time), self._followed())

    def hazard_at(self, times: np.ndarray) -> np.ndarray:
        """Return the fixed cumulative hazard at some times."""
        order = np.argsort(self.time, kind="stable")
        upto = np.searchsorted(self.time[order], times, side="right")
        return np.append(0.0, self._fixed_hazard()[order])[upto]

    def keeps_total(self, link, weight):
        """Return True: hazards are relative, and have no total."""
        return True

    def anchored(self, link, weight):
        """Return the family with the cumulative hazard that Breslow's estimator gives under ``link``."""
        fixed = Survival(self.event, self.time, cumulative_hazard(self, link[:, 0], weight))
        fixed.follow_up = follow(fixed, weight)
        return fixed

    def null_link(self, weight):
        """Return 0: the hazard takes up the level."""
        return np.zeros(1)

    def residual(self, link, weight):
        """Return martingale residuals: events less the number expected.

        Columns of ``link`` may be models of their own, with a column of weights for each.
        """
        return self.event[:, None] - self._expected(link, weight)

    def hessian(self, link, weight):
        """Return the expected number of events."""
        return np.maximum(self._expected(link, weight), FLAT)

    def means(self):
        """Return events, and what is expected of a row whose linear predictor is 0."""
        return np.column_stack([self.event, self._fixed_hazard()])

    def mean_link(self, means, overall):
        """Return the log of events over expected ones, moved a little towards that of all rows."""
        moved = (1.0 - SMOOTH) * means + SMOOTH * overall
        return np.log(moved[..., :1]) - np.log(moved[..., 1:])

    def level(self, link: np.ndarray, attention: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Return what to add to linear predictors (..., n_rows) so that, attended to, events are as many as expected.

        A Cox model has no level of its own; this one is relative to the fixed hazard, and so can be compared.
        """
        events = (attention * self.event).sum(axis=-1)
        expected = (attention * np.exp(np.minimum(link, LARGEST)) * self._fixed_hazard()).sum(axis=-1)
        events = np.broadcast_to(events, expected.shape)
        return self.mean_link(np.stack([events, expected], axis=-1), np.average(self.event, weights=weight))

    def values(self, link):
        """Return the log relative hazard."""
        return link

    def link_of(self, values):
        """Return the log relative hazard."""
        return values

    def dispersion(self, link, weight):
        """Return 1: events are counted."""
        return 1.0

    def surprises(self, observed):
        """Return None: there are no classes."""
        return

    def trust(self, observed, weight):
        """Return ones: losses are those of counts, none of which is that large."""
        return np.ones(observed.shape)

    def observed(self, values):
        """Return the log relative hazard."""
        return values[..., 0]

    def losses(self, observed):
        """Return minus the log likelihood of each row under the fixed hazard."""
        expected = np.exp(np.clip(observed, -50, 50)) * like_rows(self._fixed_hazard(), observed)
        event = like_rows(self.event, observed)
        return Losses(expected - event * observed, expected - event, np.maximum(expected, 1e-12))

    def reported(self, observed):
        """Return the integrated Brier score of each row's survival curve under the fixed hazard."""
        found = self._followed()
        return found.brier(self.event, self.time, np.exp(-np.outer(np.exp(np.clip(observed, -50, 50)), found.hazard)))

    def reported_alone(self):
        """Return the integrated Brier score of each row by the Kaplan-Meier curve of all rows."""
        found = self._followed()
        return found.brier(self.event, self.time, found.plain[None])

    def left_out_loss(self, train, test, weight):
        """Return the partial loss of all rows less that of the training rows (Verweij and van Houwelingen)."""
        rows = np.concatenate([train, test])
        everyone, some = self.part(rows), self.part(train)

        def loss(link: Links) -> np.ndarray:
            both = np.moveaxis(link(rows)[..., 0], 0, -1)
            trained = both[..., : train.size]
            return partial_loss(everyone, both, weight[rows]) - partial_loss(some, trained, weight[train])

        return loss

    def _expected(self, link, weight):
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
        return follow(self, np.ones(self.time.size)) if self.follow_up is None else self.follow_up


def risk_sums(family: Survival, mass: np.ndarray) -> np.ndarray:
    """Return the sum of ``mass`` (..., n_rows) over the rows still at risk at each row's time."""
    order, first, _ = family.by_time
    ordered = np.flip(np.cumsum(np.flip(mass[..., order], axis=-1), axis=-1), axis=-1)
    return ordered[..., first]


def partial_loss(family: Survival, link: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return minus the weighted log partial likelihood of linear predictors (..., n_rows)."""
    top = link.max(axis=-1, keepdims=True)
    at_risk = np.log(np.maximum(risk_sums(family, weight * np.exp(link - top)), 1e-300)) + top
    return ((at_risk - link) * (weight * family.event)).sum(axis=-1)


def cumulative_hazard(family: Survival, link: np.ndarray, weight: np.ndarray, at: np.ndarray | None = None):
    """Return Breslow's cumulative hazard of a row with link 0, at each row's time or ``at`` times.

    ``link`` and ``weight`` may have leading axes: one hazard for each.
    """
    top = link.max(axis=-1, keepdims=True)
    # where no weight is at risk there is no weighted event either
    at_risk = np.maximum(risk_sums(family, weight * np.exp(link - top)), 1e-300)
    order, _, upto = family.by_time
    total = np.cumsum((weight * family.event / at_risk)[..., order], axis=-1)
    if at is not None:
        upto = np.searchsorted(family.time[order], at, side="right")
    padded = np.concatenate([np.zeros((*total.shape[:-1], 1)), total], axis=-1)
    return padded[..., upto] * np.exp(-top)


def follow(family: Survival, weight: np.ndarray) -> FollowUp:
    """Return what curves are judged by, from rows of these weights under their fixed hazard."""
    event, time = family.event, family.time
    events = np.unique(time[(event > 0) & (weight > 0)])
    order = np.argsort(time, kind="stable")
    gone = np.append(0.0, np.cumsum((weight / weight.sum())[order]))[np.searchsorted(time[order], events, side="right")]
    times = events[: max(1, int((gone <= 1.0 - STILL_FOLLOWED).sum()))]
    times = times[np.unique(np.linspace(0, times.size - 1, min(times.size, MOST_TIMES)).round().astype(np.int64))]
    until, free = product_limit(event == 0, time, weight, later=event > 0)
    ends, plain = product_limit(event > 0, time, weight)
    plain = plain[np.searchsorted(ends, times, side="right") - 1]
    return FollowUp(times, _shares(times), family.hazard_at(times), plain, until, free)


def product_limit(
    ended: np.ndarray, time: np.ndarray, weight: np.ndarray, later: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the Kaplan-Meier estimate: 0 and the distinct times, and the share that has not ended by each of them.

    Rows ``later`` that leave at a time are no longer there when others end at it: events come before censorings.
    """
    distinct, place = np.unique(time, return_inverse=True)
    mass = np.bincount(place, weight)
    gone = np.bincount(place, weight * ended)
    there = np.cumsum(mass[::-1])[::-1] - (0.0 if later is None else np.bincount(place, weight * later))
    stays = np.where(there > 0, 1.0 - gone / np.maximum(there, 1e-300), 1.0)
    return np.append(0.0, distinct), np.append(1.0, np.cumprod(np.clip(stays, 0.0, 1.0)))


def _shares(times: np.ndarray) -> np.ndarray:
    """Return the part of each time in a mean over time by the trapezoidal rule."""
    if times.size == 1:
        return np.ones(1)
    gap = np.diff(times) / (times[-1] - times[0])
    return (np.append(gap, 0.0) + np.append(0.0, gap)) / 2
