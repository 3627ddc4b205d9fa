"""Models of queries in plain values, as JSON has them: what columns are, and the equations of each query."""

import math
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from heedful._flow import FittedModels
from heedful._frames import TableReader, as_floats

FORMAT = 2
UNITS = {"dates": "days since 1970-01-01, UTC", "durations": "days", "times of day": "days since midnight"}


def tell_coding(models: FittedModels) -> dict[str, Any]:
    """Return what the columns of the table are; nothing where there are no small models."""
    if not models.by_column:
        return {}
    response = models.response
    return {
        "format": FORMAT,
        "task": response.task,
        "inverse_link": response.words.inverse_link,
        "classes": None if response.classes is None else [tell_label(label) for label in response.classes],
        "columns": [_tell_column(models.rows.reader, j) for j in range(len(models.rows.reader.names))],
    }


def tell_equations(
    columns: list[dict[str, Any]], intercept: np.ndarray, coef: pd.DataFrame, cells: "Cells", outputs: list
) -> list[list[dict]]:
    """Return for each query its equations, one for each output: intercepts (n_query, n_outputs) and terms.

    A term is a slope times a number; or, of a category or a missing number, what the query's cell adds to that of the
    reference.
    """
    n_query, n_outputs = intercept.shape
    slopes = coef.to_numpy().reshape(n_query, n_outputs, -1)
    own, compared = _tell_cells(columns, cells.values), _tell_cells(columns, cells.reference)

    def tell_term(q: int, k: int, j: int) -> dict[str, Any]:
        term = {"column": columns[j]["name"], "coef": float(slopes[q, k, j])}
        return term | {"value": own[j][q], "reference": compared[j][q]}

    return [
        [
            {
                "output": output,
                "intercept": float(intercept[q, k]),
                "terms": [tell_term(q, k, j) for j in np.flatnonzero(slopes[q, k]).tolist()],
            }
            for k, output in enumerate(outputs)
        ]
        for q in range(n_query)
    ]


class Cells(NamedTuple):
    """Cells of queries, and what small models compare them with."""

    values: pd.DataFrame
    reference: pd.DataFrame


def _tell_cells(columns: list[dict[str, Any]], table: pd.DataFrame) -> list[list]:
    """Return the cells of each column: numbers in its unit, or levels; None for what is missing or not known."""
    told = []
    for j, column in enumerate(columns):
        cells = table.iloc[:, j]
        if column["kind"] == "levels":
            labels = [None if missing else tell_label(cell) for cell, missing in zip(cells, cells.isna(), strict=True)]
            told.append([label if label in column["levels"] else None for label in labels])
        elif column["kind"] == "none":
            told.append([None] * len(cells))
        else:
            # what is decoded may be a number already, such as a time of day
            numeric = pd.api.types.is_numeric_dtype(cells)
            numbers = cells.to_numpy(np.float64, na_value=np.nan) if numeric else as_floats(cells, column["kind"])
            told.append([None if math.isnan(number) else number for number in numbers.tolist()])
    return told


def tell_label(label: Any) -> Any:
    """Return a level, a class or the label of a row as JSON has it: what it does not have is text."""
    if isinstance(label, str | bool | None):
        return label
    if isinstance(label, np.bool_):
        return bool(label)
    if isinstance(label, Integral):
        return int(label)
    if isinstance(label, Real) and math.isfinite(label):
        return float(label)
    return str(label)


def _tell_column(reader: TableReader, j: int) -> dict[str, Any]:
    levels, kinds = reader.levels[j], reader.kinds[j]
    if levels is not None:
        return {"name": reader.names[j], "kind": "levels", "levels": [tell_label(level) for level in levels]}
    kind = kinds[0] if kinds else "none"
    return {"name": reader.names[j], "kind": kind, "unit": UNITS.get(kind)}
