"""Choosing shares: from predictions of unseen rows to the shares that predictions use."""

import numpy as np
import pytest

from heedful._tuning.shares import fit_one, head_errors
from heedful._tuning.tune import prune, tune
from reference.heads import LOSSES, made_up_heads


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("many", [True, False])
def test_a_fixed_mixing_asks_no_guard(rng, loss, many):
    tuned = tune(made_up_heads(rng, loss, gain=0.0), many, 0.4, np.random.RandomState(0))
    assert tuned.guard == 1.0
    assert tuned.share.sum() == pytest.approx(0.4)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_single_head_is_the_best_one_as_far_as_the_guard_lets_it(rng, loss):
    part = made_up_heads(rng, loss, 200)
    tuned = tune(part, False, None, np.random.RandomState(0))
    assert (tuned.share > 0).sum() == 1
    np.testing.assert_allclose(tuned.share, tuned.guard * fit_one(part, None))


@pytest.mark.parametrize("many", [True, False])
def test_shares_are_not_negative_and_never_more_than_one_in_sum(rng, many):
    for loss in LOSSES:
        for gain in (-1.0, 0.0, 0.5, 3.0):
            share = tune(made_up_heads(rng, loss, gain=gain), many, None, np.random.RandomState(0)).share
            assert (share >= 0).all()
            assert share.sum() <= 1 + 1e-12


@pytest.mark.parametrize("loss", LOSSES)
def test_the_error_of_each_head_is_reported(rng, loss):
    part = made_up_heads(rng, loss)
    np.testing.assert_array_equal(tune(part, True, None, np.random.RandomState(0)).error, head_errors(part))


def test_a_seed_repeats_the_choice(rng):
    part = made_up_heads(rng, "log")
    one, two = (tune(part, True, None, np.random.RandomState(3)).share for _ in range(2))
    np.testing.assert_array_equal(one, two)


def test_shares_below_a_fiftieth_go_to_the_others():
    share = np.array([0.3, 0.019, 0.1, 0.0, 0.021])
    np.testing.assert_allclose(prune(share), np.array([0.3, 0.0, 0.1, 0.0, 0.021]) * 0.44 / 0.421)


@pytest.mark.parametrize("share", [np.zeros(3), np.full(60, 0.005), np.array([1.0])])
def test_pruning_keeps_the_sum(share):
    assert prune(share).sum() == pytest.approx(share.sum())
