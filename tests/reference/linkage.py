"""Minimax linkage straight from the definition: always join the pair of clusters whose union has the least radius."""

from itertools import combinations

import numpy as np


def minimax(D, rows):
    """Return the radius of a set of rows and its prototype, the first of equals."""
    rows = sorted(rows)
    far = D[np.ix_(rows, rows)].max(axis=1)
    return far.min(), rows[far.argmin()]


def link_by_definition(D):
    """Return the two clusters, the radius and the prototype of each merge; ties go to the smallest last rows."""
    clusters, merges = [frozenset([row]) for row in range(len(D))], []
    while len(clusters) > 1:
        G, H = min(combinations(clusters, 2), key=lambda pair: (minimax(D, pair[0] | pair[1])[0], *order(pair)))
        merges.append(({G, H}, *minimax(D, G | H)))
        clusters = [cluster for cluster in clusters if cluster not in (G, H)] + [G | H]
    return merges


def order(pair):
    """Return the largest row number of each of two clusters, the smaller first."""
    return sorted(max(cluster) for cluster in pair)


def merged_sets(Z):
    """Return the two sets of rows that each line of a linkage matrix joins."""
    clusters = [frozenset([row]) for row in range(len(Z) + 1)]
    pairs = []
    for left, right in Z[:, :2].astype(int):
        pairs.append({clusters[left], clusters[right]})
        clusters.append(clusters[left] | clusters[right])
    return pairs
