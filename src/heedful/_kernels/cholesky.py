"""Small systems of equations with a positive definite matrix, by its Cholesky factor."""

import numpy as np

from heedful._kernels._jit import one_row, sum_row


@sum_row
def inner_row(left, right, size):
    total = 0.0
    for d in range(size):
        total += left[d] * right[d]
    return total


@one_row
def factor_row(gram, active, start, size, factor):
    """Write the Cholesky factor of the active columns, those before ``start`` being done.

    Returns the first one that depends on those before it.
    """
    for a in range(start, size):
        for c in range(a):
            factor[a, c] = (gram[active[a], active[c]] - inner_row(factor[a], factor[c], c)) / factor[c, c]
        diagonal = gram[active[a], active[a]]
        pivot = diagonal - inner_row(factor[a], factor[a], a)
        if not pivot > 1e-10 * diagonal:
            return a
        factor[a, a] = np.sqrt(pivot)
    return size


@one_row
def back_row(factor, size, value):
    """Solve ``L' x = value`` in place."""
    for a in range(size - 1, -1, -1):
        for c in range(a + 1, size):
            value[a] -= factor[c, a] * value[c]
        value[a] /= factor[a, a]


@one_row
def solve_row(factor, size, value):
    for a in range(size):
        for c in range(a):
            value[a] -= factor[a, c] * value[c]
        value[a] /= factor[a, a]
    back_row(factor, size, value)
