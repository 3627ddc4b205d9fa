"""Intervals of local effects: as wide as the noise of least squares and its distance from the effect make them."""

import numpy as np
import pytest
from scipy import sparse, stats

from heedful._explaining import debiased
from heedful._explaining.coefficients import refit_coefs
from heedful._explaining.effect_ends import COUNTED, Contrasts, ends_of, estimate_errors
from heedful._flow import Run
from heedful.attention import Attention, attend, over_background
from reference.coefficients import line_contrasts, working_rows

# Two numbers, and a category of three levels whose dummies come last.
TRUTH = np.array([2.0, -1.0, 0.0, 1.0, -2.0])
N_NUMBERS = 2


def rows(rng, n=80, noise=1.0):
    x = np.column_stack([rng.normal(size=(n, N_NUMBERS)), np.eye(3)[rng.integers(3, size=n)]])
    return x, x @ TRUTH + noise * rng.normal(size=n)


def compared(level, reference):
    """Return the contrasts of one query: two numbers, and a level beside another."""
    return Contrasts(np.array([[0, 1, 2 + level]]), np.array([[-1, -1, 2 + reference]]))


def ask(x, y, effect, *, weight=None, curve=None, unit=None, attention=None, contrasts=None, coverage=0.9, start=None):
    """Return the ends (n_columns of the table, 2) of one query."""
    weight = np.ones(len(x)) if weight is None else weight
    unit = np.ones(x.shape[1]) if unit is None else unit
    attention = attend(np.zeros((1, len(x))), sample_weight=weight) if attention is None else attention
    start = np.zeros(x.shape[1]) if start is None else start
    working = working_rows(x, [y], [curve], weight)
    contrasts, effects = compared(1, 0) if contrasts is None else contrasts, np.asarray(effect)[None, None]
    errors = estimate_errors(working, unit, attention, start[None, None], effects, contrasts, Run())
    return ends_of(effects, errors, coverage)[0, 0]


@pytest.mark.parametrize("curved", [False, True])
def test_ends_are_told_by_the_noise_of_least_squares_and_its_distance_from_the_effect(rng, monkeypatch, curved):
    monkeypatch.setattr(debiased, "RIDGE", 1e-6)
    x, y = rows(rng)
    curve, attention = rng.uniform(0.5, 2.0, size=80) if curved else None, attend(0.3 * rng.normal(size=(1, 80)))
    effect, contrast = np.array([1.5, -0.8, 0.4]), np.zeros((3, 5))
    contrast[[0, 1, 2, 2], [0, 1, 3, 2]] = 1.0, 1.0, 1.0, -1.0
    found = ask(x, y, effect, curve=curve, attention=attention)
    estimate, deviation = line_contrasts(
        x, y, attention.toarray()[0], np.ones(80) if curve is None else curve, contrast
    )
    half = stats.norm.ppf(0.95) * np.sqrt(deviation**2 + COUNTED * (estimate - effect) ** 2)
    np.testing.assert_allclose(found, np.column_stack([effect - half, effect + half]), rtol=1e-4)


def test_the_interval_of_an_effect_that_is_not_shrunk_is_that_of_the_coefficient(rng):
    x, y = rng.normal(size=(60, 4)), rng.normal(size=60)
    known, attention = working_rows(x, [y], [None], np.ones(60)), attend(0.5 * rng.normal(size=(1, 60)))
    slope, low, high, _ = refit_coefs(known, 0.9, np.zeros((1, 4)), attention, np.zeros((1, 1, 4)))[0, 0].T
    numbers = Contrasts(np.arange(4)[None], np.full((1, 4), -1))
    ends = ask(x, y, slope, attention=attention, contrasts=numbers)
    np.testing.assert_allclose(ends[:, 1] - ends[:, 0], high - low, rtol=1e-9)


@pytest.mark.parametrize("coverage", [0.01, 0.5, 0.99])
def test_every_interval_holds_its_effect(rng, coverage):
    x, y = rows(rng)
    for effect in rng.normal(scale=5.0, size=(20, 3)):
        low, high = ask(x, y, effect, coverage=coverage, attention=attend(rng.normal(size=(1, 80)), 0.5)).T
        assert (low <= effect).all()
        assert (effect <= high).all()


