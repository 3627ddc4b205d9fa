"""Which training rows share leaves with a query: descent to leaves, buckets of rows by leaf, and scores from them.

A leaf has one number in the whole forest.
"""

import numpy as np

from heedful._kernels._jit import making_row, many_rows, one_row
from heedful._kernels.arrays import copy_row, fill_row, row_numbers, vector, zero_counts, zero_vector


@many_rows
def leaf_rows(X, nodes, thresholds, roots):
    """Return the leaf of every row in every tree (n_tree, n_rows).

    A node is (feature, -, left, right) in ``nodes`` and its threshold is the second entry in ``thresholds``, another
    view of the same memory: four nodes to a cache line. A feature whose missing values go left is stored as its
    complement. A leaf has left = -1 and its number as right.
    """
    n_tree, n_rows = roots.size, X.shape[0]
    leaves = np.empty((n_tree, n_rows), np.int32)
    for t in range(n_tree):
        for q in range(n_rows):
            k = roots[t]
            while nodes[k, 2] >= 0:
                feature = nodes[k, 0]
                value = X[q, feature if feature >= 0 else ~feature]
                left = value <= thresholds[k, 1] or (feature < 0 and np.isnan(value))
                k = nodes[k, 2] if left else nodes[k, 3]
            leaves[t, q] = nodes[k, 3]
    return leaves


@many_rows
def bucket_rows(leaves, n_leaves, counts):
    """Sort training rows by leaf.

    ``leaves`` is (n_tree, n_train); ``counts`` how often a row was drawn for a tree. Returns ``starts`` (bucket of each
    leaf, with an end mark), the rows in bucket order, their draw counts, and the draws per leaf.
    """
    n_tree, n_train = leaves.shape
    starts = zero_counts(n_leaves + 1)
    drawn = zero_vector(n_leaves)
    for t in range(n_tree):
        for i in range(n_train):
            leaf = leaves[t, i]
            starts[leaf + 1] += 1
            drawn[leaf] += counts[t, i]
    for leaf in range(n_leaves):
        starts[leaf + 1] += starts[leaf]
    filled = starts[:-1].copy()
    members = row_numbers(n_tree * n_train)
    draws = np.empty(n_tree * n_train, counts.dtype)
    for t in range(n_tree):
        for i in range(n_train):
            leaf = leaves[t, i]
            members[filled[leaf]] = i
            draws[filled[leaf]] = counts[t, i]
            filled[leaf] += 1
    return starts, members, draws, drawn


@many_rows
def keep_rows(leaves, order, first, room):
    """Return at most ``room`` training rows for each leaf of one tree, those that come first in ``order``.

    ``leaves`` (n_train) are numbered from ``first`` on. Returns how many rows a leaf keeps, and the rows leaf by leaf.
    """
    sizes = zero_counts(room.size)
    for i in range(leaves.size):
        leaf = leaves[i] - first
        sizes[leaf] = min(sizes[leaf] + 1, room[leaf])
    filled, total = np.empty(room.size, np.int64), 0
    for leaf in range(room.size):
        filled[leaf] = total
        total += sizes[leaf]
    members, left = np.empty(total, np.int32), sizes.copy()
    for i in order:
        leaf = leaves[i] - first
        if left[leaf] > 0:
            members[filled[leaf]] = i
            filled[leaf] += 1
            left[leaf] -= 1
    return sizes, members


@making_row
def lengthened(values, size):
    """Return a longer copy, at least ``size`` and twice as long as before."""
    longer = np.empty(max(size, 2 * values.size), values.dtype)
    copy_row(values, longer[: values.size])
    return longer


@one_row
def place(row, where, indices, scores, weights, end):
    """Give a training row the next place of the query's list unless it has one; return the end of the list."""
    if where[row] >= 0:
        return end
    where[row] = end
    indices[end] = row
    scores[end] = 0.0
    weights[end] = 0.0
    return end + 1


@many_rows
def leaf_score_rows(leaves, left_out, inside, starts, members, draws, drawn, n_train):
    """Score training rows by shared leaves, as sparse rows.

    ``leaves`` is (n_tree, n_query). ``left_out`` is empty for new rows; for training rows it holds their numbers, and
    ``inside`` (n_query, n_tree) which trees drew them: these do not count, and the row itself is masked by a score of
    -inf. Returns indptr, indices, score (share of counted trees in which the two meet) and leaf weight (the forest's
    own prediction weights).
    """
    n_tree, n_query = leaves.shape
    where = row_numbers(n_train)
    fill_row(-1, where)
    indptr = zero_counts(n_query + 1)
    indices, scores, weights = row_numbers(0), vector(0), vector(0)
    end = 0
    for q in range(n_query):
        capacity = 1
        for t in range(n_tree):
            leaf = leaves[t, q]
            capacity += starts[leaf + 1] - starts[leaf]
        capacity = end + min(capacity, n_train)
        if capacity > indices.size:
            indices = lengthened(indices, capacity)
            scores, weights = lengthened(scores, capacity), lengthened(weights, capacity)
        n_used = 0
        for t in range(n_tree):
            leaf = leaves[t, q]
            if left_out.size > 0 and inside[q, t]:
                continue
            n_used += 1
            for c in range(starts[leaf], starts[leaf + 1]):
                end = place(np.int64(members[c]), where, indices, scores, weights, end)
                at = where[members[c]]
                scores[at] += 1.0
                if draws[c] > 0:
                    weights[at] += draws[c] / drawn[leaf]
        for at in range(indptr[q], end):
            scores[at] /= n_used
            weights[at] /= n_used
        if left_out.size > 0:
            end = place(left_out[q], where, indices, scores, weights, end)
            scores[where[left_out[q]]] = -np.inf
        for at in range(indptr[q], end):
            where[indices[at]] = -1
        indptr[q + 1] = end
    return indptr, indices[:end].copy(), scores[:end].copy(), weights[:end].copy()


@many_rows
def shared_leaf_rows(leaves, train_leaves):
    """Return the share of trees in which each query meets each training row (n_query, n_train).

    Both are (n_tree, n_rows). For large leaves, in which most rows meet somewhere: no buckets are needed.
    """
    (n_tree, n_query), n_train = leaves.shape, train_leaves.shape[1]
    shares = np.empty((n_query, n_train))
    met = np.empty(n_train, np.int32)
    for q in range(n_query):
        fill_row(0, met)
        for t in range(n_tree):
            leaf, row = leaves[t, q], train_leaves[t]
            for i in range(n_train):
                met[i] += row[i] == leaf
        for i in range(n_train):
            shares[q, i] = met[i] / n_tree
    return shares
