"""Local lassos of a block of queries; predictions of many heads, and their blended model, under one similarity."""

import numpy as np

from heedful._kernels._jit import many_rows
from heedful._kernels.arrays import matrix, zero_counts
from heedful._kernels.lasso import FULL_GRAM, everyone_row, make_space, path_row
from heedful._kernels.shapes import Table
from heedful._kernels.weighting import pick_rows, weigh_rows


@many_rows
def path_rows(indptr, indices, excesses, backgrounds, table, penalties, uses, wanted, rule, wide):
    """Fit one path per query and weighting at the wanted penalties; coefficients at others are 0. See ``path_row``.

    Returns coefficients (n_weighting, n_query, n_penalty, n_columns), weighted means of columns and response, variances
    of the response, and the number of unconverged fits per query.
    """
    (n_way, n_query), p = backgrounds.shape, table.mean.size
    space = make_space(indptr, indices, table)
    coefs, means = np.empty((n_way, n_query, penalties.size, p)), np.empty((n_way, n_query, p))
    y_means, spreads, failed = matrix(n_way, n_query), matrix(n_way, n_query), zero_counts(n_query)
    for q in range(n_query):
        start, stop = indptr[q], indptr[q + 1]
        # rows of a query are at hand for all of its weightings
        for w in range(n_way):
            rows, background = pick_rows(indices, start, stop, space.everyone), backgrounds[w, q]
            excess = excesses[w, start:stop]
            if table.scatter.size == 0 and background > 0.0:
                everyone_row(table, rows, excess, background, space.excess)
                rows, excess, background = space.everyone, space.excess, 0.0
            fit = table, rows, excess, background, penalties, uses, wanted[w], rule, wide, space
            y_means[w, q], spreads[w, q], bad = path_row(*fit, means[w, q], coefs[w, q])
            failed[q] += bad
    return coefs, means, y_means, spreads, failed


def is_wide(table: Table) -> bool | None:
    """Return True for tables of which columns are chosen, and None for others."""
    return True if table.mean.size > FULL_GRAM else None


def head_rows(
    indptr, indices, score, leaf, queries, table, kinds, temperatures, penalties, wanted, shares, rule, uses=None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Fit the wanted heads (weighting x penalty) of every query; those of a penalty use its first ``uses`` columns.

    None stands for all columns, at each penalty.

    Returns predictions (n_query, n_weighting, n_penalty), the coefficients blended by ``shares``, and the number of
    unconverged fits per query. A prediction out of the range that ``rule`` allows is moved back to it by shrinking the
    coefficients: few rows can give a steep model, and a query may lie outside of them.
    """
    uses = np.full(penalties.size, table.mean.size) if uses is None else uses
    weights = weigh_rows(indptr, indices, score, leaf, table.prior, table.total, kinds, temperatures)
    path, means, y_means, spreads, failed = path_rows(
        indptr, indices, *weights, table, penalties, uses, wanted, rule, is_wide(table)
    )
    # not by BLAS, whose last bits depend on how many queries there are
    away = np.einsum("wqtj,wqj->qwt", path, queries - means)
    kept = np.ones(away.shape)
    if rule.max_range < np.inf:
        farthest = rule.max_range * np.sqrt(spreads).T[:, :, None]
        np.divide(farthest, np.abs(away), out=kept, where=np.abs(away) > farthest)
    predictions = np.where(wanted, y_means.T[:, :, None] + kept * away, np.nan)
    return predictions, np.einsum("qwt,wqtj->qj", shares * kept, path), failed


def lasso_rows(
    indptr, indices, excess, backgrounds, table, penalties, rule
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Fit one path per query; return coefficients, means, mean responses and the number of unconverged fits.

    Empty ``indices`` mean that every query lists every training row in order.
    """
    every = np.full(penalties.size, table.mean.size), np.ones((1, penalties.size), bool)
    (coefs,), (means,), (y_means,), _, failed = path_rows(
        indptr, indices, excess[None], backgrounds[None], table, penalties, *every, rule, is_wide(table)
    )
    return coefs, means, y_means, failed
