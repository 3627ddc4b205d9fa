"""Intervals of local effects: how far the prediction moves with a column, and how sure that is.

An effect is a difference of predictions, which are shrunk and blended. It is compared with the same difference by a
step of least squares among the rows that the query attends to (``debiased.py``), which is not shrunk but noisy, and
straight where the truth may bend. The squared error of an effect is estimated by the squared noise of that step and by
the squared distance between the two.

The step looks at the columns that are compared and at those with a coefficient. A level that is neither is one of the
rest: with many dummies and few rows, steps that look at all of them are noise.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from heedful import _blocks
from heedful._explaining.debiased import LocalRows, WorkingRows, debias
from heedful._flow import Run
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

    def look_at(self, used: np.ndarray) -> np.ndarray:
        """Return ``used`` (n_query, n_outputs, n_columns of the models), true of the columns that are compared too."""
        used = used.copy()
        for places in self:
            query, column = np.nonzero(places != NONE)
            used[query, :, places[query, column]] = True
        return used


def estimate_errors(
    working: WorkingRows,
    unit: np.ndarray,
    attention: Attention,
    start: np.ndarray,
    effects: np.ndarray,
    contrasts: Contrasts,
    run: Run,
) -> np.ndarray:
    """Return the root of the expected squared error of each effect (n_query, n_outputs, n_columns of the table).

    ``start`` (n_query, n_outputs, n_columns of the models) are the coefficients to start from; they and ``effects``,
    shaped like the errors, are in the units of the table, and times ``unit`` in those of the working rows. Errors are
    infinite where nothing is known: columns that do not vary among a query's rows, or that the models do not have, and
    too few rows. Those of effects that are NaN, not asked about, are NaN.
    """
    blocks = _blocks.cut(len(effects), working.tables[0].packed.nbytes, run.n_jobs)
    shared = working, unit, attention, start, effects, contrasts, contrasts.look_at(start != 0)
    return np.concatenate(list(_blocks.run(_block_errors, blocks, *shared, n_jobs=run.n_jobs)))


def ends_of(effects: np.ndarray, errors: np.ndarray, coverage: float) -> np.ndarray:
    """Return lower and upper ends around effects, on a last axis."""
    half = ndtri((1 + coverage) / 2) * errors
    return np.stack([effects - half, effects + half], axis=-1)


def _block_errors(
    block: slice,
    working: WorkingRows,
    unit: np.ndarray,
    attention: Attention,
    start: np.ndarray,
    effects: np.ndarray,
    contrasts: Contrasts,
    used: np.ndarray,
) -> np.ndarray:
    """Return the root of the expected squared error of each effect of a block of queries."""
    queries = range(block.start, block.stop)
    errors = np.full((len(queries), *effects.shape[1:]), np.nan)
    for q, k, rows in working.each(attention, queries, used):
        asked = np.flatnonzero(~np.isnan(effects[q, k]))
        own, other = contrasts.own[q, asked], contrasts.other[q, asked]
        error = effect_errors(rows, start[q, k] * unit, effects[q, k, asked], _contrast(own, other, unit))
        errors[q - block.start, k, asked] = np.where((own == other) & (own != NONE), 0.0, error)
    return errors


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
