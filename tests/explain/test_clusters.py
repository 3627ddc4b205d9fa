"""Clusters of models: every member is near its prototype, and errors are those of the members."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import is_valid_linkage, leaves_list

from heedful import AttentionLasso


def test_every_member_is_within_the_radius_of_its_prototype(every):
    _, _, e = every
    groups = e.clusters(3)
    for label, row in groups.table.iterrows():
        members = groups.scaled[groups.labels == label].to_numpy()
        away = np.linalg.norm(members - groups.scaled.loc[row["prototype"]].to_numpy(), axis=1)
        assert away.max() == pytest.approx(row["radius"], abs=1e-9)
        assert groups.labels[row["prototype"]] == label
        assert len(members) == row["size"]


def test_a_height_bounds_the_distance_to_the_prototype(regression):
    _, _, e = regression
    height = e.clusters(3).table["radius"].max()
    groups = e.clusters(height=height)
    assert (groups.table["radius"] <= height).all()


def test_columns_that_no_model_uses_are_left_out(rng):
    X = rng.normal(size=(60, 4))
    model = AttentionLasso(features={"similarity": [0], "model": [0, 1, 2]}, alpha=0.3, random_state=0)
    e = model.fit(X, 5 * X[:, 1]).explain(X)
    assert set(e.clusters(2).scaled.columns) == set(e.coef.columns[(e.coef != 0).any()])


def test_coefficients_of_prototypes_are_those_of_real_queries(regression):
    _, _, e = regression
    groups = e.clusters(4)
    expected = e.coef.loc[groups.table["prototype"], groups.coef.columns]
    np.testing.assert_array_equal(groups.coef, expected)


def test_errors_are_means_over_the_members(regression):
    _, _, e = regression
    groups = e.clusters(3)
    for label, row in groups.table.iterrows():
        inside = groups.labels == label
        assert row["error"] == pytest.approx(e.loss[inside].mean())
        assert row["baseline_error"] == pytest.approx(e.baseline_loss[inside].mean())


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