@pytest.mark.more
def test_nine_of_ten_intervals_hold_the_truth_around_effects_that_are_shrunk(rng):
    inside, truth = [], np.array([2.0, -1.0, 1.0])
    for _ in range(150):
        x, y = rows(rng)
        effect = (
            0.9
            * line_contrasts(
                x,
                y,
                np.ones(80),
                np.ones(80),
                np.array(
                    [
                        [1.0, 0.0, 0.0, 0.0, 0.0],
                        [0.0, 1.0, 0.0, 0.0, 0.0],
                        [0.0, 0.0, -1.0, 1.0, 0.0],
                    ]
                ),
            )[0]
        )
        low, high = ask(x, y, effect).T
        inside.append((low <= truth) & (truth <= high))
    assert 0.8 < np.mean(inside) < 0.97


def test_a_row_of_weight_two_is_the_row_twice(rng):
    x, y = rows(rng)
    weight, scores, effect = rng.integers(1, 4, size=80).astype(float), rng.normal(size=80), TRUTH[[0, 1, 3]]
    twice = np.repeat(np.arange(80), weight.astype(int))
    once = ask(x, y, effect, weight=weight, attention=attend(scores[None], sample_weight=weight))
    often = ask(x[twice], y[twice], effect, attention=attend(scores[None, twice]))
    np.testing.assert_allclose(once, often, rtol=1e-9)


def test_units_of_columns_change_units_alone(rng):
    x, y = rows(rng)
    unit, effect, start = np.array([20.0, 0.05, 0.5, 0.4, 0.3]), np.array([1.5, -0.8, 0.4]), 0.5 * TRUTH
    plain = ask(x, y, effect, start=start)
    np.testing.assert_allclose(ask(x / unit, y, effect, unit=unit, start=start), plain, rtol=1e-7)


def test_a_level_and_its_reference_may_change_places(rng):
    x, y = rows(rng)
    there, back = (
        ask(x, y, [0.0, 0.0, effect], contrasts=pair)[2]
        for effect, pair in ((0.4, compared(1, 2)), (-0.4, compared(2, 1)))
    )
    np.testing.assert_allclose(there, -back[::-1], rtol=1e-9)


def test_the_reference_level_itself_has_no_effect_for_sure(rng):
    x, y = rows(rng)
    np.testing.assert_array_equal(ask(x, y, np.zeros(3), contrasts=compared(1, 1))[2], [0.0, 0.0])


def test_nothing_is_known_of_columns_that_do_not_vary_or_are_not_in_the_models(rng):
    x, y = rows(rng)
    near = attend(np.where(x[:, 4] == 0, 0.0, -np.inf)[None])
    assert np.isfinite(ask(x, y, np.zeros(3), attention=near, contrasts=compared(1, 0))).all()
    np.testing.assert_array_equal(
        ask(x, y, np.zeros(3), attention=near, contrasts=compared(1, 2))[2], [-np.inf, np.inf]
    )
    nowhere = Contrasts(np.array([[0, 1, -1]]), np.array([[-1, -1, -1]]))
    np.testing.assert_array_equal(ask(x, y, np.zeros(3), contrasts=nowhere)[2], [-np.inf, np.inf])


def test_ends_are_worked_out_of_effects_that_are_asked_about_alone(rng):
    x, y = rows(rng)
    every, some = (ask(x, y, [0.5, effect, 0.3]) for effect in (0.1, np.nan))
    np.testing.assert_array_equal(some, np.where([[False], [True], [False]], np.nan, every))


def test_each_query_has_errors_of_its_own_effects(rng):
    x, y = rows(rng)
    effects = np.array([[[0.5, np.nan, 0.3]], [[np.nan, 0.1, 0.3]]])
    both = Contrasts(*(np.repeat(part, 2, axis=0) for part in compared(1, 0)))
    asked = working_rows(x, [y], [None], np.ones(80)), np.ones(5), attend(np.zeros((2, 80))), np.zeros((2, 1, 5))
    errors = estimate_errors(*asked, effects, both, Run())
    np.testing.assert_array_equal(np.isnan(errors), np.isnan(effects))


def test_two_rows_tell_nothing(rng):
    x, y = rows(rng)
    found = ask(x, y, np.zeros(3), attention=attend(np.where(np.arange(80) < 2, 0.0, -np.inf)[None]))
    np.testing.assert_array_equal(found, [[-np.inf, np.inf]] * 3)


