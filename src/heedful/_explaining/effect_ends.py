"""Intervals of local effects: how far the prediction moves with a column, and how sure that is.

An effect is a difference of predictions, which are shrunk and blended. It is compared with the same difference by a
step of least squares among the rows that the query attends to (``debiased.py``), which is not shrunk but noisy, and
straight where the truth may bend. The squared error of an effect is estimated by the squared noise of that step and by
the squared distance between the two.
"""

from typing import NamedTuple

import numpy as np
from scipy import stats

from heedful._blocks import one_blas_thread
from heedful._explaining.debiased import LocalRows, WorkingRows, debias
from heedful.attention import Attention

# The squared distance counts this much beside the squared noise, which is part of it (simulations with a known truth).
# An effect that is not shrunk is the step itself: its interval is that of least squares.
COUNTED = 0.4
NONE = -1


class Contrasts(NamedTuple):
    """Columns of the models that tell each column of the table (n_query, n_columns of the table); -1 stands for none.

    A number has its ``own`` column and no ``other``. A category has the dummy of the query's level and that of
    the level it is compared with; the same twice is no difference at all.
    """

    own: np.ndarray
    other: np.ndarray


def effect_intervals(
    working: WorkingRows,
    unit: np.ndarray,
    coverage: float,
    attention: Attention,
    start: np.ndarray,
    effects: np.ndarray,
    contrasts: Contrasts,
) -> np.ndarray:
    """Return lower and upper ends (n_query, n_outputs, n_columns of the table, 2) around effects.

    ``start`` (n_query, n_outputs, n_columns of the models) are the coefficients to start from; they and ``effects``
    (n_query, n_outputs, n_columns of the table) are in the units of the table, and times ``unit`` in those of the
    working rows. Ends are infinite where nothing is known: columns that do not vary among a query's rows, or that the
    models do not have, and too few rows.
    """
    half, width = np.empty(effects.shape), stats.norm.ppf((1 + coverage) / 2)
    with one_blas_thread():
        for q, k, rows in working.each(attention):
            own, other = contrasts.own[q], contrasts.other[q]
            error = effect_errors(rows, start[q, k] * unit, effects[q, k], _contrast(own, other, unit))
            half[q, k] = np.where((own == other) & (own != NONE), 0.0, width * error)
    return np.stack([effects - half, effects + half], axis=-1)


def _contrast(own: np.ndarray, other: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """Return what makes differences (n_columns of the table, n_columns of the models) of coefficients."""
    contrast = np.zeros((own.size, unit.size))
    for place, sign in ((own, 1.0), (other, -1.0)):
        at = np.flatnonzero(place != NONE)
        contrast[at, place[at]] += sign / unit[place[at]]
    return contrast


def effect_errors(rows: LocalRows, start: np.ndarray, effect: np.ndarray, contrast: np.ndarray) -> np.ndarray:
    """Return the root of the expected squared error of each effect of one query and output."""
    known = contrast.any(axis=1) & ~contrast[:, ~rows.varies].any(axis=1)
    error = np.full(effect.size, np.inf)
    if rows.enough and known.any():
        debiased = debias(rows, start[rows.varies], contrast[np.ix_(known, rows.varies)])
        error[known] = np.sqrt(debiased.variance + COUNTED * (effect[known] - debiased.estimate) ** 2)
    return error
