"""Whether effects differ: the best linear predictor, ranks, and the policy that they make."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from tests._effects.cases import assess, draw_rows, rescale, swap, validated
from tests.reference import effects as slow

from heedful._effects.heterogeneity import assess_heterogeneity, best_linear_predictor, one_sided
from heedful._effects.ranking import SHARES, measure, rank_rows, rank_weighted, rank_within
from heedful._effects.scores import EffectRows, doubly_robust_scores, read_rows
from heedful._effects.validation import Validation, standardise


def ranked(score, priority, weight=None, groups=None):
    """Return scores in order, each row of weight 1 and a group of its own unless said."""
    weight = np.ones(score.size) if weight is None else weight
    return rank_rows(priority, score, weight, np.arange(score.size) if groups is None else groups)


def measured(score, priority, weight=None):
    """Return areas and curve."""
    rows = ranked(score, priority, weight)
    return measure(rows, rows.weight)


@pytest.mark.parametrize("n_groups", [None, 9])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("amounts", [False, True])
def test_slopes_and_errors_are_those_of_leaving_out_each_group(rng, amounts, weighted, n_groups):
    held_out = validated(draw_rows(rng, 50, amounts=amounts, weighted=weighted, n_groups=n_groups), n_blocks=2)
    np.testing.assert_allclose(best_linear_predictor(held_out)[:2], slow.calibration(*held_out), rtol=1e-9)


def test_effects_rise_with_right_predictions_by_their_standard_deviation(rng):
    rows = draw_rows(rng, 20_000)
    slope, error, _ = best_linear_predictor(validated(rows))
    assert abs(slope - rows.effect.std()) < 3 * error < 0.15


def test_neither_the_scale_of_predictions_nor_the_level_of_a_block_matters(rng):
    rows = draw_rows(rng, 200)
    plain = best_linear_predictor(validated(rows, n_blocks=2))
    other = 5 * rows.effect + 100 * (rows.groups % 2)
    np.testing.assert_allclose(best_linear_predictor(validated(rows, other, n_blocks=2)), plain, rtol=1e-9)
    # a block whose treatment does more to all its rows is no sign that effects differ as predicted
    lifted = rows._replace(y=rows.y + 50 * rows.treatment_left * (rows.groups % 2))
    np.testing.assert_allclose(best_linear_predictor(validated(lifted, n_blocks=2)), plain, rtol=1e-6)


def test_a_slope_does_not_depend_on_units_and_arms(rng):
    rows = draw_rows(rng, 80, weighted=True)
    slope, error, freedom = best_linear_predictor(validated(rows))
    for other, unit in ((rescale(rows, 1e6, 3.0), 1e6), (rescale(rows, 1e-6), 1e-6), (swap(rows), 1.0),
                        (rows._replace(weight=9 * rows.weight), 1.0)):  # fmt: skip
        found = best_linear_predictor(validated(other))
        np.testing.assert_allclose(found, [unit * slope, unit * error, freedom], rtol=1e-6)


def test_equal_effects_leave_nothing_to_test(rng):
    rows = draw_rows(rng, 60, spread=0.0)
    found = assess(rows)
    assert np.isnan(found.tests.loc["differential effect", "estimate"])
    assert found.tests["p_value"].tolist() == [1.0, 1.0, 1.0]
    assert found.verdict.startswith("Whether effects differ could not be tested")
    np.testing.assert_allclose(found.curve[["toc", "standard_error"]], 0.0, atol=1e-12)


def test_what_one_row_alone_says_is_no_proof(rng):
    rows = draw_rows(rng, 40, spread=0.0)
    one = np.arange(40) == 7
    slope, error, _ = best_linear_predictor(validated(rows._replace(y=rows.y + 50 * one), np.where(one, 5.0, 1.0)))
    assert error >= 0.99 * abs(slope)


def test_places_are_those_within_a_block_by_weight(rng):
    predicted, weight, block = rng.integers(0, 5, 40) * 1.0, rng.integers(1, 4, 40), rng.integers(0, 3, 40)
    place = rank_within(predicted, block, 1.0 * weight)
    for i in range(40):
        own = block == block[i]
        below = weight[own & (predicted < predicted[i])].sum() + weight[own & (predicted == predicted[i])].sum() / 2
        assert place[i] == pytest.approx(below / weight[own].sum())


@pytest.mark.more
def test_the_band_holds_whole_curves_as_often_as_it_says(rng):
    priority, inside = rng.normal(size=300), []
    for _ in range(200):
        found = rank_weighted(ranked(rng.normal(size=300), priority), 200, 0)
        inside.append((found.curve["toc"].abs() <= found.width * found.curve["standard_error"] + 1e-12).all())
    assert 0.83 <= np.mean(inside) <= 0.96


def test_the_curve_is_what_the_top_share_gains(rng):
    score, priority = rng.normal(size=25), rng.integers(0, 8, 25)
    curve = measured(score, priority)[2:]
    expected = [slow.targeting_curve(score, priority, share) for share in SHARES]
    np.testing.assert_allclose(curve, expected, atol=1e-12)


def test_areas_are_integrals_of_the_curve(rng):
    score, priority = rng.normal(size=40), rng.normal(size=40)
    np.testing.assert_allclose(measured(score, priority)[:2], slow.areas(score, priority), atol=1e-4)


def test_areas_of_scores_that_are_their_own_ranks():
    # score 1 - v at share v: the curve is (1 - q) / 2
    score = 1 - (np.arange(4000) + 0.5) / 4000
    np.testing.assert_allclose(measured(score, score)[:2], [1 / 4, 1 / 12], rtol=1e-3)


def test_a_weight_of_two_is_a_row_twice_and_the_order_of_ties_does_not_matter(rng):
    score, priority, weight = rng.normal(size=30), rng.integers(0, 9, 30), rng.integers(1, 4, 30)
    found = measured(score, priority, weight * 1.0)
    np.testing.assert_allclose(found, measured(np.repeat(score, weight), np.repeat(priority, weight)), atol=1e-12)
    order = rng.permutation(30)
    np.testing.assert_allclose(found, measured(score[order], priority[order], 1.0 * weight[order]), atol=1e-12)


def test_only_the_order_of_effects_counts(rng):
    score, priority = rng.normal(size=30), rng.normal(size=30)
    found = measured(score, priority)
    np.testing.assert_array_equal(found, measured(score, np.exp(priority)))
    np.testing.assert_allclose(measured(3 * score + 5, priority), 3 * found, atol=1e-12)
    # the last share is everyone
    assert found[-1] == pytest.approx(0.0, abs=1e-12)


def test_random_ranks_have_areas_of_zero_on_average(rng):
    score = rng.normal(size=50) + 3
    draws = np.array([measured(score, rng.normal(size=50)) for _ in range(4000)])
    assert (np.abs(draws.mean(axis=0)) <= 4 * draws.std(axis=0) / np.sqrt(4000) + 1e-12).all()


def test_all_halves_of_few_groups_give_the_standard_error_of_qini(rng):
    # Qini of half a sample is a mean of its rows, nearly: its standard error follows from the rows'
    score, priority = rng.normal(size=2001), rng.normal(size=2001)
    found = rank_weighted(ranked(score, priority), 400, seed=0)
    many = [measured(rng.normal(size=2001), priority)[:2] for _ in range(400)]
    np.testing.assert_allclose(found.area_error, np.std(many, axis=0), rtol=0.15)


def test_standard_errors_are_by_groups_and_follow_the_seed(rng):
    groups = np.repeat(np.arange(30), 20)
    score = rng.normal(size=30)[groups] + 0.1 * rng.normal(size=600)
    priority = rng.normal(size=30)[groups] + 0.01 * rng.normal(size=600)
    alone, together = (rank_weighted(ranked(score, priority, groups=g), 200, 0) for g in (None, groups))
    np.testing.assert_array_equal(alone.area, together.area)
    assert (together.area_error > 2.5 * alone.area_error).all()
    again, other = (rank_weighted(ranked(score, priority, groups=groups), 200, seed) for seed in (0, 1))
    np.testing.assert_array_equal(again.area_error, together.area_error)
    assert (other.area_error != together.area_error).all()


@pytest.mark.parametrize("n_groups", [5, 6])
def test_errors_are_the_spread_over_all_halves_of_the_groups(rng, n_groups):
    """An odd number of groups has no halves: a smaller part spreads more, by a known factor."""
    groups = rng.integers(0, n_groups, 40)
    score, priority, weight = rng.normal(size=40), rng.normal(size=40), rng.uniform(0.2, 2.0, 40)
    rows = ranked(score, priority, weight, groups)
    halves = [np.isin(rows.groups, part) for part in combinations(range(n_groups), n_groups // 2)]
    spread = np.std([measure(rows, rows.weight * inside) for inside in halves], axis=0)
    expected = spread * np.sqrt((n_groups // 2) / (n_groups - n_groups // 2))
    found = rank_weighted(rows, 3000, seed=0)
    np.testing.assert_allclose(np.r_[found.area_error, found.curve["standard_error"]], expected, rtol=0.06, atol=1e-9)
    np.testing.assert_allclose(np.r_[found.area, found.curve["toc"]], measured(score, priority, weight), atol=1e-12)
    np.testing.assert_array_equal(np.sort(rows.weight[rows.groups == 2]), np.sort(weight[groups == 2]))


def test_p_values_have_as_many_degrees_of_freedom_as_groups_less_coefficients(rng):
    tests = assess(draw_rows(rng, 60, n_groups=6), n_blocks=2).tests
    ratio = tests["estimate"] / tests["standard_error"]
    np.testing.assert_allclose(tests["p_value"], stats.t.sf(ratio, [3, 5, 5]), rtol=1e-9)


def test_groups_that_share_noise_have_wider_errors_in_every_test(rng):
    rows = draw_rows(rng, 400, n_groups=20, spread=1.0)
    noise = 5 * rng.normal(size=20)[rows.groups]
    shared = rows._replace(y=rows.y + noise * rows.treatment_left * (rows.effect - 1), groups=rows.groups)
    together, alone = (
        assess(part).tests["standard_error"] for part in (shared, shared._replace(groups=np.arange(400)))
    )
    assert (together > 1.3 * alone).all()


def test_weighted_gains_are_those_of_rows_given_that_often(rng):
    rows = draw_rows(rng, 30)
    count = rng.integers(1, 4, 30)
    again = EffectRows(*(np.repeat(part, count) for part in rows))
    own = standardise(np.repeat(rows.effect, count))
    first = np.cumsum(count) - count
    pairs = ((rows._replace(weight=1.0 * count), own[first]), (again, own))
    found, twice = (assess_heterogeneity(Validation(part, told, np.zeros_like(part.groups))) for part, told in pairs)
    np.testing.assert_allclose(found.tests["estimate"], twice.tests["estimate"], atol=1e-12)
    names = ["toc", "gain", "random"]
    np.testing.assert_allclose(found.curve[names], twice.curve[names], atol=1e-12)


def test_where_smaller_is_better_smallest_effects_come_first(rng):
    rows = draw_rows(rng, 800, weighted=True, n_groups=200)
    found, plain = (assess(rows, smaller_is_better=flag) for flag in (True, False))
    score, share = doubly_robust_scores(rows), rows.weight / rows.weight.sum()
    # all rows treated: the mean outcome falls by what it rises by
    assert found.curve.loc[1.0, "gain"] == pytest.approx(-share @ score)
    order = np.argsort(rows.effect)
    known = measured(-score[order], -rows.effect[order], rows.weight[order])
    np.testing.assert_allclose(found.tests["estimate"].iloc[1:], known[:2])
    # effects differ or not, whatever the outcome is wanted to be
    pd.testing.assert_frame_equal(found.tests.iloc[:1], plain.tests.iloc[:1])
    assert found.smaller_is_better
    assert found.verdict == "Effects differ between rows, and held-out rows confirm where they are small (p < 0.001)."
    assert "takes off" in repr(found)
    assert "adds" in repr(plain)


def test_gain_is_the_sum_of_scores_of_those_treated(rng):
    rows = draw_rows(rng, 100)
    curve, score = assess(rows).curve, doubly_robust_scores(rows)
    top = np.argsort(-rows.effect)[:20]
    assert curve.loc[0.2, "gain"] == pytest.approx(score[top].sum() / 100)
    assert curve.loc[0.2, "random"] == pytest.approx(0.2 * score.mean())
    assert curve.loc[1.0, "gain"] == pytest.approx(curve.loc[1.0, "random"])


@pytest.mark.more
def test_known_differences_are_found_and_chance_is_not(rng):
    rows = draw_rows(rng, 2000)
    found = assess(rows)
    assert found.verdict == "Effects differ between rows, and held-out rows confirm where they are large (p < 0.001)."
    assert (found.tests["p_value"] < 1e-6).all()
    assert "too little to say where" in assess(rows, one_effect=True).verdict
    blind = assess(rows, np.abs(np.arange(2000) - 900.0))
    assert blind.verdict.startswith("There is no evidence")
    assert not blind.differ
    guesses = (best_linear_predictor(validated(rows, rng.normal(size=2000))) for _ in range(100))
    assert 2 <= sum(one_sided(*guess) < 0.1 for guess in guesses) <= 20
    assert (assess(rows, -rows.effect).tests["p_value"] > 0.99).all()


def test_p_values_are_one_sided():
    assert one_sided(0.0, 1.0, 10) == 0.5
    assert one_sided(1.812461, 1.0, 10) == pytest.approx(0.05, abs=1e-6)
    assert one_sided(-1.812461, 1.0, 10) == pytest.approx(0.95, abs=1e-6)
    assert one_sided(np.nan, np.nan, 10) == 1.0
    assert one_sided(0.0, 0.0, 10) == 1.0


@pytest.mark.parametrize("n_groups", [None, 15])
def test_the_order_of_rows_does_not_matter(rng, n_groups):
    rows = draw_rows(rng, 60, n_groups=n_groups, weighted=True)
    order = rng.permutation(60)
    given = [part[order] for part in rows]
    groups = None if n_groups is None else rows.groups[order]
    mixed = read_rows(*given[:5], variance=given[5], weight=given[6], groups=groups)
    found, other = (assess(part) for part in (rows, mixed))
    np.testing.assert_allclose(found.tests.iloc[:, :3], other.tests.iloc[:, :3], rtol=1e-9)
    np.testing.assert_allclose(found.curve, other.curve, atol=1e-9)


def test_too_few_groups_are_an_error():
    with pytest.raises(ValueError, match=r"at least 4 rows, got 3\. Fit on more rows"):
        assess(read_rows([1.0, 2.0, 3.0], [0, 1, 0], 0.0, 0.5, [0.0, 1.0, 2.0]))
