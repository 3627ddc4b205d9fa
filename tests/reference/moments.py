"""Weighted moments from explicit weights, and tables and weights for the kernels, in plain NumPy."""

from typing import NamedTuple

import numpy as np

from heedful._kernels.shapes import Table, pack


class Moments(NamedTuple):
    """Weighted mean and covariance of columns and response."""

    mean: np.ndarray
    y_mean: float
    gram: np.ndarray
    cross: np.ndarray
    spread: float


def weighted_moments(X, y, weight):
    """Return the moments under weights that sum to one."""
    mean, y_mean = weight @ X, float(weight @ y)
    Z, z = X - mean, y - y_mean
    return Moments(mean, y_mean, (Z * weight[:, None]).T @ Z, (Z * weight[:, None]).T @ z, float(weight @ z**2))


def plain_table(X, y, prior, *, scatter=None):
    """Return the rows as they are, with their sums under the prior; by default a wide table has no scatter."""
    total = prior.sum()
    sums = weighted_moments(X, y, prior / total)
    keep = X.shape[1] < X.shape[0] if scatter is None else scatter
    scatter = sums.gram if keep else np.empty((0, 0))
    packed, y_column = pack(y, X.shape[1], X.shape[1])
    packed[:, : X.shape[1]] = X
    sides = (scatter, sums.cross, sums.spread, np.empty(0), 1.0)
    return Table(packed, y_column, y, prior, float(total), sums.mean, sums.y_mean, *sides)


class Spread(NamedTuple):
    """One query's weights twice: as excess weights over a background, and dense."""

    rows: np.ndarray
    excess: np.ndarray
    background: float
    dense: np.ndarray


def spread_weights(rng, prior, background, n_rows):
    """Return weights with a background: some rows lie above it, some below, the first stored one at exactly 0."""
    rows = rng.permutation(prior.size)[:n_rows].astype(np.int32)
    dense = background * prior / prior.sum()
    own = rng.uniform(size=n_rows) ** 4
    own[0] = 0.0 if n_rows > 1 else 1.0
    others = dense.sum() - dense[rows].sum()
    target = own / own.sum() * (1.0 - others)
    excess = target - dense[rows]
    dense[rows] = target
    return Spread(rows, excess, background, dense)
