"""The small models of queries, and the effects of their columns."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from heedful.explain import Explanation, format_cell
from heedful.report._compact import counts, numbers, per_output, text

DAY = pd.Timedelta(days=1)
# Numbers from this on are said without decimals.
ROUND = 1000


class Shown(NamedTuple):
    """The columns of small models: of each its query and its place in the table; those of a query by their terms."""

    query: np.ndarray
    column: np.ndarray

    def of(self, values: np.ndarray) -> np.ndarray:
        """Return values (n_query, n_outputs, n_columns) of these columns (n_outputs, n_shown)."""
        return values[self.query, :, self.column].T

    def texts(self, explanation: Explanation, cells: np.ndarray) -> list[str]:
        """Return a cell of each of these columns as text."""
        kinds = {j: cell_kind(explanation.values.iloc[:, j]) for j in np.unique(self.column)}
        return [say_near(cell, kinds[j]) for cell, j in zip(cells, self.column, strict=True)]


def shown_columns(explanation: Explanation) -> Shown:
    """Return the columns of all small models, the largest terms of each query first."""
    slope, term = per_column(explanation, explanation.coef), per_column(explanation, explanation.terms)
    query, column = np.nonzero((slope != 0).any(axis=1))
    order = np.lexsort((-np.abs(term).max(axis=1)[query, column], query))
    return Shown(query[order], column[order])


def per_column(explanation: Explanation, table: Any) -> np.ndarray:
    """Return a table of classes and columns as (n_query, n_outputs, n_columns)."""
    return table.to_numpy(dtype=np.float64).reshape(len(explanation.index), -1, len(explanation.features))


def collect_small_models(explanation: Explanation) -> dict[str, Any] | None:
    """Return the terms of small models, flat and query by query; None where models have no slopes."""
    if explanation.terms is None or explanation.reference is None:
        return None
    shown = shown_columns(explanation)
    value, reference = (
        shown.texts(explanation, table.astype(object).to_numpy()[shown])
        for table in (explanation.values, explanation.reference)
    )
    # means and frequent levels come again and again
    references, place = np.unique(reference, return_inverse=True)
    return {
        "first": counts(np.searchsorted(shown.query, np.arange(len(explanation.index) + 1))),
        "column": counts(shown.column),
        "value": value,
        "reference": counts(place),
        "references": [str(one) for one in references],
        "start": per_output(explanation.start),
        "link": per_output(explanation.link),
        "fidelity": numbers(explanation.fidelity, 3),
        "slope": _lists(shown.of(per_column(explanation, explanation.coef)), 3),
        "term": _lists(shown.of(per_column(explanation, explanation.terms)), 4),
        "effects": None if explanation.compute_effects is None else _effects(explanation, shown),
    }


def _effects(explanation: Explanation, shown: Shown) -> dict[str, Any]:
    """Return the change of the link when a column moves from one value to another, with intervals."""
    table = explanation.effects()
    shape = (len(explanation.index), len(explanation.outputs or [None]), -1)
    features = table.index.get_level_values("feature").to_numpy().reshape(shape)[0, 0]
    place = pd.Index(features).get_indexer(pd.Index(explanation.features))[shown.column]
    parts = {name: table[name].to_numpy().reshape(shape)[shown.query, :, place] for name in table}
    low, high = parts["from"][:, 0], parts["to"][:, 0]
    far = np.array([_distance(*cells) for cells in zip(low, high, parts["per"][:, 0], strict=True)])
    names = ("effect", "low", "high") if table["low"].notna().any() else ("effect",)
    moved = {name: parts[name].astype(float) * far[:, None] for name in names}
    return {
        "from": shown.texts(explanation, low),
        "to": shown.texts(explanation, high),
        **{name: _lists(values.T, 3) for name, values in moved.items()},
    }


def _lists(values: np.ndarray, digits: int) -> list[list]:
    return [numbers(part, digits) for part in values]


def _distance(low: Any, high: Any, per: str) -> float:
    """Return how far a column moved, in the units of its effect."""
    if per in ("level", "missing"):
        return 1.0
    return (high - low) / DAY if isinstance(high, pd.Timestamp | pd.Timedelta) else high - low


def cell_kind(column: pd.Series) -> str:
    """Return whether a column holds "truths", whole "days" or all else, ""."""
    kinds = pd.api.types
    if kinds.is_bool_dtype(column):
        return "truths"
    if not kinds.is_datetime64_any_dtype(column):
        return ""
    known = column.dropna()
    return "days" if (known == known.dt.normalize()).all() else ""


def say_near(cell: Any, kind: str) -> str:
    """Return a cell that may lie between those of its column: no half days where there are whole ones."""
    if isinstance(cell, pd.Timestamp | pd.Timedelta):
        cell = cell.round("D" if kind == "days" else "s")
    if isinstance(cell, float) and kind == "truths" and cell in (0, 1):
        cell = bool(cell)
    # as many digits as whole numbers have
    return text(format_cell(round(cell) if isinstance(cell, float) and ROUND <= abs(cell) < np.inf else cell))
