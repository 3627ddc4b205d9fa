"""Small boosted trees, and their Shapley values against the definition."""

import numpy as np
import pytest
from tests.reference.shapley import shapley_values

from heedful._trees import Bins, fit_surrogate

CATEGORIES = np.array([False, False, True, False])


def make_rows(rng, n_rows=150):
    X = rng.normal(size=(n_rows, 4))
    X[:, 2] = rng.integers(0, 5, n_rows)
    X[rng.random(n_rows) < 0.2, 1] = np.nan
    y = np.where(np.isin(X[:, 2], (1, 4)), X[:, 0], -X[:, 0]) + np.isnan(X[:, 1])
    return Bins().fit(X, CATEGORIES, np.ones(n_rows)).transform(X), y


def test_values_are_those_of_the_definition(rng):
    rows, y = make_rows(rng)
    trees, weight = fit_surrogate(rows, y, 0), rng.random(len(y))
    found = trees.leaf_tables(rows.codes, weight).values(rows.codes[:4])
    for own, query in zip(found, rows.codes[:4], strict=True):
        np.testing.assert_allclose(own, shapley_values(trees.predict, query, rows.codes, weight), atol=1e-10)


def test_values_add_up_to_the_prediction_less_the_mean(rng):
    rows, y = make_rows(rng)
    trees, weight = fit_surrogate(rows, y, 0), rng.random(len(y))
    tables, said = trees.leaf_tables(rows.codes, weight), trees.predict(rows.codes)
    assert tables.mean == pytest.approx(np.average(said, weights=weight))
    np.testing.assert_allclose(tables.mean + tables.values(rows.codes).sum(axis=1), said, atol=1e-10)


def test_trees_learn_interactions_levels_and_missing_cells(rng):
    rows, y = make_rows(rng, 1000)
    said = fit_surrogate(rows[:800], y[:800], 0).predict(rows[800:].codes)
    assert np.mean((said - y[800:]) ** 2) < 0.15 * y.var()


def test_a_column_that_tells_nothing_gets_nothing(rng):
    rows, y = make_rows(rng)
    rows.codes[:, 3] = 7
    trees = fit_surrogate(rows, y, 0)
    np.testing.assert_array_equal(trees.leaf_tables(rows.codes, np.ones(150)).values(rows.codes)[:, 3], 0.0)


def test_a_constant_is_a_tree_without_splits(rng):
    rows, _ = make_rows(rng)
    trees = fit_surrogate(rows, np.full(150, 3.5), 0)
    np.testing.assert_array_equal(trees.predict(rows.codes), 3.5)
    assert trees.leaf_tables(rows.codes, np.ones(150)).mean == 3.5


@pytest.mark.more
def test_of_very_many_columns_those_that_matter_are_found(rng):
    X = rng.normal(size=(400, 300))
    rows = Bins().fit(X, np.zeros(300, bool), np.ones(400)).transform(X)
    trees = fit_surrogate(rows, (X[:, 17] > 0) * (2.0 + X[:, 230]), 0)
    size = np.abs(trees.leaf_tables(rows.codes, np.ones(400)).values(rows.codes)).mean(axis=0)
    assert set(np.argsort(-size)[:2]) == {17, 230}
