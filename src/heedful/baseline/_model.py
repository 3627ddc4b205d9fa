"""What the baselines of all families share as estimators."""

from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from heedful import _blocks
from heedful._checks import check_number
from heedful._folds import BASELINE_FOLDS, Split, random_splits
from heedful._frames import Observations, count_rows, find_observations
from heedful._solver import Family, read_constraints
from heedful.baseline._global import GlobalFit, fit_global, left_out_link
from heedful.baseline._nested import choose_in_folds


class GlobalModel(BaseEstimator):
    """Fit one penalised linear model to all rows; subclasses read the response.

    What heads are blended with are its values: predictions of numbers, probabilities of classes, log relative hazards.

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

    Examples
    --------
    >>> from heedful.baseline import CoxBaseline, LassoBaseline, LogisticBaseline
    >>> all(issubclass(baseline, GlobalModel) for baseline in (LassoBaseline, LogisticBaseline, CoxBaseline))
    True
    """

    fit_: GlobalFit
    _strata: ClassVar[bool] = False
    # numbers of groups of rows that are not independent of each other, for standard errors while it is fitted
    _row_groups: np.ndarray | None = None

    def __init__(
        self,
        alpha="auto",
        *,
        tol=1e-7,
        n_jobs=None,
        random_state=None,
        penalty_factor=None,
        limits=None,
        groups=None,
    ):
        self.alpha = alpha
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.penalty_factor = penalty_factor
        self.limits = limits
        self.groups = groups

    def fit(self, X: Any, y: Any, sample_weight: Any = None, splits: list[Split] | None = None) -> "GlobalModel":
        """Fit the path, choose the penalty, keep the model and its predictions of left-out rows."""
        raise NotImplementedError

    def link(self, X: np.ndarray) -> np.ndarray:
        """Return the linear predictor of rows.

        Parameters
        ----------
        X : ndarray of shape (n_query, n_features)
            New rows, checked.

        Returns
        -------
        ndarray of shape (n_query, n_outputs)
            One column, or with three or more classes one for each.
        """
        # a product of matrices would add up in an order that depends on the rows that are asked for together
        return self.fit_.intercept + np.einsum("qj,kj->qk", np.ascontiguousarray(X), self.fit_.coef)

    def values(self, X: np.ndarray) -> np.ndarray:
        """Return what heads are blended with, for new rows.

        Parameters
        ----------
        X : ndarray of shape (n_query, n_features)
            New rows, checked.

        Returns
        -------
        ndarray of shape (n_query, n_values)
            Predictions, probabilities of all classes, or log relative hazards.
        """
        return self.fit_.family.scaled(0.0, 1.0).values(self.link(X))

    def predict_left_out(self, rows: np.ndarray | None = None) -> np.ndarray:
        """Return the values of training rows, each by the model of all others.

        Parameters
        ----------
        rows : ndarray of int, default=None
            Numbers of the training rows; None means all.

        Returns
        -------
        ndarray of shape (n_rows, n_values)
            Predictions, probabilities of all classes, or log relative hazards.
        """
        check_is_fitted(self)
        if not self.fit_.tables:
            raise ValueError(
                "`predict_left_out` needs the training rows, and the baseline of a fitted attention model has let go "
                f"of them. Fit a {type(self).__name__} of its own."
            )
        rows = np.arange(self.fit_.weight.size) if rows is None else rows
        return self.fit_.family.values(left_out_link(self.fit_, rows, self.tol, self.n_jobs))

    def predict_fold(self) -> np.ndarray:
        """Return the values of training rows by the folds that left them out.

        Returns
        -------
        ndarray of shape (n_train, n_values)
            Predictions, probabilities of all classes, or log relative hazards; NaN for rows
            that were never left out.
        """
        check_is_fitted(self)
        return self.fit_.family.values(self.fit_.fold_link)

    def _check_alpha(self) -> float | None:
        """Return a fixed penalty, None for "auto"."""
        if isinstance(self.alpha, str) and self.alpha == "auto":
            return None
        return check_number("alpha", self.alpha, 0.0, np.inf, hint="Or use 'auto'.")

    def _fit_family(
        self,
        X: np.ndarray,
        family: Family,
        weight: np.ndarray,
        splits: list[Split] | None,
        key: np.ndarray,
        inner: list[list[Split]] | None = None,
    ) -> Any:
        """Fit; without splits to folds of observations, so that a row of weight 2 and the same row twice are one.

        ``key`` holds the response as columns of numbers; ``inner`` the folds of each split's training part, if these
        are to choose penalties of their own. Returns the observations that rows were taken for.
        """
        every = np.arange(X.shape[0])
        observations = Observations(every, every, weight, every)
        alpha = self._check_alpha()
        asked = read_constraints(self.penalty_factor, self.limits, self.groups, X.shape)
        with _blocks.one_blas_thread():
            if splits is None:
                observations = find_observations(X, key, np.zeros(X.shape[0]), weight, count_rows(weight))
                rows, weight = observations.source, observations.weight
                X, family = X[rows], family.part(rows)
                strata = key.reshape(len(key), -1)[rows, 0] if self._strata else None
                splits = random_splits(rows.size, BASELINE_FOLDS, self.random_state, strata)
            self.fit_ = fit_global(X, family, weight, splits, alpha, self.tol, self.n_jobs, asked)
            if inner is not None:
                self.fit_ = choose_in_folds(self.fit_, X, inner, self.tol, self.n_jobs)
        self.alphas_, self.cv_error_, self.alpha_ = self.fit_.alphas, self.fit_.error, self.fit_.alpha
        return observations
