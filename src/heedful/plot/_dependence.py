"""Contributions and local effects of one column against its value."""

from typing import Any

import numpy as np
import pandas as pd

from heedful.explain import Explanation, find_output, read_cells, which_output
from heedful.plot._axes import finish
from heedful.plot._docs import fill_docstring
from heedful.plot._hues import colour_by, draw_key
from heedful.plot._points import MOST_LEVELS, column_label, draw_points
from heedful.plot._read import added_label, check_explanation, find_column
from heedful.plot._style import DASHED, INK, NEUTRAL, PALE

# Queries up to which each point has its interval.
MOST_INTERVALS = 30


@fill_docstring("``scatter``, such as ``s``")
def dependence(
    explanation: Explanation, column: Any, color: Any = None, *, output: Any = None, ax: Any = None, **style: Any
) -> Any:
    """Draw the contributions of a column against its value.

    A point is a query. Up to 15 levels of a category, the most frequent, are drawn side by side; missing cells are at
    the right. Points with the same value but different heights show an interaction: colour them by another column to
    see with which one.

    Parameters
    ----------
    {explanation}
    {column}
    color : label, default=None
        Another column to colour the points by.
    {output}
    {axes}

    Examples
    --------
    {explained}
    >>> ax = plot.dependence(e, "x0", color="x1")
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('x0', 'adds to prediction')
    """
    place = find_column(check_explanation(explanation), column)
    hues = None if color is None else colour_by(explanation.values.iloc[:, find_column(explanation, color, "color")])
    heights = explanation.contributions(output).iloc[:, place].to_numpy()
    cells = read_cells(explanation.values.iloc[:, place], MOST_LEVELS)
    ax, _ = draw_points(ax, cells, heights, {"c": INK if hues is None else hues.colours, **style})
    label = column_label(column, len(cells.levels), cells.n_levels)
    finish(ax, label, f"adds to {added_label(explanation, output)}")
    if hues is not None:
        draw_key(ax, str(color), hues)
    return ax


@fill_docstring("``scatter``, such as ``s``")
def local_effects(explanation: Explanation, column: Any, *, output: Any = None, ax: Any = None, **style: Any) -> Any:
    """Draw the local effects of a column against its value.

    A point is a query; its height is the local effect of the column: the change of the linear predictor per unit of a
    number, per day of a date, or at the query's level instead of the reference. The dashed line is the mean effect over
    queries with a known number or date. Points near this line mean one common slope; a trend or steps show how the
    effect varies. With up to 30 queries, points have intervals where these are known.

    Parameters
    ----------
    {explanation}
    {column}
    {output}
    {axes}

    Examples
    --------
    {explained}
    >>> plot.local_effects(e, "x0").get_ylabel().splitlines()
    ['effect on prediction', 'per unit']
    """
    place = find_column(check_explanation(explanation), column)
    find_output(explanation, 0, output)
    table = _read_effects(explanation, column, output)
    cells = read_cells(explanation.values.iloc[:, place], MOST_LEVELS)
    effects, low, high = (table[name].to_numpy() for name in ("effect", "low", "high"))
    few = len(table) <= MOST_INTERVALS
    ax, places = draw_points(ax, cells, effects, {"c": INK, **style}, apart=few)
    if few:
        known = np.isfinite(places) & np.isfinite(low) & np.isfinite(high)
        ax.vlines(places[known], low[known], high[known], color=PALE, linewidth=0.9, zorder=0)
    measured = table["per"].isin(("unit", "day")).to_numpy()
    if measured.any():
        ax.axhline(effects[measured].mean(), color=NEUTRAL, linewidth=0.9, linestyle=DASHED, zorder=0)
    label = column_label(column, len(cells.levels), cells.n_levels)
    return finish(ax, label, _effect_label(table["per"], added_label(explanation, output)))


def _read_effects(explanation: Explanation, column: Any, output: Any) -> pd.DataFrame:
    """Return the effects of a column, one row for each query: those of an output, or of the most probable class."""
    table = explanation.effects()
    features = table.index.get_level_values("feature")
    of_column = table[features == column]
    if of_column.empty:
        raise ValueError(
            f"`column` must be one of the {features.nunique()} most important columns, whose effects are known, got "
            f"{column!r}. Use `local_effects(X, columns=...)` of the estimator for its effects, or `plot.dependence`."
        )
    rows, which = which_output(explanation, output)
    return of_column.iloc[rows * (len(of_column) // len(rows)) + which]


def _effect_label(per: pd.Series, what: str) -> str:
    units = per[per != "missing"]
    if units.empty:
        return f"effect of a missing cell on\n{what}"
    return f"effect of the level on\n{what}" if units.iloc[0] == "level" else f"effect on {what}\nper {units.iloc[0]}"
