"""The columns of a table: what kind each is when a model is fitted, and the same kind ever after."""

import difflib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from heedful.cli._errors import UserError
from heedful.cli._streams import note

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
            f"{path}: column {column.name!r} must hold {kind}s{' (true and false, or 1 and 0)' * (kind == 'boolean')}, "
            f"got {column.astype(object).iloc[bad[0]]!r} "
            f"in row {column.index[bad[0]] + 1}. "
            "Correct such cells, or leave them empty."
        )
    return parsed


def _as_dates(column: pd.Series) -> pd.Series:
    """Return dates to the microsecond; a number is none, though ISO 8601 would take 2024 for a year."""
    if not pd.api.types.is_datetime64_any_dtype(column.dtype):
        column = column.where(_as_numbers(column, "number").isna()).astype(object)
    dates = pd.to_datetime(column, utc=True, format="ISO8601", errors="coerce")
    return dates.dt.tz_localize(None).dt.as_unit("us")


def _as_numbers(column: pd.Series, kind: str) -> pd.Series:
    """Return each cell as the number it stands for, whatever the others are."""
    values = _as_words(column) if kind == "boolean" else column
    if pd.api.types.is_bool_dtype(values.dtype) or not pd.api.types.is_numeric_dtype(values.dtype):
        values = values.astype(object).map(_number, na_action="ignore")
    numbers = pd.Series(values.to_numpy(np.float64, na_value=np.nan), column.index)
    return numbers.where(numbers.isin((0, 1))) if kind == "boolean" else numbers


def _number(cell: Any) -> float:
    """Return a cell as the nearest number, NaN for what is none; Python would take True and 1_000 for such."""
    if isinstance(cell, bool | np.bool_):
        return np.nan
    try:
        return float(cell) if str(cell).isascii() and "_" not in str(cell) else np.nan
    except OverflowError:
        return np.inf if cell > 0 else -np.inf
    except (TypeError, ValueError):
        return np.nan


def _as_text(column: pd.Series) -> pd.Series:
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.cat.rename_categories([str(level) for level in column.cat.categories])
    return column.map(str, na_action="ignore").astype(object)


def _as_words(column: pd.Series) -> pd.Series:
    """Return numbers for true and false; what is neither stays, and is an error later."""
    words = {"true": 1.0, "false": 0.0}
    return column.map(lambda cell: words.get(str(cell).lower(), cell), na_action="ignore")


def describe_columns(path: Path, table: pd.DataFrame, dates: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return name, kind and missing cells of each column, and the number of levels of text; ``dates`` are such."""
    found = []
    for name in dates:
        need_column(path, table, name, "--dates")
    for name in table:
        kind = "date" if name in dates else kind_of(table[name])
        if kind is None:
            raise UserError(
                f"{path}: column {name!r} holds neither numbers, text, booleans nor dates. Convert it or use --drop."
            )
        entry = {"name": name, "kind": kind, "missing": int(table[name].isna().sum())}
        found.append(entry | ({"levels": int(table[name].nunique())} if kind == "text" else {}))
    return found


def leave_out_labels(path: Path, names: list[str]) -> list[str]:
    """Return names without a first one that is empty: pandas writes the labels of rows below it."""
    if len(names) < 2 or names[0].strip():
        return names
    note(f"{path}: the first column has no name: taken as labels of rows, not as a column to predict from.")
    return names[1:]


def check_distinct(path: Path, names: list[str]) -> None:
    """Refuse a table in which a column has no name, or that of another."""
    twice = next((name for number, name in enumerate(names) if name in names[:number]), None)
    if twice is not None:
        raise UserError(f"{path}: the column name {twice!r} comes more than once. Rename one of the columns.")
    if "" in (name.strip() for name in names):
        raise UserError(f"{path}: column {[n.strip() for n in names].index('') + 1} has no name. Name it.")


def check_names(path: Path, names: Sequence[str], columns: list[dict[str, Any]], known: set[str]) -> None:
    """Refuse a table without a column that a model was fitted to; note columns that are neither that nor ``known``."""
    needed = [entry["name"] for entry in columns]
    missing = [name for name in needed if name not in names]
    if missing:
        raise UserError(
            f"{path}: the model needs {_list(missing)}, which the table does not have. Add it; cells may be empty."
        )
    unknown = [name for name in names if name not in needed and name not in known]
    if unknown:
        note(f"{path}: the model does not know {_list(unknown)}: ignored.")


def conform(path: Path, table: pd.DataFrame, columns: list[dict[str, Any]]) -> pd.DataFrame:
    """Return the columns that a model was fitted to, in its order and kinds."""
    return pd.DataFrame({entry["name"]: convert(path, table[entry["name"]], entry["kind"]) for entry in columns})


def need_name(path: Path, names: Sequence[str], name: str, option: str) -> None:
    """Refuse a table without the column that an option names."""
    if name in names:
        return
    close = difflib.get_close_matches(name, names, 1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    hint = " Is the separator another one? See --sep." if len(names) == 1 else hint
    raise UserError(f"{path}: there is no column {name!r} ({option}). It has {_list(names)}.{hint}")


def need_column(path: Path, table: pd.DataFrame, name: str, option: str) -> pd.Series:
    """Return a column that an option names."""
    need_name(path, list(table), name, option)
    return table[name]


def count_kinds(columns: list[dict[str, Any]]) -> str:
    """Return how many columns there are of each kind."""
    counts = Counter(entry["kind"] for entry in columns)
    return ", ".join(f"{counts[kind]} {kind}" for kind in KINDS if counts[kind])


def _list(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:8]) + (" and others" if len(names) > 8 else "")
    return f"column{'s' if len(names) > 1 else ''} {shown}"
