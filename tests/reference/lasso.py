"""The weighted lasso by coordinate descent on explicit rows, and a checker of its optimality conditions."""

import numpy as np


def penalty_scale(X, weight, standardize):
    """Return what multiplies the penalty of each column."""
    if standardize is False:
        return np.ones(X.shape[1])
    weight = np.ones(X.shape[0]) if standardize == "global" else weight
    return np.sqrt(np.cov(X.T, aweights=weight, ddof=0).reshape(X.shape[1], -1).diagonal())


def weighted_lasso(X, y, weight, alpha, scale, max_sweeps=20_000):
    """Return intercept and coefficients; a column without weighted variance has coefficient 0."""
    weight = weight / weight.sum()
    mean, y_mean = weight @ X, weight @ y
    Z, residual, coef = X - mean, y - y_mean, np.zeros(X.shape[1])
    curve = weight @ Z**2
    for _ in range(max_sweeps):
        before = coef.copy()
        for j in np.flatnonzero(curve > 1e-12):
            inner = weight @ (Z[:, j] * residual) + curve[j] * coef[j]
            new = np.sign(inner) * max(abs(inner) - alpha * scale[j], 0.0) / curve[j]
            residual -= (new - coef[j]) * Z[:, j]
            coef[j] = new
        if np.abs(coef - before).max(initial=0.0) < 1e-13:
            break
    return y_mean - mean @ coef, coef


def breach(X, y, weight, alpha, scale, intercept, coef):
    """Return by how much the worst optimality condition is missed: 0 at the minimum."""
    weight = weight / weight.sum()
    residual = y - intercept - X @ coef
    slope = weight * residual @ (X - weight @ X)
    active = np.abs(slope - alpha * scale * np.sign(coef))
    silent = np.maximum(np.abs(slope) - alpha * scale, 0.0)
    return max(abs(weight @ residual), np.where(coef == 0, silent, active).max(initial=0.0))


def objective(X, y, weight, alpha, scale, intercept, coef):
    """Return the weighted mean loss plus the penalty."""
    weight = weight / weight.sum()
    return weight @ (y - intercept - X @ coef) ** 2 / 2 + alpha * scale @ np.abs(coef)
