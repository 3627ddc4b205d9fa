"""Errors of the model and of the global model by cluster."""

from typing import Any

import numpy as np
import pandas as pd

from heedful.explain import OTHERS, OTHERS_NAME, Explanation
from heedful.plot._axes import annotate, finish, font_size, get_axes, import_pyplot, size_in_points
from heedful.plot._docs import fill_docstring
from heedful.plot._labels import draw_legend, name_ticks, text_width
from heedful.plot._read import check_explanation, find_clusters
from heedful.plot._style import NEUTRAL, cluster_colour

WIDTH = 0.38


@fill_docstring("``bar``, such as ``alpha``")
def cluster_errors(explanation: Explanation, clusters: Any = None, *, ax: Any = None, **style: Any) -> Any:
    """Draw the mean error of baseline and attention in each cluster.

    Hollow bars are errors of the global model, filled bars errors with attention; above each pair is the change in per
    cent.

    Parameters
    ----------
    {with_y}
    {clusters}
    {axes}

    Raises
    ------
    ValueError
        If the explanation was made without ``y``.

    Examples
    --------
    >>> import numpy as np
    >>> from heedful import AttentionLasso, plot
    >>> X = np.random.default_rng(0).normal(size=(80, 3))
    >>> y = X[:, 0] * np.sign(X[:, 1])
    >>> e = AttentionLasso(random_state=0).fit(X[:40], y[:40]).explain(X[40:], y[40:])
    >>> len(plot.cluster_errors(e, 3).patches)
    6
    """
    if check_explanation(explanation).loss is None:
        raise ValueError(
            "`explanation` must know the responses to draw errors, got one made without `y`. Use `explain(X, y)`."
        )
    table = find_clusters(explanation, clusters).table
    ax = get_axes(ax)
    place = np.arange(len(table))
    colours = [cluster_colour(int(cluster)) for cluster in table.index]
    look = {"width": WIDTH, "linewidth": 1.0, "edgecolor": colours, **style}
    ax.bar(place - WIDTH / 2, table["baseline_error"], **{"color": "white", **look})
    ax.bar(place + WIDTH / 2, table["error"], **{"color": colours, **look})
    _write_changes(ax, table)
    finish(ax, "cluster", "mean error of queries")
    plain = [OTHERS_NAME if cluster == OTHERS else str(cluster) for cluster in table.index]
    names = [f"{name}\nn={n}" for name, n in zip(plain, table["size"], strict=True)]
    name_ticks(ax.xaxis, names, table["size"], text_width(names, font_size()))
    ax.margins(y=0.2)
    box = import_pyplot().Rectangle
    fills = {"baseline": "white", "attention": NEUTRAL}
    handles = [box((0, 0), 1, 1, facecolor=fill, edgecolor=NEUTRAL, label=name) for name, fill in fills.items()]
    draw_legend(ax, handles=handles)
    return ax


def _write_changes(ax: Any, table: pd.DataFrame) -> None:
    """Write the change in percent above each pair, if they are wide enough for it."""
    if len(table) * text_width(["−99 %"], font_size()) > 0.85 * size_in_points(ax)[0]:
        return
    for place, (before, after) in enumerate(zip(table["baseline_error"], table["error"], strict=True)):
        if before > 0:
            change = round(100 * (after / before - 1))
            text = f"{change:+d} %".replace("-", "−") if change else "0 %"
            annotate(ax, text, (place, max(before, after)), (0, 2), ha="center", va="bottom")
