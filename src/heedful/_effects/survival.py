"""Outcomes that are censored times: numbers with the mean that the outcome would have had without censoring.

A row that was censored before the horizon does not tell its outcome: its time up to the horizon, or whether it is
without event then. Rubin and van der Laan's transform weighs rows that tell it by the inverse of the chance not to be
censored, and adds what is expected of the others. Its mean is right if either the model of censoring or the model of
events is: both are learned in each arm, by rows of other folds.
"""

import warnings
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import clone

from heedful._checks import check_choice, check_number, check_survival
from heedful._effects.inputs import Column
from heedful._effects.nuisance import Rows
from heedful._frames import take
from heedful._show import count

ESTIMANDS = ("rmst", "survival")
# Chances not to be censored are kept this far from 0; it is worth a word if such rows stand for more than this share.
LEAST_CHANCE, MANY_LOST = 0.05, 0.1
# So many events are the fewest that a model is learned from.
FEWEST_EVENTS = 10
# A chance of nothing, to divide nothing by.
TINY = 1e-12
# So many chances, of rows at times, are held at once.
MOST_CHANCES = 4_000_000


class CensoredTimes(NamedTuple):
    """Times up to a horizon, and whether there was an event then; a row without one was censored if before it."""

    event: np.ndarray
    time: np.ndarray
    horizon: float
    estimand: str

    @property
    def censored(self) -> np.ndarray:
        """Whether a row was lost before the horizon."""
        return ~self.event & (self.time < self.horizon)

    def among(self, rows: np.ndarray) -> "CensoredTimes":
        """Return these rows only."""
        return self._replace(event=self.event[rows], time=self.time[rows])

    @property
    def outcome(self) -> np.ndarray:
        """The estimand's outcome, as if no row were censored."""
        return self.time if self.estimand == "rmst" else (~self.event).astype(np.float64)

    @property
    def columns(self) -> list[Column]:
        """Times and events, which distinguish rows."""
        return [Column(self.time, None), Column(self.event.astype(np.float64), None)]


class Curves(NamedTuple):
    """Chances of rows to be without event, or not to be censored: one more column than times, the first of ones."""

    times: np.ndarray
    chance: np.ndarray

    def at(self, when: np.ndarray) -> np.ndarray:
        """Return the chances of rows at some times: (1, n_times), or (n_rows, 1) for a time of each row."""
        return self._take(self.chance, when)

    def area(self, when: np.ndarray) -> np.ndarray:
        """Return the areas under the curves up to some times."""
        start = np.concatenate([[0.0], self.times])
        whole = np.cumsum(self.chance[:, :-1] * np.diff(start), axis=1)
        whole = np.concatenate([np.zeros((len(whole), 1)), whole], axis=1)
        rest = when - start[np.searchsorted(self.times, when, side="right")]
        return self._take(whole, when) + rest * self.at(when)

    def _take(self, values: np.ndarray, when: np.ndarray) -> np.ndarray:
        place = np.searchsorted(self.times, when, side="right")
        return np.take_along_axis(values, np.broadcast_to(place, (len(values), place.shape[1])), axis=1)


def read_times(y: Any, horizon: Any, estimand: Any, n_rows: int) -> CensoredTimes:
    """Return events and times up to a horizon, checked."""
    estimand = check_choice("estimand", estimand, ESTIMANDS)
    horizon = check_number("horizon", horizon, 0.0, np.inf, open_low=True, open_high=True, hint="It is a time of `y`.")
    event, time = check_survival(y)
    if time.size != n_rows:
        raise ValueError(f"`y` must have one event and time per row of `X`: {n_rows}, got {time.size}.")
    return CensoredTimes((event > 0) & (time <= horizon), np.minimum(time, horizon), horizon, estimand)


def check_followed(times: CensoredTimes, arms: Column, weight: np.ndarray) -> None:
    """Raise unless both arms have events, and rows that are followed up to the horizon."""
    if arms.labels is None:
        raise ValueError(
            "`treatment` must be binary if outcomes are censored times, got a continuous one. Split it: treatment > 0."
        )
    inside = [(arms.values == arm) & (weight > 0) for arm in (0.0, 1.0)]
    last = min(float(times.time[arm].max()) for arm in inside)
    if last < times.horizon:
        raise ValueError(
            f"`horizon` must be at most {last:g}, the last time at which rows of both arms are still followed, got "
            f"{times.horizon:g}. Later times are not observed: give an earlier one."
        )
    for arm, label in zip(inside, arms.labels.tolist(), strict=True):
        if not times.event[arm].any():
            raise ValueError(
                f"`y` must hold events up to the `horizon` {times.horizon:g} in both arms, got none of "
                f"{int(arm.sum())} rows with treatment {label!r}. Give a later horizon. Are True and False swapped?"
            )


def uncensor(rows: Rows, times: CensoredTimes, arms: Column, learner: Any, weight: np.ndarray) -> Column:
    """Return numbers whose mean, given the columns and the treatment, is that of the outcome without censoring.

    ``learner`` has ``predict_survival_function``, as :class:`heedful.AttentionCox`. Rows without weight count for
    nothing, and get what they would if they were not censored.
    """
    source = rows.observations.source
    values, chances = np.zeros(source.size), np.ones(source.size)
    for train, test in rows.splits:
        for arm in (0.0, 1.0):
            inside = [part[arms.values[source[part]] == arm] for part in (train, test)]
            values[inside[1]], chances[inside[1]] = _transform_others(rows, times, learner, *inside)
    used = weight > 0
    outcomes = np.where(used, rows.observations.give(values), times.outcome)
    warn_of_chances(rows.observations.give(chances)[used], weight[used], ~times.censored[used])
    return Column(outcomes, None)


