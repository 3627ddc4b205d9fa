"""Columns as codes: one float per cell, categories as the number of their level, missing as NaN."""

import numpy as np
import pandas as pd


class TableReader:
    """Turns a checked table into codes, the same way at every call."""

    def fit(self, X: pd.DataFrame | np.ndarray) -> "TableReader":
        """Learn column names, the levels of text and categorical columns, and which have no order (``unordered``)."""
        if isinstance(X, pd.DataFrame):
            self.names = [str(name) for name in X.columns]
            self.levels = [_levels(X.iloc[:, j]) for j in range(X.shape[1])]
            ordered = [getattr(dtype, "ordered", False) is True for dtype in X.dtypes]
        else:
            self.names = [f"x{j}" for j in range(X.shape[1])]
            self.levels, ordered = [None] * X.shape[1], [False] * X.shape[1]
        pairs = zip(self.levels, ordered, strict=True)
        self.unordered = np.array([levels is not None and not order for levels, order in pairs])
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
