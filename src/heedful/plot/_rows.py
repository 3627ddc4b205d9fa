"""The training rows that a query is compared with."""

from typing import Any

import numpy as np
import pandas as pd

from heedful.explain import NO_ROWS, Explanation, find_query
from heedful.plot._axes import annotate, finish, font_size, get_axes, get_axes_for_rows
from heedful.plot._docs import fill_docstring
from heedful.plot._labels import LINE, name_ticks, number, shorten, text_width
from heedful.plot._read import check_explanation, of_query
from heedful.plot._style import INK, NEUTRAL


@fill_docstring("``barh``, such as ``color``")
def attended_rows(explanation: Explanation, query: Any, k: int = 15, *, ax: Any = None, **style: Any) -> Any:
    """Draw the training rows with the largest weights for one query.

    The response is shown beside each row. Equal weights are in the order of the training rows. If ``mixing`` is 0,
    there are no rows, and the plot says so.

    Parameters
    ----------
    {explanation}
    {query}
    k : int, default=15
        Number of training rows to draw.
    {axes}

    Examples
    --------
    {explained}
    >>> len(plot.attended_rows(e, 0, k=4).patches)
    4
    """
    row = find_query(check_explanation(explanation), query)
    table = of_query(explanation, explanation.top_rows(k), row)
    if explanation.alone:
        ax = get_axes(ax, height=1.6)
        ax.set_axis_off()
        look = {"fontsize": font_size(), "color": INK, "ha": "center", "va": "center"}
        ax.text(0.5, 0.5, NO_ROWS.replace(": ", ":\n", 1), transform=ax.transAxes, **look)
        return ax
    n_rows = len(table)
    ax = get_axes_for_rows(ax, n_rows, points=15)
    place = np.arange(n_rows)
    ax.barh(place, table["weight"], **{"color": NEUTRAL, "height": 0.75, **style})
    ax.set_ylim(n_rows - 0.4, -0.6)
    finish(ax, f"weight (of all: {100 * table['weight'].sum():.2g} %)", "training row")
    name_ticks(ax.yaxis, [shorten(label) for label in table["row"]], -place, LINE * font_size())
    ax.tick_params(axis="y", length=0)
    ax.xaxis.get_major_locator().set_params(nbins=5)
    _write_responses(ax, table.drop(columns=["row", "weight"]))
    return ax


def _write_responses(ax: Any, responses: pd.DataFrame) -> None:
    """Write the response of each row beside the axes, one column for each part of the response."""
    offset = 6.0
    look = {"xycoords": ("axes fraction", "data"), "ha": "right", "annotation_clip": False}
    for name in responses.columns:
        head, texts = shorten(name, 24), [number(value) for value in responses[name]]
        offset += text_width([*texts, head], font_size())
        annotate(ax, head, (1, -0.75), (offset, 0), va="bottom", **look)
        for place, text in enumerate(texts):
            annotate(ax, text, (1, place), (offset, 0), **look)
        offset += 6.0
