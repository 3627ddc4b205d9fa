"""Coordinate descent for a lasso given by its covariances, finished by an exact solve on the active set.

Minimises ``b'Gb/2 - c'b + sum_j penalty_j |b_j|``. ``grad`` is kept equal to ``c - G b``.
"""

import numpy as np

from heedful._kernels._jit import one_row


@one_row
def soften(value, threshold):
    """Return ``value`` moved towards 0 by ``threshold``."""
    if value > threshold:
        return value - threshold
    if value < -threshold:
        return value + threshold
    return 0.0


@one_row
def sweep_row(gram, penalty, coef, grad, only_active):
    """Update every (active) coefficient once; return the largest change in units of the response."""
    largest = 0.0
    for j in range(coef.size):
        curve = gram[j, j]
        if curve <= 0.0 or (only_active and coef[j] == 0.0):
            continue
        old = coef[j]
        new = soften(grad[j] + curve * old, penalty[j]) / curve
        step = new - old
        if step != 0.0:
            coef[j] = new
            for h in range(coef.size):
                grad[h] -= step * gram[j, h]
            largest = max(largest, abs(step) * np.sqrt(curve))
    return largest


@one_row
def gradient_row(gram, cov, coef, grad):
    """Write ``c - G b``."""
    for j in range(coef.size):
        grad[j] = cov[j]
    for j in range(coef.size):
        if coef[j] != 0.0:
            for h in range(coef.size):
                grad[h] -= coef[j] * gram[j, h]


@one_row
def factor_row(matrix, size):
    """Replace the lower triangle by its Cholesky factor; return False when a pivot is too small."""
    for a in range(size):
        pivot = matrix[a, a]
        floor = 1e-11 * pivot
        for c in range(a):
            pivot -= matrix[a, c] * matrix[a, c]
        if not pivot > floor:
            return False
        root = np.sqrt(pivot)
        matrix[a, a] = root
        for b in range(a + 1, size):
            value = matrix[b, a]
            for c in range(a):
                value -= matrix[b, c] * matrix[a, c]
            matrix[b, a] = value / root
    return True


@one_row
def solve_row(factor, size, value):
    """Solve the factored system in place."""
    for a in range(size):
        for c in range(a):
            value[a] -= factor[a, c] * value[c]
        value[a] /= factor[a, a]
    for a in range(size - 1, -1, -1):
        for c in range(a + 1, size):
            value[a] -= factor[c, a] * value[c]
        value[a] /= factor[a, a]


@one_row
def polish_row(gram, cov, penalty, coef, grad, factor, value, active):
    """Solve exactly for the active coefficients if that keeps their signs; leave them alone otherwise."""
    size = 0
    for j in range(coef.size):
        if coef[j] != 0.0:
            active[size] = j
            size += 1
    for a in range(size):
        j = active[a]
        value[a] = cov[j] - np.sign(coef[j]) * penalty[j]
        for c in range(a + 1):
            factor[a, c] = gram[j, active[c]]
    if size == 0 or not factor_row(factor, size):
        return
    solve_row(factor, size, value)
    for a in range(size):
        if value[a] * coef[active[a]] <= 0.0:
            return
    for a in range(size):
        coef[active[a]] = value[a]
    gradient_row(gram, cov, coef, grad)


@one_row
def descend_row(gram, cov, penalty, coef, grad, tol, max_iter):
    """Minimise from the given ``coef`` and ``grad``; return the number of sweeps, or -1 if ``max_iter`` did not do.

    A full sweep that changes nothing by more than ``tol`` is the optimality check: every coefficient was held against
    its own condition.
    """
    size = coef.size
    factor = np.empty((size, size))
    value = np.empty(size)
    active = np.empty(size, np.int64)
    loose = 1e4 * tol
    sweeps = 0
    while sweeps < max_iter:
        sweeps += 1
        change = sweep_row(gram, penalty, coef, grad, False)
        if change <= tol:
            return sweeps
        for _ in range(8):
            if change <= loose:
                break
            sweeps += 1
            change = sweep_row(gram, penalty, coef, grad, True)
        polish_row(gram, cov, penalty, coef, grad, factor, value, active)
        loose = max(tol, 0.1 * loose)
    return -1
