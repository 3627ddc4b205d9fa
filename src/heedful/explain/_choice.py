"""Choose the number of clusters from distances."""

from collections.abc import Iterator

import numpy as np
from scipy.spatial.distance import cdist

from heedful.cluster import cut

# Clusters at most, as many as there are hues; share of the queries that may be in none of them.
MOST, OTHERS = 8, 0.05
# One more cluster has to explain so much of the variation between models, or it is not worth reading about.
WORTH = 0.05
# With a smaller mean silhouette models vary, but not in clusters (Kaufman and Rousseeuw 1990).
CLEAR = 0.25
# Queries whose silhouettes are computed.
SAMPLE = 1000


def usual_size(n_query: int) -> int:
    """Return the smallest size of a cluster: five queries, fewer if there are fewer than fifty."""
    return min(5, max(2, n_query // 10))


def choose_number(linkage: np.ndarray, prototypes: np.ndarray, points: np.ndarray, min_size: int) -> int:
    """Return the number of clusters to cut into, those smaller than ``min_size`` counted.

    Of all cuts with as many clusters of that size the coarsest is looked at; those are left out that put more than
    ``OTHERS`` of the queries into smaller ones.
    """
    best, worth, seen = 1, -WORTH, set()
    for number, labels in _cuts(linkage, prototypes, min_size):
        group = drop_small(labels, min_size)
        n_groups = group.max() + 1
        if n_groups in seen:
            continue
        seen.add(n_groups)
        gain = explained_share(points, group) - WORTH * n_groups
        if gain > worth and n_groups > 1 and _mean_silhouette(points, group) >= CLEAR:
            best, worth = number, gain
    return best


def drop_small(labels: np.ndarray, min_size: int) -> np.ndarray:
    """Return labels from 0 on of the clusters of that size, in their order; -1 in smaller ones."""
    sizes = np.bincount(labels)
    large = sizes >= min_size
    return np.where(large, np.cumsum(large) - 1, -1)[labels]


def explained_share(points: np.ndarray, group: np.ndarray) -> float:
    """Return how much of the squared differences between the members of groups is between groups."""
    inside = group >= 0
    points, group = points[inside], group[inside]
    total = ((points - points.mean(axis=0)) ** 2).sum()
    sums = np.zeros((group.max() + 1, points.shape[1]))
    np.add.at(sums, group, points)
    within = ((points - (sums / np.bincount(group)[:, None])[group]) ** 2).sum()
    return float(1 - within / total) if total > 0 else 0.0


def _cuts(linkage: np.ndarray, prototypes: np.ndarray, min_size: int) -> Iterator[tuple[int, np.ndarray]]:
    """Yield numbers of clusters and labels from coarse to fine, while enough queries are in large clusters."""
    n_query = len(prototypes) + 1
    for number in range(2, n_query + 1):
        labels = cut(linkage, prototypes, n_clusters=number).labels
        sizes = np.bincount(labels)
        large = sizes >= min_size
        if sizes[~large].sum() > OTHERS * n_query or large.sum() > MOST:
            return
        yield number, labels


def _mean_silhouette(points: np.ndarray, group: np.ndarray) -> float:
    """Return the mean silhouette of the members of groups, of some evenly spread ones if they are many."""
    points, group = points[group >= 0], group[group >= 0]
    size = np.bincount(group)
    some = np.linspace(0, group.size - 1, min(SAMPLE, group.size)).round().astype(np.int64)
    far = cdist(points[some], points) @ np.eye(size.size)[group]
    row, own = np.arange(some.size), group[some]
    within = far[row, own] / (size[own] - 1)
    far /= size
    far[row, own] = np.inf
    nearest = far.min(axis=1)
    larger = np.maximum(within, nearest)
    return float(np.mean((nearest - within) / np.where(larger > 0, larger, 1.0)))
