"""The tables of a drift report, from recent rows and queries with what the model and its correction say of them."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from heedful._solver import Family
from heedful.estimators._recent import Recent
from heedful.explain import DriftReport, is_corrected, separate, summarise


class Corrected(NamedTuple):
    """Queries with what the model says of them, what its correction makes of it, and the rows that this rests on."""

    table: Any
    base: np.ndarray
    value: np.ndarray
    n_eff: np.ndarray


def report_drift(
    rows: Recent, family: Family, left_out: np.ndarray, queries: Corrected, tuned: dict[str, float], heads: pd.DataFrame
) -> DriftReport:
    """Return the report; ``left_out`` is what the correction by the other rows makes of each recent row."""
    told = tell_rows(rows, family, left_out)
    noise = np.sqrt(np.average((told["residual"] - told["correction"]) ** 2, weights=told["weight"]))
    index = told.index if queries.table is rows.table else named(queries.table).index
    moves = pd.DataFrame(
        {
            "correction": shown(queries.value, queries.base) - shown(queries.base, queries.base),
            "standard_error": tuned["mixing"] * noise / np.sqrt(queries.n_eff),
            "n_eff": queries.n_eff,
        },
        index,
    )
    numbers = family.n_values == 1
    return DriftReport(
        summary=summarise(told, moves, tuned, numbers),
        features=separate(named(queries.table), is_corrected(moves)),
        rows=told,
        queries=moves,
        heads=heads,
        error="root mean squared error" if numbers else "log loss",
    )


def tell_rows(rows: Recent, family: Family, left_out: np.ndarray) -> pd.DataFrame:
    """Return the recent rows with both predictions, how far they were off, and their losses."""
    model, corrected = (shown(part, rows.base) for part in (rows.base, left_out))
    before, after = (family.losses(family.observed(part)).value for part in (rows.base, left_out))
    told = {
        "weight": rows.weight,
        "model": model,
        "corrected": corrected,
        "residual": residuals(rows),
        "correction": corrected - model,
        "loss": before,
        "corrected_loss": after,
    }
    times = {} if pd.isna(rows.time).all() else {"time": rows.time}
    return beside(rows.response, **times, **told)


def beside(response: pd.DataFrame, **columns: np.ndarray) -> pd.DataFrame:
    """Return a response with columns beside it; one that has the name of such a column gets another."""
    return response.rename(columns={name: f"{name}_given" for name in columns}).assign(**columns)


def residuals(rows: Recent) -> np.ndarray:
    """Return what happened less what the model said of it."""
    width = rows.base.shape[1]
    happened = rows.y[:, None] if width == 1 else np.eye(width)[rows.y]
    return shown(happened - rows.base, rows.base)


def shown(values: np.ndarray, base: np.ndarray) -> np.ndarray:
    """Return predictions, probabilities of the second of two classes, or of the one that the model finds likeliest."""
    if values.shape[1] < 3:
        return values[:, -1]
    return values[np.arange(len(values)), base.argmax(axis=1)]


def named(table: pd.DataFrame | np.ndarray) -> pd.DataFrame:
    """Return a table with names for its columns."""
    if isinstance(table, pd.DataFrame):
        return table
    return pd.DataFrame(table, columns=[f"x{j}" for j in range(table.shape[1])])
