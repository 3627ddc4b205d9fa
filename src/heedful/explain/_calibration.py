"""Whether predictions have the right level and the right ranking: calibration in bins, and lift."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.integrate import trapezoid

from heedful._checks import check_count, check_number
from heedful._responses import survival_at
from heedful.explain._measures import Predicted

# Deviations of a normal distribution that hold nine in ten.
WIDTH = 1.6448536269514722


def calibrate(predicted: Predicted | None, n_bins: int, time: float | None) -> pd.DataFrame:
    """Return predicted and observed: of classes and survival probabilities, of numbers means."""
    if time is not None and (predicted is None or not predicted.words.timed):
        raise ValueError("`time` is for survival only. Leave it out.")
    if predicted is not None and predicted.words.timed:
        return calibrate_survival(predicted, n_bins, time)
    if predicted is not None and predicted.words.n_classes:
        return calibrate_classes(predicted, n_bins)
    return calibrate_numbers(predicted, n_bins)


def calibrate_classes(predicted: Predicted, n_bins: int) -> pd.DataFrame:
    """Return, class by class, predicted and observed shares in bins of about equally many rows."""
    classes, weight, two = predicted.classes, predicted.weight, predicted.words.n_classes == 2
    if classes is None:
        raise ValueError("The class labels must be known, got an explanation without the labels of the training rows.")
    own, plain = (predicted.chances(part) for part in (predicted.own, predicted.plain))
    happened = predicted.places()
    tables = {
        classes[k]: _in_bins(own[:, k], plain[:, k], weight, n_bins, partial(_class_rate, happened == k, weight))
        for k in ([1] if two else range(own.shape[1]))
    }
    return next(iter(tables.values())) if two else pd.concat(tables, names=["class"])


def calibrate_survival(predicted: Predicted, n_bins: int, time: float | None) -> pd.DataFrame:
    """Return predicted probabilities to be without event at a time, and Kaplan-Meier estimates, in bins."""
    if predicted.survival is None:
        raise ValueError(
            "There are no survival curves to compare: use `explain(X, y)` or `held_out()` of AttentionCox."
        )
    event, times = predicted.times
    if time is None:
        time = float(np.median(times[event > 0] if event.any() else times))
    else:
        time = check_number("time", time, 0.0, float(times.max()), hint="No row is observed later.")
    own, plain = (np.asarray(part, dtype=np.float64)[:, 0] for part in predicted.survival(np.array([time])))
    rate = partial(_survival_rate, event, times, predicted.weight, time)
    return _in_bins(own, plain, predicted.weight, n_bins, rate).assign(time=time)


class Outcome(NamedTuple):
    """Responses of rows, their exposures, and what both models expected of one unit of exposure."""

    y: np.ndarray
    exposure: np.ndarray
    rate: dict[str, np.ndarray]


def read_outcome(predicted: Predicted | None) -> Outcome:
    if predicted is None:
        raise ValueError("`explanation` must know the responses, got one made without `y`. Use `explain(X, y)`.")
    if not predicted.words.numeric:
        raise ValueError(f"Responses must be numeric to be compared with predictions, got {predicted.words.response}.")
    exposure = np.ones(len(predicted.y)) if predicted.exposure is None else predicted.exposure
    rate = {"attention": predicted.own / exposure, "baseline": predicted.plain / exposure}
    return Outcome(predicted.y.iloc[:, 0].to_numpy(dtype=np.float64), exposure, rate)


def calibrate_numbers(predicted: Predicted | None, n_bins: int) -> pd.DataFrame:
    """Return predicted and observed rates in bins of about equal exposure, by the prediction with attention."""
    n_bins = check_count("n_bins", n_bins, 1, "10 is usual.")
    outcome = read_outcome(predicted)
    order = np.argsort(outcome.rate["attention"], kind="stable")
    # the middle of a row's exposure decides, so that rows of any exposure have one bin
    middle = np.cumsum(outcome.exposure[order]) - outcome.exposure[order] / 2
    number = np.empty(order.size, np.int64)
    number[order] = np.minimum(n_bins * middle / outcome.exposure.sum(), n_bins - 1).astype(np.int64)
    parts = {"exposure": outcome.exposure, "observed": outcome.y}
    parts |= {name: rate * outcome.exposure for name, rate in outcome.rate.items()}
    sums = pd.DataFrame({"rows": 1} | parts).groupby(pd.Series(number + 1, name="bin")).sum()
    shown = ["observed", *outcome.rate]
    return sums.assign(**{name: sums[name] / sums["exposure"] for name in shown})


def trace_lift(predicted: Predicted | None) -> pd.DataFrame:
    """Return, from the lowest prediction on, which share of the exposure has which share of the response."""
    outcome = read_outcome(predicted)
    total = outcome.y.sum()
    if not (outcome.y >= 0).all() or total <= 0:
        raise ValueError("Responses must be >= 0 and not all 0 for a lift curve. Drop the other queries.")
    curves = []
    for name, rate in outcome.rate.items():
        # queries of equal rates come together, in whatever order they were given
        table = pd.DataFrame({"exposure": outcome.exposure, "response": outcome.y}).groupby(rate).sum().cumsum()
        table = table / [outcome.exposure.sum(), total]
        start = pd.DataFrame({"exposure": [0.0], "response": [0.0]})
        curves.append(pd.concat([start, table], ignore_index=True).assign(model=name))
    return pd.concat(curves, ignore_index=True)[["model", "exposure", "response"]]


def gini(curve: pd.DataFrame) -> float:
    """Return twice the area between a lift curve and the diagonal: 0 for an order by chance."""
    return float(1.0 - 2.0 * trapezoid(curve["response"], curve["exposure"]))


def number_bins(values: np.ndarray, weight: np.ndarray, n_bins: int) -> np.ndarray:
    """Return bins of about equal weight from the lowest values on, numbered from 1; equal values share a bin."""
    n_bins = check_count("n_bins", n_bins, 1, "10 is usual.")
    place = np.unique(values, return_inverse=True)[1].ravel()
    mass = np.bincount(place, weight)
    middle = (np.cumsum(mass) - mass / 2) / mass.sum()
    number = np.minimum(n_bins * middle, n_bins - 1).astype(np.int64)
    return np.unique(number, return_inverse=True)[1].ravel()[place] + 1


def _class_rate(happened: np.ndarray, weight: np.ndarray, rows: np.ndarray) -> tuple[float, float, float]:
    """Return the share of rows that are of a class, with Wilson's interval by their effective number."""
    weight = weight[rows]
    share, n_eff = float(np.average(happened[rows], weights=weight)), weight.sum() ** 2 / (weight**2).sum()
    part = WIDTH**2 / n_eff
    middle = (share + part / 2) / (1 + part)
    away = float(np.sqrt(part * (share * (1 - share) + part / 4)) / (1 + part))
    return share, max(middle - away, 0.0), min(middle + away, 1.0)


