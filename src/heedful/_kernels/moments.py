"""Weighted means and centred cross products of one query's rows, background included.

With background share ``b`` and excess weights ``d_i`` the weighted covariance is
``b (C0 + (m0 - m)(m0 - m)') + sum_i d_i (x_i - m)(x_i - m)'``: exact, and only rows with an excess are touched. Rows
are centred before they are multiplied, so a column that is nearly constant under the weights loses no digits. Each row
is written once, times the root of its excess; rows with a negative one (masked rows) come last and are subtracted.
"""

from typing import NamedTuple

import numpy as np

from heedful._kernels._jit import making_row, one_row
from heedful._kernels.arrays import fill_row, matrix, numbers, vector, zero_matrix

SMALL_PRODUCT = 1_000_000


class Rows(NamedTuple):
    """Rooted rows of one query with their rooted residuals: ``n_plus`` to add, and then those to subtract.

    ``signed_y`` are the residuals, those of rows to subtract times -1.
    """

    x: np.ndarray
    y: np.ndarray
    signed_y: np.ndarray
    n_plus: int


@making_row
def gather_row(table, rows, excess, background, mean, x_space, y_space, d_space):
    """Copy the rows with an excess, centre them, and multiply them by its root; write their mean.

    The table is large and its rows lie far apart: they are fetched once. Returns the mean response and the rows.
    """
    for j in range(mean.size):
        mean[j] = background * table.mean[j]
    y_mean = background * table.y_mean
    n_plus, plus = 0, 0
    for i in range(rows.size):
        n_plus += excess[i] > 0.0
    size = n_plus
    for i in range(rows.size):
        if excess[i] == 0.0:
            continue
        if excess[i] > 0.0:
            at = plus
            plus += 1
        else:
            at = size
            size += 1
        r = rows[i]
        for j in range(mean.size):
            value = table.packed[r, j]
            x_space[at, j] = value
            mean[j] += excess[i] * value
        y_space[at] = table.packed[r, table.y_column]
        d_space[at] = excess[i]
        y_mean += excess[i] * y_space[at]
        fill_row(0.0, x_space[at, table.y_column :])
    fill_row(0.0, mean[table.y_column :])
    for at in range(size):
        root = np.sqrt(abs(d_space[at]))
        for j in range(mean.size):
            x_space[at, j] = root * (x_space[at, j] - mean[j])
        y_space[at] = root * (y_space[at] - y_mean)
        d_space[at] = y_space[at] if at < n_plus else -y_space[at]
    return y_mean, Rows(x_space[:size], y_space[:size], d_space[:size], n_plus)


@one_row
def spread_row(table, background, y_mean, rooted):
    """Return the weighted variance of the response."""
    shift = table.y_mean - y_mean
    spread = background * (table.y_scatter + shift * shift)
    for i in range(rooted.y.size):
        spread += rooted.y[i] * rooted.signed_y[i]
    return max(spread, 0.0)


@one_row
def variance_row(table, background, mean, rooted, variance):
    for j in range(mean.size):
        shift = table.mean[j] - mean[j]
        variance[j] = background * shift * shift
        if background > 0.0:
            variance[j] += background * table.scatter[j, j]
    for i in range(rooted.y.size):
        sign = 1.0 if i < rooted.n_plus else -1.0
        for j in range(mean.size):
            variance[j] += sign * rooted.x[i, j] * rooted.x[i, j]
    for j in range(mean.size):
        variance[j] = settle(variance[j], mean[j])


@one_row
def settle(variance, mean):
    """Return the variance, or 0 for a column that is constant under the weights."""
    return variance if variance > 1e-13 * (1.0 + mean * mean) else 0.0


@making_row
def times_row(rooted, signed, out):
    """Write ``sum_i d_i (x_i - m) v_i`` for rooted values ``v``, those of rows to subtract times -1."""
    fill_row(0.0, out)
    if signed.size > 0:
        np.dot(signed, rooted.x, out)


@one_row
def cross_row(table, background, mean, y_mean, rooted, cov):
    times_row(rooted, rooted.signed_y, cov)
    if background > 0.0:
        for j in range(mean.size):
            cov[j] += background * (table.cross[j] + (table.mean[j] - mean[j]) * (table.y_mean - y_mean))


