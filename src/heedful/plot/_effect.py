"""One column over all queries: what it adds, and its coefficient, against its value."""

from typing import Any

import numpy as np
import pandas as pd

from heedful._optional import need
from heedful.explain import Explanation
from heedful.explain._cells import Cells, read_cells
from heedful.explain._curves import curve_slopes
from heedful.explain._distances import as_outputs
from heedful.plot._axes import finish, get_axes, note_above, say_tick, ticks_within
from heedful.plot._beeswarm import point_size
from heedful.plot._hues import colour_by, draw_key
from heedful.plot._labels import name_levels, room_below, shorten, shorten_all
from heedful.plot._read import check_explanation, find_column, find_output, say_added
from heedful.plot._style import INK, NEUTRAL, PALE
from heedful.plot._swarm import swarm

# Levels drawn at most, and the letters of their names.
MOST_LEVELS, LETTERS = 15, 18
# Of the width of the axes: where missing cells stand beside the numbers.
ASIDE = 0.14
# Places at which the slope of the model for all rows is drawn.
N_PLACES = 201


def effect(
    explanation: Explanation, column: Any, color: Any = None, *, output: Any = None, ax: Any = None, **style: Any
) -> Any:
    """Draw what a column adds to each prediction against its value.

    A point is a query. Levels of a category stand side by side, the 15 most frequent at most; missing cells stand
    apart at the right. Points of one value that differ in height show that the column works together with others:
    colour them by another column to see with which.

    All else is as in :func:`contributions`.

    Parameters
    ----------
    explanation : Explanation
    column : label
        Column of the table, one of ``explanation.values``.
    color : label, default=None
        Another column, which colours the points.
    output : label, default=None
        With several classes, the one to draw; None takes each query's most probable one.
    ax : Axes, default=None
    style : keywords
        For matplotlib's ``scatter``, such as ``s``.

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
    >>> ax = plot.effect(e, "x0", color="x1")
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('x0', 'adds to prediction')
    """
    place = find_column(check_explanation(explanation), column)
    hues = None if color is None else colour_by(explanation.values.iloc[:, find_column(explanation, color, "color")])
    heights = explanation.contributions(output).iloc[:, place].to_numpy()
    cells = read_cells(explanation.values.iloc[:, place], MOST_LEVELS)
    ax = _draw_points(ax, cells, heights, {"c": INK if hues is None else hues.colours, **style})
    finish(ax, _name(column, cells), f"adds to {say_added(explanation, output)}")
    if hues is not None:
        draw_key(ax, f"colour: {shorten(color, 30)}", hues, noted=not cells.levels and bool(cells.missing.any()))
    return ax


def coefficients(explanation: Explanation, column: Any, *, output: Any = None, ax: Any = None, **style: Any) -> Any:
    r"""Draw a column's coefficient in each query's model against its value.

    A point is a query; the dashed line is the one model for all rows. A cloud along that line says that one model would
    do for all, steps and slopes say where the column works differently. Where models have curves beside their
    coefficients, points and line are slopes of both together, over one standard deviation of the queries around the
    value. Of a category, which has a coefficient for each of its levels, the point is the coefficient of the query's
    own level.

    All else is as in :func:`effect`.

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
    >>> ax = plot.coefficients(e, "x0")
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('x0', 'coefficient: prediction\nper unit')
    """
    place = find_column(check_explanation(explanation), column)
    heights = _own_coefficients(explanation, column, output)
    cells = read_cells(explanation.values.iloc[:, place], MOST_LEVELS)
    ax = _draw_points(ax, cells, heights, {"c": INK, **style})
    line = _usual(explanation, column)
    if line is not None:
        ax.plot(*line, color=NEUTRAL, linewidth=0.9, linestyle=(0, (4, 3)), zorder=0, scalex=False)
    finish(ax, _name(column, cells), _say_coefficient(explanation, column, cells, output))
    return ax


def _own_coefficients(explanation: Explanation, column: Any, output: Any) -> np.ndarray:
    """Return the coefficient of each query's cell, with the slope of its curve."""
    used = explanation.sources.index[explanation.sources == column]
    if len(used) == 0:
        raise ValueError(
            f"`column` must be one that the models use, got {column!r}, which only the similarity sees. "
            "Use `plot.effect`, which shows what it adds through attention."
        )
    table, asked = explanation.coef, find_output(explanation, 0, output)
    which: Any = 0
    if explanation.slopes and explanation.outputs is not None:
        which = np.asarray(explanation.link).argmax(axis=1) if output is None else explanation.outputs.index(asked)
        cube = table.to_numpy().reshape(len(table), len(explanation.outputs), -1)
        table = pd.DataFrame(cube[np.arange(len(table)), which], table.index, explanation.features)
    own, cells = table[used].to_numpy(), explanation.design[used].to_numpy()
    if list(used) != [column]:
        # of the 0/1 columns of a category one is 1: that of the query's level
        return (own * cells).sum(axis=1)
    if explanation.curves is None or explanation.multiple is None:
        return own[:, 0]
    bent = curve_slopes(explanation, column, "curve", cells[:, 0], _step(explanation, column))
    multiple = as_outputs(explanation.multiple, bent.shape[1])[np.arange(len(bent)), which]
    return own[:, 0] + (multiple * bent).sum(axis=1)


