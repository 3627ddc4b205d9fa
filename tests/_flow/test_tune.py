"""Choosing shares: from predictions of unseen rows to the shares that predictions use."""

import numpy as np
import pytest

from heedful._flow.shares import fit_one, head_errors
from heedful._flow.tune import SMALLEST, choose_mixing, prune, tune
from reference.heads import LOSSES, made_up_heads


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("many", [True, False])
def test_a_fixed_mixing_asks_no_guard(rng, loss, many):
    tuned = tune(made_up_heads(rng, loss, gain=0.0), many, 0.4, np.random.RandomState(0))
    assert tuned.guard == 1.0
    assert tuned.share.sum() == pytest.approx(0.4)


@pytest.mark.one_value
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


@pytest.mark.parametrize("loss", LOSSES)
def test_of_a_list_the_head_and_mixing_with_the_smallest_error_are_taken(rng, loss):
    part = made_up_heads(rng, loss, 200)
    listed = (0.0, 0.3, 0.9)
    tuned = choose_mixing(part, listed, np.random.RandomState(0))
    base = part.baseline[:, None]
    errors = {m: part.mean_loss((1 - m) * base + m * part.heads) for m in listed}
    best = min(listed, key=lambda m: errors[m].min())
    expected = np.zeros(part.heads.shape[1])
    expected[np.argmin(errors[best])] = best
    np.testing.assert_array_equal(tuned.share, expected)
    assert tuned.guard == 1.0
    np.testing.assert_allclose(tuned.error, head_errors(part))


def test_the_blend_of_a_list_is_of_mixings_in_which_a_row_had_no_say(rng):
    part = made_up_heads(rng, LOSSES[0], 200, gain=0.0)
    honest = choose_mixing(part, (0.0, 1.0), np.random.RandomState(0))
    seen = part.baseline + (part.heads - part.baseline[:, None]) @ honest.share
    assert part.mean_loss(honest.blend) >= part.mean_loss(seen)


@pytest.mark.parametrize("mixing", [None, 1.0])
def test_no_head_that_is_kept_has_a_small_share(rng, mixing):
    part = made_up_heads(rng, "squares", 40, 24)
    tuned = tune(part, True, mixing, np.random.RandomState(0))
    used = tuned.share > 0
    assert (tuned.share[used] >= SMALLEST * tuned.guard * (1 - 1e-9)).all()
    # of so many heads some would have less than a fiftieth
    assert (~used).any()


@pytest.mark.parametrize("many", [True, False, "listed"])
def test_a_row_has_no_say_in_its_own_blended_value(rng, many):
    part = made_up_heads(rng, "squares", 40)

    def blend(family):
        seed, own = np.random.RandomState(0), part._replace(family=family)
        return (choose_mixing(own, (0.2, 0.8), seed) if many == "listed" else tune(own, many, 0.7, seed)).blend

    plain = blend(part.family)
    for row in range(5):
        y = part.family.y.copy()
        y[row] += 100.0
        moved = blend(part.family.with_rows(y)) - plain
        assert moved[row] == 0
        assert (moved != 0).any()