def _transform_others(
    rows: Rows, times: CensoredTimes, learner: Any, train: np.ndarray, test: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the transform of some rows by models of others, and their chances not to have been censored."""
    source, weight = rows.observations.source, rows.observations.weight[train]
    past, queries = source[train], source[test]
    # an event comes before a censoring of the same time: for censoring only the order of times counts
    order = 2.0 * np.searchsorted(np.unique(times.time), times.time) + np.where(times.event, 1.0, 2.0)
    models = [
        fit_curves(learner, take(rows.table, past), happened[past], when[past], weight)
        for happened, when in ((times.censored, order), (times.event, times.time))
    ]
    values, chances = np.zeros(test.size), np.ones(test.size)
    n_rows = max(1, MOST_CHANCES // (1 + sum(model.times.size for model in models)))
    for start in range(0, test.size, n_rows):
        block = queries[start : start + n_rows]
        censoring, events = (model.curves(take(rows.table, block)) for model in models)
        censoring = censoring._replace(times=np.unique(times.time[past][times.censored[past]]))
        in_block = times.among(block)
        values[start : start + n_rows] = transform(in_block, censoring, events)
        chances[start : start + n_rows] = last_chance(in_block, censoring)
    return values, chances


class CurveModel(NamedTuple):
    """A model of chances, or chances that are the same for all rows, at times of events."""

    times: np.ndarray
    model: Any
    chance: np.ndarray | None

    def curves(self, X: Any) -> Curves:
        """Return the chances of rows."""
        if self.chance is not None:
            chances = np.broadcast_to(self.chance, (len(X), self.times.size))
        else:
            chances = np.asarray(self.model.predict_survival_function(X, self.times), dtype=np.float64)
        return Curves(self.times, np.concatenate([np.ones((len(X), 1)), chances], axis=1))


def fit_curves(learner: Any, X: Any, happened: np.ndarray, when: np.ndarray, weight: np.ndarray) -> CurveModel:
    """Return a model of what happened to rows; with few events, the same curve for all of them."""
    times = np.unique(when[happened])
    if happened.sum() < FEWEST_EVENTS:
        return CurveModel(times, None, kaplan_meier(happened, when, weight, times))
    y = pd.DataFrame({"event": happened, "time": when})
    how = {"sample_weight": weight} if np.ptp(weight) > 0 else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return CurveModel(times, clone(learner).fit(X, y, **how), None)


def kaplan_meier(happened: np.ndarray, when: np.ndarray, weight: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Return the chance to be without event after each of the times of events."""
    at_risk = np.array([weight[when >= time].sum() for time in times])
    lost = np.array([weight[happened & (when == time)].sum() for time in times])
    return np.cumprod(1.0 - lost / np.maximum(at_risk, TINY))


def transform(times: CensoredTimes, censoring: Curves, events: Curves) -> np.ndarray:
    """Return Rubin and van der Laan's transform of rows, by their own curves.

    A row that tells its outcome counts by the inverse of its chance c(t) not to be censored before, a row that was
    censored by what is expected of it then; what is expected at every time of censoring is taken off by as much as the
    inverse chance rises there. The factors of a row sum to one: without censoring it is the outcome.
    """
    inverse = 1.0 / np.maximum(censoring.chance, LEAST_CHANCE)
    when = censoring.times[None, :]
    followed = times.time[:, None]
    # a row with an event is not at risk of a censoring at the same time
    at_risk = np.where(times.censored[:, None], when <= followed, when < followed)
    rise = np.diff(inverse, axis=1) * at_risk
    value = times.outcome.copy()
    lost = times.censored
    value[lost] = expect_after(events, followed, times)[lost, 0]
    return value * (1.0 + rise.sum(axis=1)) - (rise * expect_after(events, when, times)).sum(axis=1)


def expect_after(events: Curves, when: np.ndarray, times: CensoredTimes) -> np.ndarray:
    """Return the expected outcome of rows that are without event up to some times."""
    horizon = np.array([[times.horizon]])
    chance = np.maximum(events.at(when), TINY)
    if times.estimand == "survival":
        return events.at(horizon) / chance
    return when + (events.area(horizon) - events.area(when)) / chance


def last_chance(times: CensoredTimes, censoring: Curves) -> np.ndarray:
    """Return the chance of each row not to be censored as long as it was followed."""
    followed = times.time[:, None]
    before = np.where(times.censored[:, None], followed, np.nextafter(followed, 0.0))
    return censoring.at(before)[:, 0]


def warn_of_chances(chance: np.ndarray, weight: np.ndarray, observed: np.ndarray) -> None:
    """Tell if rows whose chances not to be censored were moved away from 0 stand for many, by inverse chances."""
    near = observed & (chance < LEAST_CHANCE)
    stand = weight * observed / np.maximum(chance, LEAST_CHANCE)
    if stand[near].sum() > MANY_LOST * stand.sum():
        warnings.warn(
            f"{count(int(near.sum()), 'row')} had a chance below {LEAST_CHANCE} not to be censored before the "
            "outcome was observed, and were clipped: nearly all similar rows are censored by then, so effects are "
            "extrapolated. Give an earlier `horizon`.",
            stacklevel=6,
        )
