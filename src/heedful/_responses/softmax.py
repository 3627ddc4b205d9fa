"""Probabilities of classes from linear predictors, and a bound of the curvature of their log loss."""

from functools import reduce

import numpy as np

# The log-odds of the most and the least probable class are at most this far apart: 1 - 1e-13 is still less than 1.
FARTHEST = 30.0
# Up to so many columns are added one by one, as NumPy does with so few numbers.
FEW_COLUMNS = 7
# Newton steps to the largest eigenvalue of the curvature of classes: 200 classes, of which most are next to impossible,
# take eight. Where the two largest entries are equal there is nothing to divide by.
NEWTON_STEPS, TINY = 9, 1e-100


def softmax(link: np.ndarray) -> np.ndarray:
    """Return the probabilities of all classes, none of which is 0 or 1; a single output is the log-odds of a second."""
    if link.shape[-1] == 1:
        # NumPy takes its time for the maximum and the sum of two columns
        top = np.maximum(link, 0.0)
        mass = np.exp(np.maximum(np.concatenate([-top, link - top], axis=-1), -FARTHEST))
        return mass / (mass[..., :1] + mass[..., 1:])
    mass = np.exp(np.maximum(link - over_columns(np.maximum, link), -FARTHEST))
    return mass / over_columns(np.add, mass)


def over_columns(function: np.ufunc, table: np.ndarray) -> np.ndarray:
    """Return the maximum or the sum over the last axis, which is kept; of few columns NumPy's own takes its time."""
    if table.shape[-1] > FEW_COLUMNS:
        return function.reduce(table, axis=-1, keepdims=True)
    return reduce(function, np.moveaxis(table, -1, 0))[..., None]


def largest_eigenvalue(diagonal: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """Return the largest eigenvalue of ``diag(d) - u u'`` for rows of ``d`` and of the squares of ``u``, all above 0.

    It lies between the two largest entries of ``d``, above the second by ``s`` and below the first by ``t``, where
    ``t (1 + sum(u^2 / (d_second - d + s)))`` over all entries but the first is the square of the first. This falls and
    bends upwards in ``s``, so Newton's steps from an ``s`` that is too small never pass the solution; the first two
    entries alone give one. The cost grows with the length of ``d``, not with its cube.
    """
    order = np.argpartition(diagonal, -2, axis=1)
    entries, squares = (np.ascontiguousarray(np.take_along_axis(part, order, 1).T) for part in (diagonal, squares))
    second, gap = entries[-2], entries[-1] - entries[-2]
    below, others, top = second - entries[:-1], squares[:-1], squares[-1]
    room, product = top + others[-1] - gap, gap * others[-1]
    root = np.sqrt(room * room + 4.0 * product)
    above = np.where(room > 0.0, 2.0 * product / (room + root), 0.5 * (root - room))
    for _ in range(NEWTON_STEPS):
        away = np.maximum(below + above, TINY)
        part = others / away
        total = 1.0 + part.sum(axis=0)
        left = gap - above
        step = (left * total - top) / (total + left * (part / away).sum(axis=0))
        above = np.minimum(above + np.maximum(step, 0.0), gap)
    return second + above
