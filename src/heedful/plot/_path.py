"""Coefficients of one query, from the global model to the local one."""

from typing import Any

import numpy as np
import pandas as pd

from heedful.explain import Explanation, find_output, find_query
from heedful.plot._axes import draw_dashed, draw_zero, finish, font_size, get_axes, note_above, size_in_points
from heedful.plot._docs import fill_docstring
from heedful.plot._labels import LINE, shorten_all, spread
from heedful.plot._read import check_explanation
from heedful.plot._style import PALE, sign_colour

# Horizontal places of the end of a line's leader and of its name; the line itself ends at 1.
LEADER, NAME = 1.04, 1.05


@fill_docstring("``plot``, such as ``linewidth``")
def coefficient_path(explanation: Explanation, query: Any, *, output: Any = None, ax: Any = None, **style: Any) -> Any:
    """Draw one query's coefficients from the baseline to the local model.

    There is one line per feature with a coefficient at either end, named at its local end. Dots are the blended model,
    at the share of the local model. Coefficients are per standard deviation of their feature among the queries. Where
    not all names fit, the largest coefficients are named and the other lines are pale. If the global model includes an
    additive model, its coefficients are those of the lasso times its share, and the axis label says that curves are
    left out.

    Parameters
    ----------
    {explanation}
    {query}
    {output}
    {axes}

    Examples
    --------
    {explained}
    >>> plot.coefficient_path(e, 0).get_xlabel()
    'mixing: share of the local model'
    """
    row = find_query(check_explanation(explanation), query)
    output = find_output(explanation, row, output)
    table = _ends(explanation, row, output)
    mixing = float(explanation.mixing.iloc[row])
    ax = get_axes(ax)
    draw_zero(ax)
    draw_dashed(ax, mixing, zorder=0)
    of_class = "" if output is None else f" of class {output}"
    left_out = "" if explanation.curves is None else ",\ncurves left out"
    finish(ax, "mixing: share of the local model", f"coefficient{of_class} per s.d.{left_out}")
    room = int(0.9 * size_in_points(ax)[1] // (LINE * font_size()))
    named = table.abs().max(axis=1).sort_values(ascending=False, kind="stable").index[:room].tolist()
    for feature, (start, used, end) in table.iterrows():
        colour = sign_colour(used) if feature in named else PALE
        ax.plot([0, 1], [start, end], **{"color": colour, "linewidth": 1.0, "label": str(feature), **style})
        ax.plot([mixing], [used], "o", color=colour, markersize=3.5)
    ax.set_xlim(0, 1)
    _name_lines(ax, table.loc[named])
    note_above(ax, mixing, f"used: {mixing:.2g}")
    return ax


def _ends(explanation: Explanation, row: int, output: Any) -> pd.DataFrame:
    """Return the coefficients per standard deviation at the start, as used and at the end; without features at 0."""
    ends = (explanation.baseline_coef, explanation.lasso_coef.iloc[row], explanation.local_coef.iloc[row])
    values = np.column_stack([end if output is None else end[output] for end in ends]) * explanation.unit()[:, None]
    table = pd.DataFrame(values, explanation.lasso_features, ["baseline", "used", "local"])
    return table[(table != 0).any(axis=1)]


def _name_lines(ax: Any, table: pd.DataFrame) -> None:
    """Write names at the right ends of lines, pushed apart."""
    size, (low, high) = font_size(), ax.get_ylim()
    gap = LINE * size * (high - low) / (0.92 * size_in_points(ax)[1])
    places = spread(table["local"], gap, low, high)
    for name, (_, line), y in zip(shorten_all(list(table.index)), table.iterrows(), places, strict=True):
        colour = sign_colour(line["used"])
        ax.plot([1, LEADER], [line["local"], y], color=colour, linewidth=0.5, clip_on=False)
        ax.text(NAME, y, name, fontsize=size, color=colour, va="center")
    ax.set(xlim=(0, 1), ylim=(low, high))
