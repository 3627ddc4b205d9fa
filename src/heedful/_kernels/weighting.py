"""Scores of one query to weights: softmax, share of the row sum, or the forest's own leaf weights.

The weights of a query are held as a background and bumps: row ``i`` has weight
``background * prior[i] / total + bump[i]``, and only rows with a stored score have a bump. All weights sum to one.
"""

import numpy as np

from heedful._kernels._jit import one_row
from heedful._kernels.shapes import LEAF, SOFTMAX


@one_row
def relative_row(kind, temperature, score, leaf, untouched, weight):
    """Turn the prior in ``weight`` into weights per unit of it; return that of a row without a stored score."""
    if kind == SOFTMAX:
        top = 0.0 if untouched else -np.inf
        for i in range(score.size):
            if weight[i] > 0.0:
                top = max(top, score[i])
        for i in range(score.size):
            weight[i] = np.exp((score[i] - top) / temperature) if weight[i] > 0.0 and top > -np.inf else 0.0
        return np.exp(-top / temperature) if untouched else 0.0
    value = leaf if kind == LEAF else score
    for i in range(score.size):
        weight[i] = value[i] if value[i] > 0.0 and score[i] > -np.inf else 0.0
    return 0.0


@one_row
def weigh_row(kind, temperature, score, leaf, rows, prior, total, bump):
    """Write the bumps of one query and return its background; a query with no usable score attends to all rows alike.

    A score of ``-inf`` masks a row: its weight is exactly 0.
    """
    rest = total
    for i in range(rows.size):
        bump[i] = prior[rows[i]]
        rest -= bump[i]
    if rows.size == prior.size or rest < 1e-13 * total:
        rest = 0.0
    base = relative_row(kind, temperature, score, leaf, rest > 0.0, bump)
    norm = base * rest
    for i in range(rows.size):
        norm += bump[i] * prior[rows[i]]
    if not norm > 0.0:
        base, norm = 1.0, rest
        for i in range(rows.size):
            bump[i] = 0.0 if score[i] == -np.inf else 1.0
            norm += bump[i] * prior[rows[i]]
        if not norm > 0.0:
            for i in range(rows.size):
                bump[i] = 1.0
            norm = total
    for i in range(rows.size):
        bump[i] = (bump[i] - base) * prior[rows[i]] / norm
    return base * total / norm


@one_row
def pick_rows(indices, start, stop, everyone):
    """Return the training rows that a query stores; without ``indices`` it stores every row in order, or none."""
    if indices.size == 0 and stop > start:
        return everyone
    return indices[start:stop]
