"""Whether probabilities are what happens: classes, and survival at a time, in bins of predictions."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from heedful._checks import check_count, check_number
from heedful._responses import survival_at
from heedful.explain._errors import Predicted
from heedful.explain._lift import Counted, calibrate_bins

# Deviations of a normal distribution that hold nine in ten.
REACH = 1.6448536269514722


class Rate(NamedTuple):
    """What share of a bin had the event, or had not yet, with the ends of its 90 % interval."""

    observed: float
    low: float
    high: float


def calibrate(e: Counted, found: Predicted | None, n_bins: int, time: float | None) -> pd.DataFrame:
    """Return predictions beside what was observed: of classes and survival probabilities, of numbers means."""
    if time is not None and (found is None or not found.words.timed):
        raise ValueError("`time` is for survival only. Leave it out.")
    if found is not None and found.words.timed:
        return calibrate_survival(found, n_bins, time)
    if found is not None and found.words.n_classes:
        return calibrate_classes(found, n_bins)
    return calibrate_bins(e, n_bins)


def calibrate_classes(found: Predicted, n_bins: int) -> pd.DataFrame:
    """Return, class by class, predicted and observed shares in bins of about equally many rows."""
    if found.classes is None:
        raise ValueError("Labels of the classes must be known, got an explanation without those of the training rows.")
    own, plain, happened = found.chances(found.own), found.chances(found.plain), found.places()
    shown = [1] if found.words.n_classes == 2 else range(own.shape[1])
    tables = {
        found.classes[k]: _in_bins(own[:, k], plain[:, k], found.weight, n_bins, _Shares(happened == k, found.weight))
        for k in shown
    }
    return next(iter(tables.values())) if found.words.n_classes == 2 else pd.concat(tables, names=["class"])


def calibrate_survival(found: Predicted, n_bins: int, time: float | None) -> pd.DataFrame:
    """Return predicted probabilities to be without event at a time, and Kaplan-Meier estimates, in bins."""
    if found.survival is None:
        raise ValueError(
            "There are no survival curves to compare: use `explain(X, y)` or `held_out()` of AttentionCox."
        )
    event, times = found.times
    at = check_time(time, event, times)
    own, plain = (np.asarray(part, dtype=np.float64)[:, 0] for part in found.survival(np.array([at])))
    estimate = _Times(event, times, found.weight, at)
    return _in_bins(own, plain, found.weight, n_bins, estimate).assign(time=at)


def check_time(time: float | None, event: np.ndarray, times: np.ndarray) -> float:
    """Return the time at which survival is compared: within the times of the rows; None takes the median event's."""
    if time is None:
        return float(np.median(times[event > 0] if event.any() else times))
    hint = "Later than that no row is followed."
    return check_number("time", time, 0.0, float(times.max()), hint=hint)


def number_bins(values: np.ndarray, weight: np.ndarray, n_bins: int) -> np.ndarray:
    """Return bins of about equal weight from the lowest values on, numbered from 1; equal values share a bin."""
    n_bins = check_count("n_bins", n_bins, 1, "10 is usual.")
    place = np.unique(values, return_inverse=True)[1].ravel()
    mass = np.bincount(place, weight)
    middle = (np.cumsum(mass) - mass / 2) / mass.sum()
    number = np.minimum(n_bins * middle, n_bins - 1).astype(np.int64)
    return np.unique(number, return_inverse=True)[1].ravel()[place] + 1


class _Shares(NamedTuple):
    """Rows that may have been of a class."""

    happened: np.ndarray
    weight: np.ndarray

    def rate(self, rows: np.ndarray) -> Rate:
        """Return the share of these rows, with Wilson's interval by their effective number."""
        weight = self.weight[rows]
        share, n_eff = float(np.average(self.happened[rows], weights=weight)), weight.sum() ** 2 / (weight**2).sum()
        part = REACH**2 / n_eff
        middle = (share + part / 2) / (1 + part)
        away = float(np.sqrt(part * (share * (1 - share) + part / 4)) / (1 + part))
        return Rate(share, max(middle - away, 0.0), min(middle + away, 1.0))


class _Times(NamedTuple):
    """Rows that may have had their event by a time."""

    event: np.ndarray
    time: np.ndarray
    weight: np.ndarray
    at: float

    def rate(self, rows: np.ndarray) -> Rate:
        """Return the Kaplan-Meier estimate of these rows, with Greenwood's interval on the log-log scale."""
        share, error = survival_at(self.event[rows], self.time[rows], self.weight[rows], self.at)
        if not 0.0 < share < 1.0:
            return Rate(share, share, share)
        spread = np.exp(REACH * error / abs(np.log(share)))
        return Rate(share, share**spread, share ** (1 / spread))


def _in_bins(
    own: np.ndarray, plain: np.ndarray, weight: np.ndarray, n_bins: int, estimate: _Shares | _Times
) -> pd.DataFrame:
    """Return one row per bin: how many rows, what happened, and what both models expected."""
    number = number_bins(own, weight, n_bins)
    rows = [np.flatnonzero(number == k) for k in range(1, number.max() + 1)]
    columns: dict[str, list] = {"rows": [part.size for part in rows]}
    rates = [estimate.rate(part) for part in rows]
    columns |= {name: [getattr(rate, name) for rate in rates] for name in Rate._fields}
    columns |= {
        name: [float(np.average(values[part], weights=weight[part])) for part in rows]
        for name, values in (("attention", own), ("baseline", plain))
    }
    return pd.DataFrame(columns, pd.RangeIndex(1, len(rows) + 1, name="bin"))
