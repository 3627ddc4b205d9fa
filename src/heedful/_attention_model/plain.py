"""Models of queries in plain values, as JSON has them: how cells become the design, and the equations of each query."""

import math
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd

from heedful._models.protocol import FittedModels

FORMAT = 1
# What turns linear predictors into predictions; a response of one's own has its own way.
INVERSE_LINKS = {
    **dict.fromkeys(("regression", "effect", "survival"), "identity"),
    **dict.fromkeys(("poisson", "gamma", "tweedie"), "exp"),
    "binary": "logistic",
    "multiclass": "softmax",
}
UNITS = {"dates": "days since 1970-01-01, UTC", "durations": "days", "times of day": "days since midnight"}


def tell_coding(models: FittedModels) -> dict[str, Any]:
    """Return how cells become the design and its curves; nothing where coefficients are of no columns of the table."""
    if not models.by_column:
        return {}
    response, task = models.response, models.response.task
    return {
        "format": FORMAT,
        "task": task,
        "inverse_link": INVERSE_LINKS.get(task),
        "classes": None if response.classes is None else [tell_label(label) for label in response.classes],
        "columns": _tell_columns(models),
    }


def tell_equations(intercept: np.ndarray, coef: pd.DataFrame, multiple: np.ndarray, outputs: list) -> list[list[dict]]:
    """Return for each query its equations, one for each output: intercepts (n_query, n_outputs), coefficients, curves.

    ``multiple`` (n_query, n_outputs, n_outputs) says how much of the curves of each output is in each equation.
    """
    n_query, n_outputs = intercept.shape
    slopes = coef.to_numpy().reshape(n_query, n_outputs, -1)
    names = [str(name) for name in coef.columns.get_level_values(-1)[: slopes.shape[2]]]
    return [
        [
            {
                "output": output,
                "intercept": float(intercept[q, k]),
                "coef": {name: float(slope) for name, slope in zip(names, slopes[q, k], strict=True) if slope != 0},
                "curves": multiple[q, k].tolist(),
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


def _tell_columns(models: FittedModels) -> list[dict[str, Any]]:
    rows, shapes, found = models.rows, models.shapes, []
    heights, bins = _level_heights(models), None if shapes is None else rows.model_bins(rows.codes[:1]).bins
    for at, (j, coding) in enumerate(zip(rows.model_columns, rows.model_codings(models.reach), strict=True)):
        levels, kinds = rows.reader.levels[j], rows.reader.kinds[j]
        told: dict[str, Any] = {"name": rows.reader.names[j]}
        if coding.kept is None:
            ends = (None if math.isinf(end) else end for end in (coding.low, coding.high))
            kind = kinds[0] if kinds else "none"
            told |= {"kind": kind, "unit": UNITS.get(kind), "feature": coding.names[0], "missing": coding.mean}
            told |= dict(zip(("low", "high"), ends, strict=True))
            if shapes is not None and bins is not None:
                told["curve"] = _tell_steps(bins.edges(at)[1:-1], shapes.curves[at])
        else:
            features = dict(zip(coding.kept, coding.names, strict=True))
            known = range(len(levels))
            told |= {"kind": "levels", "levels": [tell_label(level) for level in levels]}
            told |= {"features": [features.get(code) for code in known], "missing": features.get(-1)}
            if heights is not None:
                told["curve"] = {"adds": heights[: len(levels), at].tolist(), "missing": heights[-1, at].tolist()}
        found.append(told)
    return found


def _level_heights(models: FittedModels) -> np.ndarray | None:
    """Return what each level of each column adds by its curves (n_levels + 1, n_columns, n_outputs), missing last."""
    if models.shapes is None:
        return None
    rows = models.rows
    sizes = [0 if levels is None else len(levels) for levels in rows.reader.levels]
    codes = np.full((max(sizes, default=0) + 1, len(sizes)), np.nan)
    for j, size in enumerate(sizes):
        codes[:size, j] = np.arange(size)
    return models.shape_parts(codes)


def _tell_steps(cuts: np.ndarray, curve: np.ndarray) -> dict[str, Any]:
    """Return the steps of a column of numbers, up to each cut and with it; those of one height are one step."""
    heights = curve[: cuts.size + 1]
    up = np.flatnonzero(np.any(np.diff(heights, axis=0) != 0, axis=1))
    steps = heights[np.append(up, cuts.size)]
    return {"cuts": cuts[up].tolist(), "adds": steps.tolist(), "missing": curve[-1].tolist()}
