"""Distances between rows: taken from the user and checked, or computed by a metric."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist, pdist, squareform

# Relative to the largest distance: rounding, such as 1 - correlation leaves, is not an error.
SLACK = 1e-8
BLOCK = 256


def square_distances(D: Any, name: str = "`D`") -> np.ndarray:
    """Return a new, exactly symmetric square matrix of the distances ``D``, square or condensed."""
    values = np.asarray(D)
    if values.dtype.kind not in "fiub":
        raise TypeError(
            f"{name} must be a dense numeric array, got {type(D).__name__} of dtype {values.dtype}. "
            "Convert it to floats first."
        )
    n_rows = int(np.ceil(np.sqrt(2.0 * values.size)))
    if values.ndim == 1 and values.size and n_rows * (n_rows - 1) // 2 != values.size:
        raise ValueError(
            f"{name} of one dimension must hold n * (n - 1) / 2 distances for n rows, got {values.size}. "
            "scipy.spatial.distance.pdist gives them in the order needed."
        )
    if values.ndim != 1 and (values.ndim != 2 or values.shape[0] != values.shape[1] or values.size == 0):
        raise ValueError(
            f"{name} must be a square matrix of distances or their condensed form, got shape {values.shape}. "
            "scipy.spatial.distance.pdist gives distances from a table of rows."
        )
    largest = _check_range(values, name)
    if values.ndim == 1:
        square = squareform(values.astype(np.float64, copy=False), checks=False)
    else:
        square = _symmetric_copy(values, SLACK * largest, name)
    return np.maximum(square, 0.0, out=square)


def _symmetric_copy(values: np.ndarray, slack: float, name: str) -> np.ndarray:
    """Return the larger of each distance and its mirror image, with a diagonal of zeros."""
    off = np.abs(np.diagonal(values))
    if off.max() > slack:
        row = int(off.argmax())
        raise ValueError(
            f"{name} must have zeros on its diagonal, got {values[row, row]!r} in row {row}. "
            "Pass distances, not similarities: 1 - similarity is one way."
        )
    square = np.empty(values.shape)
    # in blocks of rows: no other matrix of this size is made
    for start in range(0, values.shape[0], BLOCK):
        rows, mirror = values[start : start + BLOCK], values[:, start : start + BLOCK].T
        gap = np.abs(np.subtract(rows, mirror, dtype=np.float64))
        if gap.max() > slack:
            i, j = np.unravel_index(gap.argmax(), gap.shape)
            raise ValueError(
                f"{name} must be symmetric, got {rows[i, j]!r} in row {start + i}, column {j} and {mirror[i, j]!r} "
                "the other way. Pass (D + D.T) / 2 if both are meant to be one distance."
            )
        np.maximum(rows, mirror, out=square[start : start + BLOCK])
    np.fill_diagonal(square, 0.0)
    return square


def _check_range(values: np.ndarray, name: str) -> float:
    """Return the largest distance; raise if one is negative, NaN or infinite."""
    if values.size == 0:
        return 0.0
    low, high = float(values.min()), float(values.max())
    if not np.isfinite(low + high):
        bad = int(values.size - np.isfinite(values).sum())
        raise ValueError(
            f"{name} must be finite, got {bad} distances that are NaN or infinite (inf). Drop the rows that have them."
        )
    if low < -SLACK * high:
        raise ValueError(
            f"{name} must be >= 0, got a distance of {low!r}. Negative values in data are not distances; for "
            "similarities use 1 - similarity."
        )
    return high


def metric_options(metric: str | Callable, X: np.ndarray) -> dict[str, np.ndarray]:
    """Return what a metric learns from the training rows, to measure new rows in the same way."""
    name = metric.lower() if isinstance(metric, str) else ""
    if name in {"seuclidean", "se", "s"}:
        return {"V": X.var(axis=0, ddof=1)}
    if name in {"mahalanobis", "mahal", "mi"}:
        return {"VI": np.linalg.inv(_covariance(X))}
    return {}


def _covariance(X: np.ndarray) -> np.ndarray:
    """Return the covariance of the columns if it can be inverted."""
    centred = X - X.mean(axis=0)
    covariance = centred.T @ centred / max(X.shape[0] - 1, 1)
    rank = np.linalg.matrix_rank(covariance)
    if rank < X.shape[1]:
        raise ValueError(
            f"metric='mahalanobis' needs columns of which none is a combination of others, got {X.shape[1]} columns of "
            f"rank {rank} in n_samples = {X.shape[0]}. Drop columns, or use 'seuclidean'."
        )
    return covariance


def distances(metric: Any, X: np.ndarray, to: np.ndarray | None = None, **options: np.ndarray) -> np.ndarray:
    """Return distances from the rows of ``X`` to those of ``to``, or condensed among themselves."""
    if not (isinstance(metric, str) or callable(metric)):
        raise TypeError(f"`metric` must be a name or a callable of two rows, got {metric!r}. Try 'euclidean'.")
    try:
        return pdist(X, metric, **options) if to is None else cdist(X, to, metric, **options)
    except ValueError as error:
        raise ValueError(
            f"`metric` must be 'precomputed', a callable of two rows or a metric of scipy.spatial.distance, got "
            f"{metric!r}. scipy says: {error}"
        ) from error
