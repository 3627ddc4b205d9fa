"""Models of queries in plain values, as JSON has them: what columns are, and the equations of each query."""

import math
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd

from heedful._frames import TableReader
from heedful._models.protocol import FittedModels

FORMAT = 2
# What turns linear predictors into predictions; a response of one's own has its own way.
INVERSE_LINKS = {
    **dict.fromkeys(("regression", "effect", "survival"), "identity"),
    **dict.fromkeys(("poisson", "gamma", "tweedie"), "exp"),
    "binary": "logistic",
    "multiclass": "softmax",
}
UNITS = {"dates": "days since 1970-01-01, UTC", "durations": "days", "times of day": "days since midnight"}


def tell_coding(models: FittedModels) -> dict[str, Any]:
    """Return what the columns of the table are; nothing where there are no small models."""
    if not models.by_column:
        return {}
    response, task = models.response, models.response.task
    return {
        "format": FORMAT,
        "task": task,
        "inverse_link": INVERSE_LINKS.get(task),
        "classes": None if response.classes is None else [tell_label(label) for label in response.classes],
        "columns": [_tell_column(models.rows.reader, j) for j in range(len(models.rows.reader.names))],
    }


def tell_equations(
    intercept: np.ndarray, coef: pd.DataFrame, design: pd.DataFrame, reference: pd.DataFrame, outputs: list
) -> list[list[dict]]:
    """Return for each query its equations, one for each output: intercepts (n_query, n_outputs) and terms.

    A term is a slope times a number, or what the query's level adds to that of the reference.
    """
    n_query, n_outputs = intercept.shape
    slopes = coef.to_numpy().reshape(n_query, n_outputs, -1)
    cells = reference.astype(object).to_numpy()
    names = [str(name) for name in design.columns]
    return [
        [
            {
                "output": output,
                "intercept": float(intercept[q, k]),
                "terms": [
                    {"column": names[j], "coef": float(slopes[q, k, j]), "reference": tell_label(cells[q, j])}
                    for j in np.flatnonzero(slopes[q, k])
                ],
            }
            for k, output in enumerate(outputs)
        ]
        for q in range(n_query)
    ]


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
