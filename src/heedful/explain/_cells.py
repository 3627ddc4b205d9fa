"""Cells of one column as places along an axis."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from heedful.explain._values import format_cell, is_number

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


def is_measured(column: pd.Series) -> bool:
    kinds = pd.api.types
    return is_number(column) or kinds.is_datetime64_any_dtype(column) or kinds.is_timedelta64_dtype(column)


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
    if is_measured(column):
        return Cells(column.to_numpy(dtype=np.float64, na_value=np.nan), missing, [], 0)
    counted = column.astype(object).value_counts(sort=False)
    # the most frequent ones, those of equal counts by name
    names = sorted(counted.index, key=lambda level: (-counted[level], str(level)))
    place = pd.Index(names[:most_levels]).get_indexer(pd.Index(column.astype(object))).astype(np.float64)
    place[missing | (place < 0)] = np.nan
    return Cells(place, missing, [format_cell(name) for name in names[:most_levels]], len(names))


def rank_cells(cells: Cells) -> np.ndarray:
    """Return the rank of each cell, 0 the lowest and 1 the highest; NaN for levels and missing cells."""
    share = np.full(len(cells.place), np.nan)
    known = np.isfinite(cells.place)
    if cells.levels or not known.any():
        return share
    # ties have one rank, and a column of two values has both ends of the scale
    _, at, count = np.unique(cells.place[known], return_inverse=True, return_counts=True)
    below = (np.cumsum(count) - 0.5 * count)[at]
    share[known] = (below - below.min()) / np.ptp(below) if np.ptp(below) > 0 else 0.5
    return share


def numbers_or_codes(column: pd.Series) -> np.ndarray:
    """Return a column as numbers: places of sorted levels for text and dates, NaN for missing."""
    if pd.api.types.is_numeric_dtype(column.dtype):
        return column.to_numpy(np.float64, na_value=np.nan)
    levels = pd.Categorical(column).codes
    return np.where(levels < 0, np.nan, levels).astype(np.float64)
