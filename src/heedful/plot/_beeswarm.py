"""What columns add to each prediction, all queries in one picture."""

from typing import Any

import numpy as np

from heedful.explain import Explanation
from heedful.explain._cells import rank_cells, read_cells
from heedful.plot._axes import finish, fonts, get_axes, say_tick
from heedful.plot._hues import Hues, draw_key, on_scale
from heedful.plot._importance import rank_columns
from heedful.plot._labels import shorten_all
from heedful.plot._read import check_explanation, say_added
from heedful.plot._style import NEUTRAL, PALE
from heedful.plot._swarm import swarm


def beeswarm(explanation: Explanation, k: int = 10, *, output: Any = None, ax: Any = None, **style: Any) -> Any:
    """Draw what the most important columns add to every prediction.

    A point is a query, its place along the axis what the column adds, its colour the column's value: from the lowest
    to the highest, by rank. Text and missing cells have no such order and are grey.

    All else is as in :func:`contributions`.

    Parameters
    ----------
    explanation : Explanation
    k : int, default=10
        How many columns to draw.
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
    >>> ax = plot.beeswarm(e)
    >>> ax.get_xlabel()
    'adds to prediction'
    """
    names = rank_columns(check_explanation(explanation), k, output).index
    added = explanation.contributions(output)
    look = {"s": point_size(len(added)), "linewidths": 0, **style}
    ax = get_axes(ax, height=0.95 + 0.27 * len(names))
    ax.axvline(0, color=PALE, linewidth=0.6, zorder=0)
    grey = set()
    for place, name in enumerate(names):
        share = rank_cells(read_cells(explanation.values[name], 1))
        if np.isnan(share).any():
            grey.add("text" if np.isnan(share).all() else "missing")
        x = added[name].to_numpy()
        ax.scatter(x, place + swarm(x, 0.4), **{"c": on_scale(share), **look})
    finish(ax, f"adds to {say_added(explanation, output)}", "", frame=("bottom",))
    ax.set_yticks(range(len(names)), shorten_all(list(names), 24), fontsize=fonts().tick)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.xaxis.set_major_formatter(say_tick)
    draw_key(
        ax,
        "value of the column",
        Hues([], ("low", "high"), [(", ".join(sorted(grey)), NEUTRAL)] if grey else []),
        at="right",
    )
    return ax


def point_size(n_points: int) -> float:
    """Return the area of a point, smaller if they are many."""
    return float(np.clip(2000 / max(n_points, 1), 3, 12))
