"""Regression: a numeric response with squared error."""

from copy import copy
from typing import Any, Self

import numpy as np
from sklearn.metrics import r2_score
from sklearn.utils.validation import column_or_1d

from heedful._checks import check_response
from heedful._kernels.shapes import GAUSSIAN, Outcome
from heedful._responses.response import Losses, Response, like_rows
from heedful._responses.words import Words

# Deviations beyond which a residual counts no more, and those of the median of absolute ones of a normal distribution.
EXTREME, DEVIATION = 4.0, 1.4826


class Regression(Response):
    """A numeric response; the prediction itself is blended.

    ``center`` and ``unit`` are those of the linear predictor.
    """

    task = "regression"
    words = Words("numeric", "prediction", "prediction", "root mean squared error", root=True, inverse_link="identity")
    squared = has_intervals = suits_learners = True
    center, unit = 0.0, 1.0

    def encode(self, y: Any) -> np.ndarray:
        return check_response(column_or_1d(y, warn=True))

    def score(self, encoded: np.ndarray, values: np.ndarray, sample_weight: Any) -> float:
        return float(r2_score(self.decode(encoded), values[:, 0], sample_weight=sample_weight))

    def conformity(self, encoded: np.ndarray, values: np.ndarray) -> np.ndarray:
        return self.decode(encoded) - values

    def interval(self, values: np.ndarray, offset: np.ndarray | None, size: np.ndarray) -> np.ndarray:
        value = self.expected(values, offset)
        return np.column_stack([value - size, value + size])

    @property
    def response(self) -> np.ndarray:
        return self.y

    @property
    def outcome(self) -> Outcome:
        return Outcome(GAUSSIAN, self.y, np.empty(0), np.arange(self.y.size))

    def scaled(self, center: float, unit: float) -> Self:
        other = copy(self)
        other.center, other.unit = center, unit
        return other

    def null_link(self, weight: np.ndarray) -> np.ndarray:
        return np.array([(np.average(self.y, weights=weight) - self.center) / self.unit])

    def residual(self, link: np.ndarray, weight: np.ndarray) -> np.ndarray:
        return (self.y[:, None] - self.center) / self.unit - link

    def hessian(self, link: np.ndarray, weight: np.ndarray) -> None:
        """Return None: a square bends the same everywhere."""
        return

    def means(self) -> None:
        """Return None: the lasso's own weighted mean is the model without columns."""
        return

    def mean_link(self, means: np.ndarray, overall: np.ndarray) -> np.ndarray:
        return means

    def values(self, link: np.ndarray) -> np.ndarray:
        return self.center + self.unit * link

    def losses(self, observed: np.ndarray) -> Losses:
        away = observed - like_rows(self.y, observed)
        return Losses(away**2, 2.0 * away, np.full(away.shape, 2.0))

    def robust_weight(self, observed: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Return the weights with which no squared residual counts more than that of four deviations.

        Deviations are those of a normal distribution with the same median of absolute residuals.
        """
        away = np.abs(observed - self.y)
        order = np.argsort(away)
        half = np.searchsorted(np.cumsum(weight[order]), 0.5 * weight.sum())
        far = EXTREME * DEVIATION * away[order[min(half, away.size - 1)]]
        return np.minimum(1.0, far / np.maximum(away, 1e-300)) ** 2 if far > 0 else np.ones(away.size)

    def shift_columns(self, base: np.ndarray) -> np.ndarray:
        return self.y[:, None] - base

    def shift(self, means: np.ndarray) -> np.ndarray:
        return means
