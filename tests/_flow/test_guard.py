"""The guard: gains that are noise are not believed, gains that are not are."""

import numpy as np
import pytest

from heedful._flow.guard import blended, cross_fit, guard_factor, mean_gain
from heedful._flow.shares import OutOfFold, fit_many
from heedful._flow.tune import tune
from reference.heads import LOSSES, made_up_heads
from reference.rows import classes_of, numbers_of, pseudo_outcomes_of


def seed():
    return np.random.RandomState(0)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_clear_gain_is_let_through(rng, loss):
    tuned = tune(made_up_heads(rng, loss, 300, 8, gain=1.0), True, None, seed())
    assert tuned.guard > 0.9
    assert tuned.share.sum() > 0.8


@pytest.mark.parametrize("loss", LOSSES)
def test_heads_of_pure_noise_get_little(rng, loss):
    tuned = [tune(made_up_heads(rng, loss, 80, 8, gain=0.0), True, None, seed()) for _ in range(20)]
    assert np.mean([one.guard for one in tuned]) < 0.35
    assert np.mean([one.share.sum() for one in tuned]) < 0.2


@pytest.mark.parametrize("loss", LOSSES)
def test_heads_of_pure_noise_cost_new_rows_less_than_two_per_cent(rng, loss):
    costs = []
    for _ in range(20):
        tuned = tune(made_up_heads(rng, loss, 80, 8, gain=0.0), True, None, seed())
        fresh = made_up_heads(rng, loss, 1000, 8, gain=0.0)
        costs.append(fresh.mean_loss(blended(fresh, tuned.share)) - fresh.mean_loss(fresh.baseline))
    assert np.mean(costs) < 0.02


def heavy_rows(rng, n=200):
    """Responses with a few huge values, and heads as erratic as they are."""
    y = np.exp(2.5 * rng.normal(size=n))
    heads = np.exp(2.5 * rng.normal(size=(n, 8)))
    return OutOfFold(heads, np.full(n, np.exp(2.5**2 / 2)), numbers_of(y), np.ones(n))


def test_a_few_huge_responses_cost_less_than_one_per_cent(rng):
    loss = []
    for _ in range(40):
        tuned, fresh = tune(heavy_rows(rng), True, None, seed()), heavy_rows(rng)
        loss.append(fresh.mean_loss(blended(fresh, tuned.share)) / fresh.mean_loss(fresh.baseline) - 1)
    assert np.mean(loss) < 0.01


def test_the_guard_opens_from_none_to_all_with_the_gain_in_standard_errors(rng):
    part = OutOfFold(np.empty((100, 0)), np.zeros(100), numbers_of(np.ones(100)), np.ones(100))
    noise = rng.normal(size=100)
    levels = [guard_factor(part, shift + 0.5 * noise) for shift in (-0.2, 0.05, 0.1, 0.12, 0.5)]
    assert levels == sorted(levels)
    assert levels[0] == 0
    assert levels[-1] == 1
    assert any(0 < level < 1 for level in levels)


def test_a_gain_that_is_the_same_for_every_row_is_let_through():
    part = OutOfFold(np.empty((9, 0)), np.full(9, 0.5), classes_of(np.arange(9) % 2, 2), np.ones(9))
    assert guard_factor(part, np.full(9, 0.6)) == 1
    assert guard_factor(part, np.full(9, 0.4)) == 0
    assert guard_factor(part, part.baseline) == 0


@pytest.mark.one_value
@pytest.mark.parametrize("loss", LOSSES)
def test_the_guard_takes_weight_two_everywhere_as_weight_one(rng, loss):
    part = made_up_heads(rng, loss, 100, 8, gain=0.1)
    blend = blended(part, fit_many(part, None))
    assert guard_factor(part, blend) == pytest.approx(guard_factor(part._replace(weight=2 * part.weight), blend))


def cross_fitted(part):
    return cross_fit(part, lambda some: fit_many(some, None), seed())[1]


def test_cross_fitting_never_uses_a_rows_own_response(rng):
    part = made_up_heads(rng, "squares", 40, 8, gain=0.3)
    changed = part._replace(family=numbers_of(part.family.y + 100 * (np.arange(40) == 7)))
    one, other = cross_fitted(part), cross_fitted(changed)
    assert one[7] == other[7]
    assert not np.allclose(one, other)


def test_cross_fitting_never_uses_a_rows_own_class(rng):
    part = made_up_heads(rng, "log", 40, 8, gain=0.3)
    other_class = (np.arange(40) == 7)[:, None]
    one, other = cross_fitted(part), cross_fitted(part._replace(heads=abs(other_class - part.heads)))
    assert other[7] == pytest.approx(1 - one[7])
    assert not np.allclose(np.delete(one, 7), np.delete(other, 7))


@pytest.mark.parametrize("loss", LOSSES)
def test_a_blend_of_no_shares_is_the_baseline_and_of_a_whole_one_the_head(rng, loss):
    part = made_up_heads(rng, loss)
    np.testing.assert_array_equal(blended(part, np.zeros(5)), part.baseline)
    np.testing.assert_allclose(blended(part, np.eye(5)[2]), part.heads[:, 2])


def test_a_head_without_a_share_may_be_unknown(rng):
    part = made_up_heads(rng, "squares")
    part.heads[:, 0] = np.nan
    assert np.isfinite(blended(part, np.array([0, 0.5, 0, 0, 0]))).all()


