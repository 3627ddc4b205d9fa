"""A response of counts or costs, under a deviance with a log link; offsets come with it as a second column."""

from typing import Any

import numpy as np
from sklearn.metrics import d2_tweedie_score, mean_tweedie_deviance
from sklearn.utils.validation import column_or_1d

from heedful._checks import check_amounts
from heedful._responses.protocol import Words, no_offset, split_offset, unit_response
from heedful._solver import Deviance, MeanDeviance
from heedful.baseline import GlmBaseline

POISSON, GAMMA = 1.0, 2.0
# Halvings that find the ends of an interval to the last digits.
HALVINGS = 60


class CountsOrCosts:
    """Numbers >= 0 whose variance is their mean to a power; what is blended is the log of the rate.

    Encoded they are one column, or two with offsets, the logarithms of exposures: the expected number is the rate times
    the exposure.
    """

    estimator_type = "regressor"
    classes = outputs = None
    n_values = n_encoded = 1

    def __init__(self, power: float):
        self.power = power

    @property
    def task(self) -> str:
        """Return "poisson", "gamma" or "tweedie"."""
        return {POISSON: "poisson", GAMMA: "gamma"}.get(self.power, "tweedie")

    @property
    def words(self) -> Words:
        """Return what people call it."""
        if self.power == POISSON:
            names = ("counts", "expected count", "log rate", "Poisson deviance")
        elif self.power == GAMMA:
            names = ("costs", "expected cost", "log cost", "Gamma deviance")
        else:
            error = f"Tweedie deviance of power {self.power:g}"
            names = ("costs, some of them 0", "expected cost", "log cost", error)
        return Words(*names, factor="factor", multiplies=True, times=2.0)

    def encode(self, y: Any) -> np.ndarray:
        """Return numbers >= 0, one per row; > 0 for a Gamma."""
        return check_amounts(column_or_1d(y, warn=True), self.power)

    def decode(self, encoded: np.ndarray) -> np.ndarray:
        """Return the numbers."""
        return split_offset(encoded, self.n_encoded)[0]

    def reweigh(self, encoded: np.ndarray, sample_weight: np.ndarray) -> np.ndarray:
        """Return the weights as they are; a row above 0 must have some."""
        if not (sample_weight * self.decode(encoded)).any():
            raise ValueError(
                "`y` must hold a number > 0 in at least one row of positive weight, got zeros only: their rate has no "
                "logarithm."
            )
        return sample_weight

    def family(self, encoded: np.ndarray) -> Deviance:
        """Return the rows under their deviance."""
        y, offset = split_offset(encoded, self.n_encoded)
        return Deviance(y, self.power, offset)

    def strata(self, encoded: np.ndarray) -> np.ndarray:
        """Return whether a row is above 0: a fold of zeros only would have no rate."""
        return (self.decode(encoded) > 0).astype(np.float64)

    def similarity_target(self, encoded: np.ndarray, sample_weight: np.ndarray) -> np.ndarray:
        """Return the deviance residuals of one rate for all rows, on a unit scale."""
        # rates themselves would be noise where exposures are short
        family = self.family(encoded)
        null = np.full(len(encoded), family.null_link(sample_weight))
        return unit_response(self.residuals(encoded, null), sample_weight)

    def residuals(self, encoded: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Return signed roots of unit deviances: how far responses are from what blended values expect."""
        family = self.family(encoded)
        above = family.y - self.expected(values[:, None], family.offset)[:, 0]
        return np.sign(above) * np.sqrt(2.0 * np.maximum(family.losses(values).value, 0.0))

    def around(self, values: np.ndarray, offset: np.ndarray | None, size: np.ndarray) -> np.ndarray:
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
            inside = 2.0 * Deviance(middle, self.power).losses(np.zeros(middle.size)).value <= room
            near, far = np.where(inside, middle, near), np.where(inside, far, middle)
        return np.where(np.isfinite(end), near, np.inf)

    def baseline(self, alpha: float | str, tol: float, n_jobs: int | None) -> GlmBaseline:
        """Return a lasso under this deviance."""
        return GlmBaseline(self.task, alpha, power=self.power, tol=tol, n_jobs=n_jobs)

    def learner_target(self, learner: Any, encoded: np.ndarray) -> np.ndarray:
        """Return the rates."""
        return self.decode(encoded) * np.exp(-self.family(encoded).offset)

    def learner_values(self, model: Any, X: Any) -> np.ndarray:
        """Return the logarithms of predicted rates as one column."""
        return np.log(np.asarray(model.predict(X), dtype=np.float64)).reshape(-1, 1)

    def expected(self, values: np.ndarray, offset: np.ndarray | None = None) -> np.ndarray:
        """Return the expected numbers: rates times exposures."""
        return np.exp(values if offset is None else values + offset[:, None])

    def predict(self, expected: np.ndarray) -> np.ndarray:
        """Return the expected numbers."""
        return expected[:, 0]

    def score(self, encoded: np.ndarray, values: np.ndarray, sample_weight: Any) -> float:
        """Return D2, the part of the deviance that is explained of what one rate for all rows leaves."""
        family = self.family(encoded)
        null = family.null_link(np.ones(len(values)) if sample_weight is None else np.asarray(sample_weight))
        own, plain = (
            mean_tweedie_deviance(
                family.y, self.expected(link, family.offset)[:, 0], sample_weight=sample_weight, power=self.power
            )
            for link in (values, np.full(values.shape, null))
        )
        return float(1.0 - own / plain) if plain > 0 else float(own == 0)


class ServedCosts(CountsOrCosts):
    """Counts or costs as a fitted model of another package predicts them: what is blended is its prediction."""

    def family(self, encoded: np.ndarray) -> MeanDeviance:
        """Return the rows under their deviance."""
        return MeanDeviance(encoded, self.power)

    def similarity_target(self, encoded: np.ndarray, sample_weight: np.ndarray) -> np.ndarray:
        """Return the numbers on a unit scale."""
        return unit_response(encoded, sample_weight)

    def expected(self, values: np.ndarray, offset: np.ndarray | None = None) -> np.ndarray:
        """Return the predictions."""
        return no_offset(values, offset)

    def score(self, encoded: np.ndarray, values: np.ndarray, sample_weight: Any) -> float:
        """Return D2, as scikit-learn has it."""
        return float(d2_tweedie_score(encoded, values[:, 0], sample_weight=sample_weight, power=self.power))
