"""Predictions of rows that lie near a query: what the query's own fit took is changed, not made anew.

A row near a query shares most leaves with it. Scores change for training rows in the leaves that differ, moments of the
query's rows by those that changed, and lassos start at the query's own coefficients. Moments are taken about the
query's weighted mean, so that no digits are lost.
"""

from typing import NamedTuple

import numpy as np

from heedful._kernels._jit import making_row, many_rows, one_row
from heedful._kernels.arrays import matrix, row_numbers, vector, zero_counts, zero_vector
from heedful._kernels.descent import descend_row, polish_row, sweep_row
from heedful._kernels.moments import settle
from heedful._kernels.shapes import LEAF, SOFTMAX


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
    """Room for one weighting of a query: sums, covariances, means, penalties, and what solving takes."""

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
def value_row(kind, temperature, top, n_tree, met, leaf):
    """Return the weight of a training row per unit of sample weight, less that of rows that are never met."""
    if kind == SOFTMAX:
        return np.exp((met / n_tree - top) / temperature) - np.exp(-top / temperature)
    return leaf if kind == LEAF else met


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
def add_row(packed, i, center, by, sums):
    """Add a training row about the center, times a weight, to the sums: products of columns, response and one."""
    size = center.size
    for a in range(size):
        value = by * (packed[i, a] - center[a])
        for c in range(a + 1):
            sums[a, c] += value * (packed[i, c] - center[c])
        sums[size, a] += value
    sums[size, size] += by


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
    norm = sums[k + 1, k + 1]
    for a in range(k):
        mean[a] = sums[k + 1, a] / norm
    y_shift = sums[k + 1, k] / norm
    for a in range(k):
        for c in range(a + 1):
            gram[a, c] = sums[a, c] / norm - mean[a] * mean[c]
            gram[c, a] = gram[a, c]
        fit.cov[a] = sums[k, a] / norm - mean[a] * y_shift
    for a in range(k):
        mean[a] += center[a]
        gram[a, a] = settle(gram[a, a], mean[a])
    return center[k] + y_shift, max(sums[k, k] / norm - y_shift * y_shift, 0.0)


@making_row
def solve_from(fit, tol, max_iter):
    """Minimise from coefficients near the minimum: most often their signs are right, and one solve is all it takes."""
    coef = fit.coef
    for a in range(coef.size):
        if fit.gram[a, a] <= 0.0 or fit.penalty[a] == np.inf:
            coef[a] = 0.0
    polish_row(fit.gram, fit.cov, fit.penalty, coef, fit.grad, fit.factor, fit.move, fit.active)
    if sweep_row(fit.gram, fit.penalty, coef, fit.grad, False) > tol:
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
def center_row(table, counts, n_listed, kind, temperature, top, n_tree, center):
    """Write the weighted mean of columns and response under a query's weights."""
    norm = 0.0
    for a in range(center.size):
        center[a] = 0.0
    if kind == SOFTMAX:
        norm = table.total * np.exp(-top / temperature)
        for a in range(center.size - 1):
            center[a] = norm * table.mean[a]
        center[center.size - 1] = norm * table.y_mean
    for at in range(n_listed):
        i = counts.changed[at]
        by = table.prior[i] * value_row(kind, temperature, top, n_tree, counts.met[i], counts.leaf[i])
        norm += by
        for a in range(center.size):
            center[a] += by * table.packed[i, a]
    for a in range(center.size):
        center[a] = center[a] / norm if norm > 0.0 else (table.y_mean if a == center.size - 1 else table.mean[a])


@one_row
def add_mean(means, i, by, average):
    """Add the means of a training row, times a weight, to their sums; the last of these is that of the weights."""
    for a in range(means.shape[1]):
        average[a] += by * means[i, a]
    average[means.shape[1]] += by


