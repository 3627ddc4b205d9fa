"""Whether predictions are at the right level and in the right order: calibration by bins, shares of the response."""

from typing import Any, NamedTuple, Protocol

import numpy as np
import pandas as pd
from scipy.integrate import trapezoid

from heedful._checks import check_count
from heedful._responses import Regression, Words
from heedful.explain._explained import Explained


class Counted(Protocol):
    """Predictions of numbers: those explained, or those of held-out rows."""

    @property
    def task(self) -> str:
        """Kind of response."""

    @property
    def words(self) -> Words | None:
        """What people call the response."""

    @property
    def y(self) -> Any:
        """The response, None if it is not known."""

    @property
    def prediction(self) -> Any:
        """Predictions with attention."""

    @property
    def baseline_prediction(self) -> Any:
        """Those of the model for all rows."""

    @property
    def offset(self) -> pd.Series | None:
        """Logarithms of exposures."""

    @property
    def index(self) -> pd.Index:
        """Labels of the rows."""


class Outcome(NamedTuple):
    """Responses of queries, their exposures, and what both models expected of one unit of exposure."""

    y: np.ndarray
    exposure: np.ndarray
    rate: dict[str, np.ndarray]


def read_outcome(explanation: Counted) -> Outcome:
    """Return what is compared; raise if responses are not known or are no numbers."""
    if explanation.y is None:
        raise ValueError("`explanation` must know the responses, got one made without `y`. Use `explain(X, y)`.")
    if not (explanation.words or Regression.words).numeric:
        raise ValueError(f"Responses must be numbers to be compared with predictions, got {explanation.task}.")
    n_query = len(explanation.index)
    exposure = np.ones(n_query) if explanation.offset is None else np.exp(explanation.offset.to_numpy())
    predictions = {"attention": explanation.prediction, "baseline": explanation.baseline_prediction}
    y = np.asarray(explanation.y, dtype=np.float64).reshape(n_query, -1)[:, 0]
    return Outcome(y, exposure, {name: np.asarray(part) / exposure for name, part in predictions.items()})


def calibrate_bins(explanation: Counted, n_bins: int) -> pd.DataFrame:
    """Return predicted and observed rates in bins of about equal exposure, by the prediction with attention."""
    n_bins = check_count("n_bins", n_bins, 1, "10 is usual.")
    found = read_outcome(explanation)
    order = np.argsort(found.rate["attention"], kind="stable")
    # the middle of a row's exposure decides, so that rows of any exposure have one bin
    middle = np.cumsum(found.exposure[order]) - found.exposure[order] / 2
    number = np.empty(order.size, np.int64)
    number[order] = np.minimum(n_bins * middle / found.exposure.sum(), n_bins - 1).astype(np.int64)
    parts = {"exposure": found.exposure, "observed": found.y}
    parts |= {name: rate * found.exposure for name, rate in found.rate.items()}
    sums = pd.DataFrame({"rows": 1} | parts).groupby(pd.Series(number + 1, name="bin")).sum()
    shown = ["observed", *found.rate]
    return sums.assign(**{name: sums[name] / sums["exposure"] for name in shown})


def trace_lift(explanation: Explained) -> pd.DataFrame:
    """Return, from the lowest prediction on, which share of the exposure has which share of the response."""
    found = read_outcome(explanation)
    total = found.y.sum()
    if not (found.y >= 0).all() or total <= 0:
        raise ValueError("Responses must be >= 0 and not all 0 to have shares of them. Drop the other queries.")
    curves = []
    for name, rate in found.rate.items():
        # queries of equal rates come together, in whatever order they were given
        table = pd.DataFrame({"exposure": found.exposure, "response": found.y}).groupby(rate).sum().cumsum()
        table = table / [found.exposure.sum(), total]
        start = pd.DataFrame({"exposure": [0.0], "response": [0.0]})
        curves.append(pd.concat([start, table], ignore_index=True).assign(model=name))
    return pd.concat(curves, ignore_index=True)[["model", "exposure", "response"]]


def gini(curve: pd.DataFrame) -> float:
    """Return twice the area between a lift curve and the diagonal: 0 for an order by chance."""
    return float(1.0 - 2.0 * trapezoid(curve["response"], curve["exposure"]))
