"""Models of queries in plain values, as JSON has them: what columns are, and the equations of each query."""

import math
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd

from heedful._flow import FittedModels
from heedful._frames import TableReader, as_floats

FORMAT = 2
UNITS = {"dates": "days since 1970-01-01, UTC", "durations": "days", "times of day": "days since midnight"}


def describe_columns(models: FittedModels) -> dict[str, Any]:
    """Return what the columns of the table are; nothing where there are no small models."""
    if not models.by_column:
        return {}
    response = models.response
    return {
        "format": FORMAT,
        "task": response.task,
        "inverse_link": response.words.inverse_link,
        "classes": None if response.classes is None else [plain_label(label) for label in response.classes],
        "columns": [_describe_column(models.rows.reader, j) for j in range(len(models.rows.reader.names))],
    }


def _describe_column(reader: TableReader, j: int) -> dict[str, Any]:
    levels, kinds = reader.levels[j], reader.kinds[j]
    if levels is not None:
        return {"name": reader.names[j], "kind": "levels", "levels": [plain_label(level) for level in levels]}
    kind = kinds[0] if kinds else "none"
    return {"name": reader.names[j], "kind": kind, "unit": UNITS.get(kind)}


def describe_models(tables: Any) -> list[dict[str, Any]]:
    """Return for each query of ``LocalModels`` its small model: one equation for each output.

    A term is a slope times a number; or, of a category or a missing number, what the query's cell adds to that of the
    reference.
    """
    columns, n_query = tables.coding["columns"], len(tables.mixing)
    outputs = list(tables.link.columns) if isinstance(tables.link, pd.DataFrame) else [None]
    intercept, prediction = (part.to_numpy().reshape(n_query, -1) for part in (tables.intercept, tables.prediction))
    slopes = tables.coef.to_numpy().reshape(n_query, len(outputs), -1)
    cells, compared_with = (_plain_cells(columns, part) for part in (tables.values, tables.reference))

    def equation(q: int, k: int) -> dict[str, Any]:
        terms = [
            {
                "column": columns[j]["name"],
                "coef": float(slopes[q, k, j]),
                "value": cells[j][q],
                "reference": compared_with[j][q],
            }
            for j in np.flatnonzero(slopes[q, k]).tolist()
        ]
        return {"output": plain_label(outputs[k]), "intercept": float(intercept[q, k]), "terms": terms}

    return [
        {
            "query": plain_label(tables.mixing.index[q]),
            "prediction": float(prediction[q, 0]) if prediction.shape[1] == 1 else prediction[q].tolist(),
            "mixing": float(tables.mixing.iloc[q]),
            "equations": [equation(q, k) for k in range(len(outputs))],
        }
        for q in range(n_query)
    ]


def _plain_cells(columns: list[dict[str, Any]], table: pd.DataFrame) -> list[list]:
    """Return the cells of each column: numbers in its unit, or levels; None for what is missing or not known."""
    plain = []
    for j, column in enumerate(columns):
        cells = table.iloc[:, j]
        if column["kind"] == "levels":
            labels = [None if missing else plain_label(cell) for cell, missing in zip(cells, cells.isna(), strict=True)]
            plain.append([label if label in column["levels"] else None for label in labels])
        elif column["kind"] == "none":
            plain.append([None] * len(cells))
        else:
            # what is decoded may be a number already, such as a time of day
            numeric = pd.api.types.is_numeric_dtype(cells)
            numbers = cells.to_numpy(np.float64, na_value=np.nan) if numeric else as_floats(cells, column["kind"])
            plain.append([None if math.isnan(number) else number for number in numbers.tolist()])
    return plain


def plain_label(label: Any) -> Any:
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
