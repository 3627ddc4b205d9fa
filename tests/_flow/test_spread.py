"""Spreads by a forest of absolute residuals, and by the rows that a row attends to."""

import numpy as np
import pytest

from heedful._flow import spread
from heedful._flow.spread import FLOOR, PRIOR, TREES, Columns, ForestSpread, attended
from heedful.attention import attend
from reference import intervals as twin


class Told:
    """Rows of which a number and a category tell the noise, some cells missing; all that was grown is kept."""

    def __init__(self, rng, monkeypatch, weighted=False, n=150):
        level = rng.integers(0, 4, size=n).astype(float)
        self.table = np.column_stack([rng.normal(size=n), level])
        self.size = np.abs(rng.normal(size=n)) * np.where((self.table[:, 0] > 0) ^ (level == 2), 3.0, 1.0)
        self.table[::11, 0] = np.nan
        self.weight = rng.integers(1, 4, size=n) / 2 if weighted else np.ones(n)
        grow = spread.grow_forest
        monkeypatch.setattr(spread, "grow_forest", lambda *args, **how: self.keep(grow(*args, **how)))
        self.spread = ForestSpread(Columns(self.table, np.array([False, True])), self.size, self.weight, None)

    def keep(self, grown):
        self.forest, self.buckets = grown
        return grown

    def twin(self, table, own):
        leaves = self.forest.apply(table)
        rows = zip(leaves, own, strict=True)
        return [twin.forest_mean(row, self.buckets, self.weight, self.size, number) for row, number in rows]


@pytest.fixture(params=[False, True], ids=["equal weights", "sample weights"])
def told(rng, monkeypatch, request):
    return Told(rng, monkeypatch, request.param)


def test_new_rows_have_the_mean_of_all_trees(told, rng):
    table = np.column_stack([rng.normal(size=8), [0, 1, 2, 3, 0, 1, 2, np.nan]])
    np.testing.assert_allclose(told.spread.of(table), told.twin(table, np.full(8, -1)), rtol=1e-12)


@pytest.mark.one_value
def test_training_rows_have_the_mean_of_trees_that_did_not_draw_them(told):
    rows = np.arange(3, 150, 7)
    np.testing.assert_allclose(told.spread.of_left_out(rows), told.twin(told.table[rows], rows), rtol=1e-12)


def test_the_forest_finds_noise_of_numbers_and_levels_that_cross(rng, monkeypatch):
    told = Told(rng, monkeypatch, n=600)
    low, high = told.spread.of(np.array([[-1.5, 0.0], [1.5, 2.0], [1.5, 0.0], [-1.5, 2.0]])).reshape(2, 2)
    assert high.min() > 1.8 * low.max()


def test_a_row_that_every_tree_drew_has_the_overall_level(told):
    told.spread._inside = np.full((150, -(-TREES // 8)), 255, np.uint8)
    np.testing.assert_allclose(told.spread.of_left_out(np.arange(3)), np.average(told.size, weights=told.weight))


def test_weights_count_in_means(told, rng):
    """Where a leaf is all there is, expectations are weighted means."""
    few = Columns(told.table[:30], np.array([False, True]))
    heavy = np.where(told.size[:30] > np.median(told.size[:30]), 50.0, 0.02)
    found = ForestSpread(few, told.size[:30], heavy, None).of(few.table)
    np.testing.assert_allclose(found, np.average(told.size[:30], weights=heavy), rtol=0.1)


def test_residuals_around_a_row_are_shrunk_to_the_level_by_effective_rows(rng):
    attention, size = attend(rng.normal(size=(5, 40)), temperature=0.3), rng.exponential(size=40)
    rows = [twin.attended(row, size, 2.5, PRIOR) for row in attention.toarray()]
    np.testing.assert_allclose(attended(attention, size, 2.5), rows, rtol=1e-10)


def test_no_spread_is_far_below_the_level(rng):
    attention = attend(np.zeros((1, 400_000)))
    np.testing.assert_allclose(attended(attention, np.zeros(400_000), 1.0), FLOOR)
