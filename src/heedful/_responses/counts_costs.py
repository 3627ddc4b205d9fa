"""A response of counts or costs, whose variance grows with a power of the mean, under a log link."""

from typing import Any, Self

import numpy as np
from sklearn.metrics import d2_tweedie_score, mean_tweedie_deviance
from sklearn.utils.validation import column_or_1d

from heedful._checks import check_amounts
from heedful._kernels.shapes import POWER, Outcome
from heedful._responses.encoding import no_offset
from heedful._responses.response import FLAT, Losses, Response, like_rows, log_ratio, unit_response
from heedful._responses.words import Words

# Linear predictors farther from 0 than this count as this much where exponentials are taken.
LARGEST = 300.0
POISSON, GAMMA = 1.0, 2.0
POWERS = {"poisson": POISSON, "gamma": GAMMA}
# The means of a fit may add up to so many times what the responses do, or to as small a part of it.
FACTOR = 2.0
# Halvings that find the ends of an interval to the last digits.
HALVINGS = 60


class CountsOrCosts(Response):
    """Numbers >= 0 whose mean is ``exp(link + offset)`` and whose variance is the mean to a power, up to a factor.

    Power 1 is Poisson's, 2 is Gamma's, those between are Tweedie's. The loss of a row is half its unit deviance. What
    is blended is the linear predictor without the offset, the logarithm of an exposure: the log of a rate.
    """

    has_intervals = True
    # A rate a hundred times as high, or as low: the loss grows with its exponential.
    farthest_step = float(np.log(100.0))
    offset: np.ndarray

    def __init__(self, power: float):
        self.power = float(power)

    @property
    def task(self) -> str:
        return {power: name for name, power in POWERS.items()}.get(self.power, "tweedie")

    @property
    def words(self) -> Words:
        if self.power == POISSON:
            names = ("counts", "expected count", "log rate", "Poisson deviance")
        elif self.power == GAMMA:
            names = ("costs", "expected cost", "log cost", "Gamma deviance")
        else:
            error = f"Tweedie deviance of power {self.power:g}"
            names = ("costs, some of them 0", "expected cost", "log cost", error)
        return Words(*names, factor="factor", multiplies=True, times=2.0, inverse_link="exp")

    def served(self) -> Response:
        """Return the response of predictions that are expected numbers."""
        return ServedCosts(self.power)

    def encode(self, y: Any) -> np.ndarray:
        """Return numbers >= 0, one per row; > 0 for a Gamma."""
        return check_amounts(column_or_1d(y, warn=True), self.power)

    def reweigh(self, encoded: np.ndarray, sample_weight: np.ndarray) -> np.ndarray:
        """Return the weights as they are; a row above 0 must have some."""
        if not (sample_weight * self.decode(encoded)).any():
            raise ValueError(
                "`y` must hold a number > 0 in at least one row of positive weight, got zeros only: their rate has no "
                "logarithm."
            )
        return sample_weight

    def strata(self, encoded: np.ndarray) -> np.ndarray:
        """Return whether a row is above 0: a fold of zeros only would have no rate."""
        return (self.decode(encoded) > 0).astype(np.float64)

    def similarity_target(self, encoded: np.ndarray, sample_weight: np.ndarray) -> np.ndarray:
        """Return the deviance residuals of one rate for all rows, on a unit scale."""
        # rates themselves would be noise where exposures are short
        null = np.full(len(encoded), self.with_rows(encoded).null_link(sample_weight))
        return unit_response(self.conformity(encoded, null), sample_weight)

    def learner_target(self, learner: Any, encoded: np.ndarray) -> np.ndarray:
        return self.decode(encoded) * np.exp(-self.with_rows(encoded).offset)

    def learner_values(self, model: Any, X: Any) -> np.ndarray:
        """Return the logarithms of predicted rates as one column."""
        return np.log(super().learner_values(model, X))

    def expected(self, values: np.ndarray, offset: np.ndarray | None = None) -> np.ndarray:
        return np.exp(values if offset is None else values + offset[:, None])

    def score(self, encoded: np.ndarray, values: np.ndarray, sample_weight: Any) -> float:
        """Return D2, the part of the deviance that is explained of what one rate for all rows leaves."""
        rows = self.with_rows(encoded)
        null = rows.null_link(np.ones(len(values)) if sample_weight is None else np.asarray(sample_weight))
        fitted, plain = (
            mean_tweedie_deviance(
                rows.y, self.expected(link, rows.offset)[:, 0], sample_weight=sample_weight, power=self.power
            )
            for link in (values, np.full(values.shape, null))
        )
        return float(1.0 - fitted / plain) if plain > 0 else float(fitted == 0)

    def conformity(self, encoded: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Return signed roots of unit deviances: how far responses are from what blended values expect."""
        rows = self.with_rows(encoded)
        above = rows.y - self.expected(values[:, None], rows.offset)[:, 0]
        return np.sign(above) * np.sqrt(2.0 * np.maximum(rows.losses(values).value, 0.0))

    def interval(self, values: np.ndarray, offset: np.ndarray | None, size: np.ndarray) -> np.ndarray:
        """Return the lowest and the highest number whose deviance residual has this size at most; never below 0."""
        mean = self.expected(values[:, None], offset)[:, 0]
        # the unit deviance of y at a mean is that of y / mean at 1, times a power of the mean
        room = size**2 / mean ** (2.0 - self.power)
        at_zero = 2.0 / (2.0 - self.power) if self.power < GAMMA else np.inf
        low = np.where(room >= at_zero, 0.0, self._farthest(room, np.zeros(room.size)))
        return mean[:, None] * np.column_stack([low, self._farthest(room, room + 2.0)])

    def _farthest(self, room: np.ndarray, end: np.ndarray) -> np.ndarray:
        """Return how far from 1 towards an end the unit deviance at a mean of 1 has room; an infinite end is kept."""
        near, far = np.ones(room.size), np.where(np.isfinite(end), end, 1.0)
        for _ in range(HALVINGS):
            middle = (near + far) / 2
            inside = 2.0 * self._losses(np.zeros(middle.size), 0.0, middle).value <= room
            near, far = np.where(inside, middle, near), np.where(inside, far, middle)
        return np.where(np.isfinite(end), near, np.inf)

    def with_rows(self, encoded: np.ndarray) -> Self:
        """Return the response with these rows; those without offsets have 0."""
        rows = super().with_rows(encoded)
        rows.offset = np.zeros(rows.y.size) if rows.offset is None else rows.offset
        return rows

    @property
    def outcome(self) -> Outcome:
        return Outcome(POWER, self.y, np.empty(0), np.arange(self.y.size), self.power, self.offset)

    def null_link(self, weight: np.ndarray) -> np.ndarray:
        means = np.average(self.means(), axis=0, weights=weight)
        return self.mean_link(means, means)

    def keeps_total(self, link: np.ndarray, weight: np.ndarray) -> bool:
        """Return whether the means add up to about what the responses do.

        Of counts they always do. The nearer the power is to 2, the less the loss minds a mean that is far too high:
        with few responses above 0, rows of 0 may get any.
        """
        total, seen = weight @ np.exp(log_mean(link[:, 0], self.offset)), weight @ self.y
        return self.power == POISSON or bool(seen / FACTOR <= total <= FACTOR * seen)

    def residual(self, link: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Return what the response is above its mean, in units of variance over mean."""
        return -self._losses(link, self.offset[:, None], self.y[:, None]).gradient

    def hessian(self, link: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Return the expected curvature, none of them far below their mean."""
        curve = np.exp((2.0 - self.power) * log_mean(link, self.offset[:, None]))
        return np.maximum(curve, FLAT * np.average(curve, axis=0, weights=weight))

    def dispersion(self, link: np.ndarray, weight: np.ndarray) -> float:
        """Return the mean of Pearson's squared residuals: near 1 for pure counts, in the unit of the loss for costs."""
        squares = self.residual(link, weight) ** 2 / self.hessian(link, weight)
        mean = float(np.average(squares[:, 0], weights=weight))
        return mean if mean > 0 else 1.0

    def means(self) -> np.ndarray:
        """Return the columns whose ratio of weighted means is the rate that fits best."""
        return np.exp(self.offset[:, None] * (np.array([1.0, 2.0]) - self.power)) * np.column_stack(
            [self.y, np.ones(self.y.size)]
        )

    def mean_link(self, means: np.ndarray, overall: np.ndarray) -> np.ndarray:
        return log_ratio(means, overall)

    def losses(self, observed: np.ndarray) -> Losses:
        return self._losses(observed, like_rows(self.offset, observed), like_rows(self.y, observed))

    def _losses(self, link: np.ndarray, offset: Any, y: np.ndarray) -> Losses:
        log, power = log_mean(link, offset), self.power
        mean = np.exp(log)
        if power == POISSON:
            value = mean - y + y * (np.log(np.where(y > 0, y, 1.0)) - log)
            return Losses(value, mean - y, np.maximum(mean, 1e-300))
        if power == GAMMA:
            ratio = y / mean
            return Losses(ratio - 1.0 - np.log(y) + log, 1.0 - ratio, ratio)
        up, down = np.exp((2.0 - power) * log), y * np.exp((1.0 - power) * log)
        least = y ** (2.0 - power) / ((1.0 - power) * (2.0 - power))
        value = up / (2.0 - power) - down / (1.0 - power) + least
        return Losses(value, up - down, (2.0 - power) * up - (1.0 - power) * down)


class ServedCosts(CountsOrCosts):
    """Numbers >= 0 that a fitted model predicts: what is blended are expected numbers, the model's times a factor."""

    def similarity_target(self, encoded: np.ndarray, sample_weight: np.ndarray) -> np.ndarray:
        return unit_response(encoded, sample_weight)

    def expected(self, values: np.ndarray, offset: np.ndarray | None = None) -> np.ndarray:
        return no_offset(values, offset)

    def score(self, encoded: np.ndarray, values: np.ndarray, sample_weight: Any) -> float:
        return float(d2_tweedie_score(encoded, values[:, 0], sample_weight=sample_weight, power=self.power))

    def values(self, link: np.ndarray) -> np.ndarray:
        return np.exp(log_mean(link, 0.0))

    def link_of(self, values: np.ndarray) -> np.ndarray:
        return np.log(np.maximum(values, np.exp(-LARGEST)))

    def losses(self, observed: np.ndarray) -> Losses:
        """Return half the unit deviance of each row, as a function of the mean."""
        link, y = self.link_of(observed), like_rows(self.y, observed)
        mean = np.exp(link)
        bend = (1.0 - self.power) * mean**-self.power + self.power * y * mean ** (-1.0 - self.power)
        value = self._losses(link, 0.0, y).value
        return Losses(value, (mean - y) * mean**-self.power, np.maximum(bend, FLAT * mean**-self.power))

    def shift_columns(self, base: np.ndarray) -> np.ndarray:
        """Return responses and predictions: the ratio of their means is the factor with the smallest deviance."""
        return np.hstack([self.y[:, None], base]) * base ** (1.0 - self.power)


def log_mean(link: Any, offset: Any) -> Any:
    """Return the logarithm of a mean, so that its exponential is a number."""
    return np.clip(link + offset, -LARGEST, LARGEST)
