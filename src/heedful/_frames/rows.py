"""Rows of a table: some of them, equal ones found, and frames as arrays to be saved."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

# Equal rows are observations of their own if two rows have the same response by chance at least so often, and if so
# many of the repeated ones, by their columns, have several responses ...
CHANCE, SEVERAL_RESPONSES = 0.01, 0.1
# ... or all columns have few levels and there are so many rows for each combination of them.
FEW_LEVELS, PER_COMBINATION = 10, 3
# Observations that are equal are written out as rows of their own up to so many rows in all.
MOST_WRITTEN_OUT = 100_000


class Observations(NamedTuple):
    """Rows to learn from, in an order that depends on the rows only; equal ones stand side by side.

    Each is a copy of the given row ``source``; ``number`` says which of the distinct rows it is, ``weight`` what it
    weighs. ``distinct`` is the distinct row of each row as given, -1 for a row of weight 0.
    """

    source: np.ndarray
    number: np.ndarray
    weight: np.ndarray
    distinct: np.ndarray

    @property
    def place(self) -> np.ndarray:
        """Where the first observation of each row as given stands; -1 for a row of weight 0."""
        first = np.searchsorted(self.number, self.distinct)
        return np.where(self.distinct >= 0, first, -1)

    def give(self, values: np.ndarray) -> np.ndarray:
        """Return values of observations as values of the rows as given: means over equal ones, NaN for weight 0."""
        count = np.bincount(self.number)
        total = np.zeros((count.size + 1, *values.shape[1:]))
        np.add.at(total, self.number, values)
        total[:-1] /= count.reshape(-1, *[1] * (values.ndim - 1))
        total[-1] = np.nan
        return total[self.distinct]

    def gather(self, values: np.ndarray) -> np.ndarray:
        """Return values of the rows as given as those of observations: sums over equal rows, in equal parts."""
        used = self.distinct >= 0
        count = np.bincount(self.number)
        return (np.bincount(self.distinct[used], values[used], count.size) / count)[self.number]


def take(table: Any, rows: Any) -> Any:
    """Return some rows of an array or a frame."""
    return table.iloc[rows] if isinstance(table, pd.DataFrame) else table[rows]


def merge_rows(codes: np.ndarray, y: np.ndarray, fold: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Find equal rows: same codes, response and fold pattern.

    ``y`` may have several columns. Returns the first position of each distinct row of positive weight, in an order
    that depends on the rows only, and for every input row the number of its distinct row (-1 for weight 0). A row of
    weight 2 and the same row twice then give one and the same fit, in whatever order they come.
    """
    used = np.flatnonzero(weight > 0)
    order, first = order_rows(_columns(used, codes, fold, y))
    number = np.cumsum(first) - 1
    inverse = np.full(weight.size, -1, dtype=np.int64)
    inverse[used[order]] = number
    return used[order[first]], inverse


