"""One weighted ridge regression per query, at several penalties."""

import numpy as np


def ridge_rows(
    x: np.ndarray, y: np.ndarray, weights: np.ndarray, penalties: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return intercepts (n_query, n_penalty) and coefficients (n_query, n_penalty, n_columns).

    Each fit minimises ``sum_i w_i (y_i - a - x_i'b)^2 + penalty b'b`` for weights (n_query, n_train) that sum to one;
    an infinite penalty gives the weighted mean. One decomposition, of the smaller side, serves all penalties.
    """
    intercept = np.empty((len(weights), penalties.size))
    coef = np.empty((*intercept.shape, x.shape[1]))
    tall = x.shape[0] > x.shape[1]
    for q, weight in enumerate(weights):
        mean, y_mean, root = weight @ x, weight @ y, np.sqrt(weight)
        rows, left = root[:, None] * (x - mean), root * (y - y_mean)
        size, axes = np.linalg.eigh(rows.T @ rows if tall else rows @ rows.T)
        along = axes.T @ (rows.T @ left if tall else left)
        kept = along / (np.maximum(size, 0.0) + penalties[:, None])
        coef[q] = kept @ axes.T if tall else kept @ axes.T @ rows
        intercept[q] = y_mean - coef[q] @ mean
    return intercept, coef
