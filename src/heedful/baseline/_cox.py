"""The global Cox lasso."""

import numpy as np
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from heedful._checks import check_survival, check_weights
from heedful._folds import Split
from heedful._solver import Survival
from heedful._undo import all_or_nothing
from heedful.baseline._model import GlobalModel


class CoxBaseline(GlobalModel):
    """Fit one Cox lasso to all rows; choose its penalty by cross-validation.

    Same objective, penalty path and standardisation as R's ``cv.glmnet`` with family cox, Breslow's ties and
    ``lambda.min``.

    Parameters
    ----------
    alpha : float or "auto", default="auto"
        Penalty; "auto" takes the one with the smallest cross-validated loss.
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
        Penalties tried, and minus their cross-validated log partial likelihoods per row.
    coef_ : ndarray of shape (n_features,)
        Log hazard ratios per unit of a column.
    intercept_ : float
        What makes the log relative hazard 0 for a row of average columns.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(20.0)[:, None]
    >>> y = np.array([(True, 30.0 - i + 5 * (i % 3)) for i in range(20)], dtype=[("event", bool), ("time", float)])
    >>> bool(CoxBaseline(random_state=0).fit(X, y).coef_[0] > 0)
    True
    """

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
        y : structured array of shape (n_train,)
            Whether the event happened (bool), and the time.
        sample_weight : array-like of shape (n_train,), default=None
            Weights of the rows; None means equal.
        splits : list of Split, default=None
            Folds that choose the penalty; None draws ten.
        inner : list of list of Split, default=None
            As in :meth:`heedful.baseline.LassoBaseline.fit`.

        Returns
        -------
        self : the fitted estimator
        """
        self._check_alpha()
        X = validate_data(self, X, dtype=np.float64)
        event, time = check_survival(y)
        check_consistent_length(X, time)
        weight = check_weights(sample_weight, X.shape[0])
        if not (weight * event).any():
            raise ValueError("`sample_weight` must leave at least one row with an event a positive weight.")
        self._fit_family(X, Survival(event, time), weight, splits, np.column_stack([event, time]), inner)
        self.intercept_, self.coef_ = float(self.fit_.intercept[0]), self.fit_.coef[0]
        return self

    def predict(self, X):
        """Return the log hazard relative to a row of average columns.

        Parameters
        ----------
        X : array-like of shape (n_query, n_features)
            Rows to predict.

        Returns
        -------
        ndarray of shape (n_query,)
            Log relative hazards.
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return self.link(X)[:, 0]
