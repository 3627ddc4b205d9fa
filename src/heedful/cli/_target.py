"""What is to be predicted: the task and the response.

The rule of ``--task auto``: columns for event and time mean survival. Text, booleans, and whole numbers of at most
``FEW`` different values with ``ROWS_EACH`` rows for each on average mean classification. All else is regression.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from heedful.cli._columns import convert, kind_of, need_column
from heedful.cli._errors import UserError
from heedful.cli._model import FAMILIES

FEW, ROWS_EACH = 10, 5
# More different numbers than these, with fewer than three rows each, are no classes.
MANY = 30


class Response(NamedTuple):
    """A task, why it was chosen, the columns it takes and the responses."""

    task: str
    reason: str
    columns: dict[str, str]
    y: np.ndarray | pd.Series
    exposure: pd.Series | None = None


def read_response(path: Path, table: pd.DataFrame, arguments: Any) -> Response:
    """Return the task and the response that the options name."""
    task, event, time = arguments.task, arguments.event, arguments.time
    if arguments.exposure and task not in FAMILIES:
        raise UserError(f"--exposure is for --task {', '.join(FAMILIES)}, not for --task {task}. Leave it out.")
    if task == "survival" or (task == "auto" and (event or time)):
        if not (event and time) or arguments.target:
            raise UserError("survival takes --event COL and --time COL, and no --target.")
        return Response(
            "survival", "--event and --time", {"event": event, "time": time}, _survival(path, table, event, time)
        )
    if event or time:
        raise UserError(f"--event and --time are for survival, not for --task {task}. Leave them out.")
    if not arguments.target:
        raise UserError("--target COL is required (or --event COL and --time COL for survival).")
    name = arguments.target
    column = whole_column(path, need_column(path, table, name, "--target"))
    reason = "--task"
    if task == "auto":
        task, reason = choose_task(path, column)
    if task == "classification" and kind_of(column) == "number" and column.nunique() > max(MANY, len(column) / 3):
        raise UserError(
            f"{path}: column {name!r} (--target) holds {column.nunique()} different numbers in {len(column)} rows, too "
            "many for classes. Use --task regression."
        )
    y = labels_of(path, column) if task == "classification" else numbers_of(path, column)
    if not arguments.exposure:
        return Response(task, reason, {"target": name}, y)
    columns = {"target": name, "exposure": arguments.exposure}
    need_column(path, table, arguments.exposure, "--exposure")
    return Response(task, reason, columns, y, exposure_if_known(path, table, columns))


def choose_task(path: Path, column: pd.Series) -> tuple[str, str]:
    """Return classification or regression for a column, and why."""
    kind, n_values = kind_of(column), column.nunique()
    if kind == "text" and n_values > max(FEW, len(column) / 2):
        raise UserError(
            f"{path}: column {column.name!r} (--target) is text with {n_values} different values in {len(column)} "
            "rows. Is it the right column? If so, say --task classification."
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


def response_if_known(path: Path, table: pd.DataFrame, task: str, columns: dict[str, str]) -> Any:
    """Return the response of rows to explain, None if the table does not have it for every row, or nobody can."""
    if task == "effect":
        return None
    if any(columns[key] not in table or table[columns[key]].isna().any() for key in columns if key != "exposure"):
        return None
    if task == "survival":
        return _survival(path, table, columns["event"], columns["time"])
    column = table[columns["target"]]
    return labels_of(path, column) if task == "classification" else numbers_of(path, column)


def exposure_if_known(path: Path, table: pd.DataFrame, columns: dict[str, str]) -> pd.Series | None:
    """Return the exposures of rows, None if their model or their table has none."""
    name = columns.get("exposure")
    if name is None or name not in table:
        return None
    exposure = numbers_of(path, whole_column(path, table[name]))
    if not (exposure > 0).all():
        row = int(np.flatnonzero(~(exposure > 0))[0])
        raise UserError(
            f"{path}: column {name!r} (--exposure) must hold numbers > 0, got {exposure.iloc[row]:g} in row "
            f"{exposure.index[row] + 1}. Delete those rows from the table."
        )
    return exposure


def whole_column(path: Path, column: pd.Series) -> pd.Series:
    missing = np.flatnonzero(column.isna())
    if missing.size:
        cells = "cell" if missing.size == 1 else "cells"
        raise UserError(
            f"{path}: column {column.name!r} has {missing.size} missing {cells}, the "
            f"first in row {missing[0] + 1}; a model cannot learn from them. Delete those rows from the table."
        )
    return column


def numbers_of(path: Path, column: pd.Series) -> pd.Series:
    if kind_of(column) not in ("number", "boolean"):
        raise UserError(
            f"{path}: column {column.name!r} must hold numbers, got {column.iloc[0]!r}. "
            "Use --task classification for labels."
        )
    return convert(path, column, kind_of(column) or "number")


def labels_of(path: Path, column: pd.Series) -> pd.Series:
    kind = kind_of(column)
    if kind not in ("number", "boolean", "text"):
        raise UserError(f"{path}: column {column.name!r} must hold labels, got {column.iloc[0]!r}. Convert it to text.")
    if kind == "text":
        return column.map(str).astype(object)
    return column.astype(bool) if kind == "boolean" else column


def _survival(path: Path, table: pd.DataFrame, event: str, time: str) -> np.ndarray:
    happened = convert(path, whole_column(path, need_column(path, table, event, "--event")), "boolean")
    when = numbers_of(path, whole_column(path, need_column(path, table, time, "--time")))
    if not (when > 0).all():
        raise UserError(
            f"{path}: column {time!r} (--time) must hold times > 0, got {when.min():g}. Drop or shift them."
        )
    y = np.empty(len(table), dtype=[("event", bool), ("time", np.float64)])
    y["event"], y["time"] = happened == 1, when
    return y
