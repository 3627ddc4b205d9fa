"""Frames of pandas and of other kinds, read alike; what comes back is of the kind that went in."""

from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from heedful._frames import as_table, check_distinct, read_eager


def as_pandas(frame: Any) -> pd.DataFrame:
    """Return a frame of any kind as that of pandas; nulls become missing values."""
    if isinstance(frame, pd.DataFrame):
        check_distinct(frame.columns, "frame")
        return frame
    # names first: narwhals does not take a table that repeats one
    table: Any = as_table(frame, "frame")
    if not isinstance(table, pd.DataFrame) or read_eager(frame) is None:
        raise TypeError(
            f"`frame` must be a data frame of pandas, polars or pyarrow, got {type(frame).__name__}. "
            "Wrap an array in pandas.DataFrame; collect a lazy frame."
        )
    return table


def find_columns(table: pd.DataFrame, name: str, columns: Any) -> list:
    """Return the names in argument ``name``, one or several; raise unless each is a column."""
    one = isinstance(columns, str) or not hasattr(columns, "__iter__")
    names = [columns] if one else list(dict.fromkeys(columns))
    if not names:
        raise ValueError(f"`{name}` must name at least one column, got none. Those of `frame`: {list(table.columns)}.")
    for entry in names:
        if entry not in table.columns:
            raise ValueError(f"`{name}` names {entry!r}, which is no column. Those of `frame`: {list(table.columns)}.")
    return names


def find_column(table: pd.DataFrame, name: str, column: Any) -> pd.Series:
    """Return the one column that argument ``name`` names."""
    names = find_columns(table, name, column)
    if len(names) > 1:
        raise ValueError(f"`{name}` must name one column, got {column!r}. Join them into one first.")
    return table[names[0]]


def read_numbers(table: pd.DataFrame, column: Any, name: str) -> np.ndarray:
    """Return a column as floats with NaN for missing; ``name`` is the argument that needs numbers."""
    values = table[column]
    if not pd.api.types.is_numeric_dtype(values):
        raise TypeError(
            f"`{name}` needs numbers, but column {column!r} holds {values.dtype}. Convert it, or leave it out."
        )
    return values.to_numpy(dtype=np.float64, na_value=np.nan)


def extend(frame: Any, added: pd.DataFrame, rows: np.ndarray | None = None) -> Any:
    """Return some rows (None: all) of a frame of any kind with the columns of ``added`` at its end, row by row."""
    table = frame if isinstance(frame, pd.DataFrame) else nw.from_native(frame, eager_only=True)
    taken = [name for name in added.columns if name in table.columns]
    if taken:
        raise ValueError(f"`frame` has a column {taken[0]!r} already, the name of a new one. Rename or drop it.")
    if isinstance(frame, pd.DataFrame):
        kept = frame if rows is None else frame.iloc[rows]
        added = added.copy(deep=False)  # set_axis of pandas 2 copies the cells too
        added.index = kept.index
        extended = pd.concat([kept, added], axis=1)
        extended.attrs = dict(frame.attrs)
        return extended
    kept = table if rows is None else table[rows]
    return kept.with_columns(*(_to_series(added[name], table.implementation) for name in added.columns)).to_native()


def _to_series(column: pd.Series, library: Any) -> nw.Series:
    """Return a column as another library has it, with nulls for missing values."""
    values: Any = column.to_numpy()
    if values.dtype.kind not in "biuf":
        values = [None if missing else value for value, missing in zip(column, column.isna(), strict=True)]
    series = nw.new_series(str(column.name), values, backend=library)
    return series.fill_nan(None) if series.dtype.is_float() else series
