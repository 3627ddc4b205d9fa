"""Clusters of models: every member is near its prototype, and errors are those of the members."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.cluster.hierarchy import is_valid_linkage, leaves_list
from scipy.spatial.distance import pdist
from sklearn.metrics import adjusted_rand_score

from heedful import AttentionLasso
from heedful.cluster import cut, minimax_linkage
from heedful.similarity import ForestProximity


def differences(e):
    """Return root mean squared differences of what every model says of every query, over queries and classes.

    With shapes, of the queries whose own model has some of the curves, as these tell how high curves are there.
    """
    n, names = len(e.index), e.outputs or [None]
    said, known = np.empty((n, n, len(names))), np.ones(n, dtype=bool)
    for k, name in enumerate(names):
        both = (e.lasso_coef, e.lasso_intercept)
        coef, level = both if name is None else (part[name] for part in both)
        said[:, :, k] = level.to_numpy()[:, None] + coef.to_numpy() @ e.lasso_design.to_numpy().T
    if e.shape is not None and (e.multiple != 0).any(axis=None):
        multiple, added = (part.to_numpy().reshape(n, len(names), -1) for part in (e.multiple, e.shape))
        # multiples of several classes sum to zero
        known = np.linalg.matrix_rank(multiple, tol=1e-6 * np.abs(multiple).max()) >= max(1, len(names) - 1)
        curves = np.array([np.linalg.pinv(multiple[q]) @ added[q].sum(axis=1) for q in range(n)])
        said += np.einsum("qkl,rl->qrk", multiple, curves)
    own = said[np.arange(n), np.arange(n)]
    np.testing.assert_allclose(own, e.link.to_numpy().reshape(n, -1), atol=1e-9)
    said = said[:, known]
    return np.sqrt(((said[:, None] - said[None]) ** 2).mean(axis=(2, 3)))


def test_every_member_is_within_the_radius_of_its_prototype(every):
    _, _, e = every
    groups, far = e.clusters(3), differences(e)
    for label, row in groups.table.iterrows():
        members = np.flatnonzero(groups.labels == label)
        away = far[members, e.index.get_loc(row["prototype"])]
        assert away.max() == pytest.approx(row["radius"], rel=1e-6)
        assert groups.labels[row["prototype"]] == label
        assert len(members) == row["size"]


def test_curves_count_in_the_difference_of_models():
    X = np.random.default_rng(0).uniform(-2, 2, size=(300, 3))
    y = np.where(X[:, 2] > 0, 1, -1) * X[:, 0] ** 2 + X[:, 1]
    forest = ForestProximity(30, min_samples_split=5)
    e = AttentionLasso(similarity=forest, random_state=0).fit(X[:200], y[:200]).explain(X[200:])
    assert e.shape is not None
    assert np.ptp(e.multiple) > 0.1
    expected = minimax_linkage(differences(e))[0]
    np.testing.assert_allclose(e.clusters(2).linkage[:, 2], expected[:, 2], rtol=1e-6, atol=1e-9)


def test_the_unit_of_a_column_does_not_matter(regression):
    _, _, e = regression
    unit = np.linspace(0.01, 100.0, len(e.lasso_features))
    other = replace(e, lasso_design=e.lasso_design * unit, lasso_coef=e.lasso_coef / unit)
    np.testing.assert_allclose(other.clusters(3).linkage[:, 2], e.clusters(3).linkage[:, 2], rtol=1e-9)


def test_the_dendrogram_of_the_paper_is_that_of_coefficients_per_deviation(every):
    _, _, e = every
    linkage, prototypes = minimax_linkage(pdist(e.scaled_coef().to_numpy()))
    groups = e.clusters(3, distance="coef")
    np.testing.assert_allclose(groups.linkage, linkage)
    np.testing.assert_array_equal(groups.merge_prototypes, prototypes)
    np.testing.assert_array_equal(adjusted_rand_score(groups.labels, cut(linkage, prototypes, 3).labels), 1.0)


@pytest.mark.parametrize("how", [{"n_clusters": 6}, {"height": 0.5}])
def test_a_number_or_a_height_gives_exactly_that_cut(regression, how):
    _, _, e = regression
    groups = e.clusters(**how)
    found = cut(groups.linkage, groups.merge_prototypes, **how)
    assert adjusted_rand_score(groups.labels, found.labels) == 1.0
    assert sorted(groups.table["size"]) == sorted(np.bincount(found.labels))
    assert (groups.labels > 0).all()


def test_small_clusters_of_a_cut_are_others_only_if_asked_for(regression):
    _, _, e = regression
    plain, strict = e.clusters(8), e.clusters(8, min_size=4)
    small = plain.labels.map(plain.table["size"]) < 4
    assert small.any()
    np.testing.assert_array_equal(strict.labels == -1, small)
    assert adjusted_rand_score(strict.labels[~small], plain.labels[~small]) == 1.0
    assert strict.table.index.tolist() == [*range(1, strict.labels.nunique()), -1]
    assert strict.table.loc[-1, "prototype"] is None
    assert strict.table.loc[-1, "error"] == pytest.approx(e.loss[small].mean() ** 0.5)
    assert strict.coef.index.equals(strict.named.index)


@pytest.mark.one_value
@pytest.mark.parametrize("min_size", [1, 4])
def test_what_clusters_explain_is_of_the_differences_between_queries_in_one(regression, min_size):
    _, _, e = regression
    groups, far = e.clusters(8, min_size=min_size), differences(e) ** 2

    def spread(members):
        return far[np.ix_(members, members)].sum() / (2 * members.sum())

    within = sum(spread((groups.labels == label).to_numpy()) for label in groups.named.index)
    assert groups.explained == pytest.approx(1 - within / spread((groups.labels > 0).to_numpy()))


def test_a_chosen_number_obeys_the_smallest_size(every):
    _, _, e = every
    groups = e.clusters()
    assert (groups.named["size"] >= 3).all()
    assert (groups.labels == -1).mean() <= 0.05
    assert (e.clusters(min_size=10).named["size"] >= 10).all()


def test_what_cannot_be_done_is_refused(regression):
    _, _, e = regression
    with pytest.raises(ValueError, match=r"`min_size` must leave a cluster, got 30.*largest has \d+"):
        e.clusters(10, min_size=30)
    with pytest.raises(ValueError, match="`min_size` must"):
        e.clusters(min_size=0)
    with pytest.raises(ValueError, match=r"`distance` must be one of .*'prediction'.*got 'cosine'"):
        e.clusters(distance="cosine")
    with pytest.raises(ValueError, match="Exactly one of `n_clusters` and `height`"):
        e.clusters(3, height=1.0)


def test_a_height_bounds_the_distance_to_the_prototype(regression):
    _, _, e = regression
    height = e.clusters(3).table["radius"].max()
    groups = e.clusters(height=height)
    assert (groups.table["radius"] <= height).all()


def test_columns_that_no_model_uses_are_left_out(rng):
    X = rng.normal(size=(60, 4))
    model = AttentionLasso(features={"similarity": [0], "model": [0, 1, 2]}, alpha=0.3, random_state=0)
    e = model.fit(X, 5 * X[:, 1]).explain(X)
    assert set(e.clusters(2).scaled.columns) == set(e.lasso_coef.columns[(e.lasso_coef != 0).any()])


def test_coefficients_of_prototypes_are_those_of_real_queries(regression):
    _, _, e = regression
    groups = e.clusters(4)
    expected = e.lasso_coef.loc[groups.table["prototype"], groups.coef.columns]
    np.testing.assert_array_equal(groups.coef, expected)


def test_errors_are_means_over_the_members(regression):
    _, _, e = regression
    groups = e.clusters(3)
    for label, row in groups.table.iterrows():
        inside = groups.labels == label
        assert row["error"] == pytest.approx(e.loss[inside].mean() ** 0.5)
        assert row["baseline_error"] == pytest.approx(e.baseline_loss[inside].mean() ** 0.5)


def test_without_a_response_there_are_no_errors(regression):
    model, X, _ = regression
    assert "error" not in model.explain(X).clusters(2).table


def test_groups_are_numbered_along_the_dendrogram(regression):
    _, _, e = regression
    groups = e.clusters(5)
    assert is_valid_linkage(groups.linkage)
    np.testing.assert_array_equal(groups.order, leaves_list(groups.linkage))
    assert groups.labels.iloc[groups.order].is_monotonic_increasing


def test_models_without_coefficients_are_one_heap(rng):
    X = rng.normal(size=(30, 2))
    e = AttentionLasso(mixing=0.0, alpha=1e6).fit(X, rng.normal(size=30)).explain(X)
    assert e.clusters(height=0.0).table["size"].tolist() == [30]


def test_a_single_query_cannot_be_clustered(regression):
    model, X, _ = regression
    with pytest.raises(ValueError, match="at least 2 rows to be clustered, got 1"):
        model.explain(X[:1]).clusters(1)
