"""Boosted trees as one of the models of what is expected of a row."""

import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_limits

from heedful._effects.boosted import BoostedClassifier, BoostedRegressor


@pytest.fixture
def rows(rng):
    X = rng.normal(size=(120, 3))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=120)


def grow(X, y, **how):
    return BoostedRegressor(0).fit(X, y, **how)


def test_a_row_of_weight_two_is_the_row_twice_in_whatever_order(rows, rng):
    X, y = rows
    weight = rng.integers(0, 4, 120).astype(np.float64)
    again = rng.permutation(np.repeat(np.arange(120), weight.astype(int)))
    own, copies = grow(X, y, sample_weight=weight), grow(X[again], y[again])
    np.testing.assert_array_equal(own.predict(X), copies.predict(X))
    there = weight > 0
    assert np.abs(own.predict(X) - grow(X[there], y[there]).predict(X)).max() > 0.05


def test_rows_that_happen_to_be_equal_are_many_rows_of_a_leaf(rng):
    X = rng.integers(0, 2, (400, 3)) * 1.0
    labels = (rng.random(400) < 0.2 + 0.6 * (X[:, 0] == X[:, 1])).astype(np.int64)
    chance = BoostedClassifier(0).fit(X, labels).predict_proba(X)[:, 1]
    for cell in np.unique(X, axis=0):
        own = (cell == X).all(axis=1)
        assert chance[own].mean() == pytest.approx(labels[own].mean(), abs=0.1)
    counted, weight = np.unique(np.column_stack([X, labels]), axis=0, return_counts=True)
    table = BoostedClassifier(0).fit(counted[:, :3], counted[:, 3].astype(np.int64), weight * 1.0)
    np.testing.assert_array_equal(table.predict_proba(X)[:, 1], chance)


def test_numbers_whose_labels_alternate_are_told_apart_where_rows_repeat(rng):
    X = rng.integers(0, 20, (600, 1)) * 1.0
    odd = X[:, 0] % 2 == 1
    labels = (rng.random(600) < np.where(odd, 0.9, 0.1)).astype(np.int64)
    chance = BoostedClassifier(0).fit(X, labels).predict_proba(X)[:, 1]
    np.testing.assert_allclose([chance[odd].mean(), chance[~odd].mean()], [0.9, 0.1], atol=0.1)


def test_the_unit_of_weights_does_not_matter(rows, rng):
    X, y = rows
    weight = rng.uniform(0.5, 2.0, 120)
    small, large = (grow(X, y, sample_weight=unit * weight).predict(X) for unit in (2.0**-40, 2.0**40))
    np.testing.assert_array_equal(small, large)
    assert small.std() > 0.5


def test_threads_change_nothing(rng):
    X = rng.normal(size=(3000, 4))
    y = X[:, 0] + rng.normal(size=3000)
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            found.append(grow(X, y).predict(X))
    np.testing.assert_array_equal(*found)


def test_levels_that_alternate_are_told_apart(rng):
    site = rng.choice(list("abcdef"), 400)
    X = pd.DataFrame({"site": site, "age": rng.normal(size=400)})
    labels = np.isin(site, ["a", "c", "e"]).astype(np.int64)
    chance = BoostedClassifier(0).fit(X, labels).predict_proba(X)
    np.testing.assert_allclose(chance.sum(axis=1), 1.0)
    assert np.abs(chance[:, 1] - labels).max() < 0.05


def test_missing_cells_many_levels_and_levels_never_seen_are_taken(rng):
    X = pd.DataFrame({"empty": np.nan, "id": [f"n{k}" for k in range(100)], "size": rng.normal(size=100)})
    X.loc[::5, "size"] = np.nan
    y = np.where(X["size"].isna(), 3.0, 0.0) + 0.1 * rng.normal(size=100)
    model = grow(X, y)
    asked = pd.DataFrame({"empty": [np.nan, np.nan], "id": ["new", "n1"], "size": [np.nan, 0.1]})
    np.testing.assert_allclose(model.predict(asked), [3.0, 0.0], atol=0.3)
