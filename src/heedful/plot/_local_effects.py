"""One column over all queries: its effect on each prediction against its value."""

from typing import Any

import numpy as np
import pandas as pd

from heedful.explain import Explanation
from heedful.explain._cells import read_cells
from heedful.explain._columns import which_output
from heedful.plot._along import MOST_LEVELS, draw_points, say_column
from heedful.plot._axes import finish
from heedful.plot._read import check_explanation, find_column, find_output, say_added
from heedful.plot._style import INK, NEUTRAL, PALE

# Queries up to which each point has its interval.
MOST_WHISKERS = 30


def effects(explanation: Explanation, column: Any, *, output: Any = None, ax: Any = None, **style: Any) -> Any:
    r"""Draw what each prediction does if a column changes, against its value.

    A point is a query, its height the local effect of the column: what the linear predictor does per unit of a number,
    per day of a date, or at the query's level instead of the reference. The dashed line is the mean effect over the
    queries whose number or date is known. A cloud along that line says that one slope would do for all; steps and
    slopes say where the column works differently. With up to 30 queries each point has its interval, where it is known.

    All else is as in :func:`dependence`.

    Parameters
    ----------
    explanation : Explanation
    column : label
    output : label, default=None
    ax : Axes, default=None
    style : keywords

    Returns
    -------
    Axes
        The axes drawn on.

    Examples
    --------
    >>> import numpy as np
    >>> from heedful import AttentionLasso, plot
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> e = AttentionLasso(random_state=0).fit(X, X[:, 0] * np.sign(X[:, 1])).explain(X)
    >>> ax = plot.effects(e, "x0")
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('x0', 'effect on prediction\nper unit')
    """
    place = find_column(check_explanation(explanation), column)
    find_output(explanation, 0, output)
    table = _read_effects(explanation, column, output)
    cells = read_cells(explanation.values.iloc[:, place], MOST_LEVELS)
    heights = table["effect"].to_numpy()
    few = len(table) <= MOST_WHISKERS
    ax, places = draw_points(ax, cells, heights, {"c": INK, **style}, apart=few)
    if few:
        _draw_whiskers(ax, places, table)
    measured = table["per"].isin(("unit", "day")).to_numpy()
    if measured.any():
        ax.axhline(heights[measured].mean(), color=NEUTRAL, linewidth=0.9, linestyle=(0, (4, 3)), zorder=0)
    finish(ax, say_column(column, cells), _say_effect(explanation, table, output))
    return ax


def _read_effects(explanation: Explanation, column: Any, output: Any) -> pd.DataFrame:
    """Return the effects of a column, one row for each query: those of an output, or of the most probable class."""
    table = explanation.effects()
    own = table[table.index.get_level_values("feature") == column]
    if own.empty:
        n_known = table.index.get_level_values("feature").nunique()
        raise ValueError(
            f"`column` must be one of the {n_known} most important columns, whose effects are known, got {column!r}. "
            "Use `local_effects(X, columns=...)` of the estimator for its effects, or `plot.dependence`."
        )
    rows, which = which_output(explanation, output)
    return own.iloc[rows * (len(own) // len(rows)) + which]


def _draw_whiskers(ax: Any, places: np.ndarray, table: pd.DataFrame) -> None:
    """Draw the intervals that are known behind their points."""
    low, high = table["low"].to_numpy(), table["high"].to_numpy()
    known = np.isfinite(places) & np.isfinite(low) & np.isfinite(high)
    ax.vlines(places[known], low[known], high[known], color=PALE, linewidth=0.9, zorder=0)


def _say_effect(explanation: Explanation, table: pd.DataFrame, output: Any) -> str:
    what = say_added(explanation, output)
    units = table["per"][table["per"] != "missing"]
    per = units.iloc[0] if len(units) else "missing"
    if per == "level":
        return f"effect of the level on\n{what}"
    return f"effect of a missing cell on\n{what}" if per == "missing" else f"effect on {what}\nper {per}"
