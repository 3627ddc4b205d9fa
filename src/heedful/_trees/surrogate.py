"""A sum of small trees that stands for any function of a table's columns, and whose Shapley values are exact."""

from dataclasses import dataclass
from math import factorial
from typing import NamedTuple

import numpy as np

from heedful import _kernels
from heedful._kernels.shapes import StumpRule, StumpTable
from heedful._trees.bins import Binned

DEPTH, ROUNDS = 4, 200
# A side of a split has at least 5 rows.
RULE = StumpRule(ridge=1.0, min_hessian=5.0, learning_rate=0.1)
CODES = 256
# Columns that a tree tries at most: of more, those that split best alone, found anew every few rounds, and some others.
MOST_TRIED, BEST_TRIED, EVERY = 128, 96, 20


class LeafTables(NamedTuple):
    """The columns of each leaf, which of their codes lead to it, and what each adds by the conditions that hold.

    ``mean`` is that of the trees over the rows that a query is compared with.
    """

    columns: np.ndarray
    allowed: np.ndarray
    table: np.ndarray
    mean: float

    def values(self, codes: np.ndarray) -> np.ndarray:
        """Return the Shapley values (n_query, n_columns) of rows in bins; they add up to what trees say, less mean."""
        total = np.zeros(codes.shape)
        _kernels.leaf_shapley_rows(codes, self.columns, self.allowed, self.table, total)
        return total


@dataclass
class Surrogate:
    """Boosted trees of depth 4: ``column`` and ``side`` of each split, ``value`` of each leaf, and a ``start``."""

    start: float
    column: np.ndarray
    side: np.ndarray
    value: np.ndarray

    def predict(self, codes: np.ndarray) -> np.ndarray:
        total = np.full(len(codes), self.start)
        _kernels.tree_sum_rows(codes, self.column, self.side, self.value, total)
        return total

    def leaf_tables(self, codes: np.ndarray, weight: np.ndarray) -> LeafTables:
        """Return what Shapley values are looked up in, with weighted rows in bins to compare with."""
        n_leaves = self.value.size
        columns, allowed = np.empty((n_leaves, DEPTH), np.int64), np.empty((n_leaves, DEPTH, CODES), np.uint8)
        table, mean, share = np.zeros((n_leaves, 1 << DEPTH, DEPTH)), np.zeros(1), np.empty(1 << DEPTH)
        rows = (codes, weight / weight.sum(), _shapley_weights(), share)
        _kernels.leaf_table_rows(self.column, self.side, self.value, *rows, columns, allowed, table, mean)
        return LeafTables(columns, allowed, table, self.start + float(mean[0]))


def fit_surrogate(rows: Binned, y: np.ndarray, seed: int) -> Surrogate:
    drawn, n_leaves = np.random.RandomState(seed), 1 << DEPTH
    start, (n_rows, n_columns) = float(y.mean()), rows.shape
    column = np.full((ROUNDS, n_leaves - 1), -1, np.int64)
    side = np.zeros((ROUNDS, n_leaves - 1, CODES), np.uint8)
    value = np.zeros((ROUNDS, n_leaves))
    residual = y - start
    table = StumpTable(rows.columns, rows.bins.categories, rows.bins.sizes, np.zeros(n_columns))
    tally, order = np.zeros((CODES, n_leaves)), np.empty(CODES, np.int64)
    work = (np.empty(n_rows, np.int64), tally, order, np.empty(n_leaves))
    if np.ptp(y) > 0:
        used = best = np.arange(n_columns)
        for t in range(ROUNDS):
            if n_columns > MOST_TRIED:
                best = _best_alone(rows, residual) if t % EVERY == 0 else best
                others = drawn.choice(n_columns, MOST_TRIED - BEST_TRIED, replace=False)
                used = np.union1d(best, others)
            tree = (column[t], side[t], value[t])
            _kernels.boost_tree_rows(table, used, residual, RULE, *work, *tree)
    return Surrogate(start, column, side, value)


def _best_alone(rows: Binned, residual: np.ndarray) -> np.ndarray:
    """Return the columns whose bins tell residuals apart best, a bin counted as what it is beyond chance."""
    gain = np.empty(rows.shape[1])
    for j, codes in enumerate(rows.columns):
        count = np.bincount(codes, minlength=CODES)
        total = np.bincount(codes, residual, CODES)
        # neighbouring bins are taken together: columns with many bins gain no more by chance
        count, total = (part.reshape(16, -1).sum(axis=1) for part in (count, total))
        gain[j] = (total**2 / np.maximum(count, 1)).sum()
    return np.sort(np.argsort(-gain, kind="stable")[:BEST_TRIED])


def _shapley_weights() -> np.ndarray:
    chance = np.zeros((DEPTH + 1, DEPTH + 1))
    for n in range(1, DEPTH + 1):
        chance[:n, n] = [factorial(size) * factorial(n - size - 1) / factorial(n) for size in range(n)]
    return chance
