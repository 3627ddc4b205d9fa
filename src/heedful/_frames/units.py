"""Where the columns of a table of numbers lie and how far they spread, in whatever unit they are measured."""

import numpy as np

# Deviations whose inverse is a number, times a response too.
SMALLEST = 1e-303


def center_and_unit(X: np.ndarray, weight: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return weighted means and standard deviations (divisor: the sum of weights); 0 for a constant column.

    Columns are first divided by a power of two near their largest value, which is exact: squares of numbers beyond
    1e154 would be infinite, and those below 1e-162 zero.
    """
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
