"""The tables of ``heedful drift`` as a loaded model takes them: recent rows with their response, and queries."""

import re
from argparse import Namespace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import is_classifier

from heedful import DriftCorrector
from heedful.cli._columns import check_names, conform, convert, describe_columns, kind_of, require_columns
from heedful.cli._errors import UserError
from heedful.cli._foreign import Loaded
from heedful.cli._read import read_table
from heedful.cli._tasks import TASKS, read_target

# Names that LightGBM and XGBoost give to columns without one.
NO_NAME = re.compile(r"(Column_|f)?\d+")
NUMBERS = ("number", "boolean")


class Recent(NamedTuple):
    """Recent rows in the order of their time, their response, and the columns that queries need too."""

    task: str
    X: Any
    y: pd.Series
    time: pd.Series | None
    columns: list[dict[str, Any]]
    others: list[str]


def read_recent(arguments: Namespace, loaded: Loaded) -> Recent:
    """Read the recent rows."""
    path, others = arguments.recent, _other_columns(arguments, loaded)
    table = _read_labelled(path, arguments, loaded, [name for name, kind in loaded.kinds.items() if kind == "text"])
    time = None if arguments.time is None else _read_time(path, table, arguments)
    features = table.drop(columns=others, errors="ignore")
    columns = _find_columns(path, features, loaded)
    X = _select(path, features, loaded, columns)
    task = "classification" if is_classifier(DriftCorrector(loaded.model)) else "regression"
    y = _read_response(path, table[arguments.target], task, loaded)
    order = np.arange(len(y)) if time is None else np.argsort(time.to_numpy(), kind="stable")
    X, y, time = (None if e is None else e.iloc[order].reset_index(drop=True) for e in (X, y, time))
    return Recent(task, loaded.rows(X), y, time, columns, [name for name in others if name in table])


def read_queries(arguments: Namespace, loaded: Loaded, recent: Recent) -> Any:
    """Read the rows to predict, with the columns and kinds that the recent rows have."""
    path = arguments.table
    table = read_table(path, arguments.sep, _text_columns(recent))
    require_columns(path, table, [name for name in arguments.drop if name not in recent.others], "--drop")
    return _rows_like(path, table, arguments, loaded, recent)


def read_reference(arguments: Namespace, loaded: Loaded, recent: Recent) -> tuple[Any, pd.Series]:
    """Read rows of the model's own time, with the columns and kinds that the recent rows have."""
    path = arguments.reference
    table = _read_labelled(path, arguments, loaded, _text_columns(recent))
    y = _read_response(path, table[arguments.target], recent.task, loaded)
    return _rows_like(path, table, arguments, loaded, recent), y


def _read_labelled(path: Path, arguments: Namespace, loaded: Loaded, text: list[str]) -> pd.DataFrame:
    """Read a table that has the response."""
    table = read_table(path, arguments.sep, [*text, arguments.target] if _has_text_labels(loaded) else text)
    require_columns(path, table, [arguments.target], "--target")
    return table


def _text_columns(recent: Recent) -> list[str]:
    return [entry["name"] for entry in recent.columns if entry["kind"] == "text"]


def _rows_like(path: Path, table: pd.DataFrame, arguments: Namespace, loaded: Loaded, recent: Recent) -> Any:
    """Return the rows of a table with the columns and kinds that the recent rows have."""
    features = table.drop(columns=_other_columns(arguments, loaded), errors="ignore")
    return loaded.rows(_select(path, features, loaded, recent.columns))


def _other_columns(arguments: Namespace, loaded: Loaded) -> list[str]:
    """Return columns that are not handed to the model; it may know the time by name and need it."""
    time = [arguments.time] if arguments.time and arguments.time not in (loaded.names or []) else []
    return [arguments.target, *time, *arguments.drop, *loaded.others]


def _find_columns(path: Path, table: pd.DataFrame, loaded: Loaded) -> list[dict[str, Any]]:
    """Return names and kinds of the columns that the model needs; those of the table if it knows none by name."""
    table = _rename(table, loaded)
    names = loaded.names
    if names is None or (all(map(NO_NAME.fullmatch, names)) and not set(names) <= set(table)):
        if loaded.n_columns not in (None, table.shape[1]):
            raise UserError(
                f"{path}: the model needs {loaded.n_columns} columns, the table has {table.shape[1]} to predict from. "
                "Leave out others with --drop."
            )
        names = list(table)
    kinds = {entry["name"]: entry["kind"] for entry in describe_columns(path, table)}
    return [{"name": name, "kind": _kind(name, kinds.get(name), loaded)} for name in names]


def _kind(name: str, kind: str | None, loaded: Loaded) -> str:
    """Return the kind that a column must have: as the model says, else the table's if the model may take it."""
    free = loaded.takes_text or kind in NUMBERS
    return loaded.kinds.get(name) or (kind if kind and free else "number")


def _select(path: Path, table: pd.DataFrame, loaded: Loaded, columns: list[dict[str, Any]]) -> pd.DataFrame:
    """Return the columns that a model needs, in its order and kinds."""
    table = _rename(table, loaded)
    check_names(path, list(table), columns, set())
    X = conform(path, table, columns)
    return X.assign(**{name: _as_category(X[name], table[name]) for name in loaded.categories})


def _as_category(column: pd.Series, raw: pd.Series) -> pd.Series:
    """Return categories; numbers as they were read, since whole ones must stay whole."""
    return (raw if pd.api.types.is_numeric_dtype(column.dtype) else column).astype("category")


def _rename(table: pd.DataFrame, loaded: Loaded) -> pd.DataFrame:
    """Return a table under the names that LightGBM keeps: without blanks."""
    plain = {name: name.replace(" ", "_") for name in table}
    names = loaded.names or []
    return table.rename(columns={n: new for n, new in plain.items() if new in names and new not in table})


def _has_text_labels(loaded: Loaded) -> bool:
    classes = getattr(loaded.model, "classes_", None)
    return classes is not None and all(isinstance(label, str) for label in classes)


def _read_response(path: Path, column: pd.Series, task: str, loaded: Loaded) -> pd.Series:
    """Return numbers, or labels as the model has them."""
    if TASKS[task].numeric and kind_of(column) not in NUMBERS:
        raise UserError(
            f"{path}: column {column.name!r} (--target) must hold numbers as the model predicts, got "
            f"{column.iloc[0]!r}. Is it the right column?"
        )
    y = read_target(path, column, task)
    if _has_text_labels(loaded):
        return y.map(str).astype(object)
    numbers = pd.to_numeric(y, errors="coerce")
    return y if numbers.isna().any() else numbers


def _read_time(path: Path, table: pd.DataFrame, arguments: Namespace) -> pd.Series:
    """Return dates or numbers; a length of time such as 30D takes dates."""
    require_columns(path, table, [arguments.time], "--time")
    column = table[arguments.time]
    kind = "number" if kind_of(column) == "number" else "date"
    if kind == "number" and isinstance(arguments.window, str):
        raise UserError(
            f"{path}: column {arguments.time!r} (--time) holds numbers, and --window {arguments.window} takes dates. "
            "Give a number with a point, such as 30.0."
        )
    return convert(path, column, kind)
