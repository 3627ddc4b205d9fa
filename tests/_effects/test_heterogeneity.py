"""Whether effects differ: the best linear predictor, ranks, and the policy that they make."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from tests._effects.cases import draw_rows, rescale, swap
from tests.reference import effects as slow

from heedful._effects.heterogeneity import assess_heterogeneity, best_linear_predictor, one_sided
from heedful._effects.ranking import SHARES, measure, rank_rows, rank_weighted
from heedful._effects.scores import EffectRows, doubly_robust_scores, read_rows


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
def test_coefficients_and_errors_are_those_of_leaving_out_each_group(rng, amounts, weighted, n_groups):
    rows = draw_rows(rng, 50, amounts=amounts, weighted=weighted, n_groups=n_groups)
    for found, expected in zip(best_linear_predictor(rows), slow.calibration(rows), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_right_effects_have_coefficients_of_one(rng):
    slopes, errors = best_linear_predictor(draw_rows(rng, 20_000))
    assert (np.abs(slopes - 1) < 3 * errors).all()
    assert (errors < 0.05).all()


def test_effects_that_are_too_wide_have_a_coefficient_below_one(rng):
    rows = draw_rows(rng, 20_000)
    wide = rows._replace(effect=1 + 4 * (rows.effect - 1))
    np.testing.assert_allclose(best_linear_predictor(wide)[0], [1.0, 0.25], atol=0.03)


def test_a_coefficient_does_not_depend_on_units_and_arms(rng):
    rows = draw_rows(rng, 80, weighted=True)
    plain = np.array(best_linear_predictor(rows))
    for other in (rescale(rows, 1e6, 3.0), rescale(rows, 1e-6), swap(rows), rows._replace(weight=9 * rows.weight)):
        np.testing.assert_allclose(best_linear_predictor(other), plain, rtol=1e-6)


def test_equal_effects_leave_nothing_to_test(rng):
    rows = draw_rows(rng, 60, spread=0.0)
    found = assess_heterogeneity(rows)
    assert np.isnan(found.tests.loc["differential effect", "estimate"])
    assert found.tests.loc[["differential effect", "AUTOC", "Qini"], "p_value"].tolist() == [1.0, 1.0, 1.0]
    assert found.verdict.startswith("There is no sign")
    np.testing.assert_allclose(found.curve[["toc", "standard_error"]], 0.0, atol=1e-12)
    none = assess_heterogeneity(rows._replace(effect=np.zeros(60)))
    assert np.isnan(none.tests["estimate"].iloc[:2]).all()


def test_what_one_row_alone_says_is_no_proof(rng):
    rows = draw_rows(rng, 40, spread=0.0)
    rows = rows._replace(effect=np.where(np.arange(40) == 7, 5.0, 1.0), y=rows.y + 50 * (np.arange(40) == 7))
    slopes, errors = best_linear_predictor(rows)
    assert errors[1] >= 0.99 * abs(slopes[1])


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
    tests = assess_heterogeneity(draw_rows(rng, 60, n_groups=6)).tests
    ratio = tests["estimate"] / tests["standard_error"]
    np.testing.assert_allclose(tests["p_value"], stats.t.sf(ratio, [4, 4, 5, 5]), rtol=1e-9)


def test_groups_that_share_noise_have_wider_errors_in_every_test(rng):
    rows = draw_rows(rng, 400, n_groups=20, spread=1.0)
    noise = 5 * rng.normal(size=20)[rows.groups]
    shared = rows._replace(y=rows.y + noise * rows.treatment_left * (rows.effect - 1), groups=rows.groups)
    together, alone = (
        assess_heterogeneity(part).tests["standard_error"] for part in (shared, shared._replace(groups=np.arange(400)))
    )
    assert (together.iloc[1:] > 1.3 * alone.iloc[1:]).all()


def test_weighted_gains_are_those_of_rows_given_that_often(rng):
    rows = draw_rows(rng, 30)
    count = rng.integers(1, 4, 30)
    again = EffectRows(*(np.repeat(part, count) for part in rows))
    found, twice = (assess_heterogeneity(part) for part in (rows._replace(weight=1.0 * count), again))
    np.testing.assert_allclose(found.tests["estimate"], twice.tests["estimate"], atol=1e-12)
    names = ["toc", "gain", "random"]
    np.testing.assert_allclose(found.curve[names], twice.curve[names], atol=1e-12)


def test_where_smaller_is_better_smallest_effects_come_first(rng):
    rows = draw_rows(rng, 800, weighted=True, n_groups=200)
    found, plain = (assess_heterogeneity(rows, smaller_is_better=flag) for flag in (True, False))
    score, share = doubly_robust_scores(rows), rows.weight / rows.weight.sum()
    # all rows treated: the mean outcome falls by what it rises by
    assert found.curve.loc[1.0, "gain"] == pytest.approx(-share @ score)
    order = np.argsort(rows.effect)
    known = measured(-score[order], -rows.effect[order], rows.weight[order])
    np.testing.assert_allclose(found.tests["estimate"].iloc[2:], known[:2])
    # differences are right or wrong whatever the outcome is wanted to be
    pd.testing.assert_frame_equal(found.tests.iloc[:2], plain.tests.iloc[:2])
    assert found.smaller_is_better
    assert found.verdict == "Effects differ between rows, and the model knows where they are small."
    assert "takes off" in repr(found)
    assert "adds" in repr(plain)


def test_gain_is_the_sum_of_scores_of_those_treated(rng):
    rows = draw_rows(rng, 100)
    curve, score = assess_heterogeneity(rows).curve, doubly_robust_scores(rows)
    top = np.argsort(-rows.effect)[:20]
    assert curve.loc[0.2, "gain"] == pytest.approx(score[top].sum() / 100)
    assert curve.loc[0.2, "random"] == pytest.approx(0.2 * score.mean())
    assert curve.loc[1.0, "gain"] == pytest.approx(curve.loc[1.0, "random"])


def test_known_differences_are_found_and_chance_is_not(rng):
    rows = draw_rows(rng, 2000)
    found = assess_heterogeneity(rows)
    assert found.verdict == "Effects differ between rows, and the model knows where they are large."
    assert (found.tests["p_value"] < 1e-6).all()
    blind = assess_heterogeneity(rows._replace(effect=1 + rng.normal(size=2000)))
    assert blind.verdict.startswith("There is no sign")
    wrong = assess_heterogeneity(rows._replace(effect=2 - rows.effect))
    assert (wrong.tests["p_value"].iloc[1:] > 0.99).all()


def test_p_values_are_one_sided():
    assert one_sided(0.0, 1.0, 10) == 0.5
    assert one_sided(1.812461, 1.0, 10) == pytest.approx(0.05, abs=1e-6)
    assert one_sided(-1.812461, 1.0, 10) == pytest.approx(0.95, abs=1e-6)
    assert one_sided(np.nan, np.nan, 10) == 1.0
    assert one_sided(0.0, 0.0, 10) == 1.0


def test_rows_of_no_weight_do_not_matter(rng):
    rows = draw_rows(rng, 60, n_groups=15)
    half = rows._replace(weight=(rows.groups < 8) * 1.0)
    found, alone = (assess_heterogeneity(part).tests["estimate"] for part in (half, rows.among(rows.groups < 8)))
    np.testing.assert_allclose(found, alone)


@pytest.mark.parametrize("n_groups", [None, 15])
def test_the_order_of_rows_does_not_matter(rng, n_groups):
    rows = draw_rows(rng, 60, n_groups=n_groups, weighted=True)
    order = rng.permutation(60)
    given = [part[order] for part in rows]
    groups = None if n_groups is None else rows.groups[order]
    mixed = read_rows(*given[:5], variance=given[5], weight=given[6], groups=groups)
    found, other = (assess_heterogeneity(part) for part in (rows, mixed))
    np.testing.assert_allclose(found.tests.iloc[:, :3], other.tests.iloc[:, :3], rtol=1e-9)
    np.testing.assert_allclose(found.curve, other.curve, atol=1e-9)


def test_too_few_groups_are_an_error():
    with pytest.raises(ValueError, match=r"at least 4 rows, got 3\. Fit on more rows"):
        assess_heterogeneity(read_rows([1.0, 2.0, 3.0], [0, 1, 0], 0.0, 0.5, [0.0, 1.0, 2.0]))
