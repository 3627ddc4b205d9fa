"""Where boosting stops, against walking through the losses one by one."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from heedful._folds import Split
from heedful._trees.early_stopping import EarlyStopping
from reference.rows import numbers_of


def walk(losses, patience):
    """Return how many losses are looked at until none was better for so many rounds, and which was the best."""
    best = 0
    for number, loss in enumerate(losses):
        best = number if loss < losses[best] else best
        if number - best >= patience:
            return number + 1, best
    return len(losses) + 1, best


def stopping_of(losses, weight=None):
    """Return early stopping of so many groups whose losses are known."""
    rows = np.arange(4)
    groups = [[(0, rows)] for _ in losses]
    weight = np.ones(4) if weight is None else weight
    stopping = EarlyStopping(numbers_of(np.zeros(4)), weight, [Split(rows, rows)], groups)
    stopping.losses = np.asarray(losses, dtype=float)
    return stopping


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(0, 10_000), st.integers(1, 3), st.integers(1, 25), st.integers(1, 6))
def test_rounds_are_over_when_no_group_had_a_better_one_for_some_time(seed, n_groups, n_rounds, patience):
    losses = np.random.default_rng(seed).integers(0, 8, (n_groups, n_rounds))
    ends, best = zip(*(walk(list(loss), patience) for loss in losses), strict=True)
    stopping = stopping_of(losses)
    assert stopping.best(patience) == list(best)
    assert stopping.over(patience) == (max(ends) <= n_rounds)
    # of what came after the end of the slowest group nothing is told
    expected = losses[:, : max(ends)].sum(axis=0) / (4 * n_groups)
    np.testing.assert_allclose(stopping.loss, expected)


def test_losses_are_weighted_means(rng):
    weight = rng.uniform(0.5, 2.0, 4)
    np.testing.assert_allclose(stopping_of([[6.0, 3.0]], weight).loss, np.array([6.0, 3.0]) / weight.sum())


@pytest.mark.parametrize("nothing", [[], [[]]])
def test_without_validation_rows_rounds_are_never_over(nothing):
    stopping = EarlyStopping(numbers_of(np.zeros(4)), np.ones(4), [], nothing)
    assert stopping.loss.size == 0
    assert not stopping.over(1)