@many_rows
def near_rows(rows, forest, table, weight, means, heads, rule):
    """Fit the wanted heads of rows near queries.

    Returns predictions (n_moved, n_weighting, n_penalty) and weighted means of the columns of ``means`` under
    ``weight``, the sample weights (n_moved, n_weighting, n_means).
    """
    leaves, moved_leaves, source, own, moved = rows
    kinds, temperatures, penalties = heads.kinds, heads.temperatures, heads.penalties
    (n_tree, n_query), n_moved, n_train = leaves.shape, source.size, table.prior.size
    n_way, n_penalty, n_means = kinds.size, penalties.size, means.shape[1]
    k = min(table.y_column, table.mean.size)
    predictions, averages = np.empty((n_moved, n_way, n_penalty)), np.empty((n_moved, n_way, n_means))
    fit = Fit(
        matrix(k + 2, k + 2), matrix(k, k), vector(k), vector(k), vector(k), vector(k), vector(k), matrix(k, k),
        vector(k), zero_counts(k),
    )  # fmt: skip
    counts = Counts(
        zero_vector(n_train), zero_vector(n_train), row_numbers(n_train), matrix(n_train, 2), zero_counts(n_train)
    )
    for i in range(n_train):
        counts.place[i] = -1
    base, centers = np.empty((n_way, k + 2, k + 2)), matrix(n_way, k + 1)
    coefs, tried, heights = np.empty((n_way, n_penalty, k)), matrix(n_penalty, k), vector(n_penalty)
    tops, eases, sums_of_means, average = vector(n_way), vector(n_way), matrix(n_way, n_means + 1), vector(n_means + 1)
    listed = row_numbers(n_train)
    first = 0
    for q in range(n_query):
        stop = first
        while stop < n_moved and source[stop] == q:
            stop += 1
        if stop == first:
            continue
        n_listed = 0
        for t in range(n_tree):
            n_listed = count_leaf(forest, leaves[t, q], 1.0, counts, n_listed)
        for at in range(n_listed):
            listed[at] = counts.changed[at]
            counts.place[listed[at]] = -1
        for w in range(n_way):
            top = 0.0
            for at in range(n_listed):
                top = max(top, counts.met[listed[at]] / n_tree)
            tops[w], eases[w] = top, 0.0
            kind, temperature, center = kinds[w], temperatures[w], centers[w]
            center_row(table, counts, n_listed, kind, temperature, top, n_tree, center)
            for a in range(k + 2):
                for c in range(k + 2):
                    fit.sums[a, c] = 0.0
            for a in range(n_means + 1):
                sums_of_means[w, a] = 0.0
            if kind == SOFTMAX:
                floor = np.exp(-top / temperature)
                add_everyone(table, center, floor * table.total, fit.sums)
                eases[w] = floor * table.total * table.inverse_mean
                if n_means > 0:
                    for i in range(n_train):
                        add_mean(means, i, floor * weight[i], sums_of_means[w])
            for at in range(n_listed):
                i = listed[at]
                by = value_row(kind, temperature, top, n_tree, counts.met[i], counts.leaf[i])
                add_row(table.packed, i, center, by * table.prior[i], fit.sums)
                if table.inverse.size > 0:
                    eases[w] += by * table.prior[i] * table.inverse[i]
                if n_means > 0:
                    add_mean(means, i, by * weight[i], sums_of_means[w])
            for a in range(k + 2):
                for c in range(k + 2):
                    base[w, a, c] = fit.sums[a, c]
            for t in range(n_penalty):
                for a in range(k):
                    coefs[w, t, a] = rule.start[a]
            ease = eases[w] / fit.sums[k + 1, k + 1] if table.inverse.size > 0 else 1.0
            fit_heads(fit, center, ease, heads, w, rule, True, own[q], coefs[w], heights)
        for m in range(first, stop):
            n_changed = 0
            for t in range(n_tree):
                if moved_leaves[t, m] != leaves[t, q]:
                    n_changed = count_leaf(forest, leaves[t, q], -1.0, counts, n_changed)
                    n_changed = count_leaf(forest, moved_leaves[t, m], 1.0, counts, n_changed)
            for w in range(n_way):
                kind, temperature, top, ease = kinds[w], temperatures[w], tops[w], eases[w]
                for a in range(k + 2):
                    for c in range(a + 1):
                        fit.sums[a, c] = base[w, a, c]
                for a in range(n_means + 1):
                    average[a] = sums_of_means[w, a]
                for at in range(n_changed):
                    i = counts.changed[at]
                    by = value_row(kind, temperature, top, n_tree, counts.met[i], counts.leaf[i]) - value_row(
                        kind, temperature, top, n_tree, counts.old[at, 0], counts.old[at, 1]
                    )
                    if by == 0.0:
                        continue
                    add_row(table.packed, i, centers[w], by * table.prior[i], fit.sums)
                    if table.inverse.size > 0:
                        ease += by * table.prior[i] * table.inverse[i]
                    if n_means > 0:
                        add_mean(means, i, by * weight[i], average)
                for t in range(n_penalty):
                    heights[t] = np.nan
                    for a in range(k):
                        tried[t, a] = coefs[w, t, a]
                ease = ease / fit.sums[k + 1, k + 1] if table.inverse.size > 0 else 1.0
                fit_heads(fit, centers[w], ease, heads, w, rule, n_changed > 0, moved[m], tried, heights)
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
