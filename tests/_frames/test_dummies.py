import numpy as np
import pytest

from heedful._frames import Dummies
from heedful._frames.dummies import MOST_LEVELS

NAN = np.nan


def test_dummies_have_one_column_per_level_and_training_means_for_missing_numbers():
    codes = np.array([[1.0, 0.0], [NAN, 1.0], [4.0, 1.0]])
    dummies = Dummies().fit(codes, ["age", "sex"], [None, ["f", "m"]], np.array([1.0, 5.0, 2.0]))
    assert dummies.names == ["age", "sex=f", "sex=m"]
    np.testing.assert_array_equal(dummies.transform(codes), [[1.0, 1.0, 0.0], [3.0, 0.0, 1.0], [4.0, 0.0, 1.0]])


def test_a_missing_category_is_a_level_of_its_own_if_training_rows_have_it():
    codes = np.array([[0.0], [NAN], [1.0]])
    dummies = Dummies().fit(codes, ["sex"], [["f", "m"]], np.ones(3))
    assert dummies.names == ["sex=(missing)", "sex=f", "sex=m"]
    np.testing.assert_array_equal(dummies.transform(np.array([[NAN]])), [[1.0, 0.0, 0.0]])


def test_a_missing_category_that_training_rows_do_not_have_is_zero_everywhere():
    dummies = Dummies().fit(np.array([[0.0], [1.0]]), ["sex"], [["f", "m"]], np.ones(2))
    np.testing.assert_array_equal(dummies.transform(np.array([[NAN]])), [[0.0, 0.0]])


def test_a_column_of_missing_numbers_becomes_zero():
    dummies = Dummies().fit(np.full((2, 1), NAN), ["age"], [None], np.ones(2))
    np.testing.assert_array_equal(dummies.transform(np.array([[NAN], [3.0]])), [[0.0], [3.0]])


def test_only_the_most_frequent_levels_get_a_column():
    codes = np.repeat(np.arange(MOST_LEVELS + 5.0), 2)[1:, None]
    levels = [f"l{code}" for code in range(MOST_LEVELS + 5)]
    dummies = Dummies().fit(codes, ["a"], [levels], np.ones(codes.size))
    assert len(dummies.names) == MOST_LEVELS
    assert "a=l0" not in dummies.names
    assert dummies.transform(np.array([[0.0]])).sum() == 0


def test_rare_is_counted_by_weight():
    codes = np.arange(MOST_LEVELS + 1.0)[:, None]
    weight = np.where(codes[:, 0] == 7, 0.5, 1.0)
    dummies = Dummies().fit(codes, ["a"], [list(range(MOST_LEVELS + 1))], weight)
    assert "a=7" not in dummies.names


def test_limit_pulls_values_back_into_reach_of_the_training_range():
    dummies = Dummies().fit(np.array([[0.0], [10.0]]), ["a"], [None], np.ones(2))
    rows = np.array([[-9.0], [-4.0], [5.0], [99.0]])
    np.testing.assert_array_equal(dummies.limit(rows, 0.5), [[-5.0], [-4.0], [5.0], [15.0]])
    np.testing.assert_array_equal(dummies.limit(rows, 0.0), [[0.0], [0.0], [5.0], [10.0]])
    np.testing.assert_array_equal(dummies.limit(rows, None), rows)


def names_of(columns):
    """Return the names of the dummies of columns: levels, or None for numbers; the last row is missing."""
    size = max([len(levels) for levels in columns.values() if levels is not None], default=0)
    codes = [
        np.where(np.arange(size + 1) < len(levels or []), np.arange(size + 1.0), NAN) for levels in columns.values()
    ]
    return Dummies().fit(np.column_stack(codes), list(columns), list(columns.values()), np.ones(size + 1)).names


@pytest.mark.parametrize(
    ("columns", "names"),
    [
        ({"a": [1, "1"]}, ["a=(missing)", "a=1", "a='1'"]),
        ({"a": ["(missing)", "b"]}, ["a=(missing)", "a='(missing)'", "a=b"]),
        ({"a": ["x"], "a=x": None}, ["a=(missing)", "a='x'", "a=x"]),
        ({"a=x": None, "a": ["x"]}, ["a=x", "a=(missing)", "a='x'"]),
        ({"a": ["x"], "a=x": None, "a='x'": None}, ["a=(missing)", "a='x' (2)", "a=x", "a='x'"]),
        ({"a": ["b=c"], "a=b": ["c"]}, ["a=(missing)", "a=b=c", "a=b=(missing)", "a=b='c'"]),
        ({"a": ["x"], "a=(missing)": None}, ["a=(missing) (2)", "a=x", "a=(missing)"]),
    ],
)
def test_no_two_dummies_are_called_the_same(columns, names):
    assert names_of(columns) == names
