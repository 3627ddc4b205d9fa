"""New arrays for kernels, and copies.

numba compiles ``np.empty``, ``np.zeros`` and ``np.arange`` for each kind of caller; here they are compiled once.
"""

import numpy as np

from heedful._kernels._jit import making_row, one_row


@one_row
def fill_row(value, row):
    for j in range(row.size):
        row[j] = value


@one_row
def copy_row(source, row):
    """Copy the beginning of a row that may be longer."""
    for j in range(row.size):
        row[j] = source[j]


@one_row
def copy_matrix(source, to):
    for a in range(to.shape[0]):
        for c in range(to.shape[1]):
            to[a, c] = source[a, c]


@making_row
def vector(size):
    return np.empty(size)


@making_row
def matrix(n_rows, n_columns):
    return np.empty((n_rows, n_columns))


@making_row
def zero_vector(size):
    new = vector(size)
    fill_row(0.0, new)
    return new


@making_row
def zero_matrix(n_rows, n_columns):
    new = matrix(n_rows, n_columns)
    for i in range(n_rows):
        fill_row(0.0, new[i])
    return new


@making_row
def zero_counts(size):
    """Return a vector of whole numbers, all 0."""
    new = np.empty(size, np.int64)
    fill_row(0, new)
    return new


@making_row
def numbers(size):
    """Return the numbers of columns."""
    new = zero_counts(size)
    for j in range(size):
        new[j] = j
    return new


@making_row
def row_numbers(size):
    """Return the numbers of rows, in the type that lists of rows have."""
    new = np.empty(size, np.int32)
    for i in range(size):
        new[i] = i
    return new
