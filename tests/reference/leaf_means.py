"""Attention-weighted means over leaves by loops over queries and trees."""

import numpy as np


def leaf_means(weights, query_leaves, train_leaves, prior, target, mass):
    """Return the weighted means (n_query, n_tree, n_column) over the rows that share a query's leaf.

    ``weights`` is (n_query, n_train), leaves are (n_tree, n_rows), ``target`` and ``mass`` (n_train, n_column, n_tree).
    A leaf without weight has its mean under the prior, one without rows that under the prior of all rows and trees.
    """
    n_tree, n_query = query_leaves.shape
    means = np.empty((n_query, n_tree, target.shape[1]))
    for q, t, k in np.ndindex(means.shape):
        inside = train_leaves[t] == query_leaves[t, q]
        weight, plain = (w * inside * mass[:, k, t] for w in (weights[q], prior))
        if not plain.sum() > 0:
            everywhere = prior[:, None] * mass[:, k]
            means[q, t, k] = np.average(target[:, k], weights=everywhere)
        elif weight.sum() > 1e-14:
            means[q, t, k] = weight @ target[:, k, t] / weight.sum()
        else:
            means[q, t, k] = plain @ target[:, k, t] / plain.sum()
    return means
