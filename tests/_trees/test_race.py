"""Where boosting stops, against walking through the losses one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heedful._solver import Numbers
from heedful._trees.race import Race
from heedful.baseline._folds import Split


def walk(losses, patience):
    """Return how many losses are looked at until none was better for so many rounds, and which was the best."""
    best = 0
    for number, loss in enumerate(losses):
        best = number if loss < losses[best] else best
        if number - best >= patience:
            return number + 1, best
    return len(losses) + 1, best


def race_of(losses, weight=None):
    """Return a race of so many groups whose losses are known."""
    rows = np.arange(4)
    groups = [[(0, rows)] for _ in losses]
    race = Race(Numbers(np.zeros(4)), np.ones(4) if weight is None else weight, [Split(rows, rows)], groups)
    race.losses = np.asarray(losses, dtype=float)
    return race


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(0, 10_000), st.integers(1, 3), st.integers(1, 25), st.integers(1, 6))
def test_a_race_is_over_when_no_group_had_a_better_round_for_some_time(seed, n_groups, n_rounds, patience):
    losses = np.random.default_rng(seed).integers(0, 8, (n_groups, n_rounds))
    ends, best = zip(*(walk(list(loss), patience) for loss in losses), strict=True)
    race = race_of(losses)
    assert race.best(patience) == list(best)
    assert race.over(patience) == (max(ends) <= n_rounds)
    # of what came after the end of the slowest group nothing is told
    expected = losses[:, : max(ends)].sum(axis=0) / (4 * n_groups)
    np.testing.assert_allclose(race.loss, expected)


def test_losses_are_weighted_means(rng):
    weight = rng.uniform(0.5, 2.0, 4)
    np.testing.assert_allclose(race_of([[6.0, 3.0]], weight).loss, np.array([6.0, 3.0]) / weight.sum())


@pytest.mark.parametrize("nothing", [[], [[]]])
def test_without_judges_a_race_is_never_over(nothing):
    race = Race(Numbers(np.zeros(4)), np.ones(4), [], nothing)
    assert race.loss.size == 0
    assert not race.over(1)
