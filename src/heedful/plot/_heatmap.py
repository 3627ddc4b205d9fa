"""Heatmap of the coefficients of all queries, cluster by cluster."""

from typing import Any

import numpy as np
import pandas as pd

from heedful.explain import Clusters, Explanation, find_output
from heedful.plot._axes import HEIGHT, finish, font_size, get_axes, import_pyplot, size_in_points
from heedful.plot._docs import fill_docstring
from heedful.plot._hues import draw_colorbar
from heedful.plot._labels import LINE, keep_largest, name_ticks, shorten, shorten_all, spread, text_width
from heedful.plot._read import check_explanation, find_clusters
from heedful.plot._style import DIVERGING, INK, cluster_colour

# Inches for one feature, and points for the strip of cluster colours.
ROW, STRIP = 0.155, 5.0
# Colours end at this quantile of sizes, so that a single extreme coefficient does not pale all others.
WITHIN = 0.995


@fill_docstring("``imshow``, such as ``cmap`` and ``vmin``")
def heatmap(
    explanation: Explanation,
    clusters: Any = None,
    *,
    output: Any = None,
    colorbar: bool = True,
    ax: Any = None,
    **style: Any,
) -> Any:
    """Draw a heatmap of the coefficients of all queries, sorted by cluster.

    Coefficients are per standard deviation of their feature; features that no model uses are left out. Queries are in
    the order of ``dendrogram``; queries in no cluster are under a grey strip. Where not all feature names fit, those
    with the largest coefficients are shown.

    Parameters
    ----------
    explanation : Explanation
        Explanation of at least two queries.
    {clusters}
    output : label, default=None
        Class whose coefficients are drawn, for multiclass classification; None draws all classes.
    colorbar : bool, default=True
        Whether to add a colour bar.
    {axes}

    Examples
    --------
    {explained}
    >>> plot.heatmap(e, 3).images[0].get_array().shape[1]
    60
    """
    groups = find_clusters(check_explanation(explanation), clusters)
    table = groups.scaled if output is None else groups.scaled[find_output(explanation, 0, output)]
    if table.shape[1] == 0:
        raise ValueError("`explanation` must have a coefficient that is not 0 to draw, got none. Try a smaller alpha.")
    values = table.to_numpy()[groups.order].T
    ax = get_axes(ax, height=max(HEIGHT, 1.0 + ROW * len(values)))
    limit = float(np.quantile(np.abs(values), WITHIN, method="higher")) or float(np.abs(values).max())
    look = {"cmap": DIVERGING, "vmin": -limit, "vmax": limit, "aspect": "auto", "interpolation": "nearest"}
    image = ax.imshow(values, **{**look, **style})
    finish(ax, "queries, by cluster", "", frame=())
    name_ticks(ax.yaxis, _feature_names(table.columns), np.abs(values).max(axis=1), LINE * font_size())
    _name_queries(ax, groups)
    _draw_clusters(ax, groups)
    if colorbar:
        _draw_scale(ax, image, values)
    return ax


def _feature_names(columns: pd.Index) -> list[str]:
    """Return the names of columns of coefficients, "class: feature" where they have two levels."""
    names = shorten_all(list(columns.get_level_values(-1)))
    if not isinstance(columns, pd.MultiIndex):
        return names
    return [f"{shorten(output, 16)}: {name}" for output, name in zip(columns.get_level_values(0), names, strict=True)]


def _name_queries(ax: Any, groups: Clusters) -> None:
    """Name the queries if all of them fit."""
    names = [shorten(label, 20) for label in groups.labels.index[groups.order]]
    if len(names) * LINE * font_size() <= 0.9 * size_in_points(ax)[0]:
        ax.set_xticks(range(len(names)), names, rotation=90, fontsize=font_size())
    else:
        ax.set_xticks([])
        ax.set_xlabel(f"{len(names)} queries, by cluster")


def _draw_clusters(ax: Any, groups: Clusters) -> None:
    """Draw lines between clusters, and a strip above with their colours and numbers."""
    box, size, n_query = import_pyplot().Rectangle, font_size(), len(groups.order)
    (width, height), above = size_in_points(ax), ax.get_xaxis_transform()
    owner = groups.labels.to_numpy()[groups.order]
    ends = np.append(np.flatnonzero(np.diff(owner)), n_query - 1) + 0.5
    starts, owner = np.append(-0.5, ends[:-1]), owner[(ends - 0.5).astype(np.int64)]
    low, high = 1 + 2 / height, 1 + (2 + STRIP) / height
    for cluster, start, end in zip(owner, starts, ends, strict=True):
        patch = box((start, low), end - start, high - low, color=cluster_colour(int(cluster)), linewidth=0)
        ax.add_patch(patch)
        patch.set(transform=above, clip_on=False)
    for end in ends[:-1]:
        ax.axvline(end, color=INK, linewidth=0.7)
    # leaves of a cluster are side by side, and clusters are numbered from left to right
    names, middles = [str(cluster) for cluster in groups.named.index], ((starts + ends) / 2)[owner > 0]
    apart = (text_width(names, size) + 2) * n_query / (0.8 * width)
    kept = keep_largest(groups.named["size"], n_query / apart)
    for j, x in zip(kept, spread(middles[kept], apart, -0.5, n_query - 0.5), strict=True):
        look = {"color": cluster_colour(int(names[j])), "fontsize": size, "ha": "center", "va": "bottom"}
        ax.text(x, high + 1 / height, names[j], transform=above, **look)


def _draw_scale(ax: Any, image: Any, values: np.ndarray) -> None:
    """Draw the scale of colours with arrows where values go beyond it."""
    low, high = bool(values.min() < image.norm.vmin), bool(values.max() > image.norm.vmax)
    extend = {(False, False): "neither", (True, False): "min", (False, True): "max", (True, True): "both"}
    draw_colorbar(ax, image, "coefficient per s.d.", extend[low, high])
