"""Columns that become categories though they look like something else: said once, when a table is learned from."""

import warnings
from typing import Any

import numpy as np
import pandas as pd

from heedful._frames.kinds import (
    DATES,
    MEASURES,
    NUMBERS,
    TEXT,
    cell_kinds,
    is_measured,
    kind_of_type,
    parse_number,
    show_some,
)

# A column of which so many cells are numbers was meant to be one of numbers.
NEARLY = 0.8
# Text of so many rows of which so many are distinct is the name of a row.
FEWEST_IDS, NEARLY_DISTINCT = 20, 0.95


class SuspiciousColumnWarning(UserWarning):
    """A column that may not be meant as categories; ``looks_like`` says as what: "numbers", "dates", "ids", "mixed"."""

    def __init__(self, column: Any, looks_like: str, seen: str, mend: str):
        self.column, self.looks_like, self.seen = column, looks_like, seen
        super().__init__(
            f"Column {column!r} is read as categories, but {seen} {mend} If categories are meant: "
            f"X[{column!r}].astype('category')."
        )


def warn_of_suspicious_columns(table: pd.DataFrame | np.ndarray) -> None:
    """Warn of columns that nobody called categories and that look like numbers, dates, a mixture, or ids."""
    if not isinstance(table, pd.DataFrame):
        return
    for name, column in table.items():
        kinds = cell_kinds(column)
        if isinstance(column.dtype, pd.CategoricalDtype) or not kinds or is_measured(kinds):
            continue
        suspicion = _find_suspicion(name, column, kinds)
        if suspicion is not None:
            warnings.warn(suspicion, stacklevel=2)


def _find_suspicion(name: Any, column: pd.Series, kinds: tuple[str, ...]) -> SuspiciousColumnWarning | None:
    """Return what a column looks like and how to mend it; None if it looks like categories."""
    counts = column.dropna().astype(object).value_counts()
    levels, times = list(counts.index), counts.to_numpy()
    n_cells = int(times.sum())
    for kind, convert in (NUMBERS, "pd.to_numeric"), (DATES, "pd.to_datetime"):
        plain, alike = _look_like(levels, kind)
        if times[alike].sum() >= NEARLY * n_cells:
            others = [level for level, yes in zip(levels, plain, strict=True) if not yes]
            mend = f"Correct those, or make them missing: {convert}(X[{name!r}], errors='coerce')."
            rest = f" Not written as such: {show_some(others)}." if others else ""
            seen = f"{times[alike].sum()} of {n_cells} cells look like {kind}.{rest}"
            return SuspiciousColumnWarning(name, kind, seen, mend if others else f"Try {convert}(X[{name!r}]).")
    if len(kinds) > 1 and any(kind in MEASURES for kind in kinds):
        return SuspiciousColumnWarning(name, "mixed", f"it holds {' and '.join(kinds)}.", "Convert it to one of them.")
    if kinds == (TEXT,) and n_cells >= FEWEST_IDS and len(levels) >= NEARLY_DISTINCT * n_cells:
        seen = f"{len(levels)} of {n_cells} cells are distinct, as ids are: {show_some(levels)}."
        return SuspiciousColumnWarning(
            name, "ids", seen, "Nothing that holds for other rows can be learned from it; drop it."
        )
    return None


def _look_like(levels: list, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Return which levels are plainly of a kind, be it as text, and which at least look like it."""
    of_kind = np.array([kind_of_type(type(level)) == kind for level in levels])
    text = pd.Series([level if isinstance(level, str) else "" for level in levels], dtype=object)
    if kind == DATES:
        plain = of_kind | pd.to_datetime(text, format="ISO8601", errors="coerce", utc=True).notna().to_numpy()
        return plain, plain
    plain, alike = (
        of_kind | np.isfinite([parse_number(cell.replace(",", separator)) for cell in text]) for separator in (",", "")
    )
    return plain, alike
