"""The global lasso with its cross-validated penalty, by glmnet's rules."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from heedful import _blocks
from heedful._checks import check_number, check_weights
from heedful._kernels.shapes import Rule
from heedful._tables import merge_rows
from heedful.baseline._folds import BASELINE_FOLDS, Split, fold_weights, random_splits
from heedful.local import Paths, WeightRows, build_table, fit_paths, measure, warn_unconverged, whole_table

N_ALPHAS, MAX_ITER = 100, 10_000


class LassoBaseline(RegressorMixin, BaseEstimator):
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

    fold_prediction_: np.ndarray

    def __init__(self, alpha="auto", *, tol=1e-7, n_jobs=None, random_state=None):
        self.alpha = alpha
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None, splits: list[Split] | None = None):
        """Fit the path, choose the penalty, keep the model and its predictions of left-out rows."""
        fixed = None if self.alpha == "auto" else check_number("alpha", self.alpha, 0.0, np.inf, hint="Or use 'auto'.")
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        weight = check_weights(sample_weight, X.shape[0])
        with _blocks.one_blas_thread():
            if splits is None:
                self._fit_distinct(X, y, weight, fixed)
            else:
                self._fit(X, y, weight, splits, fixed)
        return self

    def predict(self, X):
        """Return one prediction per row of ``X``."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return self.intercept_ + X @ self.coef_

    def predict_left_out(self) -> np.ndarray:
        """Return the prediction of each training row by the lasso of all others, at the chosen penalty.

        Heads that leave out one row are held against this: the folds' models have seen fewer rows and would look worse.
        """
        check_is_fitted(self)
        table, n_train = self.table_, self.table_.prior.size
        rest = np.maximum(table.total - table.prior, 1e-300)
        alone = table.prior >= table.total
        bump = np.where(alone, 0.0, -table.prior / rest)
        background = np.where(alone, 1.0, table.total / rest)
        weights = WeightRows(np.arange(n_train + 1), np.arange(n_train, dtype=np.int32), bump, background)
        rule = Rule(self.scale_.pad(np.ones(self.coef_.size)), False, self.start_, self.tol, MAX_ITER)
        penalty = np.array([self.alpha_ / self.scale_.y_unit])
        fits = fit_paths(weights, table, penalty, rule, self.n_jobs)
        away = ((table.x - fits.mean) * fits.coef[:, 0]).sum(axis=1)
        return self.scale_.y_center + self.scale_.y_unit * (fits.y_mean + away)

    def _fit_distinct(self, X, y, weight, fixed):
        """Fit with folds of distinct rows, so that a row of weight 2 and the same row twice give the same model."""
        first, number = merge_rows(X, y, np.zeros(y.size), weight)
        used = number >= 0
        merged = np.bincount(number[used], weights=weight[used])
        self._fit(X[first], y[first], merged, random_splits(first.size, BASELINE_FOLDS, self.random_state), fixed)
        self.fold_prediction_ = np.where(used, self.fold_prediction_[number], np.nan)

    def _fit(self, X, y, weight, splits, fixed):
        self.scale_ = scale = measure(X, y, weight)
        self.table_ = table = build_table(X, y, weight, scale)
        rule = Rule(scale.pad(np.ones(X.shape[1])), True, np.zeros(scale.width), self.tol, MAX_ITER)
        path = penalty_path(table.cross, X.shape) if fixed is None else np.array([fixed / scale.y_unit])
        folds = fit_paths(fold_weights(splits, weight), table, path, rule, self.n_jobs)
        whole = fit_paths(whole_table(), table, path, rule)
        warn_unconverged(folds.n_failed + whole.n_failed, (len(splits) + 1) * path.size, MAX_ITER)
        predicted, held_out = _fold_predictions(folds, splits, scale, X, path.size)
        error = np.average((y[held_out, None] - predicted[held_out]) ** 2, axis=0, weights=weight[held_out])
        best = int(np.argmin(error))
        self.alphas_, self.cv_error_ = path * scale.y_unit, error
        self.alpha_ = float(self.alphas_[best])
        intercept, coef = whole.unscaled(scale)
        self.intercept_, self.coef_ = float(intercept[0, best]), coef[0, best]
        self.fold_prediction_ = predicted[:, best]
        self.start_ = whole.coef[0, best]
        self.fold_starts_ = folds.coef[:, best]


def penalty_path(cross: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """Return glmnet's path: 100 penalties from the smallest that silences every column, down to a fraction of it."""
    top = float(np.abs(cross).max(initial=0.0))
    if top < 1e-12:
        return np.zeros(1)
    smallest = 1e-4 if shape[0] > shape[1] else 1e-2
    return top * np.geomspace(1.0, smallest, N_ALPHAS)


def _fold_predictions(folds: Paths, splits: list[Split], scale: Any, X: np.ndarray, n_alphas: int):
    """Return predictions of left-out rows (n_train, n_alphas), averaged where a row is left out more than once."""
    intercept, coef = folds.unscaled(scale)
    total = np.zeros((X.shape[0], n_alphas))
    times = np.zeros(X.shape[0])
    for k, split in enumerate(splits):
        total[split.test] += intercept[k] + X[split.test] @ coef[k].T
        times[split.test] += 1
    held_out = times > 0
    return np.where(held_out[:, None], total / np.maximum(times, 1)[:, None], np.nan), held_out
