"""New arrays for kernels.

numba compiles ``np.empty``, ``np.zeros`` and ``np.arange`` for each kind of caller; here they are compiled once.
"""

import numpy as np

from heedful._kernels._jit import making_row


@making_row
def vector(size):
    """Return a vector without values."""
    return np.empty(size)


@making_row
def matrix(n_rows, n_columns):
    """Return a matrix without values."""
    return np.empty((n_rows, n_columns))


@making_row
def zero_vector(size):
    """Return a vector of zeros."""
    new = vector(size)
    for i in range(size):
        new[i] = 0.0
    return new


@making_row
def zero_matrix(n_rows, n_columns):
    """Return a matrix of zeros."""
    new = matrix(n_rows, n_columns)
    for i in range(n_rows):
        for j in range(n_columns):
            new[i, j] = 0.0
    return new


@making_row
def zero_counts(size):
    """Return a vector of whole numbers, all 0."""
    new = np.empty(size, np.int64)
    for i in range(size):
        new[i] = 0
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
