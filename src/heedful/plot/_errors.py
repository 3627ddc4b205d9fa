"""Where attention helps: the errors of both models, cluster by cluster."""

from typing import Any

import numpy as np

from heedful.explain import Explanation
from heedful.plot._axes import finish, fonts, get_axes, import_pyplot, points
from heedful.plot._labels import choose, text_width
from heedful.plot._read import check_explanation, cluster_name, find_clusters
from heedful.plot._style import INK, NEUTRAL, cluster_colour

WIDTH = 0.38


def cluster_errors(explanation: Explanation, clusters: Any = None, *, ax: Any = None, **style: Any) -> Any:
    """Draw the mean error of baseline and attention in each cluster.

    Hollow bars are the model for all rows, full ones the predictions with attention; above each pair stands the change
    from the one to the other.

    All else is as in :func:`contributions`.

    Parameters
    ----------
    explanation : Explanation
        What ``explain(X, y)`` returned: the responses must be known.
    clusters : int or Clusters, default=None
        Number of clusters, or what ``explanation.clusters(...)`` returned. None lets the data choose.
    ax : Axes, default=None
    style : keywords
        For matplotlib's ``bar``, such as ``alpha``.

    Returns
    -------
    Axes
        The axes drawn on.

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
    >>> ax = plot.cluster_errors(e, 3)
    >>> len(ax.patches)
    6
    """
    if check_explanation(explanation).loss is None:
        raise ValueError(
            "`explanation` must know the responses to draw errors, got one made without `y`. Use `explain(X, y)`."
        )
    table = find_clusters(explanation, clusters).table
    ax = get_axes(ax)
    place, size = np.arange(len(table)), fonts().tick
    colours = [cluster_colour(int(cluster)) for cluster in table.index]
    common = {"width": WIDTH, "linewidth": 1.0, "edgecolor": colours, **style}
    ax.bar(place - WIDTH / 2, table["baseline_error"], **{"color": "white", **common})
    ax.bar(place + WIDTH / 2, table["error"], **{"color": colours, **common})
    _write_changes(ax, place, table, size)
    names = [f"{cluster_name(cluster)}\nn={size}" for cluster, size in table["size"].items()]
    flat = len(names) * text_width(names, size) <= 0.75 * points(ax)[0]
    names = names if flat else [cluster_name(cluster) for cluster in table.index]
    finish(ax, "cluster", "mean error of queries")
    shown = place if flat else choose(place, table["size"], text_width(names, size) * len(names) / points(ax)[0])
    ax.set_xticks(shown, [names[j] for j in shown], fontsize=size)
    ax.margins(y=0.2)
    _draw_key(ax, size)
    return ax


def _write_changes(ax: Any, place: np.ndarray, table: Any, size: float) -> None:
    """Write the change in percent above each pair that is wide enough for it."""
    before, after = table["baseline_error"].to_numpy(), table["error"].to_numpy()
    if len(place) * text_width(["−99 %"], size) > 0.85 * points(ax)[0]:
        return
    for x, old, new in zip(place, before, after, strict=True):
        if old > 0:
            change = round(100 * (new / old - 1))
            text = f"{change:+d} %".replace("-", "−") if change else "0 %"
            ax.annotate(text, (x, max(old, new)), (0, 2), textcoords="offset points", fontsize=size, color=INK,
                        ha="center", va="bottom")  # fmt: skip


def _draw_key(ax: Any, size: float) -> None:
    """Say which bars are which, above the axes."""
    box = import_pyplot().Rectangle
    looks = (("baseline", "white"), ("attention", NEUTRAL))
    keys = [box((0, 0), 1, 1, facecolor=fill, edgecolor=NEUTRAL, label=name) for name, fill in looks]
    ax.legend(handles=keys, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, fontsize=size, frameon=False)
