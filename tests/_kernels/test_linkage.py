import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from heedful._kernels import linkage_rows
from heedful._kernels.linkage import merge_row, nearest_row
from reference.linkage import link_by_definition, minimax


def symmetric(values):
    """Return the larger of both halves, with a zero diagonal."""
    D = np.maximum(values, values.T).astype(np.float64)
    np.fill_diagonal(D, 0.0)
    return D


CASES = {
    "euclidean": lambda rng: squareform(pdist(rng.normal(size=(18, 3)))),
    "no metric": lambda rng: symmetric(rng.uniform(size=(18, 18))),
    "two values": lambda rng: symmetric(rng.integers(1, 3, size=(16, 16))),
    "four values": lambda rng: symmetric(rng.integers(1, 5, size=(16, 16))),
    "duplicate rows": lambda rng: squareform(pdist(rng.integers(0, 3, size=(16, 2)))),
    "a line": lambda rng: squareform(pdist(rng.permutation(14)[:, None])),
    "constant": lambda rng: symmetric(np.ones((9, 9))),
    "zero": lambda rng: np.zeros((9, 9)),
    "three rows": lambda rng: symmetric(rng.uniform(size=(3, 3))),
    "two rows": lambda rng: symmetric(rng.uniform(size=(2, 2))),
    "one row": lambda rng: np.zeros((1, 1)),
}


def merges_of_the_kernel(D):
    """Return merges as the twin does, in the order of the tie rule."""
    pairs, heights, centres = linkage_rows(D.copy())
    clusters, merges = {row: frozenset([row]) for row in range(len(D))}, []
    for m in np.lexsort((pairs[:, 1], pairs[:, 0], heights)):
        g, h = pairs[m]
        merges.append(({clusters[g], clusters[h]}, heights[m], centres[m]))
        clusters[h] |= clusters.pop(g)
    return merges


@pytest.mark.parametrize("case", CASES)
def test_merges_radii_and_centres_equal_the_twin(rng, case):
    for _ in range(5):
        D = CASES[case](rng)
        assert merges_of_the_kernel(D) == link_by_definition(D)


def test_a_merge_keeps_the_largest_distances_of_both_parts_and_finds_the_centre(rng):
    D = symmetric(rng.uniform(size=(7, 7)))
    far, own, slot = D.copy(), np.zeros(7), np.arange(7)
    merge_row(far, own, slot, 1, 4)
    centre = merge_row(far, own, slot, 0, 4)
    np.testing.assert_array_equal(far[4], D[[0, 1, 4]].max(axis=0))
    np.testing.assert_array_equal(own[[0, 1, 4]], D[np.ix_([0, 1, 4], [0, 1, 4])].max(axis=1))
    assert slot.tolist() == [4, 4, 2, 3, 4, 5, 6]
    assert (own[centre], centre) == minimax(D, [0, 1, 4])


def test_the_nearest_cluster_has_the_union_of_least_radius_and_the_first_slot_wins_ties(rng):
    D = symmetric(rng.integers(1, 5, size=(8, 8)))
    far, own, slot = D.copy(), np.zeros(8), np.arange(8)
    merge_row(far, own, slot, 2, 6)
    merge_row(far, own, slot, 3, 5)
    clusters = {0: [0], 1: [1], 4: [4], 5: [3, 5], 6: [2, 6], 7: [7]}
    for g, rows in clusters.items():
        nearest = nearest_row(far, own, slot, np.array(list(clusters)), g, np.empty(8), np.empty(8, np.int64))
        assert nearest == min(clusters.keys() - {g}, key=lambda h: (minimax(D, rows + clusters[h])[0], h))
