"""What survival curves are judged by: Kaplan-Meier estimates and integrated Brier scores."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

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


def follow(
    event: np.ndarray, time: np.ndarray, weight: np.ndarray, hazard_at: Callable[[np.ndarray], np.ndarray]
) -> FollowUp:
    """Return what curves are judged by, from rows of these weights; ``hazard_at`` gives the cumulative hazard."""
    events = np.unique(time[(event > 0) & (weight > 0)])
    order = np.argsort(time, kind="stable")
    gone = np.append(0.0, np.cumsum((weight / weight.sum())[order]))[np.searchsorted(time[order], events, side="right")]
    times = events[: max(1, int((gone <= 1.0 - STILL_FOLLOWED).sum()))]
    times = times[np.unique(np.linspace(0, times.size - 1, min(times.size, MOST_TIMES)).round().astype(np.int64))]
    until, free = product_limit(event == 0, time, weight, later=event > 0)
    ends, plain = product_limit(event > 0, time, weight)
    plain = plain[np.searchsorted(ends, times, side="right") - 1]
    return FollowUp(times, _shares(times), hazard_at(times), plain, until, free)


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
