"""Predictions of rows that lie near a query: what the query's own fit took is changed, not made anew.

A row near a query shares most leaves with it. Scores change for training rows in the leaves that differ, sums over the
query's rows by those that changed, and lassos start at the query's own coefficients: most often their signs are right.
Sums are about the query's weighted mean, so that no digits are lost.
"""

from typing import NamedTuple

import numpy as np

from heedful._kernels._jit import making_row, many_rows, one_row
from heedful._kernels.arrays import matrix, row_numbers, vector, zero_counts, zero_matrix, zero_vector
from heedful._kernels.cholesky import factor_row, solve_row
from heedful._kernels.descent import descend_row, gradient_row, sweep_row
from heedful._kernels.moments import settle
from heedful._kernels.shapes import SHARE, SOFTMAX

# Rounds of some sweeps and a solve from coefficients near the minimum, before it is looked for in the slow way.
ROUNDS, SWEEPS = 6, 4
# Sums are made anew where less than this part of the weight is left.
ANEW = 0.1


class Counts(NamedTuple):
    """Of training rows the trees in which they meet a row, and leaf weights times trees; the rows that changed.

    ``old`` is what these had before; ``place`` where a row is listed, -1 if it is not.
    """

    met: np.ndarray
    leaf: np.ndarray
    changed: np.ndarray
    old: np.ndarray
    place: np.ndarray


class Fit(NamedTuple):
    """Room for one weighting of a row: sums, covariances, means, penalties, and what solving takes."""

    sums: np.ndarray
    gram: np.ndarray
    mean: np.ndarray
    cov: np.ndarray
    penalty: np.ndarray
    coef: np.ndarray
    grad: np.ndarray
    factor: np.ndarray
    move: np.ndarray
    active: np.ndarray


@one_row
def count_leaf(forest, leaf, sign, counts, end):
    """Add a leaf to the counts or take it away; list the rows that change, and return how many there are."""
    for c in range(forest.starts[leaf], forest.starts[leaf + 1]):
        i = forest.members[c]
        if counts.place[i] < 0:
            counts.place[i] = end
            counts.changed[end] = i
            counts.old[end, 0], counts.old[end, 1] = counts.met[i], counts.leaf[i]
            end += 1
        counts.met[i] += sign
        if forest.draws[c] > 0:
            counts.leaf[i] += sign * forest.per_weight[i] * forest.draws[c] / forest.drawn[leaf]
    return end


@one_row
def value_row(kind, powers, met, leaf):
    """Return the weight of a training row per unit of sample weight, less that of rows that are never met."""
    if kind == SOFTMAX:
        return powers[np.int64(met)] - powers[0]
    return met if kind == SHARE else leaf


