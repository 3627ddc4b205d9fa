import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from heedful._frames import merge_rows, sort_rows

LAW = settings(deadline=None, max_examples=50, derandomize=True)
NAN = np.nan
ROWS = arrays(np.float64, (7, 3), elements=st.sampled_from([0.0, 1.0, NAN]))
WEIGHT = arrays(np.float64, 7, elements=st.sampled_from([0.0, 1.0, 2.0]))


def merged(rows, weight):
    """Return the distinct rows (codes, fold, response) and their weights."""
    rows = np.column_stack([rows, np.nan_to_num(rows[:, 0]), np.nan_to_num(rows[:, 1])])
    first, number = merge_rows(rows[:, :3], rows[:, 4], rows[:, 3], weight)
    kept = number >= 0
    return rows[first], np.bincount(number[kept], weights=weight[kept], minlength=first.size)


@LAW
@given(rows=ROWS, weight=WEIGHT, order=st.permutations(range(7)))
def test_merged_rows_do_not_depend_on_the_order(rows, weight, order):
    weight[0] = 1.0
    for one, other in zip(merged(rows, weight), merged(rows[order], weight[order]), strict=True):
        np.testing.assert_array_equal(one, other)


@LAW
@given(rows=ROWS, weight=WEIGHT)
def test_a_row_of_weight_two_is_the_same_row_twice(rows, weight):
    weight[0] = 1.0
    again = np.repeat(np.arange(7), weight.astype(int))
    for one, other in zip(merged(rows, weight), merged(rows[again], np.ones(again.size)), strict=True):
        np.testing.assert_array_equal(one, other)


@LAW
@given(rows=ROWS, weight=WEIGHT)
def test_every_row_finds_itself_among_the_distinct_ones(rows, weight):
    weight[0] = 1.0
    first, number = merge_rows(rows, rows[:, 0], np.zeros(7), weight)
    np.testing.assert_array_equal(number == -1, weight == 0)
    np.testing.assert_array_equal(rows[first][number[weight > 0]], rows[weight > 0])
    assert len({tuple(row) for row in np.nan_to_num(rows[first], nan=9.0)}) == first.size


@pytest.mark.parametrize("part", ["codes", "y", "fold"])
def test_rows_that_differ_in_anything_stay_apart(part):
    parts = {"codes": np.zeros((2, 1)), "y": np.zeros(2), "fold": np.zeros(2)}
    parts[part][1] = 1.0
    first, number = merge_rows(**parts, weight=np.ones(2))
    assert first.size == 2
    assert set(number) == {0, 1}


def test_missing_equals_missing():
    codes = np.array([[NAN, 1.0], [NAN, 1.0]])
    assert merge_rows(codes, np.zeros(2), np.zeros(2), np.ones(2))[0].size == 1


def test_sorted_rows_do_not_depend_on_the_order_and_equal_ones_stay_apart(rng):
    codes, y = rng.integers(0, 2, size=(30, 2)).astype(float), rng.integers(0, 2, size=30)
    weight, turn = rng.choice([0.0, 1.0, 2.5], size=30), rng.permutation(30)
    codes[::7, 0] = np.nan
    order, place = sort_rows(codes, y, weight)
    again, _ = sort_rows(codes[turn], y[turn], weight[turn])
    for values in (codes, y, weight):
        np.testing.assert_array_equal(values[turn][again], values[order])
    np.testing.assert_array_equal(np.sort(order), np.flatnonzero(weight > 0))
    np.testing.assert_array_equal(place[order], np.arange(order.size))
    np.testing.assert_array_equal(place[weight == 0], -1)
