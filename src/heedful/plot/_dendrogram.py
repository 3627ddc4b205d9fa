"""The tree of merges of queries with like models."""

from typing import Any

import numpy as np

from heedful.explain import Clusters, Explanation
from heedful.plot._axes import finish, fonts, get_axes, import_pyplot, points
from heedful.plot._labels import LETTER, draw_legend, keep_largest, shorten, spread, text_width
from heedful.plot._read import check_explanation, find_clusters
from heedful.plot._style import DASHED, NEUTRAL, cluster_colour

# Share of the height below the leaves, for lines from prototypes to their names.
FOOT = 0.07
# Most prototypes in a legend.
MOST_NAMED = 16


def dendrogram(explanation: Explanation, clusters: Any = None, *, ax: Any = None, **style: Any) -> Any:
    """Draw how queries with like models merge into clusters, with prototypes.

    A merge's height is the radius of the union: the largest distance of a member's model to its prototype's. Places
    along the axis are those of ``heatmap``; one below the other they belong together. Prototypes are marked among the
    leaves and named "cluster: query", in a key above the axes if names are long. Queries in no cluster are grey.

    Parameters
    ----------
    explanation : Explanation
        Of at least two queries.
    clusters : int or Clusters, default=None
        Number of clusters, or what ``explanation.clusters(...)`` returned. None lets the data choose.
    ax : as in :func:`contributions`, default=None
    style : keywords for matplotlib's ``LineCollection``, such as ``linewidths``

    Returns
    -------
    Axes

    Examples
    --------
    >>> import numpy as np
    >>> from heedful import AttentionLasso, plot
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> e = AttentionLasso(random_state=0).fit(X, X[:, 0] * np.sign(X[:, 1])).explain(X)
    >>> len(plot.dendrogram(e, 3).get_xticklabels())
    3
    """
    groups = find_clusters(check_explanation(explanation), clusters)
    lines = import_pyplot().matplotlib.collections.LineCollection
    ax = get_axes(ax)
    corners, owner = _merges(groups)
    thin = float(np.clip(0.4 * points(ax)[0] / len(groups.order), 0.3, 0.8))
    colours = [cluster_colour(cluster) if cluster else NEUTRAL for cluster in owner]
    ax.add_collection(lines(corners, **{"colors": colours, "linewidths": thin, **style}))
    heights = groups.linkage[:, 2]
    top = 1.05 * heights[-1] or 1.0
    ax.set(xlim=(-0.5, len(groups.order) - 0.5), ylim=(-FOOT * top, top))
    if (owner == 0).any() and (owner > 0).any():
        # between the last merge within clusters and the first of clusters
        cut = (heights[owner > 0].max() + heights[owner == 0].min()) / 2
        ax.axhline(cut, color=NEUTRAL, linewidth=0.6, linestyle=DASHED, zorder=0)
    finish(ax, "queries (cluster: prototype)", f"radius ({groups.unit})", frame=("left",))
    _mark_prototypes(ax, groups, FOOT * top)
    ax.set_yticks([tick for tick in ax.get_yticks() if 0 <= tick <= top])
    return ax


def _merges(groups: Clusters) -> tuple[np.ndarray, np.ndarray]:
    """Return the corners (n_merges, 4, 2) of each merge, and the cluster it is within; 0 for merges of clusters."""
    # scipy's own drawing recurses, which fails where many equal models make a chain of merges
    n_query = len(groups.order)
    place, height = np.zeros(2 * n_query - 1), np.zeros(2 * n_query - 1)
    owner = np.zeros(2 * n_query - 1, dtype=np.int64)
    place[groups.order] = np.arange(n_query)
    owner[:n_query] = groups.labels.to_numpy()
    corners = np.empty((n_query - 1, 4, 2))
    for merge, (left, right) in enumerate(groups.linkage[:, :2].astype(np.int64)):
        node = n_query + merge
        height[node], place[node] = groups.linkage[merge, 2], (place[left] + place[right]) / 2
        owner[node] = owner[left] if owner[left] == owner[right] else 0
        corners[merge, :, 0] = place[[left, left, right, right]]
        corners[merge, :, 1] = height[[left, node, node, right]]
    return corners, owner[n_query:]


def _mark_prototypes(ax: Any, groups: Clusters, foot: float) -> None:
    """Mark the prototypes' leaves and name them below; long names go into a legend above."""
    size, width, n_query = fonts().tick, points(ax)[0], len(groups.order)
    names = [f"{cluster}: {shorten(row)}" for cluster, row in groups.named["prototype"].items()]
    colours = [cluster_colour(int(cluster)) for cluster in groups.named.index]
    if len(names) * (text_width(names, size) + LETTER * size) > 0.8 * width:
        _name_above(ax, groups, names, colours)
        names = [str(cluster) for cluster in groups.named.index]
    gap = text_width(names, size) + LETTER * size
    kept = keep_largest(groups.named["size"], 0.9 * width // gap)
    at = _prototype_places(groups)
    named = spread(at[kept], gap * n_query / (0.9 * width), -0.5, n_query - 0.5)
    ax.scatter(at, np.zeros(at.size), s=16, c=colours, edgecolors="white", linewidths=0.5, zorder=3)
    for x, start, j in zip(named, at[kept], kept, strict=True):
        ax.plot([start, x], [0, -foot], color=colours[j], linewidth=0.6)
    ax.set_xticks(named, [names[j] for j in kept], fontsize=size)
    ax.tick_params(axis="x", length=0, pad=1)
    # axes that share their queries with others may hide these labels
    for label, j in zip(ax.get_xticklabels(), kept, strict=False):
        label.set_color(colours[j])


def _prototype_places(groups: Clusters) -> np.ndarray:
    """Return the places of the prototypes among the leaves; of queries with one label, the one in the cluster."""
    leaves = groups.labels.iloc[groups.order]
    rows = groups.named["prototype"].items()
    return np.array([np.flatnonzero((leaves == cluster) & (leaves.index == row))[0] for cluster, row in rows])


def _name_above(ax: Any, groups: Clusters, names: list[str], colours: list[str]) -> None:
    """Name the prototypes above the axes, those of the largest clusters if there are very many."""
    line = import_pyplot().Line2D
    look = {"marker": "o", "markersize": 3.5, "linestyle": ""}
    shown = keep_largest(groups.named["size"], MOST_NAMED)
    handles = [line([], [], color=colours[j], label=names[j], **look) for j in shown]
    draw_legend(ax, handles=handles, handlelength=0.6, handletextpad=0.3, labelspacing=0.3)
