"""The tables of a drift report, from recent rows and queries with what the model and its correction predict."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from heedful._models.recent import Recent, beside, shown
from heedful._responses import Words
from heedful._solver import Family
from heedful.explain import DriftReport
from heedful.explain._drift import is_corrected, separate, summarise


class Corrected(NamedTuple):
    """Queries with the model's predictions, the corrected ones, and the effective rows that these rest on."""

    table: Any
    base: np.ndarray
    value: np.ndarray
    n_eff: np.ndarray


def report_drift(
    rows: Recent,
    words: Words,
    family: Family,
    left_out: np.ndarray,
    queries: Corrected,
    tuned: dict[str, float],
    heads: pd.DataFrame,
) -> DriftReport:
    """Return the report; ``left_out`` is what the correction by the other rows makes of each recent row."""
    found = tell_rows(rows, family, left_out)
    noise = np.sqrt(np.average((found["residual"] - found["correction"]) ** 2, weights=found["weight"]))
    index = found.index if queries.table is rows.table else named(queries.table).index
    moves = pd.DataFrame(
        {
            "correction": shown(queries.value, queries.base) - shown(queries.base, queries.base),
            "standard_error": tuned["mixing"] * noise / np.sqrt(queries.n_eff),
            "n_eff": queries.n_eff,
        },
        index,
    )
    return DriftReport(
        summary=summarise(found, moves, tuned, words.root),
        features=separate(named(queries.table), is_corrected(moves)),
        rows=found,
        queries=moves,
        heads=heads,
        error=words.error if words.times == 1 else f"half {words.error}",
    )


def tell_rows(rows: Recent, family: Family, left_out: np.ndarray) -> pd.DataFrame:
    """Return the recent rows with both predictions, how far they were off, and their losses."""
    model, corrected = (shown(part, rows.base) for part in (rows.base, left_out))
    before, after = (family.losses(family.observed(part)).value for part in (rows.base, left_out))
    columns = {
        "weight": rows.weight,
        "model": model,
        "corrected": corrected,
        "residual": rows.residuals(),
        "correction": corrected - model,
        "loss": before,
        "corrected_loss": after,
    }
    times = {} if pd.isna(rows.time).all() else {"time": rows.time}
    return beside(rows.response, **times, **columns)


def named(table: pd.DataFrame | np.ndarray) -> pd.DataFrame:
    """Return a table with names for its columns."""
    if isinstance(table, pd.DataFrame):
        return table
    return pd.DataFrame(table, columns=[f"x{j}" for j in range(table.shape[1])])
