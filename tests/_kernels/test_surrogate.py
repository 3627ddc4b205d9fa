"""Small boosted trees of few rounds, quick enough to be run without numba."""

import numpy as np
import pytest
from tests.reference.shapley import shapley_values

from heedful._trees import Bins, fit_surrogate, surrogate


@pytest.fixture
def rows(rng, monkeypatch):
    """Return rows of numbers, levels and missing cells, in bins, and a response that needs all of them."""
    monkeypatch.setattr(surrogate, "ROUNDS", 3)
    X = rng.normal(size=(40, 3))
    X[:, 1] = rng.integers(0, 4, 40)
    X[::5, 2] = np.nan
    y = np.where(X[:, 1] > 1, X[:, 0], -X[:, 0]) + np.isnan(X[:, 2])
    return Bins().fit(X, np.array([False, True, False]), np.ones(40)).transform(X), y


def test_values_of_every_column_are_those_of_the_definition(rng, rows):
    binned, y = rows
    trees, weight = fit_surrogate(binned, y, 0), rng.random(40)
    assert set(np.unique(trees.column)) >= {0, 1, 2}
    (found,) = trees.leaf_tables(binned.codes, weight).values(binned.codes[:1])
    np.testing.assert_allclose(found, shapley_values(trees.predict, binned.codes[0], binned.codes, weight), atol=1e-12)


def test_each_round_leaves_less(rows):
    binned, y = rows
    assert np.mean((y - fit_surrogate(binned, y, 0).predict(binned.codes)) ** 2) < 0.8 * y.var()
