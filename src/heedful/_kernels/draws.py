"""Random numbers of kernels, a function of a seed alone, and the rows that a tree draws by them."""

import numpy as np

from heedful._kernels._jit import one_row

# SplitMix64: the state is a counter that this is added to.
GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@one_row
def scramble(state):
    """Return a random number of 64 bits for a state; states that count up in steps of ``GOLDEN`` give a sequence."""
    z = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@one_row
def draw_bag(seed, n_drawn, table, bag, others, counts):
    """Draw rows; write those drawn, with how often and the sum of their response, and the others; return how many.

    Without draws every row is taken once. How often a row was drawn is left in the first row of ``counts``.
    """
    sums, places = table.sums, table.places
    n_rows, state = places.size, seed
    for i in range(n_rows):
        counts[0, i] = 1 if n_drawn == 0 else 0
    for _ in range(n_drawn):
        state += GOLDEN
        number = scramble(state)
        if sums.size == 0:
            counts[0, places[np.int64(((number >> np.uint64(32)) * np.uint64(n_rows)) >> np.uint64(32))]] += 1
            continue
        at = float(number >> np.uint64(11)) * 2.0**-53 * sums[n_rows - 1]
        low, high = 0, n_rows - 1
        while low < high:
            middle = (low + high) >> 1
            if sums[middle] > at:
                high = middle
            else:
                low = middle + 1
        counts[0, places[low]] += 1
    n_in, n_out = 0, 0
    for i in range(n_rows):
        if counts[0, i] == 0:
            others[n_out] = i
            n_out += 1
            continue
        bag[0, n_in] = i
        bag[1, n_in] = counts[0, i]
        bag[2, n_in] = counts[0, i] * table.values[table.rows[i], 0] if table.single else 0
        n_in += 1
    return n_in
