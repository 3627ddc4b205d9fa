"""Cells of a table as text."""

from typing import Any

import numpy as np
import pandas as pd

MIDNIGHT = pd.Timestamp(0).time()


def format_cell(value: Any) -> str:
    """Return a cell as text.

    Numbers have few digits, dates have no time at midnight, and missing cells are "missing".

    Parameters
    ----------
    value : cell
        A number, a date, text, a level of a category, or missing.

    Returns
    -------
    str
        Its text.

    Examples
    --------
    >>> from heedful.explain import format_cell
    >>> format_cell(2.0), format_cell(1 / 3), format_cell(None)
    ('2', '0.3333', 'missing')
    """
    # text first: most cells are, and to ask whether they are missing takes longest
    if isinstance(value, str):
        return str(value)
    if isinstance(value, float | np.floating):
        number = float(value)
        if number != number:
            return "missing"
        return str(int(number)) if abs(number) < 1e6 and number.is_integer() else f"{number:.4g}"
    if _is_missing(value):
        return "missing"
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, np.datetime64 | np.timedelta64):
        value = pd.Timestamp(value) if isinstance(value, np.datetime64) else pd.Timedelta(value)
    if isinstance(value, pd.Timestamp):
        return str(value.date()) if value.time() == MIDNIGHT else str(value)
    if isinstance(value, int | np.integer):
        return str(int(value))
    return str(value)


def format_value(column: Any, value: Any) -> str:
    """Return a column and its cell as text: "member = no", "pressure missing".

    Parameters
    ----------
    column : label
        Name of the column.
    value : cell
        Its cell.

    Returns
    -------
    str
        Both as text.

    Examples
    --------
    >>> import pandas as pd
    >>> from heedful.explain import format_value
    >>> format_value("member", "no"), format_value("pressure", None), format_value("day", pd.Timestamp("2024-02-29"))
    ('member = no', 'pressure missing', 'day = 2024-02-29')
    """
    return f"{column} missing" if _is_missing(value) else f"{column} = {format_cell(value)}"


def is_number(column: pd.Series) -> bool:
    """Return whether a column holds numbers, truth values aside."""
    kinds = pd.api.types
    return kinds.is_numeric_dtype(column.dtype) and not kinds.is_bool_dtype(column.dtype)


def _is_missing(value: Any) -> bool:
    return bool(pd.api.types.is_scalar(value) and pd.isna(value))
