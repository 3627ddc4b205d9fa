"""Ridge attention: inner products weighted by the size of ridge coefficients (the paper's equation 1)."""

from typing import Any

import numpy as np
from sklearn.linear_model import Ridge, RidgeCV
from sklearn.utils.validation import check_array, check_is_fitted

from heedful._checks import check_positive, check_weights
from heedful._frames import center_and_unit
from heedful._undo import all_or_nothing
from heedful.similarity._protocol import Similarity, check_rows


class RidgeSimilarity(Similarity):
    """Score two rows by an inner product weighted by ridge coefficients.

    The score is ``x' D z`` with the absolute ridge coefficients on the diagonal of D. Columns are standardised or
    used as given. Features count by their linear effect on the response; interactions are ignored. For labels (text or
    booleans) there is one regression per class, and coefficients are summed.

    Parameters
    ----------
    alpha : float or "auto", default="auto"
        Ridge penalty; "auto" chooses it by leave-one-out error.
    standardize : bool, default=True
        Use standardised columns in the inner product. False uses raw columns and coefficients per unit, as in the
        paper: scores then depend on the unit and on the zero of each column. The ridge regression itself is fitted to
        standardised columns in both cases, as in glmnet.

    Attributes
    ----------
    diagonal_ : ndarray of shape (n_features,)
        Absolute ridge coefficients, of standardised or of raw columns.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    >>> RidgeSimilarity(alpha=1e-6).fit(X, 2 * X[:, 0]).scores(X[:1]).round(3)
    array([[ 2.,  2., -2., -2.]])
    """

    def __init__(self, alpha="auto", *, standardize=True):
        self.alpha = alpha
        self.standardize = standardize

    @all_or_nothing
    def fit(self, X, y, sample_weight=None):
        """Fit the ridge regression."""
        if not isinstance(self.standardize, bool | np.bool_):
            raise TypeError(f"`standardize` must be True or False, got {self.standardize!r}.")
        X = check_array(X, dtype=np.float64, input_name="X")
        weight = check_weights(sample_weight, X.shape[0])
        self._center, unit = center_and_unit(X, weight)
        self._unit = np.where(unit > 0, unit, np.inf)
        self.X_ = X
        if self.alpha == "auto":
            ridge = RidgeCV(alphas=np.logspace(-3, 3, 13) * X.shape[0] / 100)
        else:
            ridge = Ridge(alpha=check_positive("alpha", self.alpha))
        response = np.asarray(y)
        if response.dtype.kind not in "fiu":
            response = (response[:, None] == np.unique(response)).astype(np.float64)
        ridge.fit((X - self._center) / self._unit, response, sample_weight=weight)
        self.diagonal_ = np.abs(np.atleast_2d(ridge.coef_)).sum(axis=0)
        if not self.standardize:
            self.diagonal_ = self.diagonal_ / self._unit
            self._center, self._unit = np.zeros(X.shape[1]), np.ones(X.shape[1])
        return self

    def scores(self, X: Any) -> np.ndarray:
        """Return the scores of new rows (n_query, n_train)."""
        check_is_fitted(self)
        X = check_rows(self, X, self.X_.shape[1], dtype=np.float64)
        query, train = ((rows - self._center) / self._unit for rows in (X, self.X_))
        return (query * self.diagonal_) @ train.T