@making_row
def gradient_all_row(table, background, mean, cov, rooted, coef, grad):
    """Write ``c - G b`` for every column without forming G."""
    fitted = vector(rooted.y.size)
    if fitted.size > 0:
        np.dot(rooted.x, coef, fitted)
    for i in range(rooted.n_plus, fitted.size):
        fitted[i] = -fitted[i]
    times_row(rooted, fitted, grad)
    for j in range(coef.size):
        grad[j] = cov[j] - grad[j]
    if background > 0.0:
        shift = 0.0
        for h in range(coef.size):
            shift += (table.mean[h] - mean[h]) * coef[h]
        for h in range(coef.size):
            if coef[h] != 0.0:
                for j in range(coef.size):
                    grad[j] -= background * table.scatter[h, j] * coef[h]
        for j in range(coef.size):
            grad[j] -= background * shift * (table.mean[j] - mean[j])


@one_row
def background_gram(table, background, mean, columns, start, gram):
    """Add the background's covariance to the rows of ``gram`` from ``start`` on; settle their diagonal."""
    for a in range(start, columns.size):
        j = columns[a]
        if background > 0.0:
            for c in range(columns.size):
                h = columns[c]
                gram[a, c] += background * (table.scatter[j, h] + (table.mean[j] - mean[j]) * (table.mean[h] - mean[h]))
        gram[a, a] = settle(gram[a, a], mean[j])


@one_row
def add_matrix(part, sign, start, gram):
    """Add ``sign`` times ``part`` to the rows of ``gram`` from ``start`` on."""
    for a in range(part.shape[0]):
        for c in range(part.shape[1]):
            gram[start + a, c] += sign * part[a, c]


@making_row
def dot_row(left, right, out):
    np.dot(left, right, out)


@making_row
def square(rows, gram):
    """Write ``rows' rows`` over zeros, in pieces that OpenBLAS multiplies by its faster kernel for small matrices."""
    k, p = rows.shape
    step = max(8, SMALL_PRODUCT // (p * p))
    if k <= step or p > 72:
        np.dot(rows.T, rows, gram)
        return
    piece = matrix(p, p)
    for start in range(0, k, step):
        part = rows[start : min(k, start + step)]
        np.dot(part.T, part, piece)
        add_matrix(piece, 1.0, 0, gram)


@making_row
def whole_gram(table, background, mean, rooted):
    """Return the weighted covariance of all columns; one that is constant under the weights has a zero diagonal."""
    gram = zero_matrix(mean.size, mean.size)
    if rooted.n_plus > 0:
        square(rooted.x[: rooted.n_plus], gram)
    if rooted.y.size > rooted.n_plus:
        taken = zero_matrix(mean.size, mean.size)
        square(rooted.x[rooted.n_plus :], taken)
        add_matrix(taken, -1.0, 0, gram)
    background_gram(table, background, mean, numbers(mean.size), 0, gram)
    return gram


@making_row
def add_products(source, columns, start, flat, sign, gram):
    """Add ``sign`` times the products of columns from ``start`` on with all chosen ones; ``flat`` keeps the columns."""
    k, size = source.shape[0], columns.size
    block = flat[: size * k].reshape((size, k))
    for i in range(k):
        for a in range(start, size):
            block[a, i] = source[i, columns[a]]
    if k > 0:
        products = matrix(size - start, size)
        np.dot(block[start:], block.T, products)
        add_matrix(products, sign, start, gram)


@making_row
def grow_gram(table, background, mean, rooted, columns, old, picked):
    """Return the Gram matrix of ``columns``, of which the first ones are those of ``old``."""
    start, size = old.shape[0], columns.size
    gram = zero_matrix(size, size)
    n_plus, end = rooted.n_plus, rooted.n_plus * mean.size
    add_products(rooted.x[:n_plus], columns, start, picked[:end], 1.0, gram)
    add_products(rooted.x[n_plus:], columns, start, picked[end:], -1.0, gram)
    background_gram(table, background, mean, columns, start, gram)
    add_matrix(old, 1.0, 0, gram)
    for a in range(start, size):
        for c in range(start):
            gram[c, a] = gram[a, c]
    return gram
