"""Predictions of rows that lie near a query: what the query's own fit took is changed, not made anew.

A row near a query shares most leaves with it. Scores change for training rows in the leaves that differ, sums over the
query's rows by those that changed, and lassos start at the query's own coefficients: most often their signs are right.
Sums are about the query's weighted mean, so that no digits are lost.
"""

from typing import NamedTuple

import numpy as np

from heedful._kernels._jit import making_row, many_rows, one_row
from heedful._kernels.arrays import (
    copy_row,
    fill_row,
    matrix,
    row_numbers,
    vector,
    zero_counts,
    zero_matrix,
    zero_vector,
)
from heedful._kernels.cholesky import factor_row, solve_row
from heedful._kernels.descent import descend_row, gradient_row, sweep_row
from heedful._kernels.moments import add_matrix, dot_row, settle
from heedful._kernels.shapes import SHARE, SOFTMAX

# Sweeps and one solve from coefficients near the minimum, before it is looked for in the slow way.
SWEEPS = 3
# Sums are made anew where less than this part of the weight is left.
ANEW = 0.1
# Rows whose products are added at a time.
AT_ONCE = 64


class Meetings(NamedTuple):
    """In how many trees training rows meet a query, and their leaf weights times trees.

    ``changed`` lists the rows that change, ``old`` is what they had before, ``place`` where a row is listed, -1 if it
    is not.
    """

    met: np.ndarray
    leaf: np.ndarray
    changed: np.ndarray
    old: np.ndarray
    place: np.ndarray


class Sums(NamedTuple):
    """Sums over rows, with room for some rows and these times weights; ``all`` is the memory of the first three.

    These are products of columns about a center, the center, and sums by sample weights: of means, of the weights
    themselves, and of inverse curvatures.
    """

    all: np.ndarray
    products: np.ndarray
    center: np.ndarray
    average: np.ndarray
    rows: np.ndarray
    weighed: np.ndarray
    added: np.ndarray


@making_row
def make_sums(k, n_means):
    width = k + 2
    size = width * width
    room = vector(size + k + 1 + n_means + 2)
    products, center, average = room[:size].reshape((width, width)), room[size : size + k + 1], room[size + k + 1 :]
    return Sums(room, products, center, average, matrix(AT_ONCE, width), matrix(AT_ONCE, width), matrix(width, width))


class Lasso(NamedTuple):
    """Covariances and penalties of one lasso, with room for its solution."""

    gram: np.ndarray
    factor: np.ndarray
    mean: np.ndarray
    cov: np.ndarray
    penalty: np.ndarray
    grad: np.ndarray
    move: np.ndarray
    active: np.ndarray


@one_row
def count_leaf(forest, number, sign, meetings, end):
    """Add a leaf to the meetings or take it away; list the rows that change, and return how many there are."""
    met, leaf, changed, old, place = meetings
    for c in range(forest.starts[number], forest.starts[number + 1]):
        i = forest.members[c]
        if place[i] < 0:
            place[i] = end
            changed[end] = i
            old[end, 0], old[end, 1] = met[i], leaf[i]
            end += 1
        met[i] += sign
        if forest.draws[c] > 0:
            leaf[i] += sign * forest.per_weight[i] * forest.draws[c] / forest.drawn[number]
    return end


@one_row
def value_row(kind, powers, met, leaf):
    """Return the weight of a training row per unit of sample weight, less that of rows that are never met."""
    if kind == SOFTMAX:
        return powers[np.int64(met)] - powers[0]
    return met if kind == SHARE else leaf


@one_row
def write_everyone(table, per_row, overall, sums):
    """Write the sums over all rows as if each had the same weight per unit of sample weight."""
    center, products, by = sums.center, sums.products, per_row * table.total
    k = center.size - 1
    mean, scatter, cross, y_shift = table.mean, table.scatter, table.cross, table.y_mean - center[k]
    for a in range(overall.size):
        sums.average[a] = per_row * overall[a]
    for a in range(k + 2):
        fill_row(0.0, products[a])
    if by == 0.0:
        return
    for a in range(k):
        shift = mean[a] - center[a]
        for c in range(a + 1):
            products[a, c] = by * (scatter[a, c] + shift * (mean[c] - center[c]))
        products[k, a] = by * (cross[a] + shift * y_shift)
        products[k + 1, a] = by * shift
    products[k, k] = by * (table.y_scatter + y_shift * y_shift)
    products[k + 1, k] = by * y_shift
    products[k + 1, k + 1] = by


@one_row
def covariances_row(sums, lasso):
    """Write weighted means, covariances of columns and with the response; return mean and variance of the response."""
    products, center, gram, mean = sums.products, sums.center, lasso.gram, lasso.mean
    k = center.size - 1
    inverse = 1.0 / products[k + 1, k + 1]
    for a in range(k):
        mean[a] = products[k + 1, a] * inverse
    y_shift = products[k + 1, k] * inverse
    for a in range(k):
        for c in range(a + 1):
            gram[a, c] = products[a, c] * inverse - mean[a] * mean[c]
        lasso.cov[a] = products[k, a] * inverse - mean[a] * y_shift
    for a in range(k):
        for c in range(a):
            gram[c, a] = gram[a, c]
        mean[a] += center[a]
        gram[a, a] = settle(gram[a, a], mean[a])
    return center[k] + y_shift, max(products[k, k] * inverse - y_shift * y_shift, 0.0)


