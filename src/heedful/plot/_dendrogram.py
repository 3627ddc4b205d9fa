"""Dendrogram of queries with similar models."""

from typing import Any

import numpy as np

from heedful.explain import Clusters, Explanation
from heedful.plot._axes import finish, font_size, get_axes, import_pyplot, size_in_points
from heedful.plot._docs import fill_docstring
from heedful.plot._labels import LETTER, draw_legend, keep_largest, shorten, spread, text_width
from heedful.plot._read import check_explanation, find_clusters
from heedful.plot._style import DASHED, NEUTRAL, cluster_colour

# Share of the height below the leaves, for lines from prototypes to their names.
FOOT = 0.07
# Most prototypes in a legend.
MOST_NAMED = 16


@fill_docstring("``LineCollection``, such as ``linewidths``")
def dendrogram(explanation: Explanation, clusters: Any = None, *, ax: Any = None, **style: Any) -> Any:
    """Draw the dendrogram of queries by their models, with prototypes.

    The height of a merge is the radius of the union: the largest distance between the models of a member and of the
    prototype. The order of queries is the same as in ``heatmap``, so the plots can be aligned. Prototypes are marked
    among the leaves by the number of their cluster, and named above the axes. Queries in no cluster are grey.

    Parameters
    ----------
    explanation : Explanation
        Explanation of at least two queries.
    {clusters}
    {axes}

    Examples
    --------
    {explained}
    >>> len(plot.dendrogram(e, 3).get_xticklabels())
    3
    """
    groups = find_clusters(check_explanation(explanation), clusters)
    lines = import_pyplot().matplotlib.collections.LineCollection
    ax = get_axes(ax)
    corners, owner = _merges(groups)
    thin = float(np.clip(0.4 * size_in_points(ax)[0] / len(groups.order), 0.3, 0.8))
    colours = [cluster_colour(cluster) if cluster else NEUTRAL for cluster in owner]
    ax.add_collection(lines(corners, **{"colors": colours, "linewidths": thin, **style}))
    heights = groups.linkage[:, 2]
    top = 1.05 * heights[-1] or 1.0
    ax.set(xlim=(-0.5, len(groups.order) - 0.5), ylim=(-FOOT * top, top))
    if (owner == 0).any() and (owner > 0).any():
        # between the last merge within clusters and the first of clusters
        cut = (heights[owner > 0].max() + heights[owner == 0].min()) / 2
        ax.axhline(cut, color=NEUTRAL, linewidth=0.6, linestyle=DASHED, zorder=0)
    finish(ax, "queries, with the prototypes of clusters", f"radius ({groups.unit})", frame=("left",))
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
    """Mark the prototypes' leaves, number them below and name them above; the largest clusters if there are many."""
    size, width, n_query = font_size(), size_in_points(ax)[0], len(groups.order)
    numbers, sizes = [str(cluster) for cluster in groups.named.index], groups.named["size"]
    colours = [cluster_colour(int(cluster)) for cluster in groups.named.index]
    gap = text_width(numbers, size) + LETTER * size
    kept = keep_largest(sizes, 0.9 * width // gap)
    at = _prototype_places(groups)
    places = spread(at[kept], gap * n_query / (0.9 * width), -0.5, n_query - 0.5)
    ax.scatter(at, np.zeros(at.size), s=16, c=colours, edgecolors="white", linewidths=0.5, zorder=3)
    for x, start, j in zip(places, at[kept], kept, strict=True):
        ax.plot([start, x], [0, -foot], color=colours[j], linewidth=0.6)
    ax.set_xticks(places, [numbers[j] for j in kept], fontsize=size)
    ax.tick_params(axis="x", length=0, pad=1)
    # axes that share their queries with others may hide these labels
    for label, j in zip(ax.get_xticklabels(), kept, strict=False):
        label.set_color(colours[j])
    line, look = import_pyplot().Line2D, {"marker": "o", "markersize": 4, "linestyle": ""}
    names = [f"{cluster}: {shorten(row, 20)}" for cluster, row in groups.named["prototype"].items()]
    handles = [line([], [], color=colours[j], label=names[j], **look) for j in keep_largest(sizes, MOST_NAMED)]
    draw_legend(ax, handles=handles, handlelength=0.6, handletextpad=0.3, labelspacing=0.3)


def _prototype_places(groups: Clusters) -> np.ndarray:
    """Return the places of the prototypes among the leaves; of queries with one label, the one in the cluster."""
    leaves = groups.labels.iloc[groups.order]
    rows = groups.named["prototype"].items()
    return np.array([np.flatnonzero((leaves == cluster) & (leaves.index == row))[0] for cluster, row in rows])
