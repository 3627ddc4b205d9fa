"""Columns as codes: one float per cell, categories as the number of their level, missing as NaN."""

import warnings
from collections.abc import Sequence

import numpy as np
import pandas as pd

from heedful._checks import check_text
from heedful._frames.kinds import (
    BOOLEANS,
    DATES,
    DURATIONS,
    NUMBERS,
    TEXT,
    as_floats,
    as_given,
    cell_kinds,
    first_of_kind,
    is_binary,
    is_measured,
    show_some,
    unreadable,
)

# Numbers of which a thousand can be added up.
LARGEST = 1e305
# How cells become of a kind, to be told where another kind came.
CONVERSIONS = {
    NUMBERS: "pd.to_numeric(X[{name!r}])",
    DATES: "pd.to_datetime(X[{name!r}])",
    DURATIONS: "pd.to_timedelta(X[{name!r}])",
    TEXT: "X[{name!r}].astype(str)",
}


class TableReader:
    """Turns a checked table into codes, the same way at every call.

    ``kinds`` are those of each column's cells in ``fit``: later cells must be of them. ``levels`` are the categories of
    a column, None for one that is measured; ``binary`` are those whose numbers are all 0 or 1, as booleans are.
    """

    binary: Sequence[bool] = ()  # files of 0.2.0 do not say

    def fit(self, X: pd.DataFrame | np.ndarray) -> "TableReader":
        """Learn names and kinds of columns, the levels of categories, and which have no order (``unordered``)."""
        if isinstance(X, pd.DataFrame):
            self.names = [str(name) for name in X.columns]
            columns = [X.iloc[:, j] for j in range(X.shape[1])]
            self.kinds = [cell_kinds(column) for column in columns]
            self.levels = [_levels(*pair) for pair in zip(columns, self.kinds, strict=True)]
            self.binary = [is_binary(column) for column in columns]
            ordered = [getattr(dtype, "ordered", False) is True for dtype in X.dtypes]
        else:
            self.names = [f"x{j}" for j in range(X.shape[1])]
            self.kinds = [() if missing else (NUMBERS,) for missing in pd.isna(X).all(axis=0)]
            self.binary = ((X == 0) | (X == 1) | pd.isna(X)).all(axis=0).tolist()
            self.levels, ordered = [None] * X.shape[1], [False] * X.shape[1]
        pairs = zip(self.levels, ordered, strict=True)
        self.unordered = np.array([levels is not None and not order for levels, order in pairs])
        return self

    def check(self, X: pd.DataFrame | np.ndarray) -> None:
        """Raise if a column has cells of another kind than in ``fit``; warn if most have levels never seen."""
        if self._is_plain(X):
            return
        for j, column in enumerate(self._columns(X)):
            self._compare(column, j)
            levels = self.levels[j]
            if levels:
                _warn_of_new_levels(column, self.names[j], levels)

    def read(self, X: pd.DataFrame | np.ndarray) -> np.ndarray:
        """Return the codes of a table; a level that was not seen in ``fit`` becomes missing."""
        if self._is_plain(X):
            codes = np.asarray(X, dtype=np.float64)
        else:
            columns = [self._code(column, j) for j, column in enumerate(self._columns(X))]
            codes = np.column_stack(columns).astype(np.float64)
        low, high = (ends.reduce(codes, axis=0, initial=0.0) for ends in (np.fmin, np.fmax))
        largest = np.maximum(-low, high)
        if (largest > LARGEST).any():
            j = int(np.argmax(largest))
            raise ValueError(
                f"`X` must not hold infinity or numbers beyond {LARGEST:g}, whose sums are infinite: column "
                f"{self.names[j]!r} does ({largest[j]:g}). Use NaN for missing cells, or another unit."
            )
        return codes

    def decode(self, codes: np.ndarray, columns: np.ndarray, index: pd.Index) -> pd.DataFrame:
        """Return some columns of codes under their names, with levels, dates and durations instead of numbers."""
        return pd.DataFrame({self.names[j]: self._decode_column(codes[:, j], j) for j in columns}, index)

    def decode_cells(self, codes: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Return the cells (n_rows, n_columns) of some columns of codes as objects, as those of a table are."""
        cells = np.empty((len(codes), len(columns)), dtype=object)
        for place, j in enumerate(columns):
            column = self._decode_column(codes[:, j], j)
            # numbers need no column of pandas, which takes most of the time of few rows
            cells[:, place] = column if column.dtype.kind == "f" else pd.Series(column).to_numpy(dtype=object)
        return cells

    def _decode_column(self, codes: np.ndarray, j: int) -> np.ndarray:
        levels = self.levels[j]
        if levels is None:
            return as_given(codes, self.kinds[j])
        named = np.array([*levels, None], dtype=object)
        return named[np.where(np.isnan(codes), len(levels), codes).astype(np.int64)]

    def _is_plain(self, X: pd.DataFrame | np.ndarray) -> bool:
        """Return whether a table is its own codes: an array of numbers where each column held them."""
        return not isinstance(X, pd.DataFrame) and X.dtype != bool and self.kinds == [(NUMBERS,)] * len(self.kinds)

    def _columns(self, X: pd.DataFrame | np.ndarray) -> list[pd.Series]:
        table = X if isinstance(X, pd.DataFrame) else pd.DataFrame(X, columns=self.names)
        return [table.iloc[:, j] for j in range(table.shape[1])]

    def _compare(self, column: pd.Series, j: int) -> None:
        """Raise if a column has cells of a kind that it did not have in ``fit``; one that had none is ignored."""
        known, name = self.kinds[j], self.names[j]
        new = [kind for kind in cell_kinds(column) if known and kind not in known]
        if new and not self._are_truths(column, j, new[0]):
            mended = known if new != [BOOLEANS] else [kind for kind in known if kind != NUMBERS]
            ways = [CONVERSIONS[kind].format(name=name) for kind in mended if kind in CONVERSIONS]
            raise ValueError(
                f"Column {name!r} held {' and '.join(known)} in `fit`, now it holds {' and '.join(new)}: "
                f"{first_of_kind(column, new[0])!r} ({column.dtype}). Convert it first{': ' if ways else ''}"
                f"{' or '.join(ways)}."
            )

    def _are_truths(self, column: pd.Series, j: int, new: str) -> bool:
        """Return whether cells are booleans where the numbers 0 and 1 were, or such numbers where booleans were."""
        if new == BOOLEANS:
            return NUMBERS in self.kinds[j] and (not self.binary or self.binary[j])
        return new == NUMBERS and BOOLEANS in self.kinds[j] and is_binary(column)

    def _code(self, column: pd.Series, j: int) -> np.ndarray:
        self._compare(column, j)
        levels, kinds = self.levels[j], self.kinds[j]
        if not kinds:
            return np.full(len(column), np.nan)
        if levels is None:
            return as_floats(column, kinds[0])
        codes = _positions(column, levels)
        return np.where(codes < 0, np.nan, codes)


def _levels(column: pd.Series, kinds: tuple[str, ...]) -> list | None:
    """Return the levels of a text or categorical column, or None for one that is measured."""
    declared = isinstance(column.dtype, pd.CategoricalDtype)
    if not declared and (is_measured(kinds) or (not kinds and column.dtype != object)):
        return None
    try:
        present = set(column.dropna().tolist())
    except TypeError as error:
        raise unreadable(column.name, type(column.dropna().iloc[0])) from error
    check_text(present, f"Column {column.name!r}")
    if declared and column.dtype.ordered:
        return [level for level in column.dtype.categories if level in present]
    return sorted(present, key=lambda level: (str(type(level)), str(level)))


def _positions(column: pd.Series, levels: list) -> np.ndarray:
    """Return the number of each cell's level; -1 for a missing cell, and for a level that is not among them."""
    known, cells = (
        pd.Index(part, dtype=object, tupleize_cols=False) for part in (levels, column.to_numpy(dtype=object))
    )
    return known.get_indexer(cells)


def _warn_of_new_levels(column: pd.Series, name: str, levels: list) -> None:
    """Warn if most cells of a column hold levels that are not among those of ``fit``."""
    cells = column.dropna()
    new = cells[_positions(cells, levels) < 0]
    if 2 * len(new) > len(cells):
        warnings.warn(
            f"Column {name!r}: {len(new)} of {len(cells)} cells hold levels that were not seen in `fit`; they "
            f"are treated as missing: {show_some(new.tolist())}. Write levels as in `fit`: {show_some(levels)}.",
            stacklevel=2,
        )
