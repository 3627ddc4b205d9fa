"""Tasks: the estimator of each, the columns that it learns from beside features, and how these are read.

The rule of ``--task auto``: columns for event and time mean survival. Text, booleans, and whole numbers of at most
``FEW`` different values with ``ROWS_EACH`` rows for each on average mean classification. All else is regression.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from heedful import AttentionCox, AttentionEffect, AttentionGLM, AttentionLasso, AttentionLassoClassifier
from heedful.cli._columns import convert, kind_of, require_columns
from heedful.cli._errors import UserError

FEW, ROWS_EACH = 10, 5
# More different numbers than these, with fewer than three rows each, are no classes.
MANY = 30


class Task(NamedTuple):
    """An estimator with its settings, the options that name its columns, and what reads the response from them."""

    estimator: Any
    read: Callable[..., Any] | None
    columns: tuple[str, ...] = ("target",)
    optional: tuple[str, ...] = ()
    settings: tuple[tuple[str, str], ...] = ()

    @property
    def options(self) -> tuple[str, ...]:
        """All options that name columns of it."""
        return (*self.columns, *self.optional)

    def read_response(self, path: Path, table: pd.DataFrame, columns: dict[str, str]) -> Any:
        """Return the response; None where nobody can know it."""
        return None if self.read is None else self.read(path, *(table[columns[option]] for option in self.columns))


class Response(NamedTuple):
    """A task, why it was chosen, the columns it takes by option, and the response."""

    task: str
    reason: str
    columns: dict[str, str]
    y: np.ndarray | pd.Series
    exposure: pd.Series | None = None


def read_response(path: Path, table: pd.DataFrame, arguments: Any) -> Response:
    """Return the task and the response that the options name."""
    task, columns = _name_columns(arguments)
    for option, name in columns.items():
        require_columns(path, table, [name], f"--{option}")
    reason = "--task" if "target" in columns else "--event and --time"
    if task == "auto":
        task, reason = choose_task(path, whole_column(path, table[columns["target"]]))
    if task == "classification":
        _check_classes(path, table[columns["target"]])
    y = TASKS[task].read_response(path, table, columns)
    return Response(task, reason, columns, y, read_exposure(path, table, columns))


def _name_columns(arguments: Any) -> tuple[str, dict[str, str]]:
    """Return the task, auto if the target decides, and the columns that the options name; refuse those it has not."""
    options = ("target", "event", "time", "exposure")
    task, named = arguments.task, {name: getattr(arguments, name) for name in options if getattr(arguments, name)}
    if task == "auto" and ("event" in named or "time" in named):
        task = "survival"
    known = TASKS.get(task, TASKS["regression"])
    needed = " and ".join(f"--{option} COL" for option in known.columns)
    for option in named:
        if option not in known.options:
            takers = ", ".join(name for name, other in TASKS.items() if option in other.options)
            raise UserError(f"--{option} is for --task {takers}, not for --task {task}, which takes {needed}.")
    if not set(known.columns) <= set(named):
        other = " (or --event COL and --time COL for survival)" if task == "auto" else ""
        raise UserError(f"--task {task} takes {needed}{other}. Name the column to predict.")
    return task, named


def choose_task(path: Path, column: pd.Series) -> tuple[str, str]:
    """Return classification or regression for a column, and why."""
    kind, n_values = kind_of(column), column.nunique()
    if kind == "text" and n_values > max(FEW, len(column) / 2):
        raise UserError(
            f"{path}: column {column.name!r} (--target) is text with {n_values} different values in {len(column)} "
            "rows. Is it the right column? If so, use --task classification."
        )
    if kind in ("text", "boolean"):
        return "classification", kind
    if kind != "number":
        raise UserError(
            f"{path}: column {column.name!r} (--target) holds dates or objects. Convert it to numbers or text."
        )
    whole = bool((column % 1 == 0).all())
    if whole and n_values <= FEW and len(column) >= ROWS_EACH * n_values:
        return "classification", f"{n_values} different whole numbers"
    return "regression", "whole numbers, many or rare" if whole else "numbers"


def _check_classes(path: Path, column: pd.Series) -> None:
    """Refuse too many distinct numbers for classes."""
    n_values = column.nunique()
    if kind_of(column) == "number" and n_values > max(MANY, len(column) / 3):
        raise UserError(
            f"{path}: column {column.name!r} (--target) holds {n_values} different numbers in {len(column)} rows, too "
            "many for classification. Use --task regression."
        )


def response_if_known(path: Path, table: pd.DataFrame, task: str, columns: dict[str, str]) -> Any:
    """Return the response of rows to explain, None if the table does not have it for every row, or nobody can."""
    needed = [columns[option] for option in TASKS[task].columns]
    if any(name not in table or table[name].isna().any() for name in needed):
        return None
    return TASKS[task].read_response(path, table, columns)


def read_exposure(path: Path, table: pd.DataFrame, columns: dict[str, str]) -> pd.Series | None:
    """Return the exposures of rows, None if their model or their table has none."""
    name = columns.get("exposure")
    if name is None or name not in table:
        return None
    exposure = convert(path, whole_column(path, table[name]), "number")
    if not (exposure > 0).all():
        row = int(np.flatnonzero(~(exposure > 0))[0])
        raise UserError(
            f"{path}: column {name!r} (--exposure) must hold numbers > 0, got {exposure.iloc[row]:g} in row "
            f"{exposure.index[row] + 1}. Delete those rows from the table."
        )
    return exposure


def whole_column(path: Path, column: pd.Series) -> pd.Series:
    """Return a column, if it has no missing cells."""
    missing = np.flatnonzero(column.isna())
    if missing.size:
        cells = "cell" if missing.size == 1 else "cells"
        raise UserError(
            f"{path}: column {column.name!r} has {missing.size} missing {cells}, the "
            f"first in row {missing[0] + 1}; a model cannot learn from them. Delete those rows from the table."
        )
    return column


def read_numbers(path: Path, column: pd.Series, remedy: str = "Is it the right column?") -> pd.Series:
    """Return a column of numbers or booleans, none of them missing, as numbers."""
    kind = kind_of(whole_column(path, column))
    if kind not in ("number", "boolean"):
        raise UserError(f"{path}: column {column.name!r} must hold numbers, got {column.iloc[0]!r}. {remedy}")
    return convert(path, column, kind)


def read_labels(path: Path, column: pd.Series) -> pd.Series:
    """Return a column of labels, none of them missing, text as plain text."""
    kind = kind_of(whole_column(path, column))
    if kind not in ("number", "boolean", "text"):
        raise UserError(f"{path}: column {column.name!r} must hold labels, got {column.iloc[0]!r}. Convert it to text.")
    if kind == "text":
        return column.map(str).astype(object)
    return column.astype(bool) if kind == "boolean" else column


def _read_target(path: Path, column: pd.Series) -> pd.Series:
    return read_numbers(path, column, "Use --task classification for labels.")


def _read_survival(path: Path, event: pd.Series, time: pd.Series) -> np.ndarray:
    happened, when = convert(path, whole_column(path, event), "boolean"), read_numbers(path, time)
    if not (when > 0).all():
        raise UserError(
            f"{path}: column {time.name!r} (--time) must hold times > 0, got {when.min():g}. Drop or shift them."
        )
    y = np.empty(len(event), dtype=[("event", bool), ("time", np.float64)])
    y["event"], y["time"] = happened == 1, when
    return y


TASKS = {
    "regression": Task(AttentionLasso, _read_target),
    "classification": Task(AttentionLassoClassifier, read_labels),
    "survival": Task(AttentionCox, _read_survival, ("event", "time")),
    **{
        family: Task(AttentionGLM, _read_target, optional=("exposure",), settings=(("family", family),))
        for family in ("poisson", "gamma", "tweedie")
    },
    "effect": Task(AttentionEffect, None, ("outcome", "treatment"), ("weight", "group", "propensity")),
}
