"""The number of clusters: what is there is found, and nothing else."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from sklearn.metrics import adjusted_rand_score, silhouette_score

from heedful.cluster import cut, minimax_linkage
from heedful.explain._choice import _mean_silhouette, choose_number, drop_small, explained_share, usual_size


def choose(points, min_size=5):
    linkage, prototypes = minimax_linkage(pdist(points))
    return drop_small(cut(linkage, prototypes, choose_number(linkage, prototypes, points, min_size)).labels, min_size)


def blobs(rng, sizes, spread=0.3):
    centres = 10 * np.eye(len(sizes), 4)
    return np.vstack([rng.normal(centre, spread, size=(n, 4)) for centre, n in zip(centres, sizes, strict=True)])


@pytest.mark.parametrize("sizes", [(40, 30), (60, 8, 20), (30, 30, 30, 30)])
def test_clusters_that_are_there_are_found_and_what_lies_apart_is_in_none(rng, sizes):
    far = np.array([[40.0, 40, 0, 0], [-40, 0, 0, 40]])
    group = choose(np.vstack([blobs(rng, sizes), far]))
    assert (group[-2:] == -1).all()
    assert adjusted_rand_score(group[:-2], np.repeat(np.arange(len(sizes)), sizes)) == 1.0


def test_a_group_that_is_too_small_is_no_cluster(rng):
    points = blobs(rng, (60, 60, 4))
    assert (choose(points)[-4:] == -1).all()
    assert choose(points, min_size=4).max() == 2


@pytest.mark.one_value
@pytest.mark.parametrize("n_columns", [5, 6, 12])
def test_models_that_vary_without_clusters_are_one(rng, n_columns):
    assert (choose(rng.normal(size=(300, n_columns))) == 0).all()


def test_equal_models_are_never_parted(rng):
    points = np.repeat(rng.normal(size=(6, 3)), 10, axis=0)
    group = choose(points)
    assert all(np.unique(group[i : i + 10]).size == 1 for i in range(0, 60, 10))
    assert (choose(np.zeros((30, 2))) == 0).all()


@pytest.mark.parametrize("seed", range(5))
def test_at_most_one_in_twenty_is_in_no_cluster(seed):
    points = np.random.default_rng(seed).standard_t(1.5, size=(150, 2))
    group = choose(points)
    assert (group < 0).mean() <= 0.05
    assert np.bincount(group[group >= 0]).min() >= 5
    assert group.max() < 8


def test_silhouettes_are_those_of_scikit_learn(rng):
    points, group = blobs(rng, (30, 20, 9), spread=4.0), np.repeat([0, 1, 2], (30, 20, 9))
    assert _mean_silhouette(points, group) == pytest.approx(silhouette_score(points, group))
    group[::7] = -1
    known = group >= 0
    assert _mean_silhouette(points, group) == pytest.approx(silhouette_score(points[known], group[known]))


def test_what_clusters_explain_is_the_share_between_them(rng):
    points, group = rng.normal(size=(50, 3)), np.repeat([0, 1, -1], (20, 25, 5))
    known = points[:45]
    centres = np.repeat([known[:20].mean(axis=0), known[20:].mean(axis=0)], (20, 25), axis=0)
    between = ((centres - known.mean(axis=0)) ** 2).sum()
    assert explained_share(points, group) == pytest.approx(between / ((known - known.mean(axis=0)) ** 2).sum())
    assert explained_share(np.zeros((4, 2)), np.array([0, 0, 1, 1])) == 0.0


def test_few_queries_have_smaller_clusters():
    assert [usual_size(n) for n in (2, 19, 20, 35, 50, 5000)] == [2, 2, 2, 3, 5, 5]
