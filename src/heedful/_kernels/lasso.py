"""One weighted lasso per query, along a path of penalties, from excess weights and background to coefficients."""

from typing import NamedTuple

import numpy as np

from heedful._kernels._jit import making_row, one_row
from heedful._kernels.arrays import copy_row, fill_row, matrix, numbers, row_numbers, vector, zero_counts
from heedful._kernels.descent import clip_row, descend_row, gradient_row
from heedful._kernels.groups import pick_groups
from heedful._kernels.moments import (
    cross_row,
    gather_row,
    gradient_all_row,
    grow_gram,
    spread_row,
    variance_row,
    whole_gram,
)

# Up to this many columns, padding included, the whole Gram matrix is cheaper than choosing columns: the 40 columns that
# local models of wide tables use, with their shapes, are among them.
FULL_GRAM = 48


class Space(NamedTuple):
    """Working memory of one thread, large enough for any query of its block."""

    x: np.ndarray
    y: np.ndarray
    d: np.ndarray
    picked: np.ndarray
    excess: np.ndarray
    everyone: np.ndarray


@one_row
def n_touched(indptr, table):
    """Return the largest number of rows that a query of the block can touch."""
    if table.scatter.shape[0] == 0:
        return table.prior.size
    largest = 0
    for q in range(indptr.size - 1):
        largest = max(largest, indptr[q + 1] - indptr[q])
    return largest


@making_row
def make_space(indptr, indices, table):
    """Return working memory for the queries of a block; the numbers of all rows only if some query needs them."""
    n_rows, p = n_touched(indptr, table), table.mean.size
    picked = n_rows * p if p > FULL_GRAM else 0
    whole = indices.size == 0 or table.scatter.shape[0] == 0
    everyone = row_numbers(table.prior.size if whole else 0)
    rows = matrix(n_rows, p), vector(n_rows), vector(n_rows)
    return Space(*rows, vector(picked), vector(n_rows), everyone)


@making_row
def pick_columns(grad, penalty, coef, slack, columns, size, limits=None, groups=None):
    """Append to ``columns`` those that are active or break their condition; return how many there are now."""
    if groups is not None:
        return pick_groups(grad, penalty, coef, slack, columns, size, groups)
    chosen = zero_counts(coef.size)
    for a in range(size):
        chosen[columns[a]] = 1
    for j in range(coef.size):
        if chosen[j] == 0 and (coef[j] != 0.0 or abs(grad[j]) > penalty[j] + slack):
            if limits is not None and limits[1 if grad[j] > 0.0 else 0, j] == 0.0 and coef[j] == 0.0:
                continue
            columns[size] = j
            size += 1
    return size


@making_row
def limits_of(limits, columns):
    if limits is None:
        return None
    part = matrix(2, columns.size)
    for a in range(columns.size):
        part[0, a], part[1, a] = limits[0, columns[a]], limits[1, columns[a]]
    return part


@making_row
def groups_of(groups, columns):
    if groups is None:
        return None
    part = zero_counts(columns.size)
    for a in range(columns.size):
        part[a] = groups[columns[a]]
    return part


@making_row
def minimise_row(gram, cov, penalty, columns, coef, tol, max_iter, limits, groups):
    """Minimise over ``columns``, starting from ``coef`` and writing to it; return whether it converged."""
    size = columns.size
    part, part_cov, part_penalty, grad = vector(size), vector(size), vector(size), vector(size)
    for a in range(size):
        j = columns[a]
        part[a] = coef[j] if gram[a, a] > 0.0 else 0.0
        part_cov[a], part_penalty[a] = cov[j], penalty[j]
    gradient_row(gram, part_cov, part, grad)
    inside = limits_of(limits, columns), groups_of(groups, columns)
    sweeps = descend_row(gram, part_cov, part_penalty, part, grad, tol, max_iter, inside[0], inside[1])
    fill_row(0.0, coef)
    for a in range(size):
        coef[columns[a]] = part[a]
    return sweeps >= 0


@making_row
def grow_row(table, background, mean, cov, rooted, penalty, tol, rule, space, columns, gram, coef):
    """Minimise over some columns, adding those that break their condition until none does.

    ``columns`` lists the chosen ones first, ``gram`` is their covariance. Returns the grown ``gram`` and whether the
    descent converged.
    """
    size = gram.shape[0]
    grad = vector(coef.size)
    slack = 0.0
    while True:
        gradient_all_row(table, background, mean, cov, rooted, coef, grad)
        grown = pick_columns(grad, penalty, coef, slack, columns, size, rule.limits, rule.groups)
        if slack > 0.0 and grown == size:
            return gram, True
        if grown > size:
            gram = grow_gram(table, background, mean, rooted, columns[:grown], gram, space.picked)
        size, slack = grown, tol
        chosen = columns[:size]
        if not minimise_row(gram, cov, penalty, chosen, coef, tol, rule.max_iter, rule.limits, rule.groups):
            return gram, False


@one_row
def inverse_hessian_row(table, rows, excess, background):
    """Return what penalties are multiplied by: one over the mean curvature of the rows, 1 if the loss is a square."""
    if table.inverse.size == 0:
        return 1.0
    ease = background * table.inverse_mean
    for i in range(rows.size):
        ease += excess[i] * table.inverse[rows[i]]
    return ease


@making_row
def path_row(table, rows, excess, background, penalties, uses, wanted, rule, wide, space, mean, coefs):
    """Fit one query at each wanted penalty and write its coefficients; the first ``uses`` columns may have one.

    ``wide`` is None where the whole Gram matrix is made: what chooses columns is then left out, and not compiled.
    Returns the weighted mean and variance of the response and how many of the fits did not converge.
    """
    p = table.mean.size
    y_mean, rooted = gather_row(table, rows, excess, background, mean, space.x, space.y, space.d)
    spread = spread_row(table, background, y_mean, rooted)
    tol = max(rule.tol * np.sqrt(spread), 1e-14)
    cov, penalty, scale = vector(p), vector(p), rule.scale
    cross_row(table, background, mean, y_mean, rooted, cov)
    if rule.weighted_scale:
        scale = vector(p)
        variance_row(table, background, mean, rooted, scale)
        for j in range(p):
            scale[j] = rule.scale[j] * np.sqrt(scale[j])
    gram = matrix(0, 0)
    columns = numbers(p)
    coef = rule.start.copy()
    clip_row(coef, rule.limits)
    ease = inverse_hessian_row(table, rows, excess, background)
    failed = 0
    for t in range(penalties.size):
        if not wanted[t] or penalties[t] == np.inf:
            fill_row(0.0, coefs[t])
            continue
        for j in range(p):
            penalty[j] = penalties[t] * ease * scale[j] if j < uses[t] else np.inf
        if wide is None:
            if gram.shape[0] == 0:
                gram = whole_gram(table, background, mean, rooted)
            converged = minimise_row(gram, cov, penalty, columns, coef, tol, rule.max_iter, rule.limits, rule.groups)
        else:
            gram, converged = grow_row(
                table, background, mean, cov, rooted, penalty, tol, rule, space, columns, gram, coef
            )
        if not converged:
            failed += 1
        copy_row(coef, coefs[t])
    return y_mean, spread, failed


@one_row
def everyone_row(table, rows, excess, background, out):
    """Write the weight of every training row, background included."""
    for i in range(out.size):
        out[i] = background * table.prior[i] / table.total
    for i in range(rows.size):
        out[rows[i]] += excess[i]
