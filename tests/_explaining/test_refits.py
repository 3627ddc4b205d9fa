"""Intervals of local coefficients: least squares under sharpened attention, and who is selected."""

import numpy as np
import pytest

from heedful._explaining import coefficients, debiased
from heedful._explaining.coefficients import refit_coefs
from heedful._explaining.debiased import effective_rows, sharpen
from heedful.attention import attend
from reference.coefficients import line_intervals, sharpened, working_rows

TRUTH = np.array([2.0, -1.0, 0.0, 0.0])
ESTIMATE, LOW, HIGH, FREQUENCY = range(4)


def refits(x, y, *, weight=None, curve=None, coverage=0.9, n_draws=60):
    weight = np.ones(len(x)) if weight is None else weight
    draws = np.random.default_rng(0).normal(size=(n_draws, x.shape[1]))
    return working_rows(x, [y], [curve], weight), coverage, draws


def rows(rng, n=60, noise=1.0):
    x = rng.normal(size=(n, TRUTH.size))
    return x, x @ TRUTH + noise * rng.normal(size=n)


def ask(known, attention=None, start=None):
    """Return what is told of one query's coefficients (n_columns, 4)."""
    n_columns, weight = known[0].n_columns, known[0].weight
    attention = attend(np.zeros((1, weight.size)), sample_weight=weight) if attention is None else attention
    return refit_coefs(*known, attention, np.zeros((1, 1, n_columns)) if start is None else start[None, None])[0, 0]


