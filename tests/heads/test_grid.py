"""The grid of heads: numbering, cutting, and the table of it."""

import numpy as np

from heedful.heads import make_grid
from heedful.similarity import ForestProximity, GaussianSimilarity


def fitted(rng):
    X, y = rng.normal(size=(30, 2)), rng.normal(size=30)
    return [ForestProximity(5, random_state=0).fit(X, y), GaussianSimilarity().fit(X, y)]


def test_auto_takes_each_similaritys_own_temperatures_and_weightings(rng):
    grid = make_grid(fitted(rng), None, None)
    assert [len(part) for part in grid.weightings] == [7, 5]
    assert [weighting.name for weighting in grid.weightings[0][5:]] == ["share", "leaf"]
    assert grid.n_heads == 12 * 5
    assert grid.ratios[0] == np.inf
    assert (np.diff(grid.ratios) < 0).all()


def test_given_temperatures_leave_out_weightings_without_one(rng):
    grid = make_grid(fitted(rng), (0.1, 1.0), (1.0,))
    assert [[weighting.temperature for weighting in part] for part in grid.weightings] == [[0.1, 1.0]] * 2


def test_splitting_follows_the_tables_order(rng):
    similarities = fitted(rng)
    grid = make_grid(similarities, None, None)
    numbers = np.arange(grid.n_heads, dtype=float)
    table = grid.table(similarities, numbers, numbers)
    parts = grid.split(numbers)
    assert [part.shape for part in parts] == [(7, 5), (5, 5)]
    row = table.iloc[int(parts[1][2, 3])]
    assert row["similarity"] == "GaussianSimilarity"
    assert row["temperature"] == grid.weightings[1][2].temperature
    assert row["alpha_ratio"] == grid.ratios[3]
