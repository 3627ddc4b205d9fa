"""The tables of ``heedful drift`` as a loaded model takes them: recent rows with their response, and queries."""

import re
from argparse import Namespace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline

from heedful import DriftCorrector
from heedful.cli._columns import check_names, conform, convert, describe_columns, kind_of, require_columns
from heedful.cli._errors import UserError
from heedful.cli._foreign import Loaded
from heedful.cli._read import read_table
from heedful.cli._tasks import read_labels, read_numbers

# Names that LightGBM and XGBoost give to columns without one.
NO_NAME = re.compile(r"(Column_|f)?\d+")


class Recent(NamedTuple):
    """Recent rows in the order of their time, their response, the columns that queries need too, and all names."""

    task: str
    X: Any
    y: pd.Series
    time: pd.Series | None
    columns: list[dict[str, Any]]
    names: list[str]


def read_recent(arguments: Namespace, loaded: Loaded) -> Recent:
    """Read the recent rows."""
    path = arguments.recent
    table = _read_labelled(path, arguments, loaded, [name for name, kind in loaded.kinds.items() if kind == "text"])
    time = None
    if arguments.time is not None:
        require_columns(path, table, [arguments.time], "--time")
        time = table[arguments.time]
        time = convert(path, time, "number" if kind_of(time) == "number" else "date")
    features = _features(table, arguments, loaded)
    columns = _find_columns(path, features, loaded)
    X = _select(path, features, loaded, columns)
    task = "classification" if _predicts_classes(loaded) else "regression"
    y = _read_response(path, table[arguments.target], loaded)
    order = np.arange(len(y)) if time is None else np.argsort(time.to_numpy(), kind="stable")
    X, y, time = (None if e is None else e.iloc[order].reset_index(drop=True) for e in (X, y, time))
    return Recent(task, loaded.rows(X), y, time, columns, list(table))


def read_queries(arguments: Namespace, loaded: Loaded, recent: Recent) -> Any:
    """Read the rows to predict, with the columns and kinds that the recent rows have."""
    path = arguments.table
    table = read_table(path, arguments.sep, _text_columns(recent))
    require_columns(path, table, [name for name in arguments.drop if name not in recent.names], "--drop")
    return _rows_like(path, table, arguments, loaded, recent)


def read_reference(arguments: Namespace, loaded: Loaded, recent: Recent) -> tuple[Any, pd.Series]:
    """Read rows from the time of training, with the columns and kinds that the recent rows have."""
    path = arguments.reference
    table = _read_labelled(path, arguments, loaded, _text_columns(recent))
    y = _read_response(path, table[arguments.target], loaded)
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
    return loaded.rows(_select(path, _features(table, arguments, loaded), loaded, recent.columns))


def _features(table: pd.DataFrame, arguments: Namespace, loaded: Loaded) -> pd.DataFrame:
    """Return what may be handed to the model, under its names: LightGBM keeps them without blanks.

    The model may know the time by name, and need it.
    """
    names = loaded.names or []
    time = [arguments.time] if arguments.time and arguments.time not in names else []
    table = table.drop(columns=[arguments.target, *time, *arguments.drop, *loaded.others], errors="ignore")
    plain = {name: name.replace(" ", "_") for name in table}
    return table.rename(columns={n: new for n, new in plain.items() if new in names and new not in table})


def _find_columns(path: Path, table: pd.DataFrame, loaded: Loaded) -> list[dict[str, Any]]:
    """Return names and kinds of the columns that the model needs; those of the table if it knows none by name."""
    names = loaded.names
    if names is None or (all(map(NO_NAME.fullmatch, names)) and not set(names) <= set(table)):
        if loaded.n_columns not in (None, table.shape[1]):
            raise UserError(
                f"{path}: the model needs {loaded.n_columns} columns, the table has {table.shape[1]} features. "
                "Leave out others with --drop."
            )
        names = list(table)
    kinds = {entry["name"]: entry["kind"] for entry in describe_columns(path, table)}
    return [{"name": name, "kind": _kind(name, kinds.get(name), loaded)} for name in names]


def _kind(name: str, kind: str | None, loaded: Loaded) -> str:
    """Return the kind that a column must have: as the model says, else the table's if the model may take it."""
    free = isinstance(loaded.model, Pipeline) or kind in ("number", "boolean")
    return loaded.kinds.get(name) or (kind if kind and free else "number")


def _select(path: Path, table: pd.DataFrame, loaded: Loaded, columns: list[dict[str, Any]]) -> pd.DataFrame:
    """Return the columns that a model needs, in its order and kinds."""
    check_names(path, list(table), columns, set())
    X = conform(path, table, columns)
    for name in loaded.categories:
        # numbers as they were read, since whole ones must stay whole
        X[name] = (table if pd.api.types.is_numeric_dtype(X[name].dtype) else X)[name].astype("category")
    return X


def _has_text_labels(loaded: Loaded) -> bool:
    classes = getattr(loaded.model, "classes_", None)
    return classes is not None and all(isinstance(label, str) for label in classes)


def _predicts_classes(loaded: Loaded) -> bool:
    return is_classifier(DriftCorrector(loaded.model))


def _read_response(path: Path, column: pd.Series, loaded: Loaded) -> pd.Series:
    """Return numbers, or labels as the model has them."""
    if not _predicts_classes(loaded):
        return read_numbers(path, column)
    y = read_labels(path, column)
    if _has_text_labels(loaded):
        return y.map(str).astype(object)
    numbers = pd.to_numeric(y, errors="coerce")
    return y if numbers.isna().any() else numbers
