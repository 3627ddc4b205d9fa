"""Counts and costs: families whose variance grows with a power of the mean, under a log link."""

from typing import Any

import numpy as np

from heedful._checks import check_amounts, check_number, check_offset
from heedful._kernels.shapes import POWER, Outcome
from heedful._solver.families import FLAT, SMOOTH, Losses, RowByRow, like_rows

# Linear predictors farther from 0 than this count as this much where exponentials are taken.
LARGEST = 300.0
POISSON, GAMMA = 1.0, 2.0
# The means of a fit may add up to so many times what the responses do, or to as small a part of it.
FACTOR = 2.0
POWERS = {"poisson": POISSON, "gamma": GAMMA}


class Deviance(RowByRow):
    """Responses >= 0 whose mean is ``exp(link + offset)`` and whose variance is the mean to a power, up to a factor.

    Power 1 is Poisson's, 2 is Gamma's, those between are Tweedie's. The loss of a row is half its unit deviance. What
    is blended is the linear predictor without the offset: the logarithm of a rate.
    """

    # A rate a hundred times as high, or as low: the loss grows with its exponential.
    farthest_step = float(np.log(100.0))

    def __init__(self, y: np.ndarray, power: float, offset: np.ndarray | None = None):
        self.y, self.power = y, float(power)
        self.offset = np.zeros(y.size) if offset is None else offset

    @property
    def outcome(self) -> Outcome:
        """Return the response as kernels take it."""
        return Outcome(POWER, self.y, np.empty(0), np.arange(self.y.size), self.power, self.offset)

    def part(self, rows):
        """Return the family of some of the rows."""
        return Deviance(self.y[rows], self.power, self.offset[rows])

    def new_rows(self, encoded):
        """Return the family of other rows: responses, or these and offsets as two columns."""
        columns = encoded.reshape(len(encoded), -1).T
        return Deviance(columns[0], self.power, *columns[1:])

    def null_link(self, weight):
        """Return the log of the rate of all rows."""
        means = np.average(self.means(), axis=0, weights=weight)
        return self.mean_link(means, means)

    def keeps_total(self, link, weight):
        """Return whether the means add up to about what the responses do.

        Of counts they always do. The nearer the power is to 2, the less the loss minds a mean that is far too high:
        with few responses above 0, rows of 0 may get any.
        """
        total, seen = weight @ np.exp(self._log_mean(link[:, 0], self.offset)), weight @ self.y
        return self.power == POISSON or seen / FACTOR <= total <= FACTOR * seen

    def residual(self, link, weight):
        """Return what the response is above its mean, in units of variance over mean."""
        return -self._losses(link, self.offset[:, None], self.y[:, None]).gradient

    def hessian(self, link, weight):
        """Return the expected curvature, none of them far below their mean."""
        curve = np.exp((2.0 - self.power) * self._log_mean(link, self.offset[:, None]))
        return np.maximum(curve, FLAT * np.average(curve, axis=0, weights=weight))

    def dispersion(self, link, weight):
        """Return the mean of Pearson's squared residuals: near 1 for pure counts, in the unit of the loss for costs."""
        squares = self.residual(link, weight) ** 2 / self.hessian(link, weight)
        found = float(np.average(squares[:, 0], weights=weight))
        return found if found > 0 else 1.0

    def means(self):
        """Return the columns whose ratio of weighted means is the rate that fits best."""
        return np.exp(self.offset[:, None] * (np.array([1.0, 2.0]) - self.power)) * np.column_stack(
            [self.y, np.ones(self.y.size)]
        )

    def mean_link(self, means, overall):
        """Return the log of a ratio of means, moved a little towards that of all rows so that no rate is 0."""
        moved = (1.0 - SMOOTH) * means + SMOOTH * overall
        return np.log(moved[..., :1]) - np.log(moved[..., 1:])

    def values(self, link):
        """Return the logarithm of the rate."""
        return link

    def link_of(self, values):
        """Return the logarithm of the rate."""
        return values

    def losses(self, observed):
        """Return half the unit deviance of each row."""
        return self._losses(observed, like_rows(self.offset, observed), like_rows(self.y, observed))

    def _log_mean(self, link, offset):
        return np.clip(link + offset, -LARGEST, LARGEST)

    def _losses(self, link, offset, y) -> Losses:
        log_mean, power = self._log_mean(link, offset), self.power
        mean = np.exp(log_mean)
        if power == POISSON:
            value = mean - y + y * (np.log(np.where(y > 0, y, 1.0)) - log_mean)
            return Losses(value, mean - y, np.maximum(mean, 1e-300))
        if power == GAMMA:
            ratio = y / mean
            return Losses(ratio - 1.0 - np.log(y) + log_mean, 1.0 - ratio, ratio)
        up, down = np.exp((2.0 - power) * log_mean), y * np.exp((1.0 - power) * log_mean)
        least = y ** (2.0 - power) / ((1.0 - power) * (2.0 - power))
        value = up / (2.0 - power) - down / (1.0 - power) + least
        return Losses(value, up - down, (2.0 - power) * up - (1.0 - power) * down)


class MeanDeviance(Deviance):
    """The same, blended on means: what a fitted model predicts is moved by a factor."""

    def part(self, rows):
        """Return the family of some of the rows."""
        return MeanDeviance(self.y[rows], self.power)

    def new_rows(self, encoded):
        """Return the family of other rows."""
        return MeanDeviance(encoded, self.power)

    def values(self, link):
        """Return the means."""
        return np.exp(self._log_mean(link, 0.0))

    def link_of(self, values):
        """Return the logarithms of means."""
        return np.log(np.maximum(values, np.exp(-LARGEST)))

    def losses(self, observed):
        """Return half the unit deviance of each row, as a function of the mean."""
        link, y = self.link_of(observed), like_rows(self.y, observed)
        mean = np.exp(link)
        bend = (1.0 - self.power) * mean**-self.power + self.power * y * mean ** (-1.0 - self.power)
        value = self._losses(link, 0.0, y).value
        return Losses(value, (mean - y) * mean**-self.power, np.maximum(bend, FLAT * mean**-self.power))


def read_amounts(y: Any, family: str, power: float = 1.5, offset: Any = None) -> Deviance:
    """Return the checked family of counts or costs; ``power`` is that of family "tweedie"."""
    power = check_number("power", POWERS.get(family, power), POISSON, GAMMA, hint="1.5 is the default.")
    values = check_amounts(y, power)
    if not values.any():
        raise ValueError("`y` must hold a count or cost > 0, got zeros only: their rate has no logarithm.")
    return Deviance(values, power, check_offset(offset, values.size))
