"""A response of numbers, under squared error."""

from typing import Any

import numpy as np
from sklearn.metrics import r2_score
from sklearn.utils.validation import column_or_1d

from heedful._checks import check_response
from heedful._responses.protocol import Words, no_offset, unit_response
from heedful._solver import Numbers
from heedful.baseline import LassoBaseline


class Regression:
    """Numbers; what is blended is the prediction itself."""

    task, estimator_type = "regression", "regressor"
    words = Words("a number", "prediction", "prediction", "root mean squared error", root=True)
    classes = outputs = None
    n_values = n_encoded = 1

    def encode(self, y: Any) -> np.ndarray:
        """Return finite numbers, one per row."""
        return check_response(column_or_1d(y, warn=True))

    def decode(self, encoded: np.ndarray) -> np.ndarray:
        """Return the numbers."""
        return encoded

    def reweigh(self, encoded: np.ndarray, sample_weight: np.ndarray) -> np.ndarray:
        """Return the weights as they are."""
        return sample_weight

    def family(self, encoded: np.ndarray) -> Numbers:
        """Return the rows under squared error."""
        return Numbers(encoded)

    def strata(self, encoded: np.ndarray) -> None:
        """Return None: folds are drawn at random."""
        return

    def similarity_target(self, encoded: np.ndarray, sample_weight: np.ndarray) -> np.ndarray:
        """Return the numbers on a unit scale."""
        return unit_response(encoded, sample_weight)

    def baseline(self, alpha: float | str, tol: float, n_jobs: int | None) -> LassoBaseline:
        """Return a lasso."""
        return LassoBaseline(alpha, tol=tol, n_jobs=n_jobs)

    def learner_target(self, learner: Any, encoded: np.ndarray) -> np.ndarray:
        """Return the numbers."""
        return encoded

    def learner_values(self, model: Any, X: Any) -> np.ndarray:
        """Return predictions as one column."""
        return np.asarray(model.predict(X), dtype=np.float64).reshape(-1, 1)

    def expected(self, values: np.ndarray, offset: np.ndarray | None = None) -> np.ndarray:
        """Return the predictions."""
        return no_offset(values, offset)

    def residuals(self, encoded: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Return what is above the predictions."""
        return encoded - values

    def around(self, values: np.ndarray, offset: np.ndarray | None, size: np.ndarray) -> np.ndarray:
        """Return the ends of intervals around predictions."""
        value = self.expected(values, offset)
        return np.column_stack([value - size, value + size])

    def predict(self, expected: np.ndarray) -> np.ndarray:
        """Return the predictions."""
        return expected[:, 0]

    def score(self, encoded: np.ndarray, values: np.ndarray, sample_weight: Any) -> float:
        """Return the coefficient of determination, R2."""
        return float(r2_score(encoded, values[:, 0], sample_weight=sample_weight))
