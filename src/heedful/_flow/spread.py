"""How large the residual of a row is expected to be: by a forest on its columns, and by the rows it attends to.

Neither sees the residual of a training row that it is asked about.
"""

from typing import NamedTuple

import numpy as np

from heedful import _blocks
from heedful._trees import Binned, Bins, Growing, grow_forest
from heedful.attention import Attention

# Trees of the forest, and the draws that a leaf has at least: fewer tell little of a spread (benchmarks/intervals).
TREES, LEAST = 150, 20
# Columns that are candidates at a split at most: a wide table would else cost more than its fit.
MOST_TRIED = 100
# Rows of the overall level that count beside the effective rows of a query.
PRIOR = 10.0
# No spread is smaller than this share of the overall level: scores stay finite where nothing was left.
FLOOR = 0.01


class Columns(NamedTuple):
    """What a forest of residuals sees of rows: numbers (n_rows, n_columns), and which columns hold levels."""

    table: np.ndarray
    categories: np.ndarray

    def take(self, rows: np.ndarray) -> "Columns":
        return Columns(self.table[rows], self.categories)


class ForestSpread:
    """A forest grown to absolute residuals: what is expected of a row is the mean residual of its leaves."""

    def __init__(self, columns: Columns, size: np.ndarray, weight: np.ndarray, n_jobs: int | None):
        self._bins, self._n_jobs = Bins().fit(columns.table, columns.categories, weight), n_jobs
        self._train = self._bins.transform(columns.table)
        how = Growing(TREES, size.size, min(columns.table.shape[1], MOST_TRIED), 2 * LEAST, LEAST)
        # all rows are drawn alike: a heavy one would else be in every bag and never be left out
        self._forest, (starts, members, draws, self._inside) = grow_forest(
            self._train, size, how, 0, split_weight=weight, n_jobs=n_jobs
        )
        mass = draws * weight[members]
        moment, total = (np.add.reduceat(part, starts[:-1]) for part in (mass * size[members], mass))
        self._level = float(np.average(size, weights=weight))
        self._means = np.maximum(moment / total, FLOOR * self._level)

    def of(self, table: np.ndarray) -> np.ndarray:
        """Return what is expected of new rows."""
        rows = self._bins.transform(table)
        return self._mean(rows, np.zeros((len(rows), self._inside.shape[1]), np.uint8))

    def of_left_out(self, number: np.ndarray) -> np.ndarray:
        """Return what trees that did not draw a training row expect of it; the overall level if all of them did."""
        return self._mean(self._train[number], self._inside[number])

    def _mean(self, rows: Binned, inside: np.ndarray) -> np.ndarray:
        blocks = _blocks.cut(len(rows), 16 * TREES, self._n_jobs)
        return np.concatenate(list(_blocks.run(self._mean_block, blocks, rows, inside, n_jobs=self._n_jobs)))

    def _mean_block(self, block: slice, rows: Binned, inside: np.ndarray) -> np.ndarray:
        asked = np.unpackbits(inside[block], axis=1, count=TREES) == 0
        # row by row: sums over columns would depend on the size of the block
        leaves = np.ascontiguousarray(self._forest.leaves(rows[block]).T)
        means = np.where(asked, self._means[leaves], 0.0)
        n_trees = asked.sum(axis=1)
        return np.where(n_trees > 0, means.sum(axis=1) / np.maximum(n_trees, 1), self._level)


def attended(attention: Attention, size: np.ndarray, level: np.ndarray | float) -> np.ndarray:
    """Return the mean residual of the rows that queries attend to, shrunk towards the overall level."""
    n_rows = attention.n_eff
    return np.maximum((n_rows * (attention @ size) + PRIOR * level) / (n_rows + PRIOR), FLOOR * level)
