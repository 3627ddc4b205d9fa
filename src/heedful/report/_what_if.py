"""Predictions of each query at other values of the columns of its small model."""

from typing import Any

import numpy as np
import pandas as pd

from heedful.explain import Explanation, is_measured, read_cells
from heedful.report._compact import evenly, number, numbers
from heedful.report._small import Shown, cell_kind, say_near, shown_columns

# Values of each column; fewer where the page would hold more predictions than so many.
N_VALUES, FEWEST_VALUES, MOST_CELLS = 10, 4, 20_000
# Queries that means are over; fewer where more predictions than so many would be asked for.
N_QUERIES, FEWEST_QUERIES, MOST_ASKED = 30, 10, 3_000
MILLISECONDS_OF_DAY = 86_400_000
# Significant digits of numbers and dates along an axis, and of predictions whose spread is not far below their size.
DIGITS, DATE_DIGITS, FEWEST_DIGITS = 6, 13, 4


def collect_what_if(explanation: Explanation) -> dict[str, Any] | None:
    """Return values of the columns of small models, what is predicted there of each query, and on average.

    None where there is no model to ask, or nothing to ask about.
    """
    if explanation.terms is None or explanation.ask is None:
        return None
    shown, n_outputs = shown_columns(explanation), len(explanation.outputs or [None])
    columns = np.unique(shown.column)
    if not columns.size:
        return None
    n_values = int(np.clip(MOST_CELLS // (shown.query.size * n_outputs), FEWEST_VALUES, N_VALUES))
    n_mean = int(np.clip(MOST_ASKED // (columns.size * n_values), FEWEST_QUERIES, N_QUERIES))
    kept = evenly(len(explanation.index), n_mean)
    names = [explanation.features[j] for j in columns]
    usual = _usual(explanation.what_if(names, n_values=n_values, queries=kept))
    tables = {j: usual[usual["feature"] == name] for j, name in zip(columns, names, strict=True)}
    units = [_unit(reference) for _, reference in pd.DataFrame(explanation.reference).items()]
    return {
        "grids": {str(j): _grid(explanation, table, j, units[j], len(kept)) for j, table in tables.items()},
        "place": _own_places(explanation, shown, np.array(units)[shown.column]),
        "curve": _curves(explanation, shown, n_values),
        "n_mean": len(kept),
        "mean": {str(j): _means(explanation, table, kept) for j, table in tables.items()},
    }


def _unit(reference: pd.Series) -> int:
    """Return what places of a column are multiplied by: 0 for levels, which have none."""
    if not is_measured(reference):
        return 0
    return MILLISECONDS_OF_DAY if pd.api.types.is_datetime64_any_dtype(reference) else 1


def _grid(explanation: Explanation, table: pd.DataFrame, j: int, unit: int, n_mean: int) -> dict[str, Any]:
    """Return the values of a column as texts, and their places along an axis, None for levels."""
    cells, kind = table["value"].iloc[: len(table) // n_mean], cell_kind(explanation.values.iloc[:, j])
    place = None
    if unit:
        measured = cells.astype(pd.DataFrame(explanation.reference).dtypes.iloc[j])
        place = numbers(read_cells(measured, 0).place * unit, DATE_DIGITS if unit > 1 else DIGITS)
    return {"text": [say_near(cell, kind) for cell in cells], "place": place, "dates": unit > 1}


def _own_places(explanation: Explanation, shown: Shown, units: np.ndarray) -> list:
    """Return where the queries are on these axes; None for levels and missing numbers."""
    gone = explanation.values.isna().to_numpy()[shown] | (units == 0)
    place = np.where(gone, np.nan, explanation.design.to_numpy()[shown] * units)
    return [number(*pair) for pair in zip(place, np.where(units > 1, DATE_DIGITS, DIGITS), strict=True)]


def _curves(explanation: Explanation, shown: Shown, n_values: int) -> list[list[list]]:
    """Return for each class and column shown the predictions at its values."""
    table = _usual(explanation.what_if(n_values=n_values))
    place = pd.Index(explanation.features).get_indexer(pd.Index(table["feature"]))
    # rows are by query and column: columns of a query come in the order of the table
    first = np.flatnonzero((np.diff(table["query"], prepend=-1) != 0) | (np.diff(place, prepend=-1) != 0))
    order = np.argsort(np.lexsort((shown.column, shown.query)))
    predicted = _predicted(explanation, table)
    if explanation.outputs is not None:
        predicted = predicted.round(FEWEST_DIGITS)
    parts, digits = np.split(predicted, first[1:]), _digits(predicted)
    return [[numbers(parts[at][:, k], digits) for at in order] for k in range(predicted.shape[1])]


def _means(explanation: Explanation, table: pd.DataFrame, kept: np.ndarray) -> list[list]:
    """Return the mean prediction at each value of a column, for each class; per unit of exposure."""
    predicted = _predicted(explanation, table).reshape(len(kept), -1, len(explanation.outputs or [None]))
    if explanation.offset is not None:
        predicted = predicted / np.exp(explanation.offset.to_numpy()[kept])[:, None, None]
    return [numbers(part, _digits(predicted)) for part in predicted.mean(axis=0).T]


def _usual(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows whose values all queries share."""
    return table[table["usual"].to_numpy()].reset_index(drop=True)


def _predicted(explanation: Explanation, table: pd.DataFrame) -> np.ndarray:
    """Return the predictions of a table (n_rows, n_outputs)."""
    return table[explanation.outputs or ["prediction"]].to_numpy(dtype=np.float64)


def _digits(predicted: np.ndarray) -> int:
    """Return how many digits are needed to distinguish predictions: more if they lie far from 0."""
    far = np.abs(predicted).max() / (predicted.std() or np.inf)
    return FEWEST_DIGITS + int(np.log10(np.clip(far, 1.0, 1e6)))