def order_rows(columns: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return the order of rows by the last column, then the one before and so on, as ``np.lexsort``, and first ones.

    Of rows that are equal in all columns the first is marked. Missing numbers come last, and are equal. Only rows that
    are equal so far are sorted again.
    """
    size = columns[0].size
    order, group, tied = np.arange(size), np.zeros(size, np.int64), np.arange(size)
    for column in reversed(columns):
        rows, of = order[tied], group[tied]
        rows = rows[np.lexsort((column[rows], of)) if of.any() else np.argsort(column[rows], kind="stable")]
        order[tied] = rows
        values = column[rows]
        before, after = values[:-1], values[1:]
        apart = (before != after) & ((before == before) | (after == after))
        first = np.concatenate([[True], apart | (of[1:] != of[:-1])])[: rows.size]
        # a group has the number of its first place
        group[tied] = tied[first][np.cumsum(first) - 1]
        alone = first & np.concatenate([first[1:], [True]])[: rows.size]
        tied = tied[~alone]
        if not tied.size:
            break
    return order, group == np.arange(size)


def sort_rows(codes: np.ndarray, y: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the positions of rows of positive weight, in an order that depends on the rows only, and their places.

    Equal rows stay rows of their own: of many rows with few distinct cells, each can be left out alone. A row of weight
    0 has the place -1.
    """
    used = np.flatnonzero(weight > 0)
    order = used[order_rows(_columns(used, codes, y, weight))[0]]
    place = np.full(weight.size, -1, dtype=np.int64)
    place[order] = np.arange(order.size)
    return order, place


def _columns(rows: np.ndarray, *parts: np.ndarray) -> list[np.ndarray]:
    """Return all columns of some rows of arrays side by side, without a copy if these are all rows."""
    some = slice(None) if rows.size == len(parts[0]) else rows
    return [column[some] for part in parts for column in np.atleast_2d(part.T)]


def find_observations(
    codes: np.ndarray,
    y: np.ndarray,
    fold: np.ndarray,
    weight: np.ndarray,
    counts: np.ndarray,
    draws: bool | None = None,
) -> Observations:
    """Return the observations that rows stand for: distinct rows of their weight, or every copy by itself.

    ``counts`` says how many copies of itself each row stands for; ``draws`` whether equal rows are observations of
    their own, None if that is to be seen from them. Copies of one observation must be left out together, or each would
    be predicted by the others. Where columns have few values, equal rows are observations that happen to
    agree: left out together, by their response, they would make the rest lean the other way. Either way a row of count
    2 and the same row twice are one and the same.
    """
    first, distinct = merge_rows(codes, y, fold, weight)
    used = distinct >= 0
    total = np.bincount(distinct[used], weights=weight[used])
    copies = np.bincount(distinct[used], weights=counts[used]).astype(np.int64)
    if copies.max() > 1 and not (_are_draws(codes[first], y[first], copies) if draws is None else draws):
        copies[:] = 1
    copies = np.minimum(copies, _most_copies(copies))
    number = np.repeat(np.arange(first.size), copies)
    return Observations(first[number], number, (total / copies)[number], distinct)


def count_rows(weight: np.ndarray) -> np.ndarray:
    """Return how many rows each stands for: weights if all of them are whole numbers, else one."""
    counts = np.rint(weight)
    return counts if np.array_equal(counts, weight) else np.ones(weight.size)


def _are_draws(codes: np.ndarray, y: np.ndarray, copies: np.ndarray) -> bool:
    """Return whether equal rows are observations of their own, given the distinct rows.

    Rows that share their columns and hardly ever differ in the response are copies of one row; so are rows that share
    a response which two rows do not have by chance.
    """
    same = np.zeros(len(codes))
    mass = np.bincount(merge_rows(codes[:, :0], y, same, same + 1.0)[1], weights=copies)
    if mass @ mass < CHANCE * mass.sum() ** 2:
        return False
    cell = merge_rows(codes, same, same, same + 1.0)[1]
    several = np.bincount(cell[merge_rows(codes, y, same, same + 1.0)[0]]) > 1
    size = np.bincount(cell, weights=copies)
    if several[size > 1].mean() >= SEVERAL_RESPONSES:
        return True
    if size.sum() < PER_COMBINATION * size.size:
        return False
    return all(np.unique(column).size <= FEW_LEVELS for column in codes.T)


def _most_copies(copies: np.ndarray) -> int:
    """Return how often a row may be written out, such that all rows are not too many."""
    if copies.sum() <= MOST_WRITTEN_OUT:
        return int(copies.max())
    ordered = np.sort(copies)
    rest = np.arange(copies.size - 1, -1, -1)
    # the sum of all copies, were none more than each of these
    total = np.cumsum(ordered) + rest * ordered
    fits = np.searchsorted(total, MOST_WRITTEN_OUT, side="right")
    below = int(np.cumsum(ordered)[fits - 1]) if fits else 0
    return max((MOST_WRITTEN_OUT - below) // int(copies.size - fits), 1)


def freeze(frame: pd.DataFrame) -> tuple:
    """Return a frame as arrays, with the levels of categorical columns."""
    columns = []
    for name in frame:
        column = frame[name]
        levels = column.cat.categories.to_numpy() if isinstance(column.dtype, pd.CategoricalDtype) else None
        ordered = levels is not None and bool(column.cat.ordered)
        columns.append((name, column.to_numpy(), levels, ordered))
    return np.asarray(frame.index), columns


def thaw(frozen: Any) -> Any:
    """Return the frame of its arrays; anything else as it is."""
    if not isinstance(frozen, tuple):
        return frozen
    index, columns = frozen
    restored = {
        name: values if levels is None else pd.Categorical(values, categories=levels, ordered=ordered)
        for name, values, levels, ordered in columns
    }
    return pd.DataFrame(restored, index)
