import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays

from heedful._frames import count_rows, find_observations, merge_rows, order_rows, sort_rows
from heedful._frames.rows import MOST_WRITTEN_OUT

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


def observe(codes, y, weight=None):
    weight = np.ones(len(y)) if weight is None else np.asarray(weight, float)
    return find_observations(codes, np.asarray(y, float), np.zeros(len(y)), weight, count_rows(weight))


def test_copies_of_a_row_are_one_observation_of_their_weight(rng):
    X = rng.normal(size=(20, 3))
    twice = np.append(np.arange(20), [3, 3, 5])
    found = observe(X[twice], X[twice, 0])
    assert found.source.size == 20
    np.testing.assert_allclose(np.sort(found.weight)[-2:], [2.0, 3.0])
    np.testing.assert_array_equal(found.weight[found.place], np.array([1, 1, 1, 3, 1, 2, *[1] * 14, 3, 3, 2]))


def test_whole_weights_of_rows_that_do_not_repeat_write_nothing_out(rng):
    X, weight = rng.normal(size=(20, 3)), np.where(rng.random(20) < 0.5, 10.0, 1.0)
    found = observe(X, X[:, 0] > 0, weight)
    np.testing.assert_array_equal(found.weight[found.place], weight)


@pytest.mark.parametrize("y", ["coins", "sums"])
def test_equal_rows_of_factors_are_observations_of_their_own(rng, y):
    X = rng.integers(0, 2, size=(300, 3)).astype(float)
    found = observe(X, rng.random(300) < 0.8 if y == "coins" else X.sum(axis=1) % 2)
    assert found.source.size == 300
    np.testing.assert_array_equal(found.weight, 1.0)


@LAW
@given(rows=ROWS, weight=WEIGHT, order=st.permutations(range(7)))
def test_observations_of_counted_rows_are_those_of_rows_written_out_in_any_order(rows, weight, order):
    weight[0] = 1.0
    y = np.nan_to_num(rows[:, 0])
    again = np.repeat(np.array(order), weight[order].astype(int))
    one, other = observe(rows[:, 1:], y, weight), observe(rows[again, 1:], y[again])
    seen = np.column_stack([y, rows[:, 1:]])
    np.testing.assert_array_equal(seen[one.source], seen[again][other.source])
    np.testing.assert_array_equal(one.weight, other.weight)
    np.testing.assert_array_equal(one.number, other.number)


def test_weights_that_are_no_counts_are_shared_by_the_rows_that_were_given():
    X, y, weight = np.zeros((6, 1)), [0, 0, 0, 1, 1, 1], [0.5, 1.0, 1.5, 0.25, 0.25, 0.0]
    found = observe(X, y, weight)
    np.testing.assert_allclose(found.weight, [1.0, 1.0, 1.0, 0.25, 0.25])
    assert found.place.tolist() == [0, 0, 0, 3, 3, -1]


def test_means_of_equal_observations_go_to_all_rows_that_they_stand_for():
    found = observe(np.zeros((5, 1)), [0, 0, 1, 1, 1], [2, 1, 1, 0, 1])
    given = found.give(np.array([1.0, 2.0, 6.0, 10.0, 30.0]))
    np.testing.assert_array_equal(given, [3.0, 3.0, 20.0, np.nan, 20.0])
    np.testing.assert_allclose(found.gather(np.array([2.0, 4.0, 1.0, 9.0, 3.0])), [2.0, 2.0, 2.0, 2.0, 2.0])


def test_millions_of_counts_are_written_out_in_equal_parts_up_to_a_limit():
    X, count = np.repeat(np.arange(8.0), 2)[:, None], np.array([3, 40, 10**7, 10**6] * 4, float)
    found = observe(X, np.tile([0, 1], 8), count)
    assert MOST_WRITTEN_OUT - 16 < found.source.size <= MOST_WRITTEN_OUT
    np.testing.assert_allclose(
        np.bincount(found.number, found.weight), count[found.source[np.unique(found.number, return_index=True)[1]]]
    )
    few = found.weight[np.isin(found.number, found.distinct[count < 100])]
    np.testing.assert_array_equal(few, 1.0)


def test_rows_in_different_folds_are_never_one(rng):
    X = rng.normal(size=(20, 2))
    both = np.concatenate([X, X])
    apart = find_observations(both, both[:, 0], np.repeat([0.0, 1.0], 20), np.ones(40), np.ones(40))
    assert apart.source.size == 40


def test_rows_that_share_a_response_which_no_two_rows_have_by_chance_are_copies(rng):
    X = np.repeat(rng.integers(0, 3, size=(100, 2)), 2, axis=0).astype(float)
    y = rng.normal(size=200)
    y[1] = y[0]
    assert observe(X, y).source.size == 199


def test_only_combinations_that_repeat_tell_whether_equal_rows_are_copies(rng):
    X = np.vstack([rng.normal(size=(200, 2)), np.repeat(rng.normal(size=(10, 2)), 3, axis=0)])
    y = np.append(rng.integers(0, 2, 200), np.tile([0, 1, 1], 10))
    assert observe(X, y).source.size == 230


def test_levels_that_are_hardly_ever_combined_twice_make_equal_rows_copies():
    X = np.stack(np.meshgrid(*[range(2)] * 6), axis=-1).reshape(-1, 6).astype(float)
    again = np.append(np.arange(64), np.arange(16))
    assert observe(X[again], X[again].sum(axis=1) % 2).source.size == 64


@LAW
@given(rows=arrays(np.float64, (9, 3), elements=st.sampled_from([0.0, -0.0, 1.0, 2.0, NAN])))
def test_rows_are_ordered_as_by_lexsort_and_the_first_of_equal_ones_is_marked(rows):
    order, first = order_rows(rows.T)
    np.testing.assert_array_equal(order, np.lexsort(rows.T))
    seen = [tuple(row) for row in np.nan_to_num(rows[order], nan=9.0)]
    assert [row not in seen[:i] for i, row in enumerate(seen)] == first.tolist()


def test_no_rows_have_an_order_too():
    order, first = order_rows(np.empty((2, 0)))
    assert order.size == first.size == 0
