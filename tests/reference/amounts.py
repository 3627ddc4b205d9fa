"""Counts and costs by plain formulas, and optimality conditions with limits and groups.

``what`` is a pair of responses and offsets, ``power`` that of the mean that is the variance. Slopes and curvatures are
those of the weighted mean of half the deviance by each row's linear predictor.
"""

import numpy as np
from scipy.special import xlogy


def loss(power, link, what, weight):
    """Return the weighted mean of half the unit deviance."""
    y, mean = what[0], np.exp(link + what[1])
    if power == 1:
        return weight @ (xlogy(y, y / mean) - y + mean)
    if power == 2:
        return weight @ (np.log(mean / y) + y / mean - 1)
    parts = y ** (2 - power) / ((1 - power) * (2 - power)), y * mean ** (1 - power) / (1 - power)
    return weight @ (parts[0] - parts[1] + mean ** (2 - power) / (2 - power))


def slope(power, link, what, weight):
    """Return the first derivatives: what the mean is above the response, over the variance, times the mean."""
    mean = np.exp(link + what[1])
    return weight * (mean - what[0]) * mean ** (1 - power)


def curvature(power, link, what, weight):
    """Return the second derivatives."""
    mean = np.exp(link + what[1])
    return weight * ((2 - power) * mean + (power - 1) * what[0]) * mean ** (1 - power)


def pulls(down, X, weight):
    """Return the intercept's and the coefficients' minus slopes, from those of rows."""
    return down.sum(), down @ (X - weight @ X)


def breach(down, X, weight, penalty, coef, low=-np.inf, high=np.inf):
    """Return by how much the worst optimality condition is missed, within limits: 0 at the minimum."""
    level, pull = pulls(down, X, weight)
    up, back = pull - penalty, -pull - penalty
    wants = np.where(coef > 0, up, np.where(coef < 0, pull + penalty, np.maximum(up, 0) - np.maximum(back, 0)))
    stuck = ((coef >= high) & (wants > 0)) | ((coef <= low) & (wants < 0))
    return max(abs(level), np.abs(np.where(stuck, 0, wants)).max())


def group_breach(down, X, weight, penalty, coef, groups):
    """Return by how much the worst optimality condition of groups is missed."""
    level, pull = pulls(down, X, weight)
    worst = abs(level)
    for group in np.unique(groups):
        own = groups == group
        size = np.linalg.norm(penalty[own] * coef[own])
        if size > 0:
            miss = np.linalg.norm(pull[own] - penalty[own] ** 2 * coef[own] / size)
        else:
            miss = max(np.linalg.norm(pull[own] / penalty[own]) - 1, 0) * penalty[own].max()
        worst = max(worst, miss)
    return worst


def group_lasso(gram, cov, penalty, groups, steps=20_000):
    """Return the minimum of ``b'Gb/2 - c'b`` plus the norms of groups, by steps of proximal gradients."""
    flat = gram / np.outer(penalty, penalty)
    longest, u = np.linalg.eigvalsh(flat)[-1], np.zeros(cov.size)
    for _ in range(steps):
        u = u + (cov / penalty - flat @ u) / longest
        for group in np.unique(groups):
            size = np.linalg.norm(u[groups == group])
            u[groups == group] *= max(1 - 1 / (longest * size), 0) if size > 0 else 0
    return u / penalty
