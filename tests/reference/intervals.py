"""Weighted quantiles and conformal intervals by their definitions, one query at a time on dense weights."""

import numpy as np


def weight_below(weight, values, value):
    """Return the weight of rows with a smaller value."""
    return weight[values < value].sum()


def weighted_quantile(weight, values, level):
    """Return the largest of the values below which lies no more than ``level`` of the weight."""
    return max(value for value in values if weight_below(weight, values, value) <= level)


def evened(weight, prior, n_rows, most):
    """Return weights moved towards the prior until they stand for ``n_rows`` effective rows; ``most`` stays at most."""
    prior = prior / prior.sum()
    shares = np.linspace(0.0, most, 100_001)
    squares = (weight @ weight) * shares**2 + 2 * (weight @ prior) * shares * (1 - shares)
    squares += (prior @ prior) * (1 - shares) ** 2
    share = shares[squares <= 1 / n_rows].max(initial=0.0)
    return share * weight + (1 - share) * prior


def left_out_rank(row, weight, prior, size, n_rows, most):
    """Return the weight that a training row gives to smaller residuals of others, itself left out."""
    mixed = evened(weight, prior, n_rows, most)
    mixed[row] = 0.0
    return weight_below(mixed / mixed.sum(), size, size[row])


def conformal_level(rank, prior, coverage):
    """Return the smallest rank up to which there is enough weight of rows, one more of mean weight being above all."""
    needed = coverage * (prior.sum() + prior.mean())
    enough = [value for value in rank if prior[rank <= value].sum() >= needed - 1e-12]
    return min(enough, default=np.inf)


def local_half_width(weight, prior, size, rank, coverage, n_rows, most):
    """Return how far the interval of a query with this attention reaches."""
    level = conformal_level(rank, prior, coverage)
    return np.inf if np.isinf(level) else weighted_quantile(evened(weight, prior, n_rows, most), size, level)


def split_conformal(size, coverage):
    """Return the plain half width: the smallest residual that is not exceeded by enough of the rows and one more."""
    place = int(np.ceil((size.size + 1) * coverage - 1e-9))
    return np.inf if place > size.size else np.sort(size)[place - 1]
