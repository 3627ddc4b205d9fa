"""The columns of a table: their kinds when a model is fitted, and the same kinds for later tables."""

import difflib
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from heedful._frames import BOOLEANS, DATES, NUMBERS, TEXT, cell_kinds, parse_number
from heedful.cli._console import log_notice
from heedful.cli._errors import UserError

KINDS = {NUMBERS: "number", BOOLEANS: "boolean", DATES: "date", TEXT: "text"}
WORDS = {"true": 1.0, "false": 0.0}


def kind_of(column: pd.Series) -> str | None:
    """Return the kind of a column; None for what is neither number, boolean, date nor text."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return "text"
    try:
        kinds = cell_kinds(column) or (NUMBERS,)
    except TypeError:
        return None
    return KINDS.get(kinds[0]) if len(kinds) == 1 else None


def convert(path: Path, column: pd.Series, kind: str) -> pd.Series:
    """Return a column as its kind is always stored; a value that does not fit is an error.

    What a cell becomes does not depend on the other cells, so that blocks of a table are read as the whole.
    """
    converted = CONVERTERS[kind](column)
    bad = np.flatnonzero(converted.isna() & column.notna())
    if bad.size:
        raise UserError(
            f"{path}: column {column.name!r} must hold {kind}s{' (true and false, or 1 and 0)' * (kind == 'boolean')}, "
            f"got {column.astype(object).iloc[bad[0]]!r} in row {column.index[bad[0]] + 1}. "
            "Correct such cells, or leave them empty."
        )
    return converted


def _as_numbers(column: pd.Series) -> pd.Series:
    if pd.api.types.is_bool_dtype(column.dtype) or not pd.api.types.is_numeric_dtype(column.dtype):
        column = column.astype(object).map(parse_number, na_action="ignore")
    return pd.Series(column.to_numpy(np.float64, na_value=np.nan), column.index)


def _as_booleans(column: pd.Series) -> pd.Series:
    """Return words and numbers for true and false as 1 and 0."""
    numbers = _as_numbers(column.map(lambda cell: WORDS.get(str(cell).lower(), cell), na_action="ignore"))
    return numbers.where(numbers.isin((0, 1)))


def _as_dates(column: pd.Series) -> pd.Series:
    """Return dates to the microsecond; a number is none, though ISO 8601 would take 2024 for a year."""
    if not pd.api.types.is_datetime64_any_dtype(column.dtype):
        column = column.where(_as_numbers(column).isna()).astype(object)
    dates = pd.to_datetime(column, utc=True, format="ISO8601", errors="coerce")
    return dates.dt.tz_localize(None).dt.as_unit("us")


def _as_text(column: pd.Series) -> pd.Series:
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.cat.rename_categories([str(level) for level in column.cat.categories])
    return column.map(str, na_action="ignore").astype(object)


CONVERTERS: dict[str, Callable[[pd.Series], pd.Series]] = {
    "number": _as_numbers,
    "boolean": _as_booleans,
    "date": _as_dates,
    "text": _as_text,
}


def describe_columns(path: Path, table: pd.DataFrame, dates: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return name, kind and missing cells of each column, and the number of levels of text; ``dates`` are such."""
    require_columns(path, table, dates, "--dates")
    described = []
    for name in table:
        kind = "date" if name in dates else kind_of(table[name])
        if kind is None:
            raise UserError(
                f"{path}: column {name!r} is neither numeric, text, boolean nor dates. Convert it or use --drop."
            )
        entry = {"name": name, "kind": kind, "missing": int(table[name].isna().sum())}
        described.append(entry | ({"levels": int(table[name].nunique())} if kind == "text" else {}))
    return described


def conform(path: Path, table: pd.DataFrame, columns: list[dict[str, Any]]) -> pd.DataFrame:
    """Return the columns that a model was fitted to, in its order and kinds."""
    return pd.DataFrame({entry["name"]: convert(path, table[entry["name"]], entry["kind"]) for entry in columns})


def read_features(
    arguments: Namespace, table: pd.DataFrame, others: dict[str, str]
) -> tuple[pd.DataFrame, list[dict[str, Any]]]:
    """Return the columns to learn from, without those dropped and the ``others`` that options name, described too."""
    path = arguments.table
    features = table.drop(columns=[*arguments.drop, *others.values()], errors="ignore")
    if not features.shape[1]:
        raise UserError(f"{path}: no feature is left. Drop fewer columns.")
    columns = describe_columns(path, features, arguments.dates)
    return conform(path, features, columns), columns


def count_kinds(columns: list[dict[str, Any]]) -> str:
    """Return how many columns there are of each kind, in words."""
    counts = Counter(entry["kind"] for entry in columns)
    names = {kind: "numeric" if kind == "number" else kind for kind in KINDS.values()}
    return ", ".join(f"{counts[kind]} {name}" for kind, name in names.items() if counts[kind])


def read_line(summary: dict[str, Any]) -> str:
    """Return the line that says what table was learned from."""
    kinds = count_kinds(summary["columns"])
    return f"read   {summary['table']}: {summary['rows']} rows, features: {kinds}"


def require_columns(path: Path, names: Iterable[str], wanted: Iterable[str], option: str) -> None:
    """Refuse a table without a column that an option names."""
    names = list(names)
    for name in wanted:
        if name in names:
            continue
        close = difflib.get_close_matches(name, names, 1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        hint = " Is the separator right? See --sep." if len(names) == 1 else hint
        raise UserError(f"{path}: there is no column {name!r} ({option}). It has {_quote(names)}.{hint}")


def check_names(path: Path, names: Sequence[str], columns: list[dict[str, Any]], known: set[str]) -> None:
    """Refuse a table without a column that a model was fitted to; note columns that are neither that nor ``known``."""
    needed = [entry["name"] for entry in columns]
    missing = [name for name in needed if name not in names]
    if missing:
        raise UserError(
            f"{path}: the model needs {_quote(missing)}, which the table does not have. Add it; cells may be empty."
        )
    unknown = [name for name in names if name not in needed and name not in known]
    if unknown:
        log_notice(f"{path}: the model does not use {_quote(unknown)}: ignored.")


def _quote(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:8]) + (" and others" if len(names) > 8 else "")
    return f"column{'s' if len(names) > 1 else ''} {shown}"
