"""Kernel ridge the slow way: features of Nystroem's approximation, and one fit for each row left out."""

import numpy as np


def features_of(points, centres, unit, jitter):
    """Return rows of which products are the kernel's, seen from its centres."""
    inner = np.exp(-((centres[:, None] - centres) ** 2).sum(axis=2) / unit**2)
    near = np.exp(-((points[:, None] - centres) ** 2).sum(axis=2) / unit**2)
    value, vector = np.linalg.eigh(inner + jitter * np.eye(len(centres)))
    return near @ vector / np.sqrt(value)


def ridge(features, z, weight, penalty):
    """Return the coefficients of weighted ridge regression without an intercept."""
    gram = features.T @ (weight[:, None] * features) + penalty * np.eye(features.shape[1])
    return np.linalg.solve(gram, features.T @ (weight[:, None] * z))


def left_out_error(features, z, weight, penalty):
    """Return the weighted squared error of rows, each predicted by a fit of all others."""
    total = 0.0
    for i in range(len(z)):
        rest = np.arange(len(z)) != i
        away = z[i] - features[i] @ ridge(features[rest], z[rest], weight[rest], penalty)
        total += weight[i] * (away**2).sum()
    return total
