"""Rows around a query: one column moved to either side of its value, or several at once towards a training row.

A column of numbers or dates moves by half a standard deviation and stays within the training rows' range; one of few
distinct values moves to the next of these. A category moves to its reference, the most frequent other level. A missing
number is compared with the mean.
"""

from typing import NamedTuple

import numpy as np

from heedful._flow import FittedAttention, TrainingTable
from heedful._frames import center_and_unit
from heedful._frames.kinds import DATES, DURATIONS, TIMES

# How far a column moves, in standard deviations; and distinct values up to which it moves from one to the other.
STEP, FEW_VALUES = 0.5, 10
# Rows in which several columns move, and the share of columns that do.
N_JOINT, SHARE_MOVED = 12, 0.3
SEED = 0


class Compared(NamedTuple):
    """Codes of each cell of queries (n_query, n_columns) before and after its column moves, and the distance between.

    ``below`` and ``above`` lie to either side of a number. Of a category, and of a missing number, ``above`` is the
    query's own cell, ``below`` the reference, and ``distance`` is 1. A column that cannot move has distance 0.
    """

    below: np.ndarray
    above: np.ndarray
    distance: np.ndarray

    def take(self, rows: slice) -> "Compared":
        return Compared(*(part[rows] for part in self))


class Moves:
    """How the columns of a training table move."""

    def __init__(self, rows: TrainingTable):
        self.reader, codes, weight = rows.reader, rows.codes, rows.weight
        self.levels = np.array([levels is not None for levels in self.reader.levels])
        columns = [column[~np.isnan(column)] for column in codes.T]
        known = [weight[~np.isnan(column)] for column in codes.T]
        self.step, self.mean = np.zeros(len(columns)), np.full(len(columns), np.nan)
        self.low, self.high = self.mean.copy(), self.mean.copy()
        self.distinct: list[np.ndarray | None] = [None] * len(columns)
        self.frequent = np.full((len(columns), 2), np.nan)
        for j, (column, own) in enumerate(zip(columns, known, strict=True)):
            values, number = np.unique(column, return_inverse=True)
            if not values.size:
                continue
            if self.levels[j]:
                order = np.argsort(-np.bincount(number, own), kind="stable")[:2]
                self.frequent[j, : order.size] = values[order]
                continue
            center, unit = center_and_unit(column[:, None], own)
            self.mean[j], self.step[j] = center[0], STEP * unit[0]
            self.low[j], self.high[j] = values[0], values[-1]
            self.distinct[j] = values if values.size <= FEW_VALUES else None
        self.per = [self._unit(j) for j in range(len(columns))]

    def _unit(self, j: int) -> str:
        if self.levels[j]:
            return "level"
        return "day" if set(self.reader.kinds[j]) & {DATES, DURATIONS, TIMES} else "unit"

    def compare(self, codes: np.ndarray) -> Compared:
        """Return what each cell of queries is compared with."""
        inside = np.clip(codes, self.low, self.high)
        below, above = np.maximum(inside - self.step, self.low), np.minimum(inside + self.step, self.high)
        for j, values in enumerate(self.distinct):
            if values is not None:
                below[:, j] = values[np.maximum(np.searchsorted(values, below[:, j], "right") - 1, 0)]
                at = np.searchsorted(values, above[:, j])
                above[:, j] = values[np.minimum(at, values.size - 1)]
        distance = above - below
        alone = np.isnan(codes) | self.levels
        first, second = self.frequent.T
        reference = np.where(self.levels, np.where(codes == first, second, first), self.mean)
        below, above = np.where(alone, reference, below), np.where(alone, codes, above)
        distance = np.where(alone, np.where(np.isnan(reference), 0.0, 1.0), distance)
        return Compared(below, above, distance)

    def towards(self, codes: np.ndarray, compared: Compared, train: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Return rows (n_query, N_JOINT, n_columns) in which some of the columns move towards a training row.

        Numbers go no farther than ``compared`` and categories to the reference, if the row has another level.
        """
        drawn = np.random.default_rng(SEED)
        n_query, n_columns = codes.shape
        goal = train[drawn.integers(0, len(train), (N_JOINT, 1)), np.arange(n_columns)]
        asked = np.zeros((N_JOINT, n_columns), dtype=bool)
        chosen = drawn.random((N_JOINT, columns.size)) < SHARE_MOVED
        # each row moves one column at least
        chosen[np.arange(N_JOINT), np.arange(N_JOINT) % columns.size] = True
        asked[:, columns] = chosen
        own, below, above = codes[:, None], compared.below[:, None], compared.above[:, None]
        alone = self.levels | np.isnan(own)
        nearer = np.where(np.isnan(goal), own, np.clip(goal, below, above))
        moved = np.where(alone, np.where(goal != own, below, own), nearer)
        moves = asked & (compared.distance > 0)[:, None]
        return np.where(moves, moved, np.broadcast_to(own, (n_query, N_JOINT, n_columns)))

    def grid(self, codes: np.ndarray, weight: np.ndarray, j: int, n_values: int) -> np.ndarray:
        """Return values of a column over its range: quantiles of the training rows, or the most frequent levels."""
        known = ~np.isnan(codes[:, j])
        values, number = np.unique(codes[known, j], return_inverse=True)
        mass = np.bincount(number, weight[known], values.size)
        if self.levels[j]:
            return np.sort(values[np.argsort(-mass, kind="stable")[:n_values]])
        if values.size <= n_values:
            return values
        reached = (np.cumsum(mass) - mass / 2) / mass.sum()
        places = np.searchsorted(reached, np.linspace(0.0, 1.0, n_values)[1:-1])
        return np.unique(np.concatenate([values[:1], values[np.minimum(places, values.size - 1)], values[-1:]]))


def moves_of(model: FittedAttention) -> Moves:
    """Return how the columns of a model's training table move, worked out once."""
    if "moves" not in model.cache:
        model.cache["moves"] = Moves(model.rows)
    return model.cache["moves"]


def columns_to_move(model: FittedAttention, most: int) -> np.ndarray:
    """Return the columns of the table that can change a prediction, at most so many: the most important ones."""
    weight = model.column_weight
    used = np.flatnonzero(weight > 0) if weight.any() else np.arange(1)
    return np.sort(used[np.argsort(-weight[used], kind="stable")[:most]])
