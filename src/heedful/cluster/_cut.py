"""Cutting a linkage with prototypes into clusters."""

from typing import Any, NamedTuple

import numpy as np

from heedful._checks import check_number


class Cut(NamedTuple):
    """Clusters of one cut: a label per row; the prototype's row and the radius per cluster."""

    labels: np.ndarray
    prototypes: np.ndarray
    radii: np.ndarray


def cut(Z: Any, prototypes: Any, n_clusters: int | None = None, height: float | None = None) -> Cut:
    """Cut a linkage into clusters by their number or by their radius.

    Clusters are numbered by their first rows: row 0 is in cluster 0, the first row outside it is in cluster 1, and so
    on.

    Parameters
    ----------
    Z : array-like of shape (n_rows - 1, 4)
        Linkage matrix of ``minimax_linkage``.
    prototypes : array-like of int of shape (n_rows - 1,)
        Prototypes of ``minimax_linkage``.
    n_clusters : int, default=None
        Number of clusters: all but the last ``n_clusters - 1`` merges are made, so ties in height do not change it.
    height : float, default=None
        Largest radius: every row is within ``height`` of the prototype of its cluster. Larger gives fewer clusters.

    Returns
    -------
    labels : ndarray of int of shape (n_rows,)
        Number of each row's cluster.
    prototypes : ndarray of int of shape (n_clusters,)
        The row that is each cluster's prototype.
    radii : ndarray of shape (n_clusters,)
        Largest distance of each cluster's rows to its prototype; 0 for a row on its own.

    Raises
    ------
    TypeError
        If ``n_clusters`` is not an integer or ``height`` is not a number.
    ValueError
        If not exactly one of ``n_clusters`` and ``height`` is given, or the arrays are not those of a linkage.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.spatial.distance import pdist
    >>> from heedful.cluster import cut, minimax_linkage
    >>> Z, prototypes = minimax_linkage(pdist(np.array([[0.0], [1.0], [3.0], [9.0]])))
    >>> labels, rows, radii = cut(Z, prototypes, height=2.0)
    >>> labels, rows, radii
    (array([0, 0, 0, 1]), array([1, 3]), array([2., 0.]))
    """
    Z, prototypes = _check_linkage(Z, prototypes)
    n_rows = prototypes.size + 1
    check_cut(n_rows, n_clusters, height)
    n_merges = n_rows - n_clusters if n_clusters is not None else int((Z[:, 2] <= height).sum())
    top = _top_clusters(Z[:n_merges, :2].astype(np.int64), n_rows)
    clusters, first, number = np.unique(top, return_index=True, return_inverse=True)
    order = np.argsort(first)
    clusters, rank = clusters[order], np.argsort(order)
    rows = np.concatenate([np.arange(n_rows), prototypes])[clusters]
    radii = np.concatenate([np.zeros(n_rows), Z[:, 2]])[clusters]
    return Cut(rank[number], rows, radii)


def check_cut(n_rows: int, n_clusters: Any, height: Any) -> None:
    """Raise unless exactly one way to cut is given, and one that this many rows allow."""
    if (n_clusters is None) == (height is None):
        raise ValueError(
            "Exactly one of `n_clusters` and `height` must be given, got "
            f"n_clusters={n_clusters!r} and height={height!r}. Give only one of them."
        )
    if height is not None:
        check_number("height", height, 0.0, np.inf, hint="It is a distance in the units of the metric.")
        return
    if not isinstance(n_clusters, int | np.integer) or isinstance(n_clusters, bool):
        raise TypeError(f"`n_clusters` must be an integer, got {n_clusters!r}. Use `height` to cut by distance.")
    if not 1 <= n_clusters <= n_rows:
        raise ValueError(
            f"`n_clusters` must be between 1 and the number of rows, n_samples = {n_rows}, got {n_clusters!r}. "
            "Use fewer clusters, or cut by `height`."
        )


def _check_linkage(Z: Any, prototypes: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return both as arrays if they are those of a linkage whose merges are sorted by height."""
    Z, rows = np.asarray(Z, dtype=np.float64), np.asarray(prototypes)
    if Z.ndim != 2 or Z.shape[1] != 4 or rows.shape != Z.shape[:1]:
        raise ValueError(
            "`Z` must have shape (n_rows - 1, 4) and `prototypes` one row number per merge, got shapes "
            f"{Z.shape} and {rows.shape}. Pass both as `minimax_linkage` returns them."
        )
    if (np.diff(Z[:, 2]) < 0).any():
        raise ValueError("`Z` must be sorted by height, got a merge below the one before. See `minimax_linkage`.")
    return Z, rows.astype(np.int64, copy=False)


def _top_clusters(pairs: np.ndarray, n_rows: int) -> np.ndarray:
    """Return the number of the largest cluster that each row is in after these merges."""
    top = np.arange(n_rows + len(pairs))
    for merge in range(len(pairs) - 1, -1, -1):
        top[pairs[merge]] = top[n_rows + merge]
    return top[:n_rows]
