"""Whom a query attended to."""

from typing import Any

import numpy as np

from heedful.explain import Explanation
from heedful.explain._rows import NO_ROWS
from heedful.plot._axes import finish, fonts, get_axes
from heedful.plot._labels import LINE, name_ticks, number, shorten, text_width
from heedful.plot._read import check_explanation, find_query, of_query
from heedful.plot._style import INK, NEUTRAL


def attended_rows(explanation: Explanation, query: Any, k: int = 15, *, ax: Any = None, **style: Any) -> Any:
    """Draw the training rows that one query attended to most.

    Beside each stands its response. Equal weights are in the order of the training rows; there are no rows, and the
    picture says so, where the model for all rows predicts alone.

    All else is as in :func:`contributions`.

    Parameters
    ----------
    explanation : Explanation
    query : label
    k : int, default=15
        How many training rows to draw.
    ax : Axes, default=None
    style : keywords
        For matplotlib's ``barh``, such as ``color``.

    Returns
    -------
    Axes
        The axes drawn on.

    Examples
    --------
    >>> import numpy as np
    >>> from heedful import AttentionLasso, plot
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> e = AttentionLasso(random_state=0).fit(X, X[:, 0] * np.sign(X[:, 1])).explain(X[:5])
    >>> ax = plot.attended_rows(e, 0, k=4)
    >>> len(ax.patches)
    4
    """
    row = find_query(check_explanation(explanation), query)
    table = of_query(explanation, explanation.top_rows(k), row)
    if explanation.alone:
        return write_alone(get_axes(ax, height=1.4))
    n_rows = len(table)
    ax = get_axes(ax, height=max(1.4, 0.65 + 0.14 * n_rows))
    place, size = np.arange(n_rows), fonts().tick
    ax.barh(place, table["weight"], **{"color": NEUTRAL, "height": 0.75, **style})
    ax.set_ylim(n_rows - 0.4, -0.6)
    finish(ax, f"weight (of all: {100 * table['weight'].sum():.2g} %)", "training row")
    name_ticks(ax.yaxis, [shorten(label, 20) for label in table["row"]], -place, LINE * size)
    ax.tick_params(axis="y", length=0)
    ax.xaxis.get_major_locator().set_params(nbins=5)
    _write_responses(ax, table.drop(columns=["row", "weight"]), size)
    return ax


def write_alone(ax: Any) -> Any:
    """Write on the axes that there are no rows to draw."""
    ax.set_axis_off()
    ax.text(0.5, 0.5, NO_ROWS.replace(". ", ".\n", 1), transform=ax.transAxes, ha="center", va="center", color=INK,
            fontsize=fonts().tick)  # fmt: skip
    return ax


def _write_responses(ax: Any, responses: Any, size: float) -> None:
    """Write the response of each row beside the axes, one column for each part of the response."""
    offset = 6.0
    for name in responses.columns:
        texts = [number(value) for value in responses[name]]
        offset += text_width([*texts, shorten(name, 12)], size)
        places = [(-0.75, shorten(name, 12)), *enumerate(texts)]
        for y, text in places:
            ax.annotate(text, (1, y), (offset, 0), xycoords=("axes fraction", "data"), textcoords="offset points",
                        fontsize=size, color=INK, ha="right", va="bottom" if y < 0 else "center",
                        annotation_clip=False)  # fmt: skip
        offset += 6.0
