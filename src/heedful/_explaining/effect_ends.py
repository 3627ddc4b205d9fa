"""Intervals of local effects: how far the prediction moves with a column, and how sure that is.

An effect is a difference of predictions, which are shrunk and blended. Beside it stands the same difference by a step
of least squares among the rows that the query attends to (``debiased.py``), which is not shrunk but noisy, and straight
where the truth may bend. The squared error of an effect is told by the squared noise of that step and by the squared
distance between the two.
"""

from typing import NamedTuple, Self

import numpy as np
from scipy import stats

from heedful._explaining.debiased import LocalRows, WorkingRows, sharpen, take_step
from heedful._kernels.shapes import Table
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


class EffectIntervals(NamedTuple):
    """What intervals of all queries share: training rows for each output, units of their columns, coverage.

    A coefficient in the units of the table times ``unit`` is that of the training rows as they are kept here.
    """

    rows: WorkingRows
    unit: np.ndarray
    coverage: float

    @classmethod
    def of_tables(cls, tables: tuple[Table, ...], weight: np.ndarray, unit: np.ndarray, coverage: float) -> Self:
        """Return intervals by the first columns of some tables, one table for each output and one unit for a column."""
        return cls(WorkingRows.of_tables(tables, weight, unit.size), unit, coverage)

    def of(self, attention: Attention, start: np.ndarray, effects: np.ndarray, contrasts: Contrasts) -> np.ndarray:
        """Return lower and upper ends (n_query, n_outputs, n_columns of the table, 2) around effects.

        ``start`` (n_query, n_outputs, n_columns of the models) are the coefficients to start from; they and ``effects``
        (n_query, n_outputs, n_columns of the table) are in the units of the table. Ends are infinite where nothing is
        known: columns that do not vary among a query's rows, or that the models do not have, and too few rows.
        """
        half, reach = np.empty(effects.shape), stats.norm.ppf((1 + self.coverage) / 2)
        for q, own in enumerate(attention.toarray()):
            weight = sharpen(own, self.rows.weight)
            contrast = self._contrast(contrasts.own[q], contrasts.other[q])
            none = (contrasts.own[q] == contrasts.other[q]) & (contrasts.own[q] != NONE)
            for k in range(effects.shape[1]):
                rows = self.rows.local(weight, k)
                error = tell_error(rows, start[q, k] * self.unit, effects[q, k], contrast)
                half[q, k] = np.where(none, 0.0, reach * error)
        return np.stack([effects - half, effects + half], axis=-1)

    def _contrast(self, own: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Return what makes differences (n_columns of the table, n_columns of the models) of coefficients."""
        contrast = np.zeros((own.size, self.unit.size))
        for place, sign in ((own, 1.0), (other, -1.0)):
            at = np.flatnonzero(place != NONE)
            contrast[at, place[at]] += sign / self.unit[place[at]]
        return contrast


def tell_error(rows: LocalRows, start: np.ndarray, effect: np.ndarray, contrast: np.ndarray) -> np.ndarray:
    """Return the root of the squared error that each effect of one query and output is to be expected to have."""
    known = contrast.any(axis=1) & ~contrast[:, ~rows.varies].any(axis=1)
    error = np.full(effect.size, np.inf)
    if rows.enough and known.any():
        estimate, variance = debias_contrasts(rows, start[rows.varies], contrast[np.ix_(known, rows.varies)])
        error[known] = np.sqrt(variance + COUNTED * (effect[known] - estimate) ** 2)
    return error


def debias_contrasts(rows: LocalRows, start: np.ndarray, contrast: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return differences of coefficients without shrinkage, and their variances.

    Dividing by the share of the step that reaches a difference itself makes up for its ridge.
    """
    step = take_step(rows, start)
    metric = contrast / np.diag(rows.gram)
    reached = np.einsum("ij,ij->i", contrast @ step.inverse @ rows.gram, metric)
    reached = reached / np.einsum("ij,ij->i", contrast, metric)
    square = step.noise**2
    variance = contrast**2 @ (square @ step.through**2)
    pairs = np.count_nonzero(contrast, axis=1) > 1
    if pairs.any():
        variance[pairs] = square @ (step.through @ contrast[pairs].T) ** 2
    return contrast @ start + contrast @ step.added / reached, variance / reached**2
