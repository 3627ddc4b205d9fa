"""Minimax linkage: merges, their radii and the row at the centre of each."""

from typing import Any

import numpy as np

from heedful import _kernels
from heedful.cluster._distances import square_distances


def minimax_linkage(D: Any) -> tuple[np.ndarray, np.ndarray]:
    """Join clusters in order of the radius of their union, with a prototype each.

    The radius of a set of rows is the largest distance of its prototype to the other rows; the prototype is the row
    with the smallest such distance. Only distances are needed, so rows may be anything with distances.

    Parameters
    ----------
    D : array-like of shape (n_rows, n_rows) or (n_rows * (n_rows - 1) / 2,)
        Distances between all rows, as a symmetric matrix or in scipy's condensed form. They need not satisfy the
        triangle inequality. ``D`` is not changed; one square copy is made.

    Returns
    -------
    Z : ndarray of shape (n_rows - 1, 4)
        scipy's linkage matrix: the two clusters joined, the radius of their union, its number of rows. Sorted by
        radius; works with ``scipy.cluster.hierarchy.dendrogram``, ``fcluster`` and the like.
    prototypes : ndarray of int of shape (n_rows - 1,)
        The row at the centre of each union.

    Raises
    ------
    TypeError
        If ``D`` is not numeric.
    ValueError
        If ``D`` has another shape, or is asymmetric, negative, NaN or infinite, or not zero on its diagonal, each by
        more than rounding: 1e-8 of the largest distance.

    Notes
    -----
    The distance of clusters G and H is

        d(G, H) = min over x in G ∪ H of max over y in G ∪ H of D[x, y].

    Ties: clusters are identified by their largest row number; pairs with the same distance are joined in order of
    their smaller number, then of their larger number. Of prototypes with the same radius the first row is
    taken. Under this rule the result does not depend on the algorithm, a chain of nearest neighbours, nor on threads.
    Memory is one float per pair of rows, twice; time is about quadratic in the rows.

    References
    ----------
    J. Bien and R. Tibshirani (2011). Hierarchical clustering with prototypes via minimax linkage. Journal of the
    American Statistical Association 106, 1075-1084.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.spatial.distance import pdist
    >>> from heedful.cluster import minimax_linkage
    >>> Z, prototypes = minimax_linkage(pdist(np.array([[0.0], [1.0], [3.0], [9.0]])))
    >>> Z
    array([[0., 1., 1., 2.],
           [2., 4., 2., 3.],
           [3., 5., 6., 4.]])
    >>> prototypes  # rows at 0, 1 and 3
    array([0, 1, 2])
    """
    return link(square_distances(D))


def link(far: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return ``Z`` and the prototypes of a checked square matrix, which is overwritten."""
    pairs, heights, prototypes = _kernels.linkage_rows(np.require(far, requirements=["C", "W"]))
    order = np.lexsort((pairs[:, 1], pairs[:, 0], heights))
    return _as_scipy(pairs[order], heights[order]), prototypes[order]


def _as_scipy(pairs: np.ndarray, heights: np.ndarray) -> np.ndarray:
    """Return scipy's linkage matrix of sorted merges, each given by the largest row numbers of its two parts."""
    n_rows = heights.size + 1
    number, size = list(range(n_rows)), [1] * n_rows
    Z = np.empty((n_rows - 1, 4))
    for merge, (g, h) in enumerate(pairs.tolist()):
        size[h] += size[g]
        Z[merge, :2] = sorted((number[g], number[h]))
        Z[merge, 3] = size[h]
        number[h] = n_rows + merge
    Z[:, 2] = heights
    return Z
