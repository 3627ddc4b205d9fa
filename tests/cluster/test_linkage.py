import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays
from scipy.cluster.hierarchy import dendrogram, fcluster, is_monotonic, is_valid_linkage
from scipy.spatial.distance import pdist, squareform

from heedful.cluster import minimax_linkage
from reference.linkage import link_by_definition, merged_sets, minimax

LAW = settings(deadline=None, max_examples=60, derandomize=True)
# few values, so that ties are many
CONDENSED = st.integers(2, 9).flatmap(
    lambda n: arrays(np.float64, n * (n - 1) // 2, elements=st.sampled_from([0.0, 0.5, 1.0, 2.0]))
)


@LAW
@given(d=CONDENSED)
def test_tied_distances_give_the_merges_of_the_definition(d):
    Z, prototypes = minimax_linkage(d)
    merges = list(zip(merged_sets(Z), Z[:, 2], prototypes, strict=True))
    assert merges == link_by_definition(squareform(d))


@LAW
@given(d=CONDENSED)
def test_heights_never_fall(d):
    assert (np.diff(minimax_linkage(d)[0][:, 2]) >= 0).all()


@LAW
@given(d=CONDENSED)
def test_a_height_is_the_radius_of_its_prototype_and_no_row_does_better(d):
    D, (Z, prototypes) = squareform(d), minimax_linkage(d)
    for pair, height, prototype in zip(merged_sets(Z), Z[:, 2], prototypes, strict=True):
        rows = list(frozenset.union(*pair))
        assert D[prototype, rows].max() == height == minimax(D, rows)[0]


def test_the_condensed_and_the_square_form_give_the_same(rng):
    d = pdist(rng.normal(size=(30, 4)))
    for mine, theirs in zip(minimax_linkage(d), minimax_linkage(squareform(d)), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_the_order_of_rows_only_renames_them(rng):
    D, order = squareform(pdist(rng.normal(size=(30, 4)))), rng.permutation(30)
    (Z, prototypes), (Z_moved, moved) = minimax_linkage(D), minimax_linkage(D[np.ix_(order, order)])
    back = [{frozenset(order[list(part)].tolist()) for part in pair} for pair in merged_sets(Z_moved)]
    np.testing.assert_array_equal(Z_moved[:, 2:], Z[:, 2:])
    assert back == merged_sets(Z)
    more_than_two = Z[:, 3] > 2  # both of two rows are as far from each other
    np.testing.assert_array_equal(order[moved][more_than_two], prototypes[more_than_two])


def test_scaled_distances_scale_the_heights_and_change_nothing_else(rng):
    d = pdist(rng.normal(size=(30, 4)))
    (Z, prototypes), (Z_scaled, same) = minimax_linkage(d), minimax_linkage(8.0 * d)
    np.testing.assert_array_equal(Z_scaled, Z * [1, 1, 8, 1])
    np.testing.assert_array_equal(same, prototypes)


def test_only_the_order_of_distances_decides_the_tree(rng):
    d = pdist(rng.normal(size=(30, 4)))
    (Z, prototypes), (Z_cubed, same) = minimax_linkage(d), minimax_linkage(d**3)
    np.testing.assert_array_equal(Z_cubed[:, :2], Z[:, :2])
    np.testing.assert_array_equal(same, prototypes)


def test_a_radius_lies_between_half_the_diameter_and_the_diameter(rng):
    D = squareform(pdist(rng.normal(size=(30, 4))))
    Z, _ = minimax_linkage(D)
    for pair, height in zip(merged_sets(Z), Z[:, 2], strict=True):
        rows = list(frozenset.union(*pair))
        diameter = D[np.ix_(rows, rows)].max()
        assert diameter / 2 <= height <= diameter


@pytest.mark.parametrize("n_rows", [2, 3, 25])
def test_scipy_takes_the_linkage_matrix(rng, n_rows):
    Z, prototypes = minimax_linkage(pdist(rng.normal(size=(n_rows, 2))))
    assert Z.shape == (n_rows - 1, 4)
    assert (Z.dtype, prototypes.dtype) == (np.float64, np.int64)
    assert is_valid_linkage(Z)
    assert is_monotonic(Z)
    assert sorted(dendrogram(Z, no_plot=True)["leaves"]) == list(range(n_rows))
    assert fcluster(Z, Z[-1, 2], "distance").max() == 1


@pytest.mark.parametrize("D", [[[0.0]], [[0]], []])
def test_one_row_has_nothing_to_join(D):
    Z, prototypes = minimax_linkage(D)
    assert (Z.shape, prototypes.shape) == ((0, 4), (0,))


def test_two_rows_are_joined_at_their_distance_around_the_first():
    Z, prototypes = minimax_linkage([3.0])
    assert (Z.tolist(), prototypes.tolist()) == ([[0, 1, 3, 2]], [0])


@pytest.mark.parametrize("condensed", [True, False])
def test_the_distances_are_left_as_they_were(rng, condensed):
    d = pdist(rng.normal(size=(20, 2)))
    D = d if condensed else squareform(d)
    D.flags.writeable = False
    before = D.copy()
    minimax_linkage(D)
    np.testing.assert_array_equal(D, before)


@pytest.mark.more
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_one_square_copy_is_made_and_no_more(rng, dtype):
    D = squareform(pdist(rng.normal(size=(1500, 2)))).astype(dtype)
    minimax_linkage(D[:9, :9])
    tracemalloc.start()
    minimax_linkage(D)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.6 * 8 * D.size
