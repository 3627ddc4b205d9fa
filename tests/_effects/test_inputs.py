"""Treatments and outcomes as users give them."""

import numpy as np
import pandas as pd
import pytest

from heedful._effects.inputs import read_outcome, read_treatment

ONES = np.ones(4)


@pytest.mark.parametrize(
    "arms",
    [
        [0, 1, 1, 0],
        [False, True, True, False],
        [0.0, 1.0, 1.0, 0.0],
        [-3, 7, 7, -3],
        ["control", "drug", "drug", "control"],
        pd.Series(["a", "b", "b", "a"], dtype="category"),
        np.array([[0], [1], [1], [0]]),
    ],
)
def test_two_values_are_arms_and_the_second_in_order_is_treated(arms):
    read = read_treatment(arms, 4, ONES)
    assert read.binary
    np.testing.assert_array_equal(read.values, [0.0, 1.0, 1.0, 0.0])
    assert read.labels.tolist() == sorted(set(np.asarray(arms).ravel().tolist()))


def test_categories_that_have_an_order_keep_it():
    arms = pd.Series(pd.Categorical(["b", "a", "a", "b"], ["c", "b", "a"], ordered=True))
    read = read_treatment(arms, 4, ONES)
    np.testing.assert_array_equal(read.values, [0.0, 1.0, 1.0, 0.0])
    assert read.labels.tolist() == ["b", "a"]
    assert read_outcome(arms, 4).labels.tolist() == ["b", "a"]


def test_many_numbers_are_an_amount():
    read = read_treatment([0.1, 0.5, 2.0, 0.1], 4, ONES)
    assert not read.binary
    np.testing.assert_array_equal(read.values, [0.1, 0.5, 2.0, 0.1])


def test_a_few_whole_numbers_are_an_amount_with_a_warning():
    with pytest.warns(UserWarning, match=r"3 levels, 0, 1, 2.*per unit.*one model for each pair"):
        assert not read_treatment([0, 1, 2, 1], 4, ONES).binary


@pytest.mark.parametrize(
    ("treatment", "error"),
    [
        (None, "`treatment` must be given"),
        ([1, 1, 1, 1], "`treatment` must differ .* got 1 only. Add rows"),
        (
            ["a", "b", "c", "a"],
            "must have two levels or be numeric, got 3 levels: 'a', 'b', 'c'. Keep the rows of two",
        ),
        ([0, 1, np.nan, 1], "`treatment` must be known for every row, got 1 missing or NaN. Drop"),
        (["a", None, "b", "a"], "got 1 missing"),
        ([0.5, 1.0, np.inf, 1.2], "`treatment` must be finite"),
        ([0, 1, 1], "`treatment` must have one value per row of `X`: 4, got 3"),
        (np.zeros((4, 2)), r"in one dimension, got shape \(4, 2\)"),
    ],
)
def test_treatments_that_cannot_be_used_are_refused(treatment, error):
    with pytest.raises(ValueError, match=error):
        read_treatment(treatment, 4, ONES)


def test_weights_that_leave_one_arm_are_refused():
    with pytest.raises(ValueError, match="got 0 only"):
        read_treatment([0, 1, 0, 1], 4, np.array([1.0, 0.0, 2.0, 0.0]))


def test_labels_of_two_kinds_are_refused():
    with pytest.raises(TypeError, match="`treatment` must hold values of one kind, got int, str"):
        read_treatment([0, "a", 0, "a"], 4, ONES)


@pytest.mark.parametrize("y", [["no", "yes", "yes", "no"], [False, True, True, False], [0, 1, 1, 0]])
def test_two_labels_are_a_risk(y):
    read = read_outcome(y, 4)
    assert read.binary
    np.testing.assert_array_equal(read.values, [0.0, 1.0, 1.0, 0.0])


def test_two_other_numbers_are_numbers():
    read = read_outcome([1.5, 3.0, 3.0, 1.5], 4)
    assert not read.binary
    np.testing.assert_array_equal(read.values, [1.5, 3.0, 3.0, 1.5])


@pytest.mark.parametrize(
    ("y", "error"),
    [
        (None, "requires y to be passed"),
        (["a", "b", "c", "a"], "`y` must be numeric or have two labels, got 3"),
        (["a", "a", "a", "a"], "`y` must be numeric or have two labels, got 1"),
        ([1.0, np.nan, 2.0, 3.0], "`y` must not hold NaN or missing values, got 1"),
        ([1.0, 2.0], "`y` must have one value per row of `X`: 4, got 2"),
    ],
)
def test_outcomes_that_cannot_be_used_are_refused(y, error):
    with pytest.raises(ValueError, match=error):
        read_outcome(y, 4)
