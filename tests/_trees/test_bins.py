"""Columns cut into bins: which cells share one."""

import numpy as np
import pytest

from heedful._kernels.shapes import MISSING
from heedful._trees import Bins


def codes_of(column, category, weight=None):
    weight = np.ones(len(column)) if weight is None else weight
    bins = Bins().fit(np.asarray(column, dtype=float)[:, None], np.array([category]), weight)
    return bins, lambda cells: bins.transform(np.asarray(cells, dtype=float)[:, None]).codes[:, 0]


@pytest.mark.parametrize("category", [False, True])
def test_missing_cells_have_a_bin_of_their_own_and_every_known_value_another(category):
    _, code = codes_of([0, 1, 2, 3, np.nan], category)
    assert code([0, 1, 2, 3, np.nan]).tolist() == [0, 1, 2, 3, MISSING]


def test_a_level_that_came_later_is_as_good_as_missing_and_a_number_goes_to_the_nearest():
    assert codes_of([0, 1, 2], True)[1]([3, 99]).tolist() == [MISSING, MISSING]
    assert codes_of([0, 1, 2], False)[1]([-5, 0.4, 0.6, 99]).tolist() == [0, 0, 1, 2]


@pytest.mark.parametrize("category", [False, True])
def test_a_row_of_weight_three_is_the_row_three_times(rng, category):
    # more values than bins: the ends, or the frequent levels, are told apart
    column, weight = rng.permutation(600).astype(float), rng.integers(1, 4, 600)
    _, once = codes_of(column, category, weight.astype(float))
    _, often = codes_of(np.repeat(column, weight), category)
    np.testing.assert_array_equal(once(np.arange(600)), often(np.arange(600)))


def test_levels_of_the_most_weight_keep_bins_of_their_own():
    weight = np.where(np.arange(600) >= 400, 5.0, 1.0)
    _, code = codes_of(np.arange(600), True, weight)
    assert np.unique(code(np.arange(400, 600))).size == 200


@pytest.mark.parametrize("low", [1.0, np.nextafter(1.0, 2.0), -np.nextafter(3.0, 4.0), 1e308])
def test_neighbouring_numbers_are_told_apart(low):
    pair = [low, np.nextafter(low, np.inf)]
    _, code = codes_of(pair, False)
    assert code(pair).tolist() == [0, 1]


def test_without_a_column_the_others_stay_as_they_are(rng):
    X = np.column_stack([rng.normal(size=30), rng.integers(0, 4, 30), rng.normal(size=30)])
    rows = Bins().fit(X, np.array([False, True, False]), np.ones(30)).transform(X)
    for column in range(3):
        kept, other = np.delete(np.arange(3), column), rows.without(column)
        np.testing.assert_array_equal(other.codes, rows.codes[:, kept])
        np.testing.assert_array_equal(other.bins.centers, rows.bins.centers[kept])
        np.testing.assert_array_equal(other.bins.transform(X[:, kept]).codes, rows.codes[:, kept])
        assert other.bins.categories.tolist() == rows.bins.categories[kept].tolist()
