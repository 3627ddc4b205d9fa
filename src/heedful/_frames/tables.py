"""From the user's table to numbers: column names, categories, missing values.

A table is read once into codes: one float column per feature, categories as the number of their level, missing as NaN.
Trees take codes as they are. Linear models take dummies: one 0/1 column per level, missing numbers as training means.
"""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_array, validate_data

# Levels beyond the most frequent ones of a column share no dummy column of their own.
MOST_LEVELS = 50


def is_frame(X: Any) -> bool:
    """Return whether ``X`` is a data frame (pandas, or another kind with named columns)."""
    return hasattr(X, "columns") and hasattr(X, "shape") and not isinstance(X, np.ndarray)


def as_table(X: Any) -> pd.DataFrame | np.ndarray:
    """Return any kind of frame as that of pandas, anything else as an array."""
    if not is_frame(X):
        return np.asarray(X)
    return X if isinstance(X, pd.DataFrame) else pd.DataFrame({name: np.asarray(X[name]) for name in X.columns})


def take(table: Any, rows: Any) -> Any:
    """Return some rows of an array or a frame."""
    return table.iloc[rows] if isinstance(table, pd.DataFrame) else table[rows]


def read_table(estimator: Any, X: Any, *, reset: bool) -> pd.DataFrame | np.ndarray:
    """Check the user's table against the estimator; return a pandas frame, or an array if it had no columns names."""
    if not is_frame(X):
        return validate_data(
            estimator, X, reset=reset, dtype=np.float64, ensure_all_finite=False, ensure_min_samples=2 if reset else 1
        )
    X = as_table(X)
    if X.columns.has_duplicates:
        twice = X.columns[X.columns.duplicated()][0]
        raise ValueError(f"`X` must have distinct column names, got {twice!r} more than once. Rename one of them.")
    check_array(np.empty(X.shape, dtype=np.int8), ensure_min_samples=2 if reset else 1, estimator=estimator)
    validate_data(estimator, X, reset=reset, skip_check_array=True)
    return X


def select(X: pd.DataFrame | np.ndarray, columns: Any, name: str) -> np.ndarray:
    """Return the positions of ``columns``: None for all, names, positions, a mask, or a function of the frame."""
    n_columns = X.shape[1]
    if columns is None:
        return np.arange(n_columns)
    if callable(columns):
        columns = columns(X)
    if not hasattr(columns, "__iter__"):
        raise TypeError(f"`{name}` must be column names, positions, a mask or a function of `X`, got {columns!r}.")
    columns = [columns] if isinstance(columns, str) else list(columns)
    mask = all(isinstance(entry, bool | np.bool_) for entry in columns)
    if not columns or (mask and not any(columns)):
        raise ValueError(f"`{name}` must select at least one column, got none. Use None for all of them.")
    if mask:
        if len(columns) != n_columns:
            raise ValueError(f"`{name}` is a mask of {len(columns)} entries for {n_columns} columns.")
        return np.flatnonzero(columns)
    names = list(X.columns) if isinstance(X, pd.DataFrame) else []
    return np.array([_position(entry, names, n_columns, name) for entry in columns])


def _position(entry: Any, names: list, n_columns: int, name: str) -> int:
    if entry in names:
        return names.index(entry)
    if isinstance(entry, int | np.integer) and -n_columns <= entry < n_columns:
        return int(entry) % n_columns
    raise ValueError(f"`{name}` names {entry!r}, which is not a column of `X`. Its columns are {names or n_columns}.")


class TableReader:
    """Turns a checked table into codes, the same way at every call."""

    def fit(self, X: pd.DataFrame | np.ndarray) -> "TableReader":
        """Learn column names and the levels of text and categorical columns."""
        if isinstance(X, pd.DataFrame):
            self.names = [str(name) for name in X.columns]
            self.levels = [_levels(X.iloc[:, j]) for j in range(X.shape[1])]
        else:
            self.names = [f"x{j}" for j in range(X.shape[1])]
            self.levels = [None] * X.shape[1]
        return self

    def read(self, X: pd.DataFrame | np.ndarray) -> np.ndarray:
        """Return the codes of a table; a level that was not seen in ``fit`` becomes missing."""
        if isinstance(X, pd.DataFrame):
            columns = [self._column(X.iloc[:, j], j) for j in range(X.shape[1])]
            codes = np.column_stack(columns).astype(np.float64)
        else:
            codes = np.asarray(X, dtype=np.float64)
        infinite = np.isinf(codes).any(axis=0)
        if infinite.any():
            name = self.names[int(np.argmax(infinite))]
            raise ValueError(
                f"`X` must not hold infinity (inf): column {name!r} does. Replace it, or use NaN for missing."
            )
        return codes

    def decode(self, codes: np.ndarray, columns: np.ndarray, index: pd.Index) -> pd.DataFrame:
        """Return some columns of codes under their names, with levels in place of their numbers."""
        table = {}
        for j in columns:
            known, levels = ~np.isnan(codes[:, j]), self.levels[j]
            table[self.names[j]] = codes[:, j]
            if levels is not None:
                named = np.array([*levels, None], dtype=object)
                table[self.names[j]] = named[np.where(known, codes[:, j], len(levels)).astype(np.int64)]
        return pd.DataFrame(table, index)

    def _column(self, column: pd.Series, j: int) -> np.ndarray:
        levels = self.levels[j]
        if levels is not None:
            return _code(column, levels)
        try:
            return _numbers(column)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"Column {self.names[j]!r} held numbers in `fit`, now it is {column.dtype}: {error}. Convert it first."
            ) from error


