"""Forest proximity by double loops over leaf numbers."""

import numpy as np


def shared_leaves(query_leaves, train_leaves, own=None, drawn=None):
    """Return the share of trees (n_tree, n_rows) in which a query and a training row meet.

    With ``own``, the number of each query among the training rows, only trees that did not draw it count (``drawn`` is
    the number of draws per tree and row), and its own score is -inf.
    """
    n_query, n_train = query_leaves.shape[1], train_leaves.shape[1]
    score = np.zeros((n_query, n_train))
    for q in range(n_query):
        trees = counted_trees(train_leaves.shape[0], q, own, drawn)
        for i in range(n_train):
            met = [query_leaves[t, q] == train_leaves[t, i] for t in trees]
            score[q, i] = np.mean(met) if trees else 0.0
        if own is not None:
            score[q, own[q]] = -np.inf
    return score


def meetings(query_leaves, train_leaves):
    """Return the share of trees (n_tree, n_rows) in which a query and a training row meet, pair by pair."""
    pairs = [[np.mean(query == train) for train in train_leaves.T] for query in query_leaves.T]
    return np.array(pairs)


def prediction_weights(query_leaves, train_leaves, drawn, own=None):
    """Return the forest's own prediction weights: draws divided by the draws of the leaf, averaged over trees."""
    n_query, n_train = query_leaves.shape[1], train_leaves.shape[1]
    weight = np.zeros((n_query, n_train))
    for q in range(n_query):
        trees = counted_trees(train_leaves.shape[0], q, own, drawn)
        for t in trees:
            inside = train_leaves[t] == query_leaves[t, q]
            if (drawn[t] * inside).sum() > 0:
                weight[q] += drawn[t] * inside / (drawn[t] * inside).sum() / len(trees)
    return weight


def counted_trees(n_tree, q, own, drawn):
    """Return the trees that count for a query."""
    return [t for t in range(n_tree) if own is None or drawn[t, own[q]] == 0]


def draw_counts(forest, n_train):
    """Return how often each tree of scikit-learn drew each row (n_tree, n_train)."""
    return np.array([[np.sum(rows == i) for i in range(n_train)] for rows in forest.estimators_samples_])


def bucket_counts(index, n_train):
    """Return how often each tree drew each row (n_tree, n_train), given the rows of leaves, tree by tree."""
    members, counts = index.members.reshape(-1, n_train), index.counts.reshape(-1, n_train)
    drawn = np.zeros(members.shape, dtype=int)
    for t, (rows, own) in enumerate(zip(members, counts, strict=True)):
        for row, count in zip(rows, own, strict=True):
            drawn[t, row] = count
    return drawn
