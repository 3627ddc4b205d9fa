"""All columns in one picture: which of them matter, and what they add to each prediction."""

from typing import Any

import numpy as np
import pandas as pd

from heedful.explain import Explanation, has_two_parts, rank_cells, read_cells
from heedful.plot._axes import annotate, finish_rows, fonts, get_axes, points
from heedful.plot._hues import Hues, draw_key, on_scale
from heedful.plot._labels import draw_legend, number, shorten_all, text_width
from heedful.plot._points import point_size, swarm
from heedful.plot._read import added_label, check_count, check_explanation
from heedful.plot._style import NEUTRAL, PALE, PARTS

PART_NAMES = {"attention": "attention", "model": "own model"}


def importance(explanation: Explanation, k: int = 10, *, output: Any = None, ax: Any = None, **style: Any) -> Any:
    """Draw how much each column matters, and through what.

    A bar is the mean size of a column's contributions, in two parts that add up to it: through attention, which rows
    queries are compared with, and through their own models. A part that works against the whole is drawn to the left
    of zero; the number beside the bar is the whole. Where the model for all rows predicts alone bars have no parts.

    Parameters
    ----------
    explanation : as in :func:`contributions`
    k : int, default=10
        How many columns to draw; the rest is one bar.
    output : label, default=None
        With several classes, the one to draw; None takes each query's most probable one.
    ax : as in :func:`contributions`, default=None
    style : keywords for matplotlib's ``barh``, such as ``height``

    Returns
    -------
    Axes

    Examples
    --------
    >>> import numpy as np
    >>> from heedful import AttentionLasso, plot
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> e = AttentionLasso(random_state=0).fit(X, X[:, 0] * np.sign(X[:, 1])).explain(X)
    >>> plot.importance(e).get_xlabel()
    'mean size of contributions'
    """
    table = _most_important(check_explanation(explanation), k, output)
    names = shorten_all(list(table.index), 24)
    others = explanation.importance(output).iloc[len(names) :]
    if not has_two_parts(explanation):
        table, others = table[["contribution"]], others[["contribution"]]
    if len(others):
        table = pd.concat([table, others.sum().to_frame().T], ignore_index=True)
        names = [*names, f"sum of {len(others)} others"]
    ax = get_axes(ax, height=0.95 + 0.17 * len(names))
    _write_sizes(ax, _draw_parts(ax, table, style), table["contribution"].to_numpy())
    scale = added_label(explanation, output)
    return finish_rows(ax, "mean size of contributions" + ("" if scale == "prediction" else f"\nto {scale}"), names)


def _most_important(explanation: Explanation, k: int, output: Any) -> pd.DataFrame:
    """Return the importance of the ``k`` most important columns, without those that add nothing but rounding."""
    check_count(k, 10)
    table = explanation.importance(output)
    there = table["contribution"] > 1e-9 * table["contribution"].max()
    return table.iloc[: min(k, max(int(there.sum()), 1))]


def _draw_parts(ax: Any, table: pd.DataFrame, style: dict[str, Any]) -> np.ndarray:
    """Draw the parts end to end, negative ones to the left, and return the right ends."""
    places, look = np.arange(len(table)), {"height": 0.7, **style}
    parts = [part for part in PARTS if part in table]
    if not parts:
        ax.barh(places, table["contribution"], **{"color": NEUTRAL, **look})
        return table["contribution"].to_numpy()
    right, left = np.zeros(len(table)), np.zeros(len(table))
    for part in parts:
        size = table[part].to_numpy()
        start = np.where(size >= 0, right, left)
        ax.barh(places, size, left=start, label=PART_NAMES[part], **{"color": PARTS[part], **look})
        right, left = right + np.maximum(size, 0), left + np.minimum(size, 0)
    ax.axvline(0, color=NEUTRAL, linewidth=0.6)
    draw_legend(ax, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, handlelength=1.0)
    return right


def _write_sizes(ax: Any, ends: np.ndarray, sizes: np.ndarray) -> None:
    """Write each number beside its bar, and make room for it: names of columns take about half of the width."""
    texts = [number(float(f"{value:.3g}")) if value > 1e-9 * sizes.max() else "0" for value in sizes]
    room = min((text_width(texts, fonts().tick) + 6) / (0.5 * points(ax)[0]), 0.6)
    low, high = min(0.0, ax.dataLim.x0), ends.max()
    span = (high - low) or 1.0
    ax.set_xlim(low - 0.02 * span * (low < 0), high + room * span)
    for place, (end, text) in enumerate(zip(ends, texts, strict=True)):
        annotate(ax, text, (end, place), (3, 0))


def beeswarm(explanation: Explanation, k: int = 10, *, output: Any = None, ax: Any = None, **style: Any) -> Any:
    """Draw what the most important columns add to every prediction.

    A point is a query, its place along the axis what the column adds, its colour the column's value: from the lowest
    to the highest, by rank. Text and missing cells have no such order and are grey.

    Parameters
    ----------
    explanation : as in :func:`contributions`
    k : int, default=10
        How many columns to draw.
    output, ax : as in :func:`importance`, default=None
    style : keywords for matplotlib's ``scatter``, such as ``s``

    Returns
    -------
    Axes

    Examples
    --------
    >>> import numpy as np
    >>> from heedful import AttentionLasso, plot
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> e = AttentionLasso(random_state=0).fit(X, X[:, 0] * np.sign(X[:, 1])).explain(X)
    >>> plot.beeswarm(e).get_xlabel()
    'adds to prediction'
    """
    names = _most_important(check_explanation(explanation), k, output).index
    added = explanation.contributions(output)
    ax = get_axes(ax, height=0.95 + 0.27 * len(names))
    ax.axvline(0, color=PALE, linewidth=0.6, zorder=0)
    grey = set()
    for place, name in enumerate(names):
        rank = rank_cells(read_cells(explanation.values[name], 1))
        if np.isnan(rank).any():
            grey.add("text" if np.isnan(rank).all() else "missing")
        look = {"c": on_scale(rank), "s": point_size(len(added)), "linewidths": 0, **style}
        ax.scatter(added[name], place + swarm(added[name], 0.4), **look)
    finish_rows(ax, f"adds to {added_label(explanation, output)}", shorten_all(list(names), 24))
    without_order = [(", ".join(sorted(grey)), NEUTRAL)] if grey else []
    draw_key(ax, "value of the column", Hues([], ("low", "high"), without_order), at="right")
    return ax
