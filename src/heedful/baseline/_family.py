"""The global model of a family that brings nothing but its loss."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from heedful._checks import check_weights
from heedful._folds import Split
from heedful._solver import Family
from heedful._undo import all_or_nothing
from heedful.baseline._model import GlobalModel


class FamilyBaseline(GlobalModel):
    """Fit one penalised linear model of any family to all rows.

    ``family`` makes the family of an encoded response. The penalty has the smallest loss of left-out rows.
    """

    def __init__(
        self,
        family: Callable[[np.ndarray], Family],
        alpha: float | str = "auto",
        *,
        tol: float = 1e-7,
        n_jobs: int | None = None,
        random_state: Any = None,
    ):
        super().__init__(alpha, tol=tol, n_jobs=n_jobs, random_state=random_state)
        self.family = family

    @all_or_nothing
    def fit(
        self,
        X,
        y,
        sample_weight=None,
        splits: list[Split] | None = None,
        inner: list[list[Split]] | None = None,
    ):
        """Fit the path, choose the penalty, keep the model and its predictions of left-out rows."""
        self._check_alpha()
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        self._fit_family(X, self.family(y), check_weights(sample_weight, X.shape[0]), splits, y, inner)
        self.intercept_, self.coef_ = float(self.fit_.intercept[0]), self.fit_.coef[0]
        return self

    def predict(self, X):
        """Return one prediction per row, as heads are blended with it."""
        check_is_fitted(self)
        return self.values(validate_data(self, X, reset=False, dtype=np.float64))[:, 0]
