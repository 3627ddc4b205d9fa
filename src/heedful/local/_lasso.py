"""``local_lasso``: the bare solver, one weighted lasso per row of weights."""

import warnings
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_array, check_consistent_length

from heedful import _blocks, _kernels
from heedful._checks import check_choice, check_number, check_positive, check_response
from heedful._kernels.shapes import Rule, Table
from heedful.attention import Attention
from heedful.local._table import Scale, build_table, measure


class WeightRows(NamedTuple):
    """Weights of many fits: bumps over a background share of the table's prior; empty ``indices`` mean every row."""

    indptr: np.ndarray
    indices: np.ndarray
    bump: np.ndarray
    background: np.ndarray

    def block(self, part: slice) -> "WeightRows":
        """Return the weights of some of the fits."""
        start, stop = self.indptr[part.start], self.indptr[part.stop]
        indices = self.indices[start:stop] if self.indices.size else self.indices
        indptr = self.indptr[part.start : part.stop + 1] - start
        return WeightRows(indptr, indices, self.bump[start:stop], self.background[part])


class Paths(NamedTuple):
    """Fits on the table's scale: coefficients (n_fit, n_penalty, n_features) about each fit's weighted means."""

    coef: np.ndarray
    mean: np.ndarray
    y_mean: np.ndarray
    n_failed: int

    def unscaled(self, scale: Scale) -> tuple[np.ndarray, np.ndarray]:
        """Return intercepts (n_fit, n_penalty) and coefficients on the original scale."""
        coef = scale.original(self.coef)
        at_mean = self.y_mean[:, None] - np.einsum("qtj,qj->qt", self.coef, self.mean)
        intercept = scale.y_center + scale.y_unit * at_mean - coef @ scale.center
        return intercept, coef


class LocalFits(NamedTuple):
    """One fitted model per query: ``intercept_`` (n_query,) and ``coef_`` (n_query, n_features)."""

    intercept_: np.ndarray
    coef_: np.ndarray


def whole_table(n_fit: int = 1) -> WeightRows:
    """Return the weights of fits that weigh every row by its prior."""
    return WeightRows(np.zeros(n_fit + 1, np.int64), np.zeros(1, np.int32), np.empty(0), np.ones(n_fit))


