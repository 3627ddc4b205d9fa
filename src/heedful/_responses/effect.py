"""A response of treatment effects: what is left of outcomes, divided by what is left of treatments."""

from typing import Any, Self

import numpy as np
import pandas as pd

from heedful._responses.regression import Regression
from heedful._responses.words import Words

COLUMNS = ["outcome", "treatment", "expected_outcome", "propensity"]
# A treatment this near to what was expected, in standard deviations, says nothing of its effect.
NOTHING_LEFT = 1e-6


class Effect(Regression):
    """Effects, under the R-loss: the squared error of pseudo-outcomes, by weights that :func:`effect_weights` gives.

    As users give it, the response is a frame with :data:`COLUMNS`. Encoded it is the pseudo-outcome and its size. Rows
    are put in order by the latter, so that swapping treatment and control changes nothing but signs. ``level`` is the
    one effect of all rows, if there is only one. Pseudo-outcomes hardly show their mean one by one: slopes of the
    global model must pay, and so must local models.
    """

    task, n_encoded = "effect", 2
    words = Words("a treatment effect", "effect", "effect", "R-loss", inverse_link="identity", seen=False)
    noisy = True

    def __init__(self, level: float | None = None) -> None:
        self.level = level

    def encode(self, y: Any) -> np.ndarray:
        """Return the pseudo-outcomes; 0 where nothing is left of the treatment."""
        left = treatment_left(y)
        known = left != 0
        pseudo = np.where(known, (y["outcome"] - y["expected_outcome"]).to_numpy() / np.where(known, left, 1.0), 0.0)
        return np.column_stack([pseudo, np.abs(pseudo)])

    def decode(self, encoded: np.ndarray) -> np.ndarray:
        return encoded[:, 0]

    def with_rows(self, encoded: np.ndarray) -> Self:
        return super().with_rows(self.decode(encoded))


def treatment_left(y: pd.DataFrame) -> np.ndarray:
    """Return what is left of treatments; so little that it is rounding is 0."""
    left = (y["treatment"] - y["propensity"]).to_numpy()
    return np.where(np.abs(left) > NOTHING_LEFT * np.std(y["treatment"]), left, 0.0)


def effect_weights(y: pd.DataFrame, sample_weight: np.ndarray) -> np.ndarray:
    """Return the weights under which squared errors of pseudo-outcomes are the R-loss."""
    return sample_weight * treatment_left(y) ** 2
