"""Doubly robust scores: their definition, and what they withstand."""

import numpy as np
import pytest
from tests._effects.cases import draw_rows, rescale, swap
from tests.reference import effects as slow

from heedful._effects.scores import doubly_robust_scores, is_binary, read_rows

N_LARGE = 200_000


def test_scores_are_those_of_both_arms(rng):
    rows = draw_rows(rng)._replace(effect=rng.normal(size=200), outcome=rng.normal(size=200))
    expected = [slow.score_by_arms(*row) for row in zip(*rows[:5], strict=True)]
    np.testing.assert_allclose(doubly_robust_scores(rows), expected, rtol=1e-12)


@pytest.mark.parametrize("amounts", [False, True])
def test_other_units_of_the_response_are_other_units_of_scores(rng, amounts):
    rows = draw_rows(rng, amounts=amounts)
    np.testing.assert_allclose(
        doubly_robust_scores(rescale(rows, 3.0, -7.0)), 3 * doubly_robust_scores(rows), atol=1e-9
    )


def test_swapping_the_arms_flips_scores(rng):
    rows = draw_rows(rng)
    np.testing.assert_allclose(doubly_robust_scores(swap(rows)), -doubly_robust_scores(rows), atol=1e-12)


def test_amounts_in_other_units_have_effects_per_unit(rng):
    rows = draw_rows(rng, amounts=True)
    other = read_rows(rows.y, 4 * rows.treatment + 1, rows.outcome, 4 * rows.propensity + 1, rows.effect / 4)
    np.testing.assert_allclose(doubly_robust_scores(other), doubly_robust_scores(rows) / 4, atol=1e-12)


def close_to_mean(score, truth):
    """Check that scores average to the truth, up to four standard errors."""
    assert abs(score.mean() - truth) < 4 * score.std() / np.sqrt(score.size), (score.mean(), truth)


@pytest.mark.parametrize("amounts", [False, True])
def test_with_the_true_propensity_wrong_models_of_outcome_and_effect_do_not_matter(rng, amounts):
    rows = draw_rows(rng, N_LARGE, amounts=amounts)
    wrong = rows._replace(outcome=np.cos(rows.outcome), effect=rows.effect**2 - 3)
    close_to_mean(doubly_robust_scores(wrong), rows.effect.mean())


def test_with_true_responses_of_both_arms_a_wrong_propensity_does_not_matter(rng):
    rows = draw_rows(rng, N_LARGE)
    propensity = 0.2 + 0.5 * (1 - rows.propensity)
    control = rows.outcome - rows.propensity * rows.effect
    wrong = rows._replace(
        propensity=propensity, variance=propensity * (1 - propensity), outcome=control + propensity * rows.effect
    )
    close_to_mean(doubly_robust_scores(wrong), rows.effect.mean())


def test_an_error_of_the_propensity_alone_counts_squared(rng):
    # with the true E[y | x] the responses of both arms inherit the propensity's error
    rows, truth = draw_rows(rng, N_LARGE), 0.0
    for off in (0.04, 0.08):
        propensity = np.clip(rows.propensity, 0.2, 0.8) + off
        exact = rows._replace(propensity=propensity, variance=propensity * (1 - propensity))
        truth = rows.effect.mean() - ((propensity - rows.propensity) ** 2 * rows.effect / exact.variance).mean()
        close_to_mean(doubly_robust_scores(exact), truth)
    assert truth < 0.98


def test_the_variance_of_amounts_may_differ_from_row_to_row(rng):
    x = rng.normal(size=N_LARGE)
    spread = np.exp(x)
    treatment = np.sqrt(spread) * rng.normal(size=N_LARGE)
    y = treatment * (1 + x) + rng.normal(size=N_LARGE)
    same = read_rows(y, treatment, 0.0, 0.0, 0.0)
    np.testing.assert_allclose(same.variance, (treatment**2).mean())
    own = read_rows(y, treatment, 0.0, 0.0, 0.0, variance=spread)
    close_to_mean(doubly_robust_scores(own), 1.0)
    assert doubly_robust_scores(same).mean() > 1.5


def test_the_variance_of_amounts_is_weighted(rng):
    treatment, weight = rng.normal(size=30), rng.uniform(size=30)
    rows = read_rows(np.zeros(30), treatment, 0.0, 0.5, 0.0, weight=weight)
    np.testing.assert_allclose(rows.variance, np.average((treatment - 0.5) ** 2, weights=weight))


def test_rows_of_no_weight_are_left_out_and_groups_numbered_anew():
    rows = read_rows([1.0, 2.0, 3.0], [0, 1, 1], 0.0, 0.5, 1.0, weight=[1.0, 0.0, 2.0], groups=["b", "c", "a"])
    kept = rows.among(np.array([True, True, True]))
    np.testing.assert_array_equal(kept.y, [1.0, 3.0])
    np.testing.assert_array_equal(kept.groups, [1, 0])
    assert (rows.n_groups, kept.n_groups) == (3, 2)


def test_what_is_no_row_is_an_error():
    assert is_binary(np.array([0.0, 1.0]))
    assert not is_binary(np.array([0.0, 2.0]))
    with pytest.raises(ValueError, match=r"`propensity` must be > 0 and < 1, got 0 to 0.5\. Clip it"):
        read_rows([1.0, 2.0], [0, 1], 0.0, [0.0, 0.5], 1.0)
    with pytest.raises(ValueError, match=r"`outcome` must hold one finite number per row: 2, got shape \(3,\)"):
        read_rows([1.0, 2.0], [0, 1], [0.0] * 3, 0.5, 1.0)
    with pytest.raises(ValueError, match="`effect` must hold one finite number"):
        read_rows([1.0, 2.0], [0, 1], 0.0, 0.5, [np.nan, 1.0])
    with pytest.raises(ValueError, match="`variance` of the treatment must be > 0, got 0"):
        read_rows([1.0, 2.0], [0.5, 3.0], 0.0, [0.5, 3.0], 1.0)
