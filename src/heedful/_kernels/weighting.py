"""Scores of one query to weights: softmax, share of the row sum, or the forest's own leaf weights.

The weights of a query are held as a background and an excess: row ``i`` has weight
``background * sample_weight[i] / total + excess[i]``, only rows with a stored score have an excess, and weights sum to
one.
"""

import numpy as np

from heedful._kernels._jit import making_row, many_rows, one_row
from heedful._kernels.arrays import matrix, row_numbers, vector
from heedful._kernels.shapes import LEAF, SOFTMAX


@one_row
def relative_row(kind, temperature, score, leaf, mass, untouched, weight):
    """Write weights per unit of sample weight; return that of rows not stored. Rows of weight 0 have no say."""
    if kind == SOFTMAX:
        top = 0.0 if untouched else -np.inf
        for i in range(score.size):
            if mass[i] > 0.0:
                top = max(top, score[i])
        for i in range(score.size):
            weight[i] = np.exp((score[i] - top) / temperature) if mass[i] > 0.0 and top > -np.inf else 0.0
        return np.exp(-top / temperature) if untouched else 0.0
    value = leaf if kind == LEAF else score
    for i in range(score.size):
        weight[i] = value[i] if value[i] > 0.0 and score[i] > -np.inf else 0.0
    return 0.0


@one_row
def mass_row(rows, sample_weight, total, mass):
    """Write the weight of the stored rows; return what is left for the others."""
    rest = total
    for i in range(rows.size):
        mass[i] = sample_weight[rows[i]]
        rest -= mass[i]
    return 0.0 if rows.size == sample_weight.size or rest < 1e-13 * total else rest


@one_row
def weigh_row(kind, temperature, score, leaf, mass, rest, total, excess):
    """Write the excess weights of one query; return its background. Without a usable score all rows weigh alike.

    ``mass`` is the weight of the stored rows and ``rest`` that of all others. A score of ``-inf`` masks a row: its
    weight is exactly 0.
    """
    base = relative_row(kind, temperature, score, leaf, mass, rest > 0.0, excess)
    norm = base * rest
    for i in range(mass.size):
        norm += excess[i] * mass[i]
    if not norm > 0.0:
        base, norm = 1.0, rest
        for i in range(mass.size):
            excess[i] = 0.0 if score[i] == -np.inf else 1.0
            norm += excess[i] * mass[i]
        if not norm > 0.0:
            for i in range(mass.size):
                excess[i] = 1.0
            norm = total
    for i in range(mass.size):
        excess[i] = (excess[i] - base) * mass[i] / norm
    return base * total / norm


@making_row
def pick_rows(indices, start, stop, everyone):
    """Return the training rows that a query stores; without ``indices`` it stores every row in order, or none."""
    if indices.size == 0 and stop > start:
        return everyone
    return indices[start:stop]


@many_rows
def weigh_rows(indptr, indices, score, leaf, sample_weight, total, kinds, temperatures):
    """Return excess weights (n_weighting, n_stored) and backgrounds (n_weighting, n_query) of every query."""
    n_query = indptr.size - 1
    everyone = row_numbers(sample_weight.size)
    excesses, backgrounds = matrix(kinds.size, score.size), matrix(kinds.size, n_query)
    for q in range(n_query):
        start, stop = indptr[q], indptr[q + 1]
        rows = pick_rows(indices, start, stop, everyone)
        part = leaf[start:stop] if leaf.size > 0 else leaf
        mass = vector(rows.size)
        rest = mass_row(rows, sample_weight, total, mass)
        for w in range(kinds.size):
            how = kinds[w], temperatures[w], score[start:stop], part
            backgrounds[w, q] = weigh_row(*how, mass, rest, total, excesses[w, start:stop])
    return excesses, backgrounds
