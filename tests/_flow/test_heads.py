"""The grid of heads: numbering, cutting, and the table of it."""

import numpy as np
import pytest

from heedful._flow.heads import make_grid
from heedful.similarity import ForestProximity, GaussianSimilarity


def fitted(rng):
    X, y = rng.normal(size=(30, 2)), rng.normal(size=30)
    return [ForestProximity(5, random_state=0).fit(X, y), GaussianSimilarity().fit(X, y)]


def weightings(grid):
    return [group.weightings for group in grid.groups]


def test_auto_takes_each_similaritys_own_temperatures_and_weightings(rng):
    grid = make_grid(fitted(rng), None, None)
    assert [len(part) for part in weightings(grid)] == [7, 5]
    assert [weighting.name for weighting in weightings(grid)[0][5:]] == ["share", "leaf"]
    assert grid.n_heads == 12 * 5
    assert grid.ratios[0] == np.inf
    assert (np.diff(grid.ratios) < 0).all()


def test_of_many_heads_a_forest_has_every_other_temperature(rng):
    forest, gaussian = fitted(rng)
    one, many = (weightings(make_grid([forest, gaussian], None, None, many=many)) for many in (False, True))
    assert [weighting.temperature for weighting in one[0][:5]] == list(forest.temperatures_)
    assert [weighting.temperature for weighting in many[0][:2]] == [0.2, 0.05]
    assert [weighting.name for weighting in many[0][2:]] == ["share", "leaf"]
    assert many[1] == one[1]


def test_many_heads_have_fewer_penalties_of_the_same_range(rng):
    one, many = (make_grid(fitted(rng), None, None, many=many).ratios for many in (False, True))
    assert set(many) < set(one)
    assert (many[0], many[-1]) == (one[0], one[-1])
    assert 1.0 in many
    assert make_grid(fitted(rng), None, (3.0,), many=True).ratios.tolist() == [3.0]


@pytest.mark.one_value
@pytest.mark.one_value
@pytest.mark.parametrize("many", [False, True])
def test_given_temperatures_are_all_tried_however_many_heads_there_are(rng, many):
    grid = make_grid(fitted(rng), (0.1, 0.2, 0.3), (1.0,), many=many)
    assert [[weighting.temperature for weighting in part] for part in weightings(grid)] == [[0.1, 0.2, 0.3]] * 2


def test_given_temperatures_leave_out_weightings_without_one(rng):
    grid = make_grid(fitted(rng), (0.1, 1.0), (1.0,))
    assert [[weighting.temperature for weighting in part] for part in weightings(grid)] == [[0.1, 1.0]] * 2


def test_heads_with_shapes_have_the_finite_ones_of_the_given_ratios(rng):
    grid = make_grid(fitted(rng), (0.1,), (1.0, np.inf, 3.0), shapes=True)
    assert grid.ratios.tolist() == [np.inf, 3.0, 1.0, 3.0, 1.0]
    assert grid.variants.shaped.tolist() == [False, False, False, True, True]


def test_splitting_follows_the_tables_order(rng):
    grid = make_grid(fitted(rng), None, None)
    numbers = np.arange(grid.n_heads, dtype=float)
    table = grid.table(numbers, numbers)
    parts = grid.split(numbers)
    assert [part.shape for part in parts] == [(7, 5), (5, 5)]
    row = table.iloc[int(parts[1][2, 3])]
    assert row["similarity"] == "GaussianSimilarity"
    assert row["temperature"] == weightings(grid)[1][2].temperature
    assert row["alpha_ratio"] == grid.ratios[3]


def test_each_group_has_the_pull_of_its_own_similarity(rng):
    similarities = fitted(rng)
    assert [group.anchor_weight for group in make_grid(similarities, None, None).groups] == [0.0, 0.0]
    grid = make_grid(similarities, None, None, anchor_weights=[0.0, 2.5])
    assert [group.anchor_weight for group in grid.groups] == [0.0, 2.5]
    assert [one is other for one, other in zip(grid.similarities, similarities, strict=True)] == [True, True]


def test_few_heads_have_every_other_temperature_and_one_weighting_without(rng):
    forest, gaussian = fitted(rng)
    of_forest, of_gaussian = weightings(make_grid([forest, gaussian], None, (1.0,), few=True))
    assert [weighting.temperature for weighting in of_forest[:3]] == list(forest.temperatures_[::2])
    assert [weighting.name for weighting in of_forest[3:]] == ["share"]
    assert [weighting.temperature for weighting in of_gaussian] == list(gaussian.temperatures_[::2])
