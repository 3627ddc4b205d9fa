"""Coordinate descent for a lasso given by its covariances, with an exact solve on the active set after each round.

Minimises ``b'Gb/2 - c'b + sum_j penalty_j |b_j|``. ``grad`` is kept equal to ``c - G b``. Sweeps find the active set
and its signs; the exact solve ends the slow tail that correlated columns give coordinate descent. Both only go down.

``limits`` are the least and the largest coefficients, with 0 between them, or None. A coefficient that reaches one
stays there until a sweep finds that it wants to go back.
"""

import numpy as np

from heedful._kernels._jit import making_row, many_rows, one_row
from heedful._kernels.arrays import copy_row, matrix, vector, zero_counts
from heedful._kernels.cholesky import back_row, factor_row, solve_row
from heedful._kernels.groups import descend_groups_row

# A coefficient that moves the fit by less than this part of the tolerance is rounding: of two columns that say the
# same, as the levels of a category that has two do, the second one's gradient exceeds its penalty in the last bit.
NOISE = 1e-5


@one_row
def soften(value, threshold):
    """Return ``value`` moved towards 0 by ``threshold``."""
    if value > threshold:
        return value - threshold
    if value < -threshold:
        return value + threshold
    return 0.0


@one_row
def clip_row(coef, limits):
    if limits is not None:
        for j in range(coef.size):
            coef[j] = min(max(coef[j], limits[0, j]), limits[1, j])


@one_row
def sweep_row(gram, penalty, coef, grad, only_active, limits=None):
    """Update every (active) coefficient once; return the largest change in units of the response."""
    largest = 0.0
    for j in range(coef.size):
        curve = gram[j, j]
        if curve <= 0.0 or (only_active and coef[j] == 0.0):
            continue
        old = coef[j]
        new = soften(grad[j] + curve * old, penalty[j]) / curve
        if limits is not None:
            new = min(max(new, limits[0, j]), limits[1, j])
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
    copy_row(cov, grad)
    for j in range(coef.size):
        if coef[j] != 0.0:
            for h in range(coef.size):
                grad[h] -= coef[j] * gram[j, h]


@one_row
def list_active(coef, active, limits=None):
    """Write the numbers of the non-zero coefficients, the largest first, and return how many there are.

    Those at one of their limits are left out.
    """
    size = 0
    for j in range(coef.size):
        if coef[j] == 0.0:
            continue
        if limits is not None and not limits[0, j] < coef[j] < limits[1, j]:
            continue
        at = size
        while at > 0 and abs(coef[active[at - 1]]) < abs(coef[j]):
            active[at] = active[at - 1]
            at -= 1
        active[at] = j
        size += 1
    return size


@one_row
def step_row(coef, active, size, move, longest, limits=None):
    """Move active coefficients until the first one would change sign, which becomes 0, or by ``longest``.

    One that would leave its limits ends there too. Returns which one it was, -1 if none.
    """
    limit, first, end = longest, -1, 0.0
    for a in range(size):
        if move[a] * coef[active[a]] < 0.0:
            until = -coef[active[a]] / move[a]
            if until < limit:
                limit, first, end = until, a, 0.0
        elif limits is not None and move[a] != 0.0:
            edge = limits[1 if move[a] > 0.0 else 0, active[a]]
            until = (edge - coef[active[a]]) / move[a]
            if until < limit:
                limit, first, end = until, a, edge
    if first < 0 and longest == np.inf:
        return first
    for a in range(size):
        coef[active[a]] += limit * move[a]
    if first >= 0:
        coef[active[first]] = end
    return first


@one_row
def null_row(factor, size, penalty, coef, grad, active, move):
    """Write the direction that (nearly) leaves the fit alone and goes down: column ``size`` depends on the others."""
    for a in range(size):
        move[a] = factor[size, a]
    back_row(factor, size, move)
    slope = penalty[active[size]] * np.sign(coef[active[size]]) - grad[active[size]]
    for a in range(size):
        move[a] = -move[a]
        slope += (penalty[active[a]] * np.sign(coef[active[a]]) - grad[active[a]]) * move[a]
    move[size] = 1.0
    if slope > 0.0:
        for a in range(size + 1):
            move[a] = -move[a]


@one_row
def polish_row(gram, cov, penalty, coef, grad, factor, move, active, limits=None):
    """Minimise exactly over the active coefficients with the signs they have; one that reaches 0 or a limit is dropped.

    Small coefficients are dropped most often. They come last, so that most of the factor is kept.
    """
    size, start = list_active(coef, active, limits), 0
    while True:
        rank = factor_row(gram, active, start, size, factor)
        if rank < size:
            gradient_row(gram, cov, coef, grad)
            null_row(factor, rank, penalty, coef, grad, active, move)
            dropped = step_row(coef, active, rank + 1, move, np.inf, limits)
        else:
            if limits is not None:
                gradient_row(gram, cov, coef, grad)
            for a in range(size):
                # without limits all other coefficients are 0
                slope = cov[active[a]] if limits is None else grad[active[a]]
                move[a] = slope - np.sign(coef[active[a]]) * penalty[active[a]]
            solve_row(factor, size, move)
            if limits is None:
                for a in range(size):
                    move[a] -= coef[active[a]]
            dropped = step_row(coef, active, size, move, 1.0, limits)
        if dropped < 0:
            break
        size, start = size - 1, dropped
        for a in range(dropped, size):
            active[a] = active[a + 1]
    gradient_row(gram, cov, coef, grad)


@one_row
def drop_noise_row(gram, coef, grad, smallest):
    """Set coefficients to 0 that move the fit by ``smallest`` or less, in units of the response."""
    for j in range(coef.size):
        if coef[j] != 0.0 and abs(coef[j]) * np.sqrt(gram[j, j]) <= smallest:
            for h in range(coef.size):
                grad[h] += coef[j] * gram[j, h]
            coef[j] = 0.0


@making_row
def descend_row(gram, cov, penalty, coef, grad, tol, max_iter, limits=None, groups=None):
    """Minimise from the given ``coef`` and ``grad``; return the number of sweeps, or -1 if ``max_iter`` did not do.

    A full sweep that changes nothing by more than ``tol`` is the optimality check: every coefficient was held against
    its own condition. Coefficients that are rounding become 0. ``coef`` must lie within ``limits``. With ``groups`` the
    norm of each one's coefficients is penalised, and there are no limits.
    """
    if groups is not None:
        return descend_groups_row(gram, penalty, coef, grad, tol, max_iter, groups)
    size = coef.size
    factor = matrix(size, size)
    move = vector(size)
    active = zero_counts(size)
    loose = 1e4 * tol
    sweeps = 0
    while sweeps < max_iter:
        change = sweep_row(gram, penalty, coef, grad, False, limits)
        sweeps += 1
        if change <= tol:
            drop_noise_row(gram, coef, grad, NOISE * tol)
            return sweeps
        for _ in range(8):
            if change <= loose:
                break
            sweeps += 1
            change = sweep_row(gram, penalty, coef, grad, True, limits)
        loose = max(tol, 0.1 * loose)
        polish_row(gram, cov, penalty, coef, grad, factor, move, active, limits)
    return -1


@many_rows
def refit_rows(gram, covs, penalty, start, tol, max_iter):
    """Return the coefficients (n_fits, n_columns) of a lasso for each row of covariances, all from one start."""
    coefs, grad = np.empty(covs.shape), vector(start.size)
    for d in range(covs.shape[0]):
        copy_row(start, coefs[d])
        gradient_row(gram, covs[d], coefs[d], grad)
        descend_row(gram, covs[d], penalty, coefs[d], grad, tol, max_iter)
    return coefs
