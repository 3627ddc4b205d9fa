"""How much the models of queries differ in what they predict."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.spatial.distance import pdist

# Relative to the models themselves: models this near to each other differ by rounding.
SAME = 1e-9


class Models(NamedTuple):
    """Models as they predict: per query the mean of its predictions (n_query, n_outputs), and a point.

    Distances of ``points`` are root mean squared differences of predictions, over queries and outputs.
    """

    level: np.ndarray
    points: np.ndarray


def place_models(
    intercept: np.ndarray, coef: np.ndarray, design: np.ndarray, multiple: np.ndarray, shape: np.ndarray
) -> Models:
    """Return the predictions of each query's model for all queries.

    ``intercept`` is (n_query, n_outputs), ``coef`` and ``shape`` have the features behind these, and ``multiple``
    (n_query, n_outputs, n_curves) is how much of each output's curves a model has; n_curves is 0 without shapes.
    """
    curves, known = _sums_of_curves(multiple, shape)
    parts = np.hstack([design[known], curves[known]])
    mean = parts.mean(axis=0)
    slopes = np.concatenate([coef, multiple], axis=2)
    level = intercept + slopes @ mean
    # any root of their covariance gives these distances; that of columns that no model has is not needed
    used = np.flatnonzero(slopes.any(axis=(0, 1)))
    root = np.asarray(np.linalg.qr((parts - mean)[:, used] / np.sqrt(len(parts)), mode="r"))
    away = slopes[:, :, used] @ root.T
    points = np.concatenate([level[:, :, None], away], axis=2) / np.sqrt(level.shape[1])
    return Models(level, points.reshape(len(points), -1))


def model_distances(points: np.ndarray) -> np.ndarray:
    """Return distances in scipy's condensed form, 0 where they are but rounding."""
    far = pdist(points)
    far[far <= SAME * np.abs(points).max(initial=0.0)] = 0.0
    return far


def _sums_of_curves(multiple: np.ndarray, shape: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the curves (n_query, n_curves) at each query, and at which of them they are known.

    They follow from what a query's model makes of them: not at all if that is nothing.
    """
    n_query, n_curves = len(multiple), multiple.shape[2]
    sums, every = np.zeros((n_query, n_curves)), np.ones(n_query, dtype=bool)
    if not np.abs(multiple).max(initial=0.0):
        return sums, every
    # those of classes sum to zero, which leaves one direction open; what is added there is the same for all classes
    smallest = np.linalg.svd(multiple, compute_uv=False)[:, min(n_curves - 1, max(n_curves - 2, 0))]
    known = smallest > 1e-6 * np.abs(multiple).max()
    if not known.any():
        return sums, every
    inverse = np.linalg.pinv(multiple[known], rcond=1e-6)
    sums[known] = (inverse @ shape[known].sum(axis=2)[:, :, None])[:, :, 0]
    return sums, known


def ks_distance(one: np.ndarray, other: np.ndarray) -> float:
    """Return the largest difference of two distribution functions (Kolmogorov-Smirnov)."""
    values = np.concatenate([one, other])
    below = [np.searchsorted(np.sort(part), values, side="right") / part.size for part in (one, other)]
    return float(np.abs(below[0] - below[1]).max())


def as_outputs(table: pd.Series | pd.DataFrame, n_outputs: int) -> np.ndarray:
    """Return a table of queries as (n_query, n_outputs, ...)."""
    values = table.to_numpy()
    return values.reshape(len(values), n_outputs, -1)