def test_every_output_has_its_own_response_and_every_query_its_own_rows(rng):
    x, y = rows(rng)
    other, attention = rng.normal(size=80), attend(rng.normal(size=(2, 80)))
    working = working_rows(x, [y, other], [None, None], np.ones(80))
    pair = Contrasts(np.array([[0, 1, 3], [0, 1, 4]]), np.array([[-1, -1, 2], [-1, -1, 2]]))
    effects, start = rng.normal(size=(2, 2, 3)), rng.normal(size=(2, 2, 5))
    found = ends_of(effects, estimate_errors(working, np.ones(5), attention, start, effects, pair, Run()), 0.9)
    for q in range(2):
        alone = attend(np.zeros((1, 80)))
        alone = type(alone)(attention.weights[[q]], attention.background[[q]], attention.sample_weight)
        one = Contrasts(pair.own[[q]], pair.other[[q]])
        for k, response in enumerate((y, other)):
            expected = ask(x, response, effects[q, k], attention=alone, contrasts=one, start=start[q, k])
            np.testing.assert_allclose(found[q, k], expected, rtol=1e-9)


def test_levels_without_a_coefficient_that_are_not_compared_count_as_one(rng):
    x = np.column_stack([rng.normal(size=(90, N_NUMBERS)), np.eye(6)[rng.integers(6, size=90)]])
    y, attention = x[:, 0] + rng.normal(size=90), attend(0.3 * rng.normal(size=(1, 90)))
    start, effect = np.array([0.5, 0.0, 0.0, 0.0, 0.0, 0.2, 0.0, 0.0]), [0.4, 0.1, 0.3]
    found = ask(x, y, effect, attention=attention, start=start)
    # levels 1 and 0 are compared, the level of column 5 has a coefficient
    part = [0, 1, 2, 3, 5]
    np.testing.assert_allclose(found, ask(x[:, part], y, effect, attention=attention, start=start[part]), rtol=1e-9)
    start[6] = 0.1
    assert (np.abs(ask(x, y, effect, attention=attention, start=start) - found) > 1e-4).any()


def spread_out(attention):
    """Return the same weights with none in the background."""
    weight = attention.sample_weight
    return Attention(sparse.csr_array(attention.toarray()), np.zeros(attention.shape[0]), weight)


@pytest.mark.parametrize("curved", [False, True])
@pytest.mark.parametrize("background", [1e-3, 0.5])
def test_a_background_tells_what_its_rows_tell(rng, monkeypatch, background, curved):
    # of the last level only the background has rows; of these some are masked, or none
    level = np.repeat([0, 1, 2], [40, 40, 420])
    x, weight = np.column_stack([rng.normal(size=(500, N_NUMBERS)), np.eye(3)[level]]), rng.uniform(0.5, 2.0, size=500)
    y, curve = x @ TRUTH + rng.normal(size=500), rng.uniform(0.5, 2.0, size=500) if curved else None
    excess = np.where(level < 2, weight * rng.uniform(0.5, 1.0, size=500), 0.0)
    excess *= (1 - background) / excess.sum()
    base = background / weight.sum()
    looked, noise = [], debiased._noise
    monkeypatch.setattr(
        debiased, "_noise", lambda rows, some, *how: looked.append(some.size) or noise(rows, some, *how)
    )
    for other, n_masked, expected in ((0, 0, [80]), (2, 0, [80, 420]), (2, 100, [400])):
        excess[100 : 100 + n_masked] = -base * weight[100 : 100 + n_masked]
        attention = over_background(sparse.csr_array(excess[None]), np.array([base]), weight)
        known = {"weight": weight, "curve": curve, "contrasts": compared(1, other)}
        looked.clear()
        found = ask(x, y, np.zeros(3), attention=attention, **known)
        assert looked == (expected if background < 0.1 or n_masked else [80, 420])
        np.testing.assert_allclose(found, ask(x, y, np.zeros(3), attention=spread_out(attention), **known), rtol=1e-5)


def test_ends_do_not_depend_on_the_number_of_threads(rng):
    x, y = rows(rng)
    attention, effects, start = attend(rng.normal(size=(9, 80))), rng.normal(size=(9, 1, 3)), rng.normal(size=(9, 1, 5))
    pairs = Contrasts(np.tile([0, 1, 3], (9, 1)), np.tile([-1, -1, 2], (9, 1)))
    working = working_rows(x, [y], [None], np.ones(80))
    one, three = (
        estimate_errors(working, np.ones(5), attention, start, effects, pairs, Run(n_jobs)) for n_jobs in (1, 3)
    )
    np.testing.assert_array_equal(one, three)