def fit_paths(weights: WeightRows, table: Table, penalties: np.ndarray, rule: Rule, n_jobs: int | None = None) -> Paths:
    """Fit a path of penalties (descending, on the table's scale) for each row of weights, in threads."""
    n_fit, p = weights.background.size, table.mean.size
    per_fit = 8 * p * penalties.size + 12 * max(1, weights.bump.size // max(n_fit, 1))
    blocks = _blocks.cut(n_fit, per_fit, n_jobs)
    parts = list(_blocks.run(_fit_block, blocks, weights, table, penalties, rule, n_jobs=n_jobs))
    coef, mean, y_mean, failed = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Paths(coef, mean, y_mean, int(failed.sum()))


def _fit_block(block, weights, table, penalties, rule):
    return _kernels.lasso_rows(*weights.block(block), table, penalties, rule)


def warn_unconverged(n_failed: int, n_fit: int, max_iter: int) -> None:
    """Turn the kernels' count of unconverged fits into one warning."""
    if n_failed:
        warnings.warn(
            f"{n_failed} of {n_fit} lasso fits stopped at max_iter={max_iter}. Raise the penalty or `tol`.",
            ConvergenceWarning,
            stacklevel=3,
        )


def local_lasso(
    X: Any,
    y: Any,
    weights: Any,
    *,
    alpha: float,
    family: str = "gaussian",
    standardize: str | bool = "global",
    tol: float = 1e-7,
    max_iter: int = 10_000,
    n_jobs: int | None = -1,
) -> LocalFits:
    """Fit one weighted lasso per row of ``weights``.

    Each fit minimises the weighted mean loss plus ``alpha`` times the L1 norm of the scaled coefficients, with a free
    intercept: glmnet's objective. A column without weighted variance gets coefficient 0.

    Parameters
    ----------
    X : array-like of shape (n_train, n_features)
        Training rows.
    y : array-like of shape (n_train,)
        Response.
    weights : array-like, sparse matrix or Attention of shape (n_query, n_train)
        One row per fit, not negative; each row is normalised to sum to one.
    alpha : float
        Penalty. Larger gives fewer non-zero coefficients; infinity gives the weighted mean.
    family : {"gaussian"}, default="gaussian"
        Loss; gaussian is half the squared error.
    standardize : {"global", "weighted"} or False, default="global"
        Scale of the penalised coefficients: columns divided once by their unweighted standard deviation, by their
        weighted one in each fit (glmnet's rule), or not at all.
    tol : float, default=1e-7
        A fit ends when a sweep over all coefficients moves no fitted value by more than ``tol`` standard deviations
        of the response.
    max_iter : int, default=10000
        Most sweeps per fit.
    n_jobs : int, default=-1
        Threads; -1 takes all cores. Results do not depend on it.

    Returns
    -------
    LocalFits
        With ``intercept_`` (n_query,) and ``coef_`` (n_query, n_features) on the original scale of the columns.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.arange(6.0)[:, None]
    >>> y = np.where(x[:, 0] < 3, x[:, 0], 10 - 2 * x[:, 0])
    >>> left, right = [1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1]
    >>> local_lasso(x, y, [left, right], alpha=1e-9).coef_.round(6)
    array([[ 1.],
           [-2.]])
    """
    check_choice("family", family, ("gaussian",))
    alpha = check_number("alpha", alpha, 0.0, np.inf, hint="0 is least squares.")
    if standardize is not False:
        check_choice("standardize", standardize, ("global", "weighted"))
    check_positive("tol", tol, "1e-7 is the default.")
    X = check_array(X, dtype=np.float64, input_name="X")
    y = check_response(y)
    if y.ndim != 1:
        raise ValueError(f"`y` must have one dimension, got shape {y.shape}. Use y.ravel() for a single column.")
    check_consistent_length(X, y)
    rows, prior = read_weights(weights, X.shape[0])
    with _blocks.one_blas_thread():
        return _fit_rows(X, y, rows, prior, alpha, standardize, tol, max_iter, n_jobs)


def _fit_rows(X, y, rows, prior, alpha, standardize, tol, max_iter, n_jobs) -> LocalFits:
    """Fit checked input."""
    scale = measure(X, y)
    table = build_table(X, y, prior, scale)
    penalty_scale = scale.pad(np.ones(X.shape[1]) if standardize == "global" else 1.0 / scale.unit)
    rule = Rule(penalty_scale, standardize == "weighted", np.zeros(scale.width), float(tol), int(max_iter))
    penalties = np.array([alpha / scale.y_unit])
    start = fit_paths(whole_table(), table, penalties, rule).coef[0, 0]
    paths = fit_paths(rows, table, penalties, rule._replace(start=start), n_jobs)
    warn_unconverged(paths.n_failed, rows.background.size, max_iter)
    intercept, coef = paths.unscaled(scale)
    return LocalFits(intercept[:, 0], coef[:, 0])


def read_weights(weights: Any, n_train: int) -> tuple[WeightRows, np.ndarray]:
    """Return weights of any accepted kind as rows over a background, and the prior weights of the background."""
    if isinstance(weights, Attention):
        _check_width(weights.shape, n_train)
        bumps = weights.bumps()
        background = weights.background * weights.row_weight.sum()
        return _rows(bumps.indptr, bumps.indices, bumps.data, background), weights.row_weight
    if sparse.issparse(weights):
        matrix = sparse.csr_array(weights, dtype=np.float64, copy=True)
        matrix.sum_duplicates()
        _check_width(matrix.shape, n_train)
        bump = matrix.data / np.repeat(_row_sums(matrix.sum(axis=1), matrix.data), np.diff(matrix.indptr))
        return _rows(matrix.indptr, matrix.indices, bump, np.zeros(matrix.shape[0])), np.ones(n_train)
    dense = np.asarray(weights, dtype=np.float64)
    _check_width(dense.shape, n_train)
    bump = np.ascontiguousarray(dense / _row_sums(dense.sum(axis=1), dense)[:, None]).ravel()
    indptr = np.arange(dense.shape[0] + 1) * n_train
    return _rows(indptr, np.empty(0), bump, np.zeros(dense.shape[0])), np.ones(n_train)


def _rows(indptr, indices, bump, background) -> WeightRows:
    return WeightRows(indptr.astype(np.int64), indices.astype(np.int32), bump, background)


def _check_width(shape: tuple[int, ...], n_train: int) -> None:
    if len(shape) != 2 or shape[1] != n_train:
        raise ValueError(f"`weights` must have shape (n_query, {n_train}), one column per row of `X`, got {shape}.")


def _row_sums(sums: np.ndarray, values: np.ndarray) -> np.ndarray:
    # a sum is finite only if its terms are: one pass less over a large matrix
    if not np.isfinite(sums).all() or values.min(initial=0.0) < 0:
        raise ValueError("`weights` must be finite and >= 0.")
    if (sums <= 0).any():
        raise ValueError(f"`weights` must have a positive sum in each row; row {int(np.argmin(sums))} sums to 0.")
    return sums
