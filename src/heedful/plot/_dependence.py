"""One column over all queries: what it adds against its value."""

from typing import Any

from heedful.explain import Explanation
from heedful.explain._cells import read_cells
from heedful.plot._along import MOST_LEVELS, draw_points, say_column
from heedful.plot._axes import finish
from heedful.plot._hues import colour_by, draw_key
from heedful.plot._labels import shorten
from heedful.plot._read import check_explanation, find_column, say_added
from heedful.plot._style import INK


def dependence(
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
    >>> ax = plot.dependence(e, "x0", color="x1")
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('x0', 'adds to prediction')
    """
    place = find_column(check_explanation(explanation), column)
    hues = None if color is None else colour_by(explanation.values.iloc[:, find_column(explanation, color, "color")])
    heights = explanation.contributions(output).iloc[:, place].to_numpy()
    cells = read_cells(explanation.values.iloc[:, place], MOST_LEVELS)
    ax, _ = draw_points(ax, cells, heights, {"c": INK if hues is None else hues.colours, **style})
    finish(ax, say_column(column, cells), f"adds to {say_added(explanation, output)}")
    if hues is not None:
        draw_key(ax, f"colour: {shorten(color, 30)}", hues, noted=not cells.levels and bool(cells.missing.any()))
    return ax