@one_row
def solve_signs(lasso, coef, tol):
    """Minimise over the active coefficients with the signs they have; return whether that is the minimum of all.

    Coefficients stay as they are if one would change its sign.
    """
    gram, cov, penalty, grad, move, active = lasso.gram, lasso.cov, lasso.penalty, lasso.grad, lasso.move, lasso.active
    size = 0
    for a in range(coef.size):
        if coef[a] != 0.0:
            active[size] = a
            size += 1
    if factor_row(gram, active, 0, size, lasso.factor) < size:
        return False
    for a in range(size):
        j = active[a]
        move[a] = cov[j] - (penalty[j] if coef[j] > 0.0 else -penalty[j])
    solve_row(lasso.factor, size, move)
    for a in range(size):
        if move[a] * coef[active[a]] <= 0.0:
            return False
    for a in range(size):
        coef[active[a]] = move[a]
    gradient_row(gram, cov, coef, grad)
    for j in range(coef.size):
        over = abs(grad[j]) - penalty[j]
        if coef[j] == 0.0 and gram[j, j] > 0.0 and over > 0.0 and over > tol * np.sqrt(gram[j, j]):
            return False
    return True


@making_row
def solve_from(lasso, coef, tol, max_iter):
    """Minimise from coefficients near the minimum, by sweeps that find the signs and a solve for these."""
    gram, cov, penalty, grad = lasso.gram, lasso.cov, lasso.penalty, lasso.grad
    for a in range(coef.size):
        if gram[a, a] <= 0.0 or penalty[a] == np.inf:
            coef[a] = 0.0
    gradient_row(gram, cov, coef, grad)
    for _ in range(SWEEPS):
        sweep_row(gram, penalty, coef, grad, False)
    if not solve_signs(lasso, coef, tol):
        descend_row(gram, cov, penalty, coef, grad, tol, max_iter)


@one_row
def center_row(table, meetings, listed, n_listed, kind, powers, center):
    """Write the weighted mean of columns and response under the weights of some rows."""
    packed, prior, size = table.packed, table.prior, center.size
    norm = table.total * powers[0]
    for a in range(size - 1):
        center[a] = norm * table.mean[a]
    center[size - 1] = norm * table.y_mean
    for at in range(n_listed):
        i = listed[at]
        by = prior[i] * value_row(kind, powers, meetings.met[i], meetings.leaf[i])
        norm += by
        for a in range(size):
            center[a] += by * packed[i, a]
    for a in range(size):
        center[a] /= norm


@making_row
def add_changes(table, weight, means, meetings, listed, old, n_listed, kind, powers, sums):
    """Add to the sums what rows weigh now, and take off what they weighed when their meetings were ``old``."""
    rows, weighed, average, size, n_means = sums.rows, sums.weighed, sums.average, sums.center.size, means.shape[1]
    for start in range(0, n_listed, AT_ONCE):
        n_rows = min(AT_ONCE, n_listed - start)
        for at in range(n_rows):
            i = listed[start + at]
            change = value_row(kind, powers, meetings.met[i], meetings.leaf[i])
            change -= value_row(kind, powers, old[start + at, 0], old[start + at, 1])
            for a in range(n_means):
                average[a] += change * weight[i] * means[i, a]
            average[n_means] += change * weight[i]
            by = change * table.prior[i]
            if table.inverse.size > 0:
                average[n_means + 1] += by * table.inverse[i]
            for a in range(size):
                rows[at, a] = table.packed[i, a] - sums.center[a]
                weighed[at, a] = by * rows[at, a]
            rows[at, size], weighed[at, size] = 1.0, by
        dot_row(weighed[:n_rows].T, rows[:n_rows], sums.added)
        add_matrix(sums.added, 1.0, 0, sums.products)


@one_row
def list_met(met, listed):
    size = 0
    for i in range(met.size):
        if met[i] > 0.0:
            listed[size] = i
            size += 1
    return size


@making_row
def make_powers(kinds, temperatures, n_tree):
    """Return the weights of softmaxes by the number of trees in which two rows meet, relative to all trees; else 0."""
    powers = matrix(kinds.size, n_tree + 1)
    for w in range(kinds.size):
        for met in range(n_tree + 1):
            powers[w, met] = np.exp((met / n_tree - 1.0) / temperatures[w]) if kinds[w] == SOFTMAX else 0.0
    return powers


@one_row
def predict_row(row, y_mean, far, mean, coef):
    """Return the prediction of a row, at most ``far`` away from the mean response."""
    away = 0.0
    for a in range(coef.size):
        away += (row[a] - mean[a]) * coef[a]
    return y_mean + (far / abs(away) if abs(away) > far else 1.0) * away


