"""The columns of a table: what kind each is when a model is fitted, and the same kind ever after."""

import difflib
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from heedful.cli._errors import UserError

KINDS = ("number", "boolean", "date", "text")


def kind_of(column: pd.Series) -> str | None:
    """Return the kind of a column; None for what is neither number, boolean, date nor text."""
    dtype, kinds = column.dtype, pd.api.types
    if isinstance(dtype, pd.CategoricalDtype):
        return "text"
    if kinds.is_bool_dtype(dtype):
        return "boolean"
    if kinds.is_numeric_dtype(dtype) and not kinds.is_complex_dtype(dtype):
        return "number"
    if kinds.is_datetime64_any_dtype(dtype):
        return "date"
    inferred = pd.api.types.infer_dtype(column, skipna=True)
    known = {"string": "text", "boolean": "boolean", "date": "date", "datetime": "date", "empty": "number"}
    return known.get(inferred, "number" if inferred in ("decimal", "integer", "floating") else None)


def convert(path: Path, column: pd.Series, kind: str) -> pd.Series:
    """Return a column as its kind is always stored; a value that does not fit is an error."""
    if kind == "text":
        return _as_text(column)
    parsed = _as_dates(column) if kind == "date" else _as_numbers(column, kind)
    bad = np.flatnonzero(parsed.isna() & column.notna())
    if bad.size:
        raise UserError(
            f"{path}: column {column.name!r} must hold {kind}s, got {column.iloc[bad[0]]!r} in row {bad[0] + 1}. "
            "Correct such cells, or leave them empty."
        )
    return parsed


def _as_dates(column: pd.Series) -> pd.Series:
    if pd.api.types.is_numeric_dtype(column.dtype):
        return pd.Series(pd.NaT, column.index)
    return pd.to_datetime(column, utc=True, format="ISO8601", errors="coerce").dt.tz_localize(None)


def _as_numbers(column: pd.Series, kind: str) -> pd.Series:
    values = _as_words(column) if kind == "boolean" else column
    return pd.to_numeric(values, errors="coerce").astype(np.float64)


def _as_text(column: pd.Series) -> pd.Series:
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.cat.rename_categories([str(level) for level in column.cat.categories])
    return column.map(str, na_action="ignore").astype(object)


def _as_words(column: pd.Series) -> pd.Series:
    """Return numbers for true and false; what is neither stays, and is an error later."""
    if pd.api.types.is_bool_dtype(column.dtype):
        return column.astype("Float64")
    words = {"true": 1.0, "false": 0.0}
    return column.map(lambda cell: words.get(str(cell).lower(), cell), na_action="ignore")


def describe_columns(path: Path, table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return name, kind and missing cells of each column, and the number of levels of text."""
    found = []
    for name in table:
        kind = kind_of(table[name])
        if kind is None:
            raise UserError(
                f"{path}: column {name!r} holds neither numbers, text, booleans nor dates. Convert it or use --drop."
            )
        entry = {"name": name, "kind": kind, "missing": int(table[name].isna().sum())}
        found.append(entry | ({"levels": int(table[name].nunique())} if kind == "text" else {}))
    return found


def conform(path: Path, table: pd.DataFrame, columns: list[dict[str, Any]], known: set[str]) -> pd.DataFrame:
    """Return the columns that a model was fitted to, in its order and kinds; ``known`` others are left out."""
    names = [entry["name"] for entry in columns]
    missing = [name for name in names if name not in table]
    if missing:
        raise UserError(
            f"{path}: the model needs {_list(missing)}, which the table does not have. Add it; cells may be empty."
        )
    unknown = [name for name in table if name not in names and name not in known]
    if unknown:
        raise UserError(f"{path}: the model does not know {_list(unknown)}. Leave out with --drop, or mend the name.")
    return pd.DataFrame({entry["name"]: convert(path, table[entry["name"]], entry["kind"]) for entry in columns})


def need_column(path: Path, table: pd.DataFrame, name: str, option: str) -> pd.Series:
    """Return a column that an option names."""
    if name in table:
        return table[name]
    close = difflib.get_close_matches(name, list(table), 1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    hint = " Is the separator another one? See --sep." if table.shape[1] == 1 else hint
    raise UserError(f"{path}: there is no column {name!r} ({option}). It has {_list(list(table))}.{hint}")


def count_kinds(columns: list[dict[str, Any]]) -> str:
    """Return how many columns there are of each kind."""
    counts = Counter(entry["kind"] for entry in columns)
    return ", ".join(f"{counts[kind]} {kind}" for kind in KINDS if counts[kind])


def _list(names: list[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:8]) + (" and others" if len(names) > 8 else "")
    return f"column{'s' if len(names) > 1 else ''} {shown}"
