"""Attention-weighted means over the leaves that queries end in (algorithm 3).

Row ``i`` has weight ``background * prior[i] + excess[i]`` for a query. What the background does to a leaf is known
from its sums under the prior, so only the excess costs time: a query goes through the members of its leaves, or
compares the leaves of its stored rows with its own, whichever are fewer.

A row has a ``mass`` (n_set, 1, n_train) and a ``moment`` (n_set, n_column, n_train), mass times what is averaged.
``n_set`` is one where all trees have the same, else the number of trees; the rows of one tree lie side by side, so that
they stay in the processor's cache while its leaf is gone through.
"""

import numpy as np

from heedful._kernels._jit import many_rows, one_row
from heedful._kernels.weighting import pick_rows

# Rounding leaves a leaf whose rows are all masked with less than this share of its background.
RELATIVE_ZERO = 1e-12


@one_row
def compare_row(leaf, rows, excess, train_leaves, value, sums):
    """Add excess times value to the sums (n_column, n_tree) of a query's leaves, stored row by stored row."""
    for at in range(rows.size):
        i = rows[at]
        for k in range(value.shape[1]):
            if value.shape[0] > 1:
                for t in range(leaf.size):
                    if leaf[t] == train_leaves[i, t]:
                        sums[k, t] += excess[at] * value[t, k, i]
                continue
            add = excess[at] * value[0, k, i]
            if add != 0.0:
                for t in range(leaf.size):
                    sums[k, t] += add if leaf[t] == train_leaves[i, t] else 0.0


@one_row
def gather_row(leaf, starts, members, dense, mass, moment, masses, moments):
    """Add excess times mass and moment to the sums (n_column, n_tree) of a query's leaves, member by member."""
    for t in range(leaf.size):
        start, stop = starts[leaf[t]], starts[leaf[t] + 1]
        heavy, row = mass[min(t, mass.shape[0] - 1), 0], moment[min(t, moment.shape[0] - 1), 0]
        weight, total = 0.0, 0.0
        for c in range(start, stop):
            # a number without a sign needs no look at whether it counts from the end
            i = np.uint32(members[c])
            weight += dense[i] * heavy[i]
            total += dense[i] * row[i]
        masses[0, t] += weight
        moments[0, t] += total
        for k in range(1, moment.shape[1]):
            row, total = moment[min(t, moment.shape[0] - 1), k], 0.0
            for c in range(start, stop):
                i = np.uint32(members[c])
                total += dense[i] * row[i]
            moments[k, t] += total


@one_row
def mean_row(leaf, background, masses, moments, plain_mass, plain_mean, means):
    """Write the weighted means of a query's leaves; a leaf that is left without weight has its plain mean."""
    for t in range(leaf.size):
        base = background * plain_mass[leaf[t]]
        weight = base + masses[0, t]
        for k in range(moments.shape[0]):
            plain = plain_mean[k, leaf[t]]
            moved = moments[k, t] - plain * masses[0, t]
            means[t, k] = plain + moved / weight if weight > RELATIVE_ZERO * base else plain


@many_rows
def leaf_mean_rows(
    indptr, indices, excesses, backgrounds, leaves, starts, members, train_leaves, mass, moment, plain_mass, plain_mean
):
    """Return the weighted means (n_query, n_tree, n_column) of the leaves that the queries end in.

    ``leaves`` (n_tree, n_query) are those of the queries, ``train_leaves`` (n_train, n_tree) those of the training
    rows, which ``starts`` and ``members`` hold sorted by leaf. ``plain_mass`` (n_leaves,) and ``plain_mean``
    (n_column, n_leaves) are mass and means of a leaf under the prior.
    """
    n_tree, n_query = leaves.shape
    n_train, n_column = moment.shape[2], moment.shape[1]
    everyone, dense = np.arange(n_train).astype(np.int32), np.zeros(n_train)
    leaf, means = np.empty(n_tree, np.int32), np.empty((n_query, n_tree, n_column))
    for q in range(n_query):
        size = 0
        for t in range(n_tree):
            leaf[t] = leaves[t, q]
            size += starts[leaf[t] + 1] - starts[leaf[t]]
        rows, excess = pick_rows(indices, indptr[q], indptr[q + 1], everyone), excesses[indptr[q] : indptr[q + 1]]
        masses, moments = np.zeros((1, n_tree)), np.zeros((n_column, n_tree))
        if rows.size * n_tree < size:
            compare_row(leaf, rows, excess, train_leaves, mass, masses)
            compare_row(leaf, rows, excess, train_leaves, moment, moments)
        else:
            for at in range(rows.size):
                dense[rows[at]] += excess[at]
            gather_row(leaf, starts, members, dense, mass, moment, masses, moments)
            for at in range(rows.size):
                dense[rows[at]] = 0.0
        mean_row(leaf, backgrounds[q], masses, moments, plain_mass, plain_mean, means[q])
    return means
