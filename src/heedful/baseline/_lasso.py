"""The global lasso."""

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from heedful._checks import check_weights
from heedful._folds import Split
from heedful._solver import Numbers
from heedful._undo import all_or_nothing
from heedful.baseline._model import GlobalModel


class LassoBaseline(RegressorMixin, GlobalModel):
    """Fit one lasso to all rows; choose its penalty by cross-validation.

    Same objective, penalty path and standardisation as R's ``cv.glmnet`` with ``lambda.min``.

    Parameters
    ----------
    alpha : float or "auto", default="auto"
        Penalty; "auto" takes the one with the smallest cross-validated squared error.
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
        Penalties tried, and their cross-validated mean squared errors.
    coef_, intercept_ : ndarray of shape (n_features,), float
        The model on the original scale.
    fold_prediction_ : ndarray of shape (n_train,)
        Prediction of each row by the folds that left it out; NaN for rows that were never left out.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(20.0)[:, None]
    >>> LassoBaseline(random_state=0).fit(X, 3 * X[:, 0] + 1).coef_.round(2)
    array([3.])
    """

    _family = Numbers

    @all_or_nothing
    def fit(
        self,
        X,
        y,
        sample_weight=None,
        splits: list[Split] | None = None,
        inner: list[list[Split]] | None = None,
    ):
        """Fit the path, choose the penalty, keep the predictions of left-out rows.

        Parameters
        ----------
        X : array-like of shape (n_train, n_features)
            Training rows.
        y : array-like of shape (n_train,)
            Response of numbers.
        sample_weight : array-like of shape (n_train,), default=None
            Weights of the rows; None means equal.
        splits : list of Split, default=None
            Folds that choose the penalty; None draws ten.
        inner : list of list of Split, default=None
            Folds of the training part of each split, in numbers of its rows. With them the model of a split has a
            penalty that its own rows chose, as in nested cross-validation; None takes the penalty of all rows.

        Returns
        -------
        self : the fitted estimator
        """
        self._check_alpha()
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        weight = check_weights(sample_weight, X.shape[0])
        observations = self._fit_family(X, self._family(y), weight, splits, y, inner)
        self.intercept_, self.coef_ = float(self.fit_.intercept[0]), self.fit_.coef[0]
        self.fold_prediction_ = observations.give(self.predict_fold()[:, 0])
        return self

    def predict(self, X):
        """Return one prediction per row of ``X``.

        Parameters
        ----------
        X : array-like of shape (n_query, n_features)
            Rows to predict.

        Returns
        -------
        ndarray of shape (n_query,)
            Predictions.
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return self.link(X)[:, 0]
