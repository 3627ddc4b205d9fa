"""Brier scores of survival curves equal slow ones under censoring, with ties and weights."""

import numpy as np
import pytest
from scipy.integrate import trapezoid
from tests.reference.survival import brier, kaplan_meier

from heedful._responses import concordance, concordance_gain, survival_at
from heedful._responses.follow_up import product_limit
from reference.rows import survival_of


def drawn(rng, n=60, ties=True):
    event, end = rng.random(n) < 0.6, rng.exponential(size=n)
    time = np.ceil(6 * end) if ties else end
    return event.astype(float), time, rng.uniform(0.5, 2.0, n)


def fixed(event, time, weight, link):
    return survival_of(event, time).anchored(link[:, None], weight)


@pytest.mark.long
@pytest.mark.more
@pytest.mark.parametrize("ties", [True, False])
def test_integrated_brier_scores_equal_a_slow_oracle(rng, ties):
    event, time, weight = drawn(rng, ties=ties)
    link = rng.normal(size=time.size)
    family = fixed(event, time, weight, link)
    found = family.follow_up
    curves = np.exp(-np.exp(link)[:, None] * family.hazard_at(found.times))
    slow = [brier(event, time, curves[:, k], at, (event, time, weight)) for k, at in enumerate(found.times)]
    expected = trapezoid(np.array(slow), found.times, axis=0) / np.ptp(found.times)
    np.testing.assert_allclose(family.reported(link), expected)
    plain = [kaplan_meier(event > 0, time, weight, at) for at in found.times]
    known = (event, time, weight)
    flat = [brier(event, time, np.full(60, s), at, known) for s, at in zip(plain, found.times, strict=True)]
    np.testing.assert_allclose(
        family.reported_alone(), trapezoid(np.array(flat), found.times, axis=0) / np.ptp(found.times)
    )


def test_new_rows_are_judged_by_the_censoring_of_the_training_rows(rng):
    event, time, weight = drawn(rng)
    family = fixed(event, time, weight, np.zeros(60))
    others, times, _ = drawn(rng)
    link, found = rng.normal(size=60), family.follow_up
    curves = np.exp(-np.exp(link)[:, None] * family.hazard_at(found.times))
    slow = [brier(others, times, curves[:, k], at, (event, time, weight)) for k, at in enumerate(found.times)]
    expected = trapezoid(np.array(slow), found.times, axis=0) / np.ptp(found.times)
    np.testing.assert_allclose(family.new_rows(np.column_stack([others, times])).reported(link), expected)


def test_without_censoring_it_is_the_mean_squared_error_of_curves(rng):
    time, weight, link = np.arange(1.0, 41.0), np.ones(40), rng.normal(size=40)
    family = fixed(np.ones(40), time, weight, link)
    times = family.follow_up.times
    away = np.exp(-np.exp(link)[:, None] * family.hazard_at(times)) - (time[:, None] > times)
    np.testing.assert_allclose(family.reported(link), trapezoid(away**2, times, axis=1) / np.ptp(times))


def test_scores_are_integrated_while_one_row_in_ten_is_followed(rng):
    event, time, weight = drawn(rng, 300, ties=False)
    times = fixed(event, time, weight, np.zeros(300)).follow_up.times
    left = [
        weight[time > at].sum() / weight.sum()
        for at in (times[-1], *np.sort(time[(time > times[-1]) & (event > 0)])[:1])
    ]
    assert left[0] >= 0.1 > left[1]
    assert times.size <= 100


@pytest.mark.parametrize("ended", ["one event", "all at once"])
def test_tables_with_hardly_an_event_have_finite_scores(ended):
    time = np.full(12, 3.0) if ended == "all at once" else np.arange(1.0, 13.0)
    event = np.ones(12) if ended == "all at once" else (time == 12).astype(float)
    family = fixed(event, time, np.ones(12), np.zeros(12))
    assert np.isfinite(family.reported(np.zeros(12))).all()
    assert np.isfinite(family.reported_alone()).all()


def test_a_family_of_a_file_of_before_can_still_be_judged(rng):
    event, time, _ = drawn(rng)
    family = fixed(event, time, np.ones(60), np.zeros(60))
    expected = family.reported(np.ones(60))
    del family.__dict__["follow_up"]
    np.testing.assert_array_equal(family.reported(np.ones(60)), expected)


def test_the_product_limit_is_kaplan_meier(rng):
    event, time, weight = drawn(rng)
    until, share = product_limit(event > 0, time, weight)
    np.testing.assert_allclose(share, [kaplan_meier(event > 0, time, weight, at) for at in until])
    at = until[len(until) // 2]
    assert survival_at(event, time, weight, at)[0] == pytest.approx(kaplan_meier(event > 0, time, weight, at))


def test_greenwoods_error_without_censoring_is_that_of_a_share():
    time = np.arange(1.0, 51.0)
    share, error = survival_at(np.ones(50), time, np.ones(50), 20.0)
    assert share == pytest.approx(0.6)
    assert share * error == pytest.approx(np.sqrt(0.6 * 0.4 / 50))


def test_a_perfect_ranking_is_one_and_a_constant_one_half(rng):
    event, time, weight = drawn(rng)
    assert concordance(event, time, -time - 0.5 * (event == 0), weight) == 1.0
    assert concordance(event, time, np.zeros(60), weight) == 0.5


@pytest.mark.more
def test_the_gain_of_concordance_has_the_spread_of_new_draws(rng):
    found = []
    for _ in range(300):
        x = rng.normal(size=(80, 2))
        end, stop = rng.exponential(size=(2, 80)) * np.exp(-x[:, :1].T * [[1.0], [0.0]])
        both = np.column_stack([x[:, 0] + 0.5 * x[:, 1], x[:, 1]])
        found.append(concordance_gain((end <= stop).astype(float), np.minimum(end, stop), both, np.ones(80)))
    gain, error = np.array(found).T
    assert error.mean() == pytest.approx(gain.std(), rel=0.12)


def test_rows_of_a_group_count_as_one_in_the_error_of_concordance(rng):
    event, time, weight = drawn(rng)
    risks = rng.normal(size=(60, 2))
    gain, error = concordance_gain(event, time, risks, weight)
    twice = [np.repeat(part, 2, axis=0) for part in (event, time, risks, weight)]
    assert concordance_gain(*twice, np.repeat(np.arange(60), 2)) == pytest.approx((gain, error))
    assert concordance_gain(*twice)[1] < 0.8 * error
