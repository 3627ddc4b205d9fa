"""A response of treatment effects: what is left of outcomes, divided by what is left of treatments."""

from typing import Any

import numpy as np
import pandas as pd

from heedful._responses.protocol import Words
from heedful._responses.regression import Regression
from heedful._solver import Numbers
from heedful.baseline._guarded import GuardedLasso

COLUMNS = ["outcome", "treatment", "expected_outcome", "propensity"]
# A treatment this near to what was expected, in standard deviations, says nothing of its effect.
NOTHING_LEFT = 1e-6


class Effect(Regression):
    """Effects, under the R-loss: the squared error of pseudo-outcomes, by weights that :func:`effect_weights` gives.

    As users give it, the response is a frame with :data:`COLUMNS`. Encoded it is the pseudo-outcome and its size. Rows
    are put in order by the latter, so that swapping treatment and control changes nothing but signs. ``level`` is the
    one effect of all rows, if there is only one.
    """

    task, n_encoded = "effect", 2
    words = Words("a treatment effect", "effect", "effect", "R-loss")

    def __init__(self, level: float | None = None) -> None:
        self.level = level

    def encode(self, y: Any) -> np.ndarray:
        """Return the pseudo-outcomes; 0 where nothing is left of the treatment."""
        left = treatment_left(y)
        told = left != 0
        pseudo = np.where(told, (y["outcome"] - y["expected_outcome"]).to_numpy() / np.where(told, left, 1.0), 0.0)
        return np.column_stack([pseudo, np.abs(pseudo)])

    def decode(self, encoded: np.ndarray) -> np.ndarray:
        """Return the pseudo-outcomes."""
        return encoded[:, 0]

    def family(self, encoded: np.ndarray) -> Numbers:
        """Return the rows under squared error."""
        return Numbers(self.decode(encoded))

    def similarity_target(self, encoded: np.ndarray, sample_weight: np.ndarray) -> np.ndarray:
        """Return the pseudo-outcomes on a unit scale."""
        return super().similarity_target(self.decode(encoded), sample_weight)

    def learner_target(self, learner: Any, encoded: np.ndarray) -> np.ndarray:
        """Return the pseudo-outcomes."""
        return self.decode(encoded)

    def residuals(self, encoded: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Return what is left of pseudo-outcomes."""
        return self.decode(encoded) - values

    def score(self, encoded: np.ndarray, values: np.ndarray, sample_weight: Any) -> float:
        """Return the part of the variance of pseudo-outcomes that is explained."""
        return super().score(self.decode(encoded), values, sample_weight)

    def baseline(self, alpha: float | str, tol: float, n_jobs: int | None) -> GuardedLasso:
        """Return a lasso that is taken back to one effect for all rows, unless its slopes pay."""
        return GuardedLasso(alpha, tol=tol, n_jobs=n_jobs, level=self.level)


def treatment_left(y: pd.DataFrame) -> np.ndarray:
    """Return what is left of treatments; so little that it is rounding is 0."""
    left = (y["treatment"] - y["propensity"]).to_numpy()
    return np.where(np.abs(left) > NOTHING_LEFT * np.std(y["treatment"]), left, 0.0)


def effect_weights(y: pd.DataFrame, sample_weight: np.ndarray) -> np.ndarray:
    """Return the weights under which squared errors of pseudo-outcomes are the R-loss."""
    return sample_weight * treatment_left(y) ** 2
