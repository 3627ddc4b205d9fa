import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

from heedful.cluster import ProtoClust, cut, minimax_linkage

# check_clustering hands a table of two columns to every clusterer, also to those that take a square matrix
PRECOMPUTED = [
    pytest.param(estimator, check, id=check.func.__name__)
    for estimator, check in estimator_checks_generator(ProtoClust(metric="precomputed"))
    if check.func.__name__ != "check_clustering"
]


@parametrize_with_checks([ProtoClust(), ProtoClust(3), ProtoClust(metric="cityblock")])
def test_the_clusterer_keeps_scikit_learns_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize(("estimator", "check"), PRECOMPUTED)
def test_with_precomputed_distances_it_keeps_scikit_learns_contract(estimator, check):
    check(estimator)


@pytest.fixture(name="X")
def random_rows(rng):
    return rng.normal(size=(40, 3))


def test_fitted_attributes_are_the_linkage_and_its_cut(X):
    model = ProtoClust(4).fit(X)
    Z, merge_prototypes = minimax_linkage(pdist(X))
    np.testing.assert_array_equal(model.linkage_, Z)
    np.testing.assert_array_equal(model.merge_prototypes_, merge_prototypes)
    labels, prototypes, radii = cut(Z, merge_prototypes, 4)
    np.testing.assert_array_equal(model.labels_, labels)
    np.testing.assert_array_equal(model.prototypes_, prototypes)
    np.testing.assert_array_equal(model.heights_, radii)
    np.testing.assert_array_equal(model.cluster_centers_, X[prototypes])


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "cosine"])
def test_every_row_is_within_the_height_of_its_prototype(X, metric):
    model = ProtoClust(height=0.5, metric=metric).fit(X)
    D = cdist(X, model.cluster_centers_, metric)
    assert (D[np.arange(40), model.labels_] <= 0.5 + 1e-12).all()
    assert 1 < model.heights_.size < 40


def test_rows_at_distance_zero_are_one_cluster_at_height_zero(X):
    model = ProtoClust(height=0).fit(np.vstack([X, X[::-1]]))
    np.testing.assert_array_equal(model.labels_, np.append(np.arange(40), np.arange(40)[::-1]))
    np.testing.assert_array_equal(model.prototypes_, np.arange(40))


def test_separate_groups_are_found():
    X, group = make_blobs([20, 20, 20], centers=np.eye(3) * 50, random_state=0, shuffle=False)
    assert ProtoClust(3).fit_predict(X).tolist() == group.tolist()


def test_without_a_number_or_a_height_there_are_two_clusters(X):
    assert ProtoClust().fit(X).prototypes_.size == 2


def test_a_number_and_a_height_together_are_refused(X):
    with pytest.raises(ValueError, match="Exactly one of `n_clusters` and `height` must be given"):
        ProtoClust(2, height=1.0).fit(X)


def test_one_row_cannot_be_two_clusters_but_can_be_one(X):
    with pytest.raises(ValueError, match="n_samples = 1, got 2"):
        ProtoClust().fit(X[:1])
    assert ProtoClust(1).fit(X[:1]).predict(X[:3]).tolist() == [0, 0, 0]


def test_precomputed_distances_give_the_same_clusters(X):
    model, given = ProtoClust(4).fit(X), ProtoClust(4, metric="precomputed").fit(squareform(pdist(X)))
    np.testing.assert_array_equal(given.labels_, model.labels_)
    np.testing.assert_array_equal(given.prototypes_, model.prototypes_)
    np.testing.assert_array_equal(given.predict(cdist(X + 0.1, X)), model.predict(X + 0.1))
    assert given.cluster_centers_ is None


def test_only_precomputed_distances_are_pairwise():
    assert get_tags(ProtoClust(metric="precomputed")).input_tags.pairwise
    assert not get_tags(ProtoClust()).input_tags.pairwise


def test_a_precomputed_matrix_is_not_changed(X):
    D = squareform(pdist(X))
    before = D.copy()
    ProtoClust(metric="precomputed").fit(D)
    np.testing.assert_array_equal(D, before)


def test_new_rows_go_to_the_nearest_prototype(rng, X):
    model, new = ProtoClust(5).fit(X), rng.normal(size=(30, 3))
    np.testing.assert_array_equal(model.predict(new), cdist(new, X[model.prototypes_]).argmin(axis=1))
    np.testing.assert_array_equal(model.predict(X[model.prototypes_]), np.arange(5))


def test_a_callable_metric_is_that_metric(X):
    own = ProtoClust(4, metric=lambda a, b: np.abs(a - b).max()).fit(X)
    named = ProtoClust(4, metric="chebyshev").fit(X)
    np.testing.assert_array_equal(own.labels_, named.labels_)
    np.testing.assert_array_equal(own.predict(X + 0.1), named.predict(X + 0.1))


@pytest.mark.parametrize("metric", ["seuclidean", "mahalanobis"])
def test_a_metric_learned_from_the_table_does_not_change_with_new_rows(X, metric):
    model, new = ProtoClust(4, metric=metric).fit(X), 5.0 * X
    np.testing.assert_allclose(model.linkage_, minimax_linkage(pdist(X, metric))[0], rtol=1e-12)
    np.testing.assert_array_equal(model.predict(new), [model.predict(row[None])[0] for row in new])


def test_a_frame_and_a_pipeline_are_taken(X):
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = make_pipeline(StandardScaler().set_output(transform="pandas"), ProtoClust(3)).fit(frame)
    assert model[-1].feature_names_in_.tolist() == ["a", "b", "c"]
    assert set(model.predict(frame)) <= {0, 1, 2}


def test_fitting_again_gives_the_same(X):
    model = ProtoClust(4)
    np.testing.assert_array_equal(clone(model).fit(X).labels_, model.fit(X).fit(X).labels_)


@pytest.mark.parametrize(
    ("metric", "error", "match"),
    [
        ("nonsense", ValueError, "`metric` must be 'precomputed', .* got 'nonsense'"),
        (3, TypeError, "`metric` must be a name or a callable of two rows, got 3"),
        (lambda a, b: -1.0, ValueError, "Distances by metric=.* must be >= 0"),
        (lambda a, b: np.nan, ValueError, "Distances by metric=.* must be finite"),
        ("precomputed", ValueError, "`X` with metric='precomputed' must be a square matrix"),
    ],
)
def test_a_metric_that_gives_no_distances_is_refused(X, metric, error, match):
    with pytest.raises(error, match=match):
        ProtoClust(metric=metric).fit(X)


def test_mahalanobis_refuses_columns_that_repeat_each_other(X):
    with pytest.raises(ValueError, match="got 4 columns of rank 3"):
        ProtoClust(metric="mahalanobis").fit(np.column_stack([X, X[:, 0]]))