@one_row
def gather_rows(packed, changed, n_changed, center, rows):
    """Write training rows about the center, columns, response and one; fill up to a multiple of four rows."""
    size = center.size
    for at in range(n_changed):
        i = changed[at]
        for a in range(size):
            rows[at, a] = packed[i, a] - center[a]
        rows[at, size] = 1.0
    for at in range(n_changed, (n_changed + 3) // 4 * 4):
        for a in range(rows.shape[1]):
            rows[at, a] = 0.0


@one_row
def add_products(rows, by, n_rows, sums):
    """Add the products of all columns, times weights, to the lower half of the sums; four rows at a time."""
    for i in range(0, n_rows, 4):
        for a in range(sums.shape[0]):
            first, second = by[i] * rows[i, a], by[i + 1] * rows[i + 1, a]
            third, fourth = by[i + 2] * rows[i + 2, a], by[i + 3] * rows[i + 3, a]
            for c in range(a + 1):
                sums[a, c] += (
                    first * rows[i, c] + second * rows[i + 1, c] + third * rows[i + 2, c] + fourth * rows[i + 3, c]
                )


@one_row
def add_everyone(table, center, by, sums):
    """Add all training rows, whose weights sum to ``by``, to the sums."""
    k = center.size - 1
    for a in range(k):
        shift = table.mean[a] - center[a]
        for c in range(a + 1):
            sums[a, c] += by * (table.scatter[a, c] + shift * (table.mean[c] - center[c]))
        sums[k, a] += by * (table.cross[a] + shift * (table.y_mean - center[k]))
        sums[k + 1, a] += by * shift
    shift = table.y_mean - center[k]
    sums[k, k] += by * (table.y_scatter + shift * shift)
    sums[k + 1, k] += by * shift
    sums[k + 1, k + 1] += by


@one_row
def covariances_row(fit, center):
    """Write weighted means, covariances of columns and with the response; return mean and variance of the response."""
    sums, gram, mean, k = fit.sums, fit.gram, fit.mean, center.size - 1
    inverse = 1.0 / sums[k + 1, k + 1]
    for a in range(k):
        mean[a] = sums[k + 1, a] * inverse
    y_shift = sums[k + 1, k] * inverse
    for a in range(k):
        for c in range(a + 1):
            gram[a, c] = sums[a, c] * inverse - mean[a] * mean[c]
        fit.cov[a] = sums[k, a] * inverse - mean[a] * y_shift
    for a in range(k):
        for c in range(a):
            gram[c, a] = gram[a, c]
        mean[a] += center[a]
        gram[a, a] = settle(gram[a, a], mean[a])
    return center[k] + y_shift, max(sums[k, k] * inverse - y_shift * y_shift, 0.0)


@one_row
def solve_signs(fit, tol):
    """Minimise over the active coefficients with the signs they have; return whether that is the minimum of all.

    Coefficients stay as they are if one would change its sign.
    """
    coef, active, move, size = fit.coef, fit.active, fit.move, 0
    for a in range(coef.size):
        if coef[a] != 0.0:
            active[size] = a
            size += 1
    if factor_row(fit.gram, active, 0, size, fit.factor) < size:
        return False
    for a in range(size):
        j = active[a]
        move[a] = fit.cov[j] - (fit.penalty[j] if coef[j] > 0.0 else -fit.penalty[j])
    solve_row(fit.factor, size, move)
    for a in range(size):
        if move[a] * coef[active[a]] <= 0.0:
            return False
    for a in range(size):
        coef[active[a]] = move[a]
    gradient_row(fit.gram, fit.cov, coef, fit.grad)
    for j in range(coef.size):
        over = abs(fit.grad[j]) - fit.penalty[j]
        if coef[j] == 0.0 and fit.gram[j, j] > 0.0 and over > 0.0 and over > tol * np.sqrt(fit.gram[j, j]):
            return False
    return True


@making_row
def solve_from(fit, tol, max_iter):
    """Minimise from coefficients near the minimum, by solves for the signs they have and sweeps that find others."""
    coef = fit.coef
    for a in range(coef.size):
        if fit.gram[a, a] <= 0.0 or fit.penalty[a] == np.inf:
            coef[a] = 0.0
    gradient_row(fit.gram, fit.cov, coef, fit.grad)
    for _ in range(ROUNDS):
        for _ in range(SWEEPS):
            sweep_row(fit.gram, fit.penalty, coef, fit.grad, False)
        if solve_signs(fit, tol):
            return
    descend_row(fit.gram, fit.cov, fit.penalty, coef, fit.grad, tol, max_iter)


@making_row
def fit_heads(fit, center, ease, heads, w, rule, solves, x, coefs, prediction):
    """Fit the wanted heads of one weighting, from ``coefs`` on, which are written anew, and predict a row."""
    y_mean, spread = covariances_row(fit, center)
    tol, k = max(rule.tol * np.sqrt(spread), 1e-14), center.size - 1
    far = rule.reach * np.sqrt(spread) if rule.reach < np.inf else np.inf
    for t in range(heads.penalties.size):
        if not heads.wanted[w, t]:
            continue
        if heads.penalties[t] == np.inf:
            prediction[t] = y_mean
            continue
        for a in range(k):
            fit.coef[a] = coefs[t, a]
        if solves:
            for a in range(k):
                scale = rule.scale[a] * (np.sqrt(fit.gram[a, a]) if rule.weighted_scale else 1.0)
                fit.penalty[a] = heads.penalties[t] * ease * scale if a < heads.uses[t] else np.inf
            solve_from(fit, tol, rule.max_iter)
        away = 0.0
        for a in range(k):
            coefs[t, a] = fit.coef[a]
            away += (x[a] - fit.mean[a]) * fit.coef[a]
        prediction[t] = y_mean + (far / abs(away) if abs(away) > far else 1.0) * away


@one_row
def center_row(table, counts, listed, n_listed, kind, powers, center):
    """Write the weighted mean of columns and response under the weights of some rows."""
    norm, size = 0.0, center.size
    for a in range(size):
        center[a] = 0.0
    if kind == SOFTMAX:
        norm = table.total * powers[0]
        for a in range(size - 1):
            center[a] = norm * table.mean[a]
        center[size - 1] = norm * table.y_mean
    for at in range(n_listed):
        i = listed[at]
        by = table.prior[i] * value_row(kind, powers, counts.met[i], counts.leaf[i])
        norm += by
        for a in range(size):
            center[a] += by * table.packed[i, a]
    for a in range(size):
        center[a] /= norm


@one_row
def weigh_listed(kind, powers, counts, listed, n_listed, before, by):
    """Write the weights of some rows, per unit of sample weight; of those that changed less what they had before."""
    for at in range(n_listed):
        i = listed[at]
        by[at] = value_row(kind, powers, counts.met[i], counts.leaf[i])
        if before:
            by[at] -= value_row(kind, powers, counts.old[at, 0], counts.old[at, 1])


@one_row
def add_weighed(table, weight, means, listed, n_listed, by, average):
    """Add rows of some weights to the sums of means, and turn the weights into those of fits.

    Returns the sum of their inverse curvatures. The last of the sums is that of the sample weights.
    """
    ease = 0.0
    for at in range(n_listed):
        i = listed[at]
        if means.shape[1] > 0:
            for a in range(means.shape[1]):
                average[a] += by[at] * weight[i] * means[i, a]
            average[means.shape[1]] += by[at] * weight[i]
        by[at] *= table.prior[i]
        if table.inverse.size > 0:
            ease += by[at] * table.inverse[i]
    for at in range(n_listed, (n_listed + 3) // 4 * 4):
        by[at] = 0.0
    return ease


@one_row
def sum_rows(
    table, weight, means, counts, listed, n_listed, kind, powers, overall, center, gathered, by, sums, average
):
    """Write the sums over all rows with a weight, about their mean, and those of means; return those of curvatures."""
    center_row(table, counts, listed, n_listed, kind, powers, center)
    gather_rows(table.packed, listed, n_listed, center, gathered)
    weigh_listed(kind, powers, counts, listed, n_listed, False, by)
    for a in range(average.size):
        average[a] = powers[0] * overall[a]
    ease = add_weighed(table, weight, means, listed, n_listed, by, average)
    for a in range(sums.shape[0]):
        for c in range(sums.shape[1]):
            sums[a, c] = 0.0
    if kind == SOFTMAX:
        add_everyone(table, center, powers[0] * table.total, sums)
        ease += powers[0] * table.total * table.inverse_mean
    add_products(gathered, by, n_listed, sums)
    return ease


@one_row
def list_met(counts, listed):
    """List the rows that are met in any tree; return how many there are."""
    size = 0
    for i in range(counts.met.size):
        if counts.met[i] > 0.0:
            listed[size] = i
            size += 1
    return size


@one_row
def copy_matrix(source, to):
    """Copy a matrix."""
    for a in range(source.shape[0]):
        for c in range(source.shape[1]):
            to[a, c] = source[a, c]


@making_row
def make_powers(kinds, temperatures, n_tree):
    """Return the weights of softmaxes by the number of trees in which two rows meet, relative to all trees."""
    powers = matrix(kinds.size, n_tree + 1)
    for w in range(kinds.size):
        for met in range(n_tree + 1):
            powers[w, met] = np.exp((met / n_tree - 1.0) / temperatures[w]) if kinds[w] == SOFTMAX else 0.0
    return powers


@many_rows
def near_rows(rows, forest, table, weight, means, heads, rule):
    """Fit the wanted heads of rows near queries.

    Returns predictions (n_moved, n_weighting, n_penalty) and weighted means of the columns of ``means`` under
    ``weight``, the sample weights (n_moved, n_weighting, n_means).
    """
    leaves, moved_leaves, source, own, moved = rows
    kinds, penalties = heads.kinds, heads.penalties
    (n_query, n_tree), n_moved, n_train = leaves.shape, source.size, table.prior.size
    n_way, n_penalty, n_means = kinds.size, penalties.size, means.shape[1]
    k = min(table.y_column, table.mean.size)
    width = k + 2
    predictions, averages = np.empty((n_moved, n_way, n_penalty)), np.empty((n_moved, n_way, n_means))
    fit = Fit(
        zero_matrix(width, width), matrix(k, k), vector(k), vector(k), vector(k), vector(k), vector(k),
        matrix(k, k), vector(k), zero_counts(k),
    )  # fmt: skip
    counts = Counts(
        zero_vector(n_train), zero_vector(n_train), row_numbers(n_train), matrix(n_train, 2), zero_counts(n_train)
    )
    for i in range(n_train):
        counts.place[i] = -1
    base, centers = np.zeros((n_way, width, width)), matrix(n_way, k + 1)
    coefs, tried, heights = np.empty((n_way, n_penalty, k)), matrix(n_penalty, k), vector(n_penalty)
    eases, sums_of_means, average = vector(n_way), matrix(n_way, n_means + 1), vector(n_means + 1)
    others, own_center = row_numbers(n_train), vector(k + 1)
    listed, gathered, by = row_numbers(n_train), zero_matrix(n_train + 3, width), vector(n_train + 3)
    powers, overall = make_powers(kinds, heads.temperatures, n_tree), zero_vector(n_means + 1)
    for i in range(n_train):
        for a in range(n_means):
            overall[a] += weight[i] * means[i, a]
        overall[n_means] += weight[i]
    first = 0
    for q in range(n_query):
        stop = first
        while stop < n_moved and source[stop] == q:
            stop += 1
        if stop == first:
            continue
        n_listed = 0
        for t in range(n_tree):
            n_listed = count_leaf(forest, leaves[q, t], 1.0, counts, n_listed)
        for at in range(n_listed):
            listed[at] = counts.changed[at]
            counts.place[listed[at]] = -1
        for w in range(n_way):
            eases[w] = sum_rows(
                table, weight, means, counts, listed, n_listed, kinds[w], powers[w], overall, centers[w], gathered, by,
                fit.sums, sums_of_means[w],
            )  # fmt: skip
            copy_matrix(fit.sums, base[w])
            for t in range(n_penalty):
                for a in range(k):
                    coefs[w, t, a] = rule.start[a]
            ease = eases[w] / fit.sums[k + 1, k + 1] if table.inverse.size > 0 else 1.0
            fit_heads(fit, centers[w], ease, heads, w, rule, True, own[q], coefs[w], heights)
        for m in range(first, stop):
            n_changed = 0
            for t in range(n_tree):
                if moved_leaves[m, t] != leaves[q, t]:
                    n_changed = count_leaf(forest, leaves[q, t], -1.0, counts, n_changed)
                    n_changed = count_leaf(forest, moved_leaves[m, t], 1.0, counts, n_changed)
            for w in range(n_way):
                copy_matrix(base[w], fit.sums)
                for a in range(n_means + 1):
                    average[a] = sums_of_means[w, a]
                gather_rows(table.packed, counts.changed, n_changed, centers[w], gathered)
                weigh_listed(kinds[w], powers[w], counts, counts.changed, n_changed, True, by)
                ease = eases[w] + add_weighed(table, weight, means, counts.changed, n_changed, by, average)
                add_products(gathered, by, n_changed, fit.sums)
                around = centers[w]
                if fit.sums[k + 1, k + 1] < ANEW * base[w, k + 1, k + 1]:
                    # most of the weight is gone, and with it digits of what is left
                    around = own_center
                    ease = sum_rows(
                        table, weight, means, counts, others, list_met(counts, others), kinds[w], powers[w], overall,
                        around, gathered, by, fit.sums, average,
                    )  # fmt: skip
                copy_matrix(coefs[w], tried)
                for t in range(n_penalty):
                    heights[t] = np.nan
                ease = ease / fit.sums[k + 1, k + 1] if table.inverse.size > 0 else 1.0
                fit_heads(fit, around, ease, heads, w, rule, n_changed > 0, moved[m], tried, heights)
                for t in range(n_penalty):
                    predictions[m, w, t] = heights[t]
                for a in range(n_means):
                    averages[m, w, a] = average[a] / average[n_means]
            for at in range(n_changed):
                i = counts.changed[at]
                counts.met[i], counts.leaf[i] = counts.old[at, 0], counts.old[at, 1]
                counts.place[i] = -1
        for at in range(n_listed):
            counts.met[listed[at]] = 0.0
            counts.leaf[listed[at]] = 0.0
        first = stop
    return predictions, averages
