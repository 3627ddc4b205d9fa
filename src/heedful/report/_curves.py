"""The shape functions of the additive model: those that vary most."""

from dataclasses import replace
from typing import Any

from heedful.explain import Curve, Explanation, rank_columns, read_curve
from heedful.report._compact import number, numbers, numbers_if, text, texts

# Columns and levels of a column shown at most.
MOST_COLUMNS, MOST_LEVELS = 6, 12


def collect_curves(explanation: Explanation) -> dict[str, Any] | None:
    """Return the curves that vary most, piece by piece, and each query's multiples of them; None without shapes.

    Heights are those of the additive model: the page draws a query's multiples of them.
    """
    if explanation.curves is None or explanation.multiple is None:
        return None
    table = explanation.curves.assign(effect=explanation.curves["curve"])
    explanation = replace(explanation, curves=table)
    bent = set(table.loc[table["effect"] != 0, "feature"])
    ranked = [name for name in rank_columns(table) if name in bent]
    return {
        "n_columns": int(table["feature"].nunique()),
        "n_bent": len(ranked),
        "multiple": numbers(explanation.multiple, 4),
        "columns": [_column(read_curve(explanation, name, None, MOST_LEVELS)) for name in ranked[:MOST_COLUMNS]],
    }


def _column(curve: Curve) -> dict[str, Any]:
    """Return a curve as lists; its heights for each class."""
    return {
        "name": text(curve.feature),
        "edges": None if curve.levels else numbers(curve.edges, 8),
        "levels": texts(curve.levels),
        "n_levels": curve.n_levels,
        "rows": numbers(curve.rows, 4),
        "effect": [numbers(heights, 4) for heights in curve.effect.T],
        "missing": numbers_if(curve.missing, 4),
        "missing_rows": number(curve.missing_rows, 4),
    }
