"""Blended attention of a block of queries, and the effective number of rows behind it."""

from heedful._kernels._jit import many_rows
from heedful._kernels.arrays import row_numbers, vector
from heedful._kernels.weighting import mass_row, pick_rows, weigh_row


@many_rows
def weigh_rows(indptr, indices, score, leaf, sample_weight, total, kind, temperature):
    """Return bumps and backgrounds of every query under one weighting."""
    n_query = indptr.size - 1
    everyone = row_numbers(sample_weight.size)
    bumps, backgrounds = vector(score.size), vector(n_query)
    for q in range(n_query):
        start, stop = indptr[q], indptr[q + 1]
        rows = pick_rows(indices, start, stop, everyone)
        part = leaf[start:stop] if leaf.size > 0 else leaf
        mass, bump = vector(rows.size), bumps[start:stop]
        rest = mass_row(rows, sample_weight.reshape((sample_weight.size, 1)), 0, total, mass)
        backgrounds[q] = weigh_row(kind, temperature, score[start:stop], part, mass, rest, total, bump)
    return bumps, backgrounds
