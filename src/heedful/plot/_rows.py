"""Whom a query attended to."""

from typing import Any

import numpy as np
import pandas as pd

from heedful.explain import NO_ROWS, Explanation, find_query
from heedful.plot._axes import annotate, finish, fonts, get_axes
from heedful.plot._labels import LINE, name_ticks, number, shorten, text_width
from heedful.plot._read import check_explanation, of_query
from heedful.plot._style import INK, NEUTRAL


def attended_rows(explanation: Explanation, query: Any, k: int = 15, *, ax: Any = None, **style: Any) -> Any:
    """Draw the training rows that one query attended to most.

    Beside each stands its response. Equal weights are in the order of the training rows; there are no rows, and the
    picture says so, where the model for all rows predicts alone.

    Parameters
    ----------
    explanation, query : as in :func:`contributions`
    k : int, default=15
        How many training rows to draw.
    ax : as in :func:`contributions`, default=None
    style : keywords for matplotlib's ``barh``, such as ``color``

    Returns
    -------
    Axes

    Examples
    --------
    >>> import numpy as np
    >>> from heedful import AttentionLasso, plot
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> e = AttentionLasso(random_state=0).fit(X, X[:, 0] * np.sign(X[:, 1])).explain(X[:5])
    >>> len(plot.attended_rows(e, 0, k=4).patches)
    4
    """
    row = find_query(check_explanation(explanation), query)
    table = of_query(explanation, explanation.top_rows(k), row)
    if explanation.alone:
        ax = get_axes(ax, height=1.4)
        ax.set_axis_off()
        look = {"fontsize": fonts().tick, "color": INK, "ha": "center", "va": "center"}
        ax.text(0.5, 0.5, NO_ROWS.replace(". ", ".\n", 1), transform=ax.transAxes, **look)
        return ax
    n_rows = len(table)
    ax = get_axes(ax, height=max(1.4, 0.65 + 0.14 * n_rows))
    place = np.arange(n_rows)
    ax.barh(place, table["weight"], **{"color": NEUTRAL, "height": 0.75, **style})
    ax.set_ylim(n_rows - 0.4, -0.6)
    finish(ax, f"weight (of all: {100 * table['weight'].sum():.2g} %)", "training row")
    name_ticks(ax.yaxis, [shorten(label, 20) for label in table["row"]], -place, LINE * fonts().tick)
    ax.tick_params(axis="y", length=0)
    ax.xaxis.get_major_locator().set_params(nbins=5)
    _write_responses(ax, table.drop(columns=["row", "weight"]))
    return ax


def _write_responses(ax: Any, responses: pd.DataFrame) -> None:
    """Write the response of each row beside the axes, one column for each part of the response."""
    offset = 6.0
    look = {"xycoords": ("axes fraction", "data"), "ha": "right", "annotation_clip": False}
    for name in responses.columns:
        head, texts = shorten(name, 12), [number(value) for value in responses[name]]
        offset += text_width([*texts, head], fonts().tick)
        annotate(ax, head, (1, -0.75), (offset, 0), va="bottom", **look)
        for place, text in enumerate(texts):
            annotate(ax, text, (1, place), (offset, 0), **look)
        offset += 6.0
