"""Numbers, texts and tables as short JSON values."""

import math
from typing import Any

import numpy as np
import pandas as pd

from heedful._show import short as plain

# Longer names and values are cut: they would only stretch tables.
LONGEST_TEXT = 200


def number(value: Any, digits: int = 6) -> float | int | None:
    """Return a number rounded to significant digits; None where it is missing or infinite."""
    value = float(value)
    if not math.isfinite(value):
        return None
    short = float(f"{value:.{digits}g}")
    return int(short) if short.is_integer() and abs(short) < 1e15 else short


def numbers(values: Any, digits: int = 6) -> list[float | int | None]:
    """Return every number of an array, row by row."""
    return [number(value, digits) for value in np.asarray(values, dtype=np.float64).ravel()]


def numbers_if(values: Any, digits: int = 6) -> list[float | int | None] | None:
    """Return the numbers of an array that may be None."""
    return None if values is None else numbers(values, digits)


def per_output(values: Any) -> list[list]:
    """Return a list of numbers for each class, or a single one."""
    return [numbers(part) for part in values.to_numpy().reshape(len(values), -1).T]


def counts(values: Any) -> list[int]:
    """Return every integer of an array, row by row."""
    return [int(value) for value in np.asarray(values).ravel()]


def evenly(n_values: int, most: int) -> np.ndarray:
    """Return places: all of them, or so many that are evenly spread."""
    if n_values <= most:
        return np.arange(n_values)
    return np.linspace(0, n_values - 1, most).round().astype(np.int64)


def text(value: Any) -> str:
    """Return a name or a value as text of bounded length."""
    shown = str(value)
    return shown if len(shown) <= LONGEST_TEXT else shown[: LONGEST_TEXT - 1] + "…"


def texts(values: Any) -> list[str]:
    """Return every value as text."""
    return [text(value) for value in values]


def column(values: pd.Series) -> list[float | int | str | None]:
    """Return the numbers of a numeric column, the texts of any other."""
    if pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values):
        return list(numbers(values.to_numpy(dtype=np.float64, na_value=np.nan)))
    return list(texts(values))


def table(frame: pd.DataFrame) -> dict[str, Any]:
    """Return a frame as labels, names and columns."""
    columns = [column(frame.iloc[:, j]) for j in range(frame.shape[1])]
    return {"labels": texts(frame.index), "names": texts(frame.columns), "columns": columns}


def short(value: Any, digits: int = 4) -> str:
    """Return a number as text for people."""
    if math.isnan(value):
        return "–"
    shown = plain(float(value), digits)
    return "\N{MINUS SIGN}" + shown[1:] if shown.startswith("-") else shown