def _is_numeric(column: pd.Series) -> bool:
    kinds = pd.api.types
    if isinstance(column.dtype, pd.CategoricalDtype):
        return False
    times = kinds.is_datetime64_any_dtype(column) or kinds.is_timedelta64_dtype(column)
    return bool(kinds.is_numeric_dtype(column) or times or _all_numbers(column))


def _all_numbers(column: pd.Series) -> bool:
    if column.dtype != object:
        return False
    present = column.dropna()
    return len(present) > 0 and all(isinstance(value, int | float | np.number) for value in present)


def _numbers(column: pd.Series) -> np.ndarray:
    if pd.api.types.is_datetime64_any_dtype(column):
        days = (column - pd.Timestamp(0, tz=column.dt.tz)) / pd.Timedelta(days=1)
        return days.to_numpy(dtype=np.float64)
    if pd.api.types.is_timedelta64_dtype(column):
        return (column / pd.Timedelta(days=1)).to_numpy(dtype=np.float64)
    return pd.to_numeric(column).to_numpy(dtype=np.float64, na_value=np.nan)


def _levels(column: pd.Series) -> list | None:
    """Return the levels of a text or categorical column, or None for numbers."""
    if _is_numeric(column):
        return None
    if isinstance(column.dtype, pd.CategoricalDtype) and column.dtype.ordered:
        present = set(column.dropna())
        return [level for level in column.dtype.categories if level in present]
    return sorted(set(column.dropna().tolist()), key=lambda level: (str(type(level)), str(level)))


def _code(column: pd.Series, levels: list) -> np.ndarray:
    codes = column.map({level: float(code) for code, level in enumerate(levels)})
    return codes.to_numpy(dtype=np.float64, na_value=np.nan)


class Dummies:
    """Turns codes into numbers for linear models."""

    def fit(self, codes: np.ndarray, names: list[str], levels: list[list | None], weight: np.ndarray) -> "Dummies":
        """Learn the training means, the levels that get a column, and the range of each column."""
        self._parts: list[tuple[int, np.ndarray | None]] = []
        self.names: list[str] = []
        self.mean = np.array([_known_mean(codes[:, j], weight) for j in range(codes.shape[1])])
        for j in range(codes.shape[1]):
            known = levels[j]
            if known is None:
                self._parts.append((j, None))
                self.names.append(names[j])
                continue
            kept = _kept_levels(codes[:, j], weight)
            self._parts.append((j, kept))
            self.names.extend(f"{names[j]}={_level_name(known, code)}" for code in kept)
        filled = self.transform(codes)
        self.low, self.high = filled.min(axis=0), filled.max(axis=0)
        return self

    def transform(self, codes: np.ndarray) -> np.ndarray:
        """Return (n_rows, number of dummies); a missing category is 0 in all its columns unless it is a level.

        Numbers without a gap are returned as they are, not copied.
        """
        if all(kept is None for _, kept in self._parts) and not np.isnan(codes).any():
            return codes
        parts = []
        for j, kept in self._parts:
            column = codes[:, j]
            if kept is None:
                parts.append(np.where(np.isnan(column), self.mean[j], column)[:, None])
            else:
                parts.append((np.where(np.isnan(column), -1.0, column)[:, None] == kept).astype(np.float64))
        return np.hstack(parts)

    def limit(self, rows: np.ndarray, reach: float | None) -> np.ndarray:
        """Pull values back that lie further outside the training range than ``reach`` times its width."""
        if reach is None:
            return rows
        margin = reach * (self.high - self.low)
        return np.clip(rows, self.low - margin, self.high + margin)


def _known_mean(column: np.ndarray, weight: np.ndarray) -> float:
    known = ~np.isnan(column)
    return float(np.average(column[known], weights=weight[known])) if known.any() else 0.0


def _kept_levels(column: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return the codes of the most frequent levels in order; -1 stands for missing."""
    codes, inverse = np.unique(np.where(np.isnan(column), -1.0, column), return_inverse=True)
    frequency = np.bincount(inverse, weights=weight)
    return np.sort(codes[np.lexsort((codes, -frequency))[:MOST_LEVELS]])


def _level_name(levels: list, code: float) -> str:
    return "(missing)" if code < 0 else str(levels[int(code)])


def merge_rows(codes: np.ndarray, y: np.ndarray, fold: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Find equal rows: same codes, response and fold pattern.

    ``y`` may have several columns. Returns the first position of each distinct row of positive weight, in an order
    that depends on the rows only, and for every input row the number of its distinct row (-1 for weight 0). A row of
    weight 2 and the same row twice then give one and the same fit, in whatever order they come.
    """
    used = np.flatnonzero(weight > 0)
    keys = np.column_stack([codes[used], fold[used], y[used]])
    order = used[np.lexsort(keys.T)]
    ordered = np.column_stack([codes[order], fold[order], y[order]])
    same = ((ordered[1:] == ordered[:-1]) | (np.isnan(ordered[1:]) & np.isnan(ordered[:-1]))).all(axis=1)
    number = np.concatenate([[0], np.cumsum(~same)])
    inverse = np.full(weight.size, -1, dtype=np.int64)
    inverse[order] = number
    return order[np.concatenate([[True], ~same])], inverse


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
