"""The tables of a drift report, from recent rows and queries with what the model and its correction predict."""

import warnings
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from heedful._models.recent import Recent, beside, shown
from heedful._responses import Response
from heedful.explain import DriftReport
from heedful.explain._drift_measures import find, is_corrected, order_columns, separate, summarise, tabulate_tests

# An error so many times as large as that on the reference, although it is corrected, is that of rows never seen.
RATIO = 2.0


class Corrected(NamedTuple):
    """Queries with the model's predictions, the corrected ones, and the effective rows that these rest on."""

    table: Any
    base: np.ndarray
    value: np.ndarray
    n_eff: np.ndarray


class Periods(NamedTuple):
    """The reference if there is one, the statistics of tests, and each column before and after."""

    reference: Recent | None
    statistics: dict[str, float]
    columns: pd.DataFrame


def report_drift(
    rows: Recent,
    response: Response,
    left_out: np.ndarray,
    queries: Corrected,
    tuned: dict[str, float],
    heads: pd.DataFrame,
    periods: Periods,
) -> DriftReport:
    """Return the report; ``left_out`` is what the correction by the other rows makes of each recent row."""
    recent, words = tabulate_rows(rows, response, left_out), response.words
    noise = np.sqrt(np.average((recent["residual"] - recent["correction"]) ** 2, weights=recent["weight"]))
    index = recent.index if queries.table is rows.table else named(queries.table).index
    moves = pd.DataFrame(
        {
            "correction": shown(queries.value, queries.base) - shown(queries.base, queries.base),
            "standard_error": tuned["mixing"] * noise / np.sqrt(queries.n_eff),
            "n_eff": queries.n_eff,
        },
        index,
    )
    tests, reference = tabulate_tests(periods.statistics), periods.reference
    reference_rows = None if reference is None else tabulate_rows(reference, response, reference.base)
    summary = summarise(recent, moves, tuned, words.root, reference_rows)
    if reference is not None:
        _warn_of_training_rows(summary["value"])
    return DriftReport(
        summary=summary,
        features=separate(named(queries.table), is_corrected(moves)),
        rows=recent,
        queries=moves,
        heads=heads,
        error=words.error if words.times == 1 else f"half {words.error}",
        tests=tests,
        columns=order_columns(periods.columns, find(tests)),
    )


def _warn_of_training_rows(value: pd.Series) -> None:
    """Warn if the error that no correction mends is much larger than that on the reference."""
    known, new = (float(value[name]) for name in ("error on the reference", "error after"))
    if new > RATIO * known:
        warnings.warn(
            f"The model's error on the reference is {known:.3g}, on recent rows it is {new:.3g} even if corrected. If "
            "the model was trained on these rows, they are no reference: give rows of its time that it has not seen, "
            "such as a calibration set, or the first ones after it went into use.",
            UserWarning,
            stacklevel=4,
        )


def tabulate_rows(rows: Recent, response: Response, left_out: np.ndarray) -> pd.DataFrame:
    """Return the recent rows with both predictions, how far they were off, and their losses."""
    model, corrected = (shown(part, rows.base) for part in (rows.base, left_out))
    family = response.with_rows(rows.y)
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