@pytest.mark.parametrize("curved", [False, True])
def test_intervals_are_those_of_least_squares_with_rows_left_out(rng, monkeypatch, curved):
    monkeypatch.setattr(debiased, "RIDGE", 1e-12)
    x, y = rows(rng)
    curve, attention = rng.uniform(0.5, 2.0, size=60) if curved else None, attend(0.3 * rng.normal(size=(1, 60)))
    found = ask(refits(x, y, curve=curve), attention)
    slope, width = line_intervals(x, y, attention.toarray()[0], np.ones(60) if curve is None else curve, 0.9)
    np.testing.assert_allclose(found[:, ESTIMATE], slope, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(found[:, LOW], slope - width, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(found[:, HIGH], slope + width, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(("temperature", "n_eff"), [(4.0, None), (1.0, 15.0), (0.2, None)])
def test_attention_is_squared_as_far_as_enough_rows_are_left(rng, temperature, n_eff):
    attention, prior = attend(rng.normal(size=(1, 60)), temperature).toarray()[0], np.ones(60)
    weight = sharpen(attention, prior)
    np.testing.assert_allclose(weight / weight.sum(), sharpened(attention), rtol=1e-2)
    assert n_eff is None or abs(effective_rows(weight, prior) - n_eff) < 1e-4


def test_a_row_of_weight_two_is_the_row_twice(rng):
    x, y = rows(rng)
    weight, scores = rng.integers(1, 4, size=60).astype(float), rng.normal(size=60)
    twice = np.repeat(np.arange(60), weight.astype(int))
    once = ask(refits(x, y, weight=weight), attend(scores[None], sample_weight=weight))
    # attention has weights of mean one, and so have the refits of an estimator
    often = ask(refits(x[twice], y[twice]), attend(scores[None, twice]))
    np.testing.assert_allclose(once, often, rtol=1e-9)


def test_nine_of_ten_intervals_hold_the_truth(rng):
    inside = []
    for _ in range(120):
        x, y = rows(rng, n=50)
        found = ask(refits(x, y, n_draws=1))
        inside.append((found[:, LOW] <= TRUTH) & (found[:, HIGH] >= TRUTH))
    assert 0.87 < np.mean(inside) < 0.95


def test_features_that_matter_are_selected_more_often(rng):
    x, y = rows(rng)
    often = ask(refits(x, y))[:, FREQUENCY]
    assert (often[:2] == 1.0).all()
    assert (often[2:] < 0.9).all()


def test_without_noise_the_truth_is_found_and_nothing_else(rng):
    x, y = rows(rng, noise=0.0)
    found = ask(refits(x, y), start=TRUTH)
    np.testing.assert_allclose(found[:, :3], TRUTH[:, None] * np.ones(3), atol=1e-8)
    np.testing.assert_array_equal(found[:, FREQUENCY], TRUTH != 0)


def test_nothing_is_known_of_a_column_that_is_constant_where_the_query_looks(rng):
    x, y = rows(rng)
    x[:30, 2] = 5.0
    start = np.array([1.0, 0.0, 0.3, 0.0])
    found = ask(refits(x, y), attend(np.where(np.arange(60) < 30, 0.0, -np.inf)[None]), start)
    np.testing.assert_array_equal(found[2], [0.3, -np.inf, np.inf, 0.0])
    assert np.isfinite(np.delete(found, 2, axis=0)).all()


def test_rows_without_attention_have_no_say(rng):
    x, y = rows(rng)
    attention = attend(np.where(np.arange(60) < 40, rng.normal(size=60), -np.inf)[None])
    other = np.where(np.arange(60) < 40, y, 1e6)
    np.testing.assert_array_equal(ask(refits(x, y), attention), ask(refits(x, other), attention))


def test_the_start_hardly_matters_where_columns_are_fewer_than_rows(rng):
    x, y = rows(rng)
    one, other = ask(refits(x, y)), ask(refits(x, y), start=3 * TRUTH + 1)
    np.testing.assert_allclose(one[:, ESTIMATE], other[:, ESTIMATE], atol=0.05)


@pytest.mark.parametrize("n_rows", [3, 5])
def test_columns_that_depend_on_each_other_have_finite_ends_around_their_estimates(rng, n_rows):
    x, y = rows(rng, n=n_rows)
    x[:, 1] = x[:, 0]
    found = ask(refits(x, y))
    assert np.isfinite(found).all()
    assert (found[:, LOW] < found[:, ESTIMATE]).all()
    assert (found[:, ESTIMATE] < found[:, HIGH]).all()


def test_a_column_that_is_there_twice_is_told_as_if_the_other_had_no_part(rng):
    x, y = rows(rng)
    once, twice = ask(refits(x, y)), ask(refits(np.column_stack([x, x[:, 0]]), y))
    np.testing.assert_allclose(twice[[0, 4], :3], once[[0, 0], :3], atol=0.02)


def test_draws_vary_together_as_the_gradient_does(rng, monkeypatch):
    x = rng.normal(size=(60, 2)) @ np.array([[1.0, 0.9], [0.0, 0.4]])
    seen = []
    monkeypatch.setattr(coefficients, "_lassos", lambda gram, covs, *how: seen.append(covs) or covs)
    ask(refits(x, rng.normal(size=60), n_draws=2000))
    assert np.corrcoef(seen[1].T)[0, 1] > 0.7


def test_units_of_columns_and_of_the_response_change_units_alone(rng):
    x, y = rows(rng)
    unit = np.array([1.0, 20.0, 0.05, 3.0])
    plain, scaled = ask(refits(x, y)), ask(refits(x * unit, 7.0 * y + 2.0))
    np.testing.assert_allclose(scaled[:, :3], plain[:, :3] * (7.0 / unit)[:, None], rtol=1e-9)
    np.testing.assert_array_equal(scaled[:, FREQUENCY], plain[:, FREQUENCY])
    assert (plain[2:, FREQUENCY] < 1).all()


def test_two_rows_tell_nothing(rng):
    x, y = rows(rng)
    found = ask(refits(x, y), attend(np.where(np.arange(60) < 2, 0.0, -np.inf)[None]), TRUTH)
    np.testing.assert_array_equal(found, [[slope, -np.inf, np.inf, 0.0] for slope in TRUTH])


def test_more_coverage_is_wider_and_selects_the_same(rng):
    x, y = rows(rng)
    narrow, wide = (ask(refits(x, y, coverage=coverage)) for coverage in (0.5, 0.99))
    assert (np.diff(wide[:, [LOW, HIGH]]) > np.diff(narrow[:, [LOW, HIGH]])).all()
    np.testing.assert_array_equal(narrow[:, FREQUENCY], wide[:, FREQUENCY])


def test_a_curvature_that_is_the_same_for_all_rows_is_none(rng):
    x, y = rows(rng)
    np.testing.assert_allclose(ask(refits(x, y, curve=np.full(60, 0.2))), ask(refits(x, y)), rtol=1e-9)
