"""The average effect and its standard error."""

from dataclasses import asdict

import numpy as np
import pytest
from scipy import stats
from tests._effects.cases import draw_rows, rescale, swap
from tests.reference import effects as slow

from heedful._effects.average import average_effect
from heedful._effects.scores import EffectRows, doubly_robust_scores, read_rows


@pytest.mark.parametrize("n_groups", [None, 12])
@pytest.mark.parametrize("weighted", [False, True])
def test_mean_and_standard_error_are_those_of_sums_over_groups(rng, weighted, n_groups):
    rows = draw_rows(rng, 60, weighted=weighted, n_groups=n_groups)
    found, score = average_effect(rows), doubly_robust_scores(rows)
    assert found.effect == pytest.approx(np.average(score, weights=rows.weight), rel=1e-12)
    assert found.standard_error == pytest.approx(slow.standard_error(score, rows.weight, rows.groups), rel=1e-12)
    assert (found.n_rows, found.n_groups) == (60, n_groups)


def test_without_weights_and_groups_it_is_students_mean(rng):
    rows = draw_rows(rng, 40)
    found, score = average_effect(rows, coverage=0.8), doubly_robust_scores(rows)
    test = stats.ttest_1samp(score, 0.0)
    assert found.p_value == pytest.approx(test.pvalue)
    np.testing.assert_allclose((found.low, found.high), test.confidence_interval(0.8))


def test_a_subset_is_as_if_there_were_no_other_rows(rng):
    rows = draw_rows(rng, 80, weighted=True, n_groups=9)
    inside = rows.effect > 0.8
    alone = average_effect(EffectRows(*(part[inside] for part in rows)))
    assert average_effect(rows, inside) == alone
    assert average_effect(rows, np.ones(80, dtype=bool)) == average_effect(rows)


def test_rows_of_no_weight_do_not_count(rng):
    rows = draw_rows(rng, 50)
    weight = np.where(np.arange(50) < 20, 0.0, 3.0)
    weighted, without = average_effect(rows._replace(weight=weight)), average_effect(rows, weight > 0)
    assert asdict(weighted) == pytest.approx(asdict(without))


def test_equal_rows_in_a_group_are_one_row(rng):
    rows = draw_rows(rng, 30)
    twice = EffectRows(*(np.tile(part, 2) for part in rows))
    a, b = average_effect(rows), average_effect(twice)
    assert (a.effect, a.standard_error, a.low) == pytest.approx((b.effect, b.standard_error, b.low))


def test_units_order_and_arms(rng):
    rows = draw_rows(rng, 60, weighted=True)
    plain, other, flipped = (average_effect(one) for one in (rows, rescale(rows, 5.0, 2.0), swap(rows)))
    assert (other.effect, other.standard_error, other.high) == pytest.approx(
        (5 * plain.effect, 5 * plain.standard_error, 5 * plain.high)
    )
    assert (flipped.effect, flipped.low, flipped.high) == pytest.approx((-plain.effect, -plain.high, -plain.low))
    order = rng.permutation(60)
    assert average_effect(EffectRows(*(part[order] for part in rows))).low == pytest.approx(plain.low)


def test_groups_that_share_noise_widen_the_interval(rng):
    rows = draw_rows(rng, 2000, n_groups=20)
    alone = average_effect(rows._replace(groups=np.arange(2000)))
    together = average_effect(rows._replace(y=rows.y + rng.normal(size=20)[rows.groups] * rows.treatment_left * 4))
    assert together.standard_error > 1.5 * alone.standard_error


def test_what_has_no_average_is_an_error(rng):
    rows = draw_rows(rng, 10)
    with pytest.raises(ValueError, match=r"`subset` must hold True or False for each of the 10 training rows"):
        average_effect(rows, np.arange(3))
    with pytest.raises(ValueError, match=r"at least 2 rows, got 1\. Widen `subset`"):
        average_effect(rows, np.arange(10) == 3)
    with pytest.raises(ValueError, match=r"at least 2 groups, got 1"):
        average_effect(rows._replace(groups=np.zeros(10, dtype=np.int64)))
    with pytest.raises(ValueError, match="`coverage` must be > 0 and < 1"):
        average_effect(rows, coverage=1.0)


def test_scores_without_spread_leave_no_doubt(rng):
    rows = draw_rows(rng, 10)
    same = rows._replace(y=np.zeros(10), outcome=np.zeros(10), effect=np.zeros(10))
    found = average_effect(same)
    assert (found.effect, found.standard_error, found.p_value) == (0.0, 0.0, 1.0)
    half = np.where(np.arange(10) % 2 == 0, -0.5, 0.5)
    sure = average_effect(read_rows(half, half + 0.5, 0.0, 0.5, 1.0))
    assert (sure.effect, sure.standard_error, sure.p_value) == (1.0, 0.0, 0.0)