@pytest.mark.parametrize(
    ("errors", "factor"), [(-3.0, 0.0), (-1.0, 0.0), (1.0, 0.5), (2.2, 0.8), (3.0, 1.0), (5.0, 1.0)]
)
def test_the_factor_is_a_line_from_minus_one_to_three_standard_errors(rng, errors, factor):
    n = 400
    # gains of mean `errors` standard errors: the baseline is 1 off, the blend's square is 1 less the gain
    gain = rng.normal(size=n)
    gain = 0.1 * (gain - gain.mean()) / gain.std()
    gain += errors * 0.1 / np.sqrt(n)
    part = OutOfFold(np.zeros((n, 1)), np.ones(n), numbers_of(np.zeros(n)), np.ones(n))
    assert guard_factor(part, np.sqrt(1 - gain)) == pytest.approx(factor, abs=1e-6)
    noise = part._replace(family=pseudo_outcomes_of(np.zeros(n)).part(np.arange(n)))
    assert guard_factor(noise, np.sqrt(1 - gain)) == pytest.approx(np.clip((errors - 0.5) / 2.5, 0, 1), abs=1e-6)


def two_outcomes(part, blend):
    """Return the mean gain and its standard error, row by row and outcome by outcome, by plain log probabilities."""
    weight = part.weight / part.weight.sum()
    offset = np.zeros(blend.size) if part.family.offset is None else part.family.offset
    chance = (weight**2).sum() / weight.sum() ** 2
    found = []
    for i, y in enumerate(part.family.y):
        shift = offset[i] if y == 1 else -offset[i]
        odds = np.array([part.baseline[i] / (1 - part.baseline[i]), blend[i] / (1 - blend[i])]) * np.exp(shift)
        seen, other = (np.log(chances[1] / chances[0]) for chances in (odds / (1 + odds), 1 / (1 + odds)))
        found.append([seen, other])
    found, share = np.array(found), np.array([1 - chance, chance])
    mean = weight @ found @ share
    return mean, np.sqrt(weight**2 @ (found - mean) ** 2 @ share)


@pytest.mark.parametrize("case", ["two classes", "offsets", "four classes"])
def test_each_row_may_have_been_of_another_class_with_the_chance_of_one_row(rng, case):
    n, n_classes = 40, 4 if case == "four classes" else 2
    y, offset = rng.integers(0, n_classes, size=n), rng.normal(size=n) if case == "offsets" else None
    baseline, blend = rng.uniform(0.1, 0.9, size=(2, n))
    family = classes_of(y, n_classes, offset=offset)
    part = OutOfFold(np.empty((n, 0)), baseline, family, rng.uniform(0.5, 2, size=n))
    np.testing.assert_allclose(mean_gain(part, blend), two_outcomes(part, blend))


def test_numbers_and_survival_have_no_other_class(rng):
    for loss in ("squares", "survival"):
        part = made_up_heads(rng, loss, weight=rng.uniform(0.5, 2, size=60))
        blend, weight = part.heads[:, 0], part.weight / part.weight.sum()
        gain = part.family.losses(part.baseline).value - part.family.losses(blend).value
        error = np.sqrt(weight**2 @ (gain - weight @ gain) ** 2)
        np.testing.assert_allclose(mean_gain(part, blend), (weight @ gain, error))


def sure(n):
    return OutOfFold(np.empty((n, 0)), np.full(n, 0.9), classes_of(np.arange(n) % 2, 2), np.ones(n))


def test_few_rows_that_were_all_right_do_not_show_that_one_may_be_surer():
    assert guard_factor(sure(20), np.full(20, 0.99)) < 0.3
    assert guard_factor(sure(1000), np.full(1000, 0.99)) == 1


def test_a_blend_that_is_too_sure_of_few_rows_costs_new_ones_little(rng):
    costs = []
    for _ in range(200):
        # the baseline is right about chances, the head's odds are their squares
        chance = np.clip(rng.beta(20, 1, size=2000), 0.5, 0.999)
        right = rng.uniform(size=2000) < chance
        surer = chance**2 / (chance**2 + (1 - chance) ** 2)
        baseline, head = (np.where(right, part, 1 - part) for part in (chance, surer))
        every = OutOfFold(head[:, None], baseline, classes_of(np.zeros(2000), 2), np.ones(2000))
        few, fresh = every.part(np.arange(60)), every.part(np.arange(60, 2000))
        factor = guard_factor(few, few.heads[:, 0])
        cost = fresh.mean_loss(blended(fresh, np.array([factor]))) / fresh.mean_loss(fresh.baseline) - 1
        costs.append((factor, cost))
    believed, cost = np.array(costs).T
    assert believed.max() < 1
    assert cost.mean() < 0.002


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("many", [True, False])
def test_rows_of_a_group_that_are_equal_count_as_one_row(rng, loss, many):
    part = made_up_heads(rng, loss, 60, 8, gain=0.05)
    order = rng.permutation(np.repeat(np.arange(60), 7))
    often = part.part(order)._replace(groups=order)
    one, other = (tune(rows, many, None, seed()) for rows in (part, often))
    assert 0 < one.guard < 1
    assert other.guard == pytest.approx(one.guard)
    np.testing.assert_allclose(other.share, one.share, atol=1e-6)
    np.testing.assert_allclose(other.blend, one.blend[order], atol=1e-6)
    assert tune(often._replace(groups=None), many, None, seed()).guard > one.guard
