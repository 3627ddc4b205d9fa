"""Columns cut into at most 255 bins, once for all trees: one byte per cell, and missing cells are 255."""

from functools import cached_property

import numpy as np

from heedful._file_checks import require
from heedful._kernels.shapes import MISSING

MOST_BINS = 255
# Values at either end that have bins of their own: what is far out is unlike its neighbours.
TAIL = 16


class Bins:
    """Where the columns of a table are cut.

    A column of numbers with at most 255 distinct values has one bin for each; any other has a bin for each of the 16
    smallest and largest, and bins of about equal weight in between. Only the order of its values matters, so no bin
    depends on the unit of a column; ``centers`` (n_columns, 256) are the values in the middle of bins. A category has
    one bin for each of its levels, which are given as whole numbers; beyond 254 of them, the rare ones share the last
    bin.
    """

    def fit(self, X: np.ndarray, categories: np.ndarray, weight: np.ndarray) -> "Bins":
        """Find the bins of a table of numbers, NaN for missing; ``categories`` says which columns hold levels."""
        self.categories = np.asarray(categories, dtype=bool)
        self._cuts, self.centers = [], np.zeros((X.shape[1], MISSING + 1))
        for column, category, centers in zip(X.T, self.categories, self.centers, strict=True):
            if category:
                self._cuts.append(_level_bins(column, weight))
                continue
            low, high = _ends(column, weight)
            self._cuts.append(_between(high[:-1], low[1:]))
            centers[: low.size] = 0.5 * low + 0.5 * high
        return self

    def transform(self, X: np.ndarray) -> "Binned":
        codes = np.full(X.shape, MISSING, np.uint8)
        for cuts, category, column, code in zip(self._cuts, self.categories, X.T, codes.T, strict=True):
            if category:
                known = column < cuts.size
                code[known] = cuts[column[known].astype(np.int64)]
            else:
                code[:] = cuts.searchsorted(column)
        codes[np.isnan(X)] = MISSING
        return Binned(codes, X, self)

    @property
    def sizes(self) -> np.ndarray:
        """Number of bins of each column, that of missing cells not counted."""
        pairs = zip(self._cuts, self.categories, strict=True)
        sizes = [cuts.max(initial=0) + bool(cuts.size) if category else cuts.size + 1 for cuts, category in pairs]
        return np.array(sizes, np.int64)

    def edges(self, column: int) -> np.ndarray:
        """Return where the bins of a column of numbers begin and end, from minus to plus infinity."""
        return np.concatenate([[-np.inf], self._cuts[column], [np.inf]])

    def level_bins(self, column: int) -> np.ndarray:
        return self._cuts[column]

    def check_loaded(self) -> None:
        """Raise if what came from a file cuts no columns."""
        pairs = zip(self._cuts, self.categories, strict=True)
        right = (cuts.ndim == 1 and cuts.dtype.kind == ("u" if category else "f") for cuts, category in pairs)
        require(self.categories.dtype == bool and self.categories.ndim == 1 and all(right), "columns are cut nowhere")
        require(self.centers.shape == (self.categories.size, MISSING + 1), "bins have no values")

    def without(self, column: int) -> "Bins":
        other = Bins()
        other.categories, other.centers = np.delete(self.categories, column), np.delete(self.centers, column, axis=0)
        other._cuts = [cuts for j, cuts in enumerate(self._cuts) if j != column]
        return other


class Binned:
    """Rows of a table in bins (n_rows, n_columns), with the numbers themselves and the bins."""

    def __init__(self, codes: np.ndarray, numbers: np.ndarray, bins: Bins):
        self.codes, self.numbers, self.bins = codes, numbers, bins

    def __getitem__(self, rows) -> "Binned":
        return Binned(self.codes[rows], self.numbers[rows], self.bins)

    def __len__(self) -> int:
        return self.codes.shape[0]

    @property
    def shape(self) -> tuple[int, ...]:
        return self.codes.shape

    @cached_property
    def columns(self) -> np.ndarray:
        """Codes column by column (n_columns, n_rows), as trees are grown on them."""
        return np.ascontiguousarray(self.codes.T)

    def without(self, column: int) -> "Binned":
        codes, numbers = (np.delete(part, column, axis=1) for part in (self.codes, self.numbers))
        return Binned(codes, numbers, self.bins.without(column))

    def __getstate__(self) -> dict:
        """Return the attributes without what can be had again."""
        return {name: value for name, value in self.__dict__.items() if name != "columns"}


def _ends(column: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the smallest and the largest value of each bin of a column of numbers."""
    known = ~np.isnan(column)
    values, mass = _masses(column[known], weight[known])
    last = np.arange(values.size)
    if values.size > MOST_BINS:
        inner = np.arange(values.size)[TAIL:-TAIL]
        total = np.cumsum(mass[inner])
        n_inner = MOST_BINS - 2 * TAIL
        within = np.searchsorted(total, np.arange(1, n_inner) / n_inner * total[-1])
        kept = np.unique(np.append(np.minimum(within, inner.size - 1), inner.size - 1))
        last = np.concatenate([last[:TAIL], inner[kept], last[-TAIL:]])
    first = np.concatenate([[0], last[:-1] + 1])[: last.size]
    return values[first], values[last]


def _masses(column: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct values and the weight of each; where all weigh one they are counted, which is faster."""
    if (weight == 1.0).all():
        return np.unique(column, return_counts=True)
    values, place = np.unique(column, return_inverse=True)
    return values, np.bincount(place, weights=weight)


def _between(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return the values between which a column is cut; a value that is one itself lies below it."""
    # halves are added, as the sum of two large numbers may be infinite
    middle = low / 2 + high / 2
    return np.where((low <= middle) & (middle < high), middle, low)


def _level_bins(column: np.ndarray, weight: np.ndarray) -> np.ndarray:
    known = ~np.isnan(column)
    levels = column[known].astype(np.int64)
    n_levels = int(levels.max(initial=-1)) + 1
    bins = np.arange(n_levels)
    if n_levels > MOST_BINS:
        frequency = np.bincount(levels, weights=weight[known], minlength=n_levels)
        kept = np.sort(np.lexsort((bins, -frequency))[: MOST_BINS - 1])
        bins = np.full(n_levels, MOST_BINS - 1)
        bins[kept] = np.arange(kept.size)
    return bins.astype(np.uint8)