@many_rows
def near_rows(rows, forest, table, weight, means, heads, rule):
    """Fit the wanted heads of rows near queries.

    Returns predictions (n_moved, n_weighting, n_penalty) and weighted means of the columns of ``means`` under
    ``weight``, the sample weights (n_moved, n_weighting, n_means).
    """
    # unpacked once: each look into a tuple takes time to compile
    leaves, moved_leaves, source, moved = rows
    kinds, temperatures, penalties, uses, wanted, _ = heads
    scale, start, weighted, max_range = rule.scale, rule.start, rule.weighted_scale, rule.max_range
    (n_query, n_tree), n_moved, n_train = leaves.shape, source.size, table.prior.size
    n_way, n_penalty, n_means = kinds.size, penalties.size, means.shape[1]
    k = min(table.y_column, table.mean.size)
    predictions, averages = np.empty((n_moved, n_way, n_penalty)), np.empty((n_moved, n_way, n_means))
    room = matrix(5, k)
    lasso = Lasso(matrix(k, k), matrix(k, k), room[0], room[1], room[2], room[3], room[4], zero_counts(k))
    gram, mean, penalty = lasso.gram, lasso.mean, lasso.penalty
    sums = make_sums(k, n_means)
    kept, totals = matrix(n_way, sums.all.size), vector(n_way)
    counts, places = (zero_vector(n_train), zero_vector(n_train)), zero_counts(n_train)
    meetings = Meetings(*counts, row_numbers(n_train), matrix(n_train, 2), places)
    met, leaf, changed, old, place = meetings
    listed, never = row_numbers(n_train), zero_matrix(n_train, 2)
    coefs, tried = np.empty((n_way, n_penalty, k)), matrix(n_penalty, k)
    powers, overall = make_powers(kinds, temperatures, n_tree), zero_vector(n_means + 2)
    fill_row(-1, place)
    for i in range(n_train):
        for a in range(n_means):
            overall[a] += weight[i] * means[i, a]
        overall[n_means] += weight[i]
    overall[n_means + 1] = table.total * table.inverse_mean
    first = 0
    for q in range(n_query):
        fill_row(0.0, met)
        fill_row(0.0, leaf)
        n_changed = 0
        for t in range(n_tree):
            n_changed = count_leaf(forest, leaves[q, t], 1.0, meetings, n_changed)
        for at in range(n_changed):
            place[changed[at]] = -1
        # the query itself comes first, as a row in which nothing has moved
        m = first - 1
        while m < first or (m < n_moved and source[m] == q):
            n_changed = 0
            for t in range(n_tree if m >= first else 0):
                if moved_leaves[m, t] != leaves[q, t]:
                    n_changed = count_leaf(forest, leaves[q, t], -1.0, meetings, n_changed)
                    n_changed = count_leaf(forest, moved_leaves[m, t], 1.0, meetings, n_changed)
            for w in range(n_way):
                change, anew = (table, weight, means, meetings), m < first
                if not anew:
                    copy_row(kept[w], sums.all)
                    add_changes(*change, changed, old, n_changed, kinds[w], powers[w], sums)
                    # where most of the weight is gone, so are digits of what is left
                    anew = sums.products[k + 1, k + 1] < ANEW * totals[w]
                if anew:
                    n_listed = list_met(met, listed)
                    center_row(table, meetings, listed, n_listed, kinds[w], powers[w], sums.center)
                    write_everyone(table, powers[w, 0], overall, sums)
                    add_changes(*change, listed, never, n_listed, kinds[w], powers[w], sums)
                total = sums.products[k + 1, k + 1]
                if m < first:
                    copy_row(sums.all, kept[w])
                    totals[w] = total
                    for t in range(n_penalty):
                        copy_row(start, coefs[w, t])
                y_mean, spread = covariances_row(sums, lasso)
                tol, far = max(rule.tol * np.sqrt(spread), 1e-14), np.inf
                if max_range < np.inf:
                    far = max_range * np.sqrt(spread)
                ease = sums.average[n_means + 1] / total if table.inverse.size > 0 else 1.0
                for t in range(n_penalty):
                    if not wanted[w, t] or penalties[t] == np.inf:
                        if m >= first:
                            predictions[m, w, t] = y_mean if wanted[w, t] else np.nan
                        continue
                    coef = coefs[w, t] if m < first else tried[t]
                    for a in range(k):
                        coef[a] = coefs[w, t, a]
                        per = scale[a] * np.sqrt(gram[a, a]) if weighted else scale[a]
                        penalty[a] = penalties[t] * ease * per if a < uses[t] else np.inf
                    if m < first or n_changed > 0:
                        solve_from(lasso, coef, tol, rule.max_iter)
                    if m >= first:
                        predictions[m, w, t] = predict_row(moved[m], y_mean, far, mean, coef)
                for a in range(n_means if m >= first else 0):
                    averages[m, w, a] = sums.average[a] / sums.average[n_means]
            for at in range(n_changed):
                i = changed[at]
                met[i], leaf[i], place[i] = old[at, 0], old[at, 1], -1
            m += 1
        first = m
    return predictions, averages
