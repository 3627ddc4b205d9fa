"""Conformal intervals by their definitions, one row at a time on dense weights."""

import numpy as np


def mean_of_others(row, weight, size):
    """Return the weighted mean residual of all rows but one."""
    return np.average(np.delete(size, row), weights=np.delete(weight, row))


def attended(weight, size, level, prior):
    """Return the mean residual under the weights of a query, with ``prior`` rows of the overall level."""
    n_rows = weight.sum() ** 2 / (weight**2).sum()
    return (n_rows * np.average(size, weights=weight) + prior * level) / (n_rows + prior)


def attended_left_out(row, weight, prior_weight, size, prior):
    """Return the same for a training row, which has no weight of its own and no part in the level."""
    others = np.where(np.arange(size.size) == row, 0.0, weight)
    return attended(others, size, mean_of_others(row, prior_weight, size), prior)


def forest_mean(leaves, buckets, weight, size, own=-1):
    """Return the mean over trees of the mean residual drawn into a row's leaf; trees that drew the row are skipped."""
    means = []
    for leaf in leaves:
        part = slice(*buckets.starts[leaf : leaf + 2])
        rows, draws = buckets.members[part], buckets.draws[part].astype(float)
        if not draws[rows == own].any():
            means.append(np.average(size[rows], weights=draws * weight[rows]))
    return np.mean(means)


def spread_loss(powers, size, expected, weight):
    """Return minus the log likelihood of exponential residuals, the best multiple of the spread being their mean."""
    spread = np.prod([part**power for part, power in zip(expected, powers, strict=True)], axis=0)
    mean = spread * np.average(size / spread, weights=weight)
    return np.average(size / mean + np.log(mean), weights=weight)


def conformal_reach(score, weight, coverage):
    """Return the smallest score up to which there is enough weight of rows, one more of mean weight being above all."""
    needed = coverage * (weight.sum() + weight.mean())
    enough = [value for value in score if weight[score <= value].sum() >= needed - 1e-12]
    return min(enough, default=np.inf)


def split_conformal(size, coverage):
    """Return the plain half width: the smallest residual that is not exceeded by enough of the rows and one more."""
    place = int(np.ceil((size.size + 1) * coverage - 1e-9))
    return np.inf if place > size.size else np.sort(size)[place - 1]
