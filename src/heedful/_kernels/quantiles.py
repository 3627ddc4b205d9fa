"""Weighted quantiles of one value per training row, under the attention of a block of queries."""

import numpy as np

from heedful._kernels._jit import many_rows, one_row


@one_row
def quantile_row(place, bump, background, below, level):
    """Return the place of the largest value with no more than ``level`` of a query's weight before it.

    Values are in ascending order, and ``below`` is the prior before each of them. ``place`` names the stored rows in
    that order, ``bump`` what they weigh more than ``background`` times their prior.
    """
    low, before = 0, 0.0
    high = below.size
    for k in range(place.size):
        if background * below[place[k]] + before > level:
            high = place[k]
            break
        low = place[k]
        before += bump[k]
    # no row between the two is stored, so only the background grows there
    while high - low > 1:
        middle = (low + high) // 2
        if background * below[middle] + before > level:
            high = middle
        else:
            low = middle
    return low


@many_rows
def quantile_rows(indptr, place, bump, background, below, level):
    """Return the place of every query's quantile."""
    found = np.empty(background.size, np.int64)
    for q in range(background.size):
        start, stop = indptr[q], indptr[q + 1]
        found[q] = quantile_row(place[start:stop], bump[start:stop], background[q], below, level)
    return found
