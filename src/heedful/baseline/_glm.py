"""The global lasso of counts and costs."""

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from heedful._checks import check_choice, check_offset, check_weights
from heedful._folds import Split
from heedful._solver import read_amounts
from heedful._undo import all_or_nothing
from heedful.baseline._model import GlobalModel

FAMILIES = ("poisson", "gamma", "tweedie")


class GlmBaseline(RegressorMixin, GlobalModel):
    """Fit one lasso of counts or costs to all rows; cross-validate its penalty.

    The mean of a row is the exponential of its linear predictor, plus its offset. Same objective, penalty path and
    standardisation as R's ``cv.glmnet`` with family poisson, or Gamma with a log link, and ``lambda.min``.

    Parameters
    ----------
    family : {"poisson", "gamma", "tweedie"}, default="poisson"
        Counts, costs > 0, or costs of which some are 0.
    alpha : float or "auto", default="auto"
        Penalty; "auto" takes the one with the smallest cross-validated deviance.
    power : float, default=1.5
        With family tweedie, the power of the mean that is the variance, from 1 to 2.
    tol : float, default=1e-7
        See :func:`heedful.local_lasso`.
    n_jobs : int, default=None
        Threads over the folds.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds, when none are given.
    penalty_factor : array-like of shape (n_features,), default=None
        Multiplies the penalty of each column: see :func:`heedful.local_lasso`.
    limits : pair of float or array-like, or list of {"+", "-", None}, default=None
        Limits of coefficients, or their signs: see :func:`heedful.local_lasso`.
    groups : array-like of shape (n_features,), default=None
        Columns that enter and leave together: see :func:`heedful.local_lasso`.

    Attributes
    ----------
    alpha_ : float
        The penalty used.
    alphas_, cv_error_ : ndarray
        Penalties tried, and half their cross-validated mean deviances.
    coef_, intercept_ : ndarray of shape (n_features,), float
        The linear predictor on the original scale, of rows with offset 0.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(20.0)[:, None]
    >>> model = GlmBaseline(random_state=0).fit(X, np.arange(20) // 4)
    >>> model.predict([[16.0]], offset=[np.log(2)]) / model.predict([[16.0]])
    array([2.])
    """

    def __init__(
        self,
        family="poisson",
        alpha="auto",
        *,
        power=1.5,
        tol=1e-7,
        n_jobs=None,
        random_state=None,
        penalty_factor=None,
        limits=None,
        groups=None,
    ):
        super().__init__(
            alpha,
            tol=tol,
            n_jobs=n_jobs,
            random_state=random_state,
            penalty_factor=penalty_factor,
            limits=limits,
            groups=groups,
        )
        self.family = family
        self.power = power

    @all_or_nothing
    def fit(
        self,
        X,
        y,
        sample_weight=None,
        splits: list[Split] | None = None,
        offset=None,
        inner: list[list[Split]] | None = None,
    ):
        """Fit the path, choose the penalty, keep the predictions of left-out rows.

        Parameters
        ----------
        X : array-like of shape (n_train, n_features)
            Training rows.
        y : array-like of shape (n_train,)
            Counts or costs.
        sample_weight : array-like of shape (n_train,), default=None
            Weights of the rows; None means equal.
        splits : list of Split, default=None
            Folds that choose the penalty; None draws ten.
        offset : array-like of shape (n_train,), default=None
            Logarithm of the exposure of each row.
        inner : list of list of Split, default=None
            As in :meth:`heedful.baseline.LassoBaseline.fit`.

        Returns
        -------
        self : the fitted estimator
        """
        self._check_alpha()
        check_choice("family", self.family, FAMILIES)
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        weight = check_weights(sample_weight, X.shape[0])
        response = read_amounts(y, self.family, self.power, check_offset(offset, X.shape[0]))
        if not (weight * response.y).any():
            raise ValueError("`sample_weight` must leave at least one row with a response > 0 a positive weight.")
        key = np.column_stack([response.y, response.offset])
        self._fit_family(X, response, weight, splits, key, inner)
        self.intercept_, self.coef_ = float(self.fit_.intercept[0]), self.fit_.coef[0]
        return self

    def predict(self, X, offset=None):
        """Return one mean per row of ``X``.

        Parameters
        ----------
        X : array-like of shape (n_query, n_features)
            Rows to predict.
        offset : array-like of shape (n_query,), default=None
            Logarithm of the exposure of each row; None means exposures of 1.

        Returns
        -------
        ndarray of shape (n_query,)
            Expected counts or costs.
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        shift = check_offset(offset, X.shape[0])
        return np.exp(self.link(X)[:, 0] + (0.0 if shift is None else shift))
