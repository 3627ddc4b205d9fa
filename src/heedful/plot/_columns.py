"""Plots of all columns: their importance, and their contributions to each prediction."""

from typing import Any

import numpy as np
import pandas as pd

from heedful.explain import Explanation, has_two_parts, rank_cells, read_cells
from heedful.plot._axes import annotate, draw_dashed, finish_rows, get_axes_for_rows
from heedful.plot._docs import fill_docstring
from heedful.plot._hues import Hues, colours_on_scale, draw_key
from heedful.plot._labels import draw_legend, number, shorten_all
from heedful.plot._points import point_size, swarm
from heedful.plot._read import added_label, check_count, check_explanation
from heedful.plot._style import NEUTRAL, PARTS

PART_NAMES = {"attention": "attention", "model": "own model"}


@fill_docstring("``barh``, such as ``height``")
def importance(explanation: Explanation, k: int = 10, *, output: Any = None, ax: Any = None, **style: Any) -> Any:
    """Draw the importance of each column.

    A bar is the mean absolute contribution of a column, in two parts: through attention (the weights of the training
    rows) and through the queries' own models. A negative part is drawn to the left of zero; the number beside the bar
    is the total. If ``mixing`` is 0, bars have no parts.

    Parameters
    ----------
    {explanation}
    k : int, default=10
        Number of columns to draw; the others share one bar.
    {output}
    {axes}

    Examples
    --------
    {explained}
    >>> plot.importance(e).get_xlabel()
    'mean absolute contribution'
    """
    table = _most_important(check_explanation(explanation), k, output)
    names = shorten_all(list(table.index))
    others = explanation.importance(output).iloc[len(names) :]
    if len(others):
        table = pd.concat([table, others.sum().to_frame().T], ignore_index=True)
        names = [*names, f"sum of {len(others)} other{'s' * (len(others) > 1)}"]
    ax = get_axes_for_rows(ax, len(names))
    ends = _draw_parts(ax, table, has_two_parts(explanation), style)
    least = 1e-9 * table["contribution"].max()
    for place, (end, size) in enumerate(zip(ends, table["contribution"], strict=True)):
        annotate(ax, number(size, 3) if size > least else "0", (end, place), (3, 0))
    scale = added_label(explanation, output)
    return finish_rows(ax, "mean absolute contribution" + ("" if scale == "prediction" else f"\nto {scale}"), names)


def _most_important(explanation: Explanation, k: int, output: Any) -> pd.DataFrame:
    """Return the importance of the ``k`` most important columns, without those that add nothing but rounding."""
    check_count(k, 10)
    table = explanation.importance(output)
    there = table["contribution"] > 1e-9 * table["contribution"].max()
    return table.iloc[: min(k, max(int(there.sum()), 1))]


def _draw_parts(ax: Any, table: pd.DataFrame, two_parts: bool, style: dict[str, Any]) -> np.ndarray:
    """Draw the parts end to end, negative ones to the left, and return the right ends."""
    places, look = np.arange(len(table)), {"height": 0.7, **style}
    if not two_parts:
        ax.barh(places, table["contribution"], **{"color": NEUTRAL, **look})
        return table["contribution"].to_numpy()
    right, left = np.zeros(len(table)), np.zeros(len(table))
    for part, colour in PARTS.items():
        size = table[part].to_numpy()
        start = np.where(size >= 0, right, left)
        ax.barh(places, size, left=start, label=PART_NAMES[part], **{"color": colour, **look})
        right, left = right + np.maximum(size, 0), left + np.minimum(size, 0)
    ax.axvline(0, color=NEUTRAL, linewidth=0.6)
    draw_legend(ax)
    return right


@fill_docstring("``scatter``, such as ``s``")
def beeswarm(explanation: Explanation, k: int = 10, *, output: Any = None, ax: Any = None, **style: Any) -> Any:
    """Draw the contributions of the most important columns to every prediction.

    A point is a query; its position is the contribution of the column and its colour the value of the column, from the
    lowest to the highest by rank. Text and missing cells are grey.

    Parameters
    ----------
    {explanation}
    k : int, default=10
        Number of columns to draw.
    {output}
    {axes}

    Examples
    --------
    {explained}
    >>> plot.beeswarm(e).get_xlabel()
    'adds to prediction'
    """
    names = list(_most_important(check_explanation(explanation), k, output).index)
    added = explanation.contributions(output)[names]
    ranks = [rank_cells(read_cells(explanation.values[name], 1)) for name in names]
    ax = get_axes_for_rows(ax, len(names), points=26)
    draw_dashed(ax, 0, zorder=0)
    for place, (name, rank) in enumerate(zip(names, ranks, strict=True)):
        look = {"c": colours_on_scale(rank), "s": point_size(len(added)), "linewidths": 0, **style}
        ax.scatter(added[name], place + swarm(added[name], 0.4), **look)
    finish_rows(ax, f"adds to {added_label(explanation, output)}", shorten_all(names))
    grey = {"text" if np.isnan(rank).all() else "missing" for rank in ranks if np.isnan(rank).any()}
    draw_key(ax, "value of the column", Hues([], ("low", "high"), [], ", ".join(sorted(grey))))
    return ax