def _usual(explanation: Explanation, column: Any) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the slope of the model for all rows along the column, as a line; None if there is no single one."""
    if not explanation.slopes or explanation.outputs is not None or column not in explanation.features:
        return None
    seen, step = explanation.design[column].to_numpy(), _step(explanation, column)
    at = np.linspace(seen.min() - 0.03 * np.ptp(seen), seen.max() + 0.03 * np.ptp(seen), N_PLACES)
    return at, explanation.baseline_coef[column] + curve_slopes(explanation, column, "effect", at, step)[:, 0]


def _step(explanation: Explanation, column: Any) -> float:
    return float(explanation.unit()[explanation.features.index(column)])


def _say_coefficient(explanation: Explanation, column: Any, cells: Cells, output: Any) -> str:
    if not explanation.slopes:
        return "importance"
    if explanation.curves is not None and column in explanation.features:
        return f"slope over one s.d.:\n{say_added(explanation, output)}" + ("" if cells.dates else " per unit")
    if cells.levels:
        return f"coefficient of the level:\n{say_added(explanation, output)}"
    return f"coefficient: {say_added(explanation, output)}" + ("" if cells.dates else "\nper unit")


def _name(column: Any, cells: Cells) -> str:
    """Return what the axis of the column is called; with how many of its levels are drawn if not all are."""
    n_drawn = len(cells.levels)
    return shorten(column, 36) + (f" ({n_drawn} of {cells.n_levels} levels)" if n_drawn < cells.n_levels else "")


def _draw_points(ax: Any, cells: Cells, heights: np.ndarray, look: dict[str, Any]) -> Any:
    """Draw a point for each query on new or given axes: numbers at their place, levels side by side."""
    names = shorten_all(cells.levels, LETTERS) + (["missing"] if cells.levels and cells.missing.any() else [])
    ax = get_axes(ax, height=2.6 + room_below(names))
    place = _place_levels(ax, cells, heights, names) if names else _place_numbers(ax, cells)
    drawn = np.isfinite(place)
    if isinstance(look["c"], list):
        look = {**look, "c": [colour for colour, there in zip(look["c"], drawn, strict=True) if there]}
    ax.axhline(0, color=PALE, linewidth=0.6, zorder=0)
    ax.yaxis.set_major_formatter(say_tick)
    ax.scatter(place[drawn], heights[drawn], **{"s": point_size(len(heights)), "linewidths": 0, **look})
    return ax


def _place_levels(ax: Any, cells: Cells, heights: np.ndarray, names: list[str]) -> np.ndarray:
    """Name the levels below the axes and return places of points around those of their levels."""
    place = np.where(cells.missing, len(names) - 1, cells.place) if names[-1:] == ["missing"] else cells.place.copy()
    for level in range(len(names)):
        here = place == level
        place[here] += swarm(heights[here], 0.35)
    if cells.missing.any():
        ax.axvline(len(names) - 1.5, color=PALE, linewidth=0.6, linestyle=(0, (4, 3)))
    ax.set_xlim(-0.6, len(names) - 0.4)
    name_levels(ax, names, np.arange(len(names), 0, -1))
    return place


def _place_numbers(ax: Any, cells: Cells) -> np.ndarray:
    """Return places of numbers or dates, those of missing cells apart at the right."""
    known = cells.place[np.isfinite(cells.place)]
    low, high = (known.min(), known.max()) if known.size else (0.0, 1.0)
    span = (high - low) or 1.0
    place, end = cells.place.copy(), high + 0.03 * span
    if cells.dates:
        dates: Any = need("matplotlib.dates", "plot", "heedful.plot")
        ax.xaxis.set_major_locator(dates.AutoDateLocator(minticks=3, maxticks=7))
        ax.xaxis.set_major_formatter(dates.ConciseDateFormatter(ax.xaxis.get_major_locator()))
    else:
        ax.xaxis.set_major_locator(ticks_within(low, high))
        ax.xaxis.set_major_formatter(say_tick)
    if cells.missing.any():
        aside = high + ASIDE * span
        place[cells.missing] = aside
        ax.axvline(0.5 * (end + aside), color=PALE, linewidth=0.6, linestyle=(0, (4, 3)))
        note_above(ax, aside, "missing")
        end = aside + 0.09 * span
    ax.set_xlim(low - 0.03 * span, end)
    return place
