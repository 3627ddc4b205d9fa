import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster
from scipy.spatial.distance import pdist, squareform
from sklearn.metrics import adjusted_rand_score

from heedful.cluster import cut, minimax_linkage


@pytest.fixture(name="D")
def euclidean_distances(rng):
    return squareform(pdist(rng.normal(size=(40, 3))))


@pytest.mark.parametrize("height", [0.0, 0.4, 1.0, 1.7, 99.0])
def test_every_row_is_within_the_height_of_its_prototype(D, height):
    labels, prototypes, radii = cut(*minimax_linkage(D), height=height)
    assert (D[np.arange(40), prototypes[labels]] <= height).all()
    assert (radii <= height).all()


@pytest.mark.parametrize("n_clusters", [1, 2, 7, 39, 40])
def test_a_radius_is_the_largest_distance_to_the_prototype(D, n_clusters):
    labels, prototypes, radii = cut(*minimax_linkage(D), n_clusters)
    to_prototype = D[np.arange(40), prototypes[labels]]
    assert [to_prototype[labels == number].max() for number in range(n_clusters)] == radii.tolist()


@pytest.mark.parametrize("n_clusters", [1, 2, 7, 39, 40])
def test_there_are_as_many_clusters_as_asked_for_each_with_its_prototype(D, n_clusters):
    labels, prototypes, _ = cut(*minimax_linkage(D), n_clusters)
    assert sorted(set(labels)) == list(range(n_clusters))
    np.testing.assert_array_equal(labels[prototypes], np.arange(n_clusters))


def test_tied_heights_still_give_the_number_asked_for():
    Z, prototypes = minimax_linkage(np.ones((5, 5)) - np.eye(5))
    assert [cut(Z, prototypes, k).radii.size for k in range(1, 6)] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("n_clusters", [2, 7, 20])
def test_clusters_are_numbered_by_their_first_rows(D, n_clusters):
    labels = cut(*minimax_linkage(D), n_clusters).labels
    assert labels[np.sort(np.unique(labels, return_index=True)[1])].tolist() == list(range(n_clusters))


@pytest.mark.parametrize("merge", [0, 5, 20, 38])
def test_a_cut_at_the_radius_of_a_cluster_makes_it(D, merge):
    Z, prototypes = minimax_linkage(D)
    labels, rows, radii = cut(Z, prototypes, height=Z[merge, 2])
    assert radii.size == 40 - 1 - merge
    assert prototypes[merge] in rows
    assert adjusted_rand_score(labels, fcluster(Z, Z[merge, 2], "distance")) == 1.0


@pytest.mark.parametrize("height", [0.4, 1.0, 1.7])
def test_scipy_cuts_at_a_height_into_the_same_clusters(D, height):
    Z, prototypes = minimax_linkage(D)
    assert adjusted_rand_score(cut(Z, prototypes, height=height).labels, fcluster(Z, height, "distance")) == 1.0


def test_a_cut_just_below_a_merge_is_the_cut_by_number_before_it(D):
    Z, prototypes = minimax_linkage(D)
    for by_height, by_number in zip(
        cut(Z, prototypes, height=np.nextafter(Z[-4, 2], 0)), cut(Z, prototypes, 5), strict=True
    ):
        np.testing.assert_array_equal(by_height, by_number)


def test_one_row_is_one_cluster_of_radius_zero():
    labels, prototypes, radii = cut(*minimax_linkage([[0.0]]), height=1.0)
    assert (labels.tolist(), prototypes.tolist(), radii.tolist()) == ([0], [0], [0.0])


@pytest.mark.parametrize("both", [{}, {"n_clusters": 2, "height": 1.0}])
def test_exactly_one_way_to_cut_must_be_given(D, both):
    with pytest.raises(ValueError, match="Exactly one of `n_clusters` and `height` must be given, got"):
        cut(*minimax_linkage(D), **both)


@pytest.mark.parametrize("n_clusters", [0, -1, 41])
def test_a_number_of_clusters_that_cannot_be_is_refused(D, n_clusters):
    with pytest.raises(ValueError, match=rf"between 1 and .* n_samples = 40, got {n_clusters}"):
        cut(*minimax_linkage(D), n_clusters)


@pytest.mark.parametrize("n_clusters", [2.0, "2", True])
def test_a_number_of_clusters_that_is_no_integer_is_refused(D, n_clusters):
    with pytest.raises(TypeError, match="`n_clusters` must be an integer, got"):
        cut(*minimax_linkage(D), n_clusters)


def test_an_integer_of_numpy_is_an_integer(D):
    assert cut(*minimax_linkage(D), np.int32(3)).radii.size == 3


@pytest.mark.parametrize(("height", "error"), [(-1.0, ValueError), (np.nan, ValueError), ("1", TypeError)])
def test_a_height_that_is_no_distance_is_refused(D, height, error):
    with pytest.raises(error, match="`height` must be"):
        cut(*minimax_linkage(D), height=height)


def test_arrays_that_are_no_linkage_are_refused(D):
    Z, prototypes = minimax_linkage(D)
    with pytest.raises(ValueError, match=r"got shapes \(39, 4\) and \(38,\)"):
        cut(Z, prototypes[1:], 2)
    with pytest.raises(ValueError, match="must be sorted by height"):
        cut(Z[::-1], prototypes, 2)
