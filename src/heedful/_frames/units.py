"""Where the columns of a table of numbers lie and how far they spread, in whatever unit they are measured."""

import numpy as np

# Deviations whose inverse is a number, times a response too.
SMALLEST = 1e-303
# Numbers of a large table that are worked on at once: copies are then of this size.
PIECE = 1_000_000


def row_blocks(shape: tuple[int, ...]) -> list[slice]:
    """Return the rows of a table in blocks that are worked on one after the other; a small table is one block."""
    return _blocks(shape[0], shape[1])


def column_blocks(shape: tuple[int, ...]) -> list[slice]:
    """Return the columns of a table in such blocks."""
    return _blocks(shape[1], shape[0])


def _blocks(size: int, other: int) -> list[slice]:
    step = max(1, PIECE // max(other, 1))
    return [slice(first, min(first + step, size)) for first in range(0, size, step)] or [slice(0, 0)]


def center_and_unit(X: np.ndarray, weight: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return weighted means and standard deviations (divisor: the sum of weights); 0 for a constant column.

    Columns are first divided by a power of two near their largest value, which is exact: squares of numbers beyond
    1e154 would be infinite, and those below 1e-162 zero.
    """
    parts = [_center_and_unit(X[:, columns], weight) for columns in column_blocks(X.shape)]
    return np.concatenate([center for center, _ in parts]), np.concatenate([unit for _, unit in parts])


def _center_and_unit(X: np.ndarray, weight: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    _, power = np.frexp(np.abs(X).max(axis=0, initial=0.0))
    X = np.ldexp(X, -power)
    center = np.average(X, axis=0, weights=weight)
    # a second pass takes out the rounding of the first, so that a constant column has deviation 0
    center += np.average(X - center, axis=0, weights=weight)
    unit = np.sqrt(np.average((X - center) ** 2, axis=0, weights=weight))
    constant = unit <= 1e-13 * np.maximum(np.abs(center), np.abs(X).max(axis=0, initial=0.0))
    unit = np.ldexp(unit, power)
    # nothing can be divided by a smaller one
    return np.ldexp(center, power), np.where(constant | (unit < SMALLEST), 0.0, unit)