def _survival_rate(
    event: np.ndarray, times: np.ndarray, weight: np.ndarray, time: float, rows: np.ndarray
) -> tuple[float, float, float]:
    """Return the Kaplan-Meier estimate of rows at a time, with Greenwood's interval on the log-log scale."""
    share, error = survival_at(event[rows], times[rows], weight[rows], time)
    if not 0.0 < share < 1.0:
        return share, share, share
    spread = np.exp(WIDTH * error / abs(np.log(share)))
    return share, share**spread, share ** (1 / spread)


def _in_bins(
    own: np.ndarray,
    plain: np.ndarray,
    weight: np.ndarray,
    n_bins: int,
    rate: Callable[[np.ndarray], tuple[float, float, float]],
) -> pd.DataFrame:
    """Return one row per bin: how many rows, what happened with its 90 % interval, and what both models expected."""
    number = number_bins(own, weight, n_bins)
    bins = [np.flatnonzero(number == k) for k in range(1, number.max() + 1)]
    observed, low, high = zip(*map(rate, bins), strict=True)
    expected = {
        name: [float(np.average(values[rows], weights=weight[rows])) for rows in bins]
        for name, values in (("attention", own), ("baseline", plain))
    }
    columns: dict[str, Any] = {
        "rows": [rows.size for rows in bins],
        "observed": observed,
        "low": low,
        "high": high,
    } | expected
    return pd.DataFrame(columns, pd.RangeIndex(1, len(bins) + 1, name="bin"))
