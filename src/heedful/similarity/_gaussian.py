"""Gaussian similarity: minus half the squared distance, so that the softmax is a Gaussian kernel (appendix B)."""

from typing import Any

import numpy as np
from sklearn.metrics import pairwise_distances
from sklearn.utils.validation import check_array, check_is_fitted

from heedful._checks import check_weights
from heedful._frames import center_and_unit
from heedful._undo import all_or_nothing
from heedful.similarity._protocol import Similarity, check_rows


class GaussianSimilarity(Similarity):
    """Score two rows by minus half their squared distance.

    The softmax at temperature ``t`` then gives Gaussian kernel weights of bandwidth ``sqrt(t)``. The response is not
    used.

    Parameters
    ----------
    standardize : bool, default=True
        Divide each column by its standard deviation first.

    Examples
    --------
    >>> GaussianSimilarity(standardize=False).fit([[0.0], [2.0]], [0.0, 0.0]).scores([[1.0]])
    array([[-0.5, -0.5]])
    """

    def __init__(self, *, standardize=True):
        self.standardize = standardize

    @all_or_nothing
    def fit(self, X, y=None, sample_weight=None):
        """Store the training rows and the scale of their columns."""
        self.X_ = check_array(X, dtype=np.float64, input_name="X")
        weight = check_weights(sample_weight, self.X_.shape[0])
        self._unit = np.ones(self.X_.shape[1])
        if self.standardize:
            unit = center_and_unit(self.X_, weight)[1]
            self._unit = np.where(unit > 0, unit, 1.0)
        return self

    def scores(self, X: Any) -> np.ndarray:
        """Return the scores of new rows (n_query, n_train)."""
        check_is_fitted(self)
        X = check_rows(self, X, self.X_.shape[1], dtype=np.float64)
        return -0.5 * pairwise_distances(X / self._unit, self.X_ / self._unit, metric="sqeuclidean")
