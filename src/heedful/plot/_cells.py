"""Cells of one column as places along an axis, and points that do not cover each other."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from heedful.explain import say_cell

DAY = np.timedelta64(1, "D")


class Cells(NamedTuple):
    """One column: a place for each cell, NaN where it is missing or of a level that is not drawn.

    ``levels`` are the most frequent ones of ``n_levels`` with their numbers in ``place``, empty for what is measured;
    ``dates`` says that places are days since 1970, as matplotlib counts them.
    """

    place: np.ndarray
    missing: np.ndarray
    levels: list[str]
    n_levels: int
    dates: bool = False


def read_cells(column: pd.Series, most_levels: int) -> Cells:
    """Return the cells of a column: numbers, dates and durations (in days) as they are, all else by level."""
    column = column.astype(object).infer_objects() if column.dtype == object else column
    missing = column.isna().to_numpy()
    kinds = pd.api.types
    if kinds.is_datetime64_any_dtype(column):
        plain = column if column.dt.tz is None else column.dt.tz_convert("UTC").dt.tz_localize(None)
        return Cells((plain.to_numpy() - np.datetime64(0, "D")) / DAY, missing, [], 0, dates=True)
    if kinds.is_timedelta64_dtype(column):
        return Cells(column.to_numpy() / DAY, missing, [], 0)
    if kinds.is_numeric_dtype(column) and not kinds.is_bool_dtype(column):
        return Cells(column.to_numpy(dtype=np.float64, na_value=np.nan), missing, [], 0)
    counted = column.astype(object).value_counts(sort=False)
    # the most frequent ones, those of equal counts by name
    names = sorted(counted.index, key=lambda level: (-counted[level], str(level)))
    place = pd.Index(names[:most_levels]).get_indexer(pd.Index(column.astype(object))).astype(np.float64)
    place[missing | (place < 0)] = np.nan
    return Cells(place, missing, [say_cell(name) for name in names[:most_levels]], len(names))


def swarm(positions: Any, half: float, n_bins: int = 90) -> np.ndarray:
    """Return how far to move points sideways, at most ``half``, so that those at one place stand side by side."""
    positions = np.asarray(positions, dtype=np.float64)
    if positions.size == 0:
        return positions
    bins = np.floor(n_bins * (positions - positions.min()) / (np.ptp(positions) or 1.0))
    order = np.argsort(bins, kind="stable")
    _, start, count = np.unique(bins[order], return_index=True, return_counts=True)
    rank = np.arange(positions.size) - np.repeat(start, count)
    steps = np.empty(positions.size)
    steps[order] = (rank + 1) // 2 * np.where(rank % 2, 1.0, -1.0)
    return steps * half / max(np.abs(steps).max(), 5.0)
