"""Any function of two tables as a similarity."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_array, check_is_fitted

from heedful._undo import all_or_nothing
from heedful.similarity._protocol import Similarity, check_rows


class CallableSimilarity(Similarity):
    """Score rows by any function of two tables.

    ``function(X_query, X_train)`` returns a matrix (n_query, n_train).

    Parameters
    ----------
    function : callable
        Larger values mean more similar.

    Examples
    --------
    >>> CallableSimilarity(lambda query, train: query @ train.T).fit([[1.0], [2.0]]).scores([[3.0]])
    array([[3., 6.]])
    """

    def __init__(self, function):
        self.function = function

    @all_or_nothing
    def fit(self, X, y=None, sample_weight=None):
        """Store the training rows."""
        self.X_ = check_array(X, dtype=np.float64, input_name="X")
        return self

    @property
    def label(self) -> str:
        """Name of the function."""
        return getattr(self.function, "__name__", "function")

    def scores(self, X: Any) -> np.ndarray:
        """Return the scores of new rows (n_query, n_train)."""
        check_is_fitted(self)
        X = check_rows(self, X, self.X_.shape[1], dtype=np.float64)
        scores = np.asarray(self.function(X, self.X_), dtype=np.float64)
        if scores.shape != (X.shape[0], self.X_.shape[0]):
            raise ValueError(
                f"`similarity` must return scores of shape {(X.shape[0], self.X_.shape[0])}, got {scores.shape}."
            )
        if not np.isfinite(scores).all():
            raise ValueError("`similarity` must return finite scores, got NaN or infinity.")
        return scores
