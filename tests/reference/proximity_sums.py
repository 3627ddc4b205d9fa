"""Softmax-weighted sums over rows that meet queries, pair by pair."""

import numpy as np


def softmax_sums(query_leaves, train_leaves, columns, temperatures, own=None):
    """Return sums (n_query, n_temperature, n_column) of columns; leaves are (n_rows, n_tree), own rows do not count.

    The weight of a row that is met in every tree is one.
    """
    sums = np.zeros((len(query_leaves), len(temperatures), columns.shape[1]))
    for q, query in enumerate(query_leaves):
        for i, train in enumerate(train_leaves):
            if own is None or own[q] != i:
                away = np.mean(query == train) - 1.0
                for h, temperature in enumerate(temperatures):
                    sums[q, h] += np.exp(away / temperature) * columns[i]
    return sums
