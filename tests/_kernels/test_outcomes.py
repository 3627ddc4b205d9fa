"""Losses of one fit, row by row, held against their slow twins."""

import numpy as np
import pytest

from heedful._kernels.outcomes import (
    FLAT,
    State,
    class_mass_at,
    class_masses,
    level_row,
    loss_row,
    masses_row,
    risk_masses,
    working_row as working,
)
from heedful._kernels.shapes import BINOMIAL, COX, MULTINOMIAL, POWER
from reference import amounts, losses
from reference.cases import CASES, small_outcome
from reference.losses import KINDS

NUMBER = {"binomial": BINOMIAL, "multinomial": MULTINOMIAL, "cox": COX}


def rows(rng, kind, case, spread=1.0):
    """Return a linear predictor, what happened and weights, in the order of time where there is one."""
    what, weight = small_outcome(rng, kind, case)
    if kind == "cox":
        order = np.argsort(what[1], kind="stable")
        what, weight = (what[0][order], what[1][order]), weight[order]
    return spread * rng.normal(size=(weight.size, 3 if kind == "multinomial" else 1)), what, weight


def state_of(kind, link, what, weight):
    value, time = what if kind == "cox" else (what, np.zeros(weight.size))
    space = np.full((2, weight.size), np.nan)
    links = link.T.copy(), np.full(link.T.shape, np.nan)
    return State(value.astype(float), time, weight, *links, *space, np.zeros(weight.size), np.nan)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("spread", [1.0, 300.0])
def test_losses_equal_the_twin(rng, kind, case, spread):
    parts = rows(rng, kind, case, spread)
    found = loss_row(NUMBER[kind], state_of(kind, *parts), -1)
    assert found == pytest.approx(losses.loss(kind, *parts), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", CASES)
def test_curvatures_and_working_responses_equal_the_twin(rng, kind, case):
    parts = rows(rng, kind, case)
    state, (curve, response) = state_of(kind, *parts), losses.working(kind, *parts)
    masses_row(NUMBER[kind], state, -1)
    for k in range(curve.shape[1]):
        found, packed = np.empty(len(curve)), np.zeros((len(curve), 3))
        assert working(NUMBER[kind], state, k, found, packed, 1) == pytest.approx(curve[:, k].sum())
        np.testing.assert_allclose(found, curve[:, k], rtol=1e-12)
        np.testing.assert_allclose(packed, np.insert(np.zeros((len(curve), 2)), 1, response[:, k], axis=1), rtol=1e-9)


@pytest.mark.parametrize("kind", KINDS[:2])
def test_a_certain_probability_still_bends_a_little(rng, kind):
    link, what, weight = rows(rng, kind, "random")
    link = 1000.0 * np.sign(link)
    state, curve, packed = state_of(kind, link, what, weight), np.empty(12), np.zeros((12, 2))
    masses_row(NUMBER[kind], state, -1)
    working(NUMBER[kind], state, 0, curve, packed, 1)
    assert (curve >= FLAT * weight).all()
    assert np.isfinite(packed).all()


@pytest.mark.parametrize("kind", KINDS)
def test_masses_are_those_that_come_with_the_loss(rng, kind):
    parts = rows(rng, kind, "tied")
    one, other = state_of(kind, *parts), state_of(kind, *parts)
    masses_row(NUMBER[kind], one, -1)
    loss_row(NUMBER[kind], other, -1)
    for a, b in zip(one[:-1], other[:-1], strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("spread", [1.0, 1000.0])
def test_a_binary_mass_is_the_probability(rng, spread):
    link, what, weight = rows(rng, "binomial", "random", spread)
    state = state_of("binomial", link, what, weight)
    masses_row(BINOMIAL, state, 0)
    np.testing.assert_allclose(state.mass.T, losses.probabilities("binomial", link), atol=1e-15)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("spread", [1.0, 1000.0])
def test_class_masses_over_their_total_are_probabilities(rng, case, spread):
    link, what, weight = rows(rng, "multinomial", case, spread)
    state = state_of("multinomial", link, what, weight)
    class_masses(state, -1)
    np.testing.assert_allclose((state.mass / state.total).T, losses.probabilities("multinomial", link), rtol=1e-12)


@pytest.mark.parametrize("jump", [0.3, -40.0, 600.0, -1e6, 1e6])
def test_refreshing_one_class_equals_refreshing_all_however_far_it_moved(rng, jump):
    link, what, weight = rows(rng, "multinomial", "random")
    state = state_of("multinomial", link, what, weight)
    loss_row(MULTINOMIAL, state, -1)
    for k in (1, 0):
        link[:, k] += jump
        state.link[k] += jump
        assert loss_row(MULTINOMIAL, state, k) == pytest.approx(losses.loss("multinomial", link, what, weight))
        expected = losses.probabilities("multinomial", link).T
        np.testing.assert_allclose(state.mass / state.total, expected, rtol=1e-9)


def test_a_class_that_falls_from_far_above_leaves_the_others_their_digits(rng):
    link, what, weight = rows(rng, "multinomial", "random")
    link[:, 1] += 30.0
    state = state_of("multinomial", link, what, weight)
    class_masses(state, -1)
    link[:, 1] -= 60.0
    state.link[1] -= 60.0
    class_masses(state, 1)
    np.testing.assert_allclose((state.mass / state.total).T, losses.probabilities("multinomial", link), rtol=1e-12)


def test_one_row_is_refreshed_alone(rng):
    link, what, weight = rows(rng, "multinomial", "random", 1000.0)
    state = state_of("multinomial", link, what, weight)
    class_mass_at(state, 4)
    np.testing.assert_allclose((state.mass / state.total)[:, 4], losses.probabilities("multinomial", link)[4])
    assert np.isnan(np.delete(state.mass, 4, axis=1)).all()
    assert state.level[4] == link[4].max()


@pytest.mark.parametrize("case", CASES)
def test_risk_masses_are_breslows_hazard_and_the_partial_loss(rng, case):
    link, what, weight = rows(rng, "cox", case)
    state, top = state_of("cox", link, what, weight), np.exp(link.max())
    assert risk_masses(state) == pytest.approx(losses.loss("cox", link, what, weight))
    np.testing.assert_allclose(state.level / top, losses.hazard(link[:, 0], what, weight))
    np.testing.assert_allclose(state.mass[0] * top, weight * np.exp(link[:, 0]))


def test_a_huge_relative_hazard_overflows_nothing(rng):
    link, what, weight = rows(rng, "cox", "random")
    one, other = (state_of("cox", link + shift, what, weight) for shift in (0.0, 1e5))
    assert risk_masses(one) == pytest.approx(risk_masses(other), abs=1e-9)
    np.testing.assert_allclose(one.level, other.level, rtol=1e-9)


def test_rows_without_an_event_before_them_do_not_bend():
    link, what = np.zeros((3, 1)), (np.array([0.0, 1.0, 0.0]), np.array([1.0, 2.0, 3.0]))
    state, curve, packed = state_of("cox", link + 0.7, what, np.full(3, 1 / 3)), np.empty(3), np.zeros((3, 1))
    risk_masses(state)
    working(COX, state, 0, curve, packed, 0)
    assert curve[0] == 0.0
    assert packed[0, 0] == 0.7
    np.testing.assert_allclose(curve[1:], 1 / 6)


def amounts_of(rng, power, spread=1.0):
    """Return the state of counts or costs, with the arguments of its twins."""
    y = rng.gamma(2.0, size=12) if power == 2.0 else rng.poisson(1.5, size=12).astype(float)
    link, offset, weight = spread * rng.normal(size=(12, 1)), rng.normal(size=12), rng.dirichlet(np.ones(12))
    state = state_of("binomial", link, y, weight)._replace(offset=offset, power=power)
    return state, (power, link[:, 0], (y, offset), weight)


@pytest.mark.parametrize("power", [1.0, 1.3, 2.0])
def test_deviances_with_their_slopes_and_curvatures_equal_the_twin(rng, power):
    state, parts = amounts_of(rng, power)
    assert loss_row(POWER, state, -1) == pytest.approx(amounts.loss(*parts), rel=1e-12)
    found, packed, curve = np.empty(12), np.zeros((12, 3)), amounts.curvature(*parts)
    assert working(POWER, state, 0, found, packed, 1) == pytest.approx(curve.sum())
    np.testing.assert_allclose(found, curve, rtol=1e-12)
    np.testing.assert_allclose(packed[:, 1], parts[1] - amounts.slope(*parts) / curve, rtol=1e-9)


@pytest.mark.parametrize("power", [1.0, 1.3, 2.0])
def test_the_best_level_leaves_no_slope(rng, power):
    state, (_, link, *rest) = amounts_of(rng, power)
    move = level_row(state)
    np.testing.assert_allclose(state.link[0], link + move)
    assert amounts.slope(power, link + move, *rest).sum() == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("power", [1.0, 1.3, 2.0])
def test_means_far_from_what_was_seen_overflow_nothing(rng, power):
    state, _ = amounts_of(rng, power, 1e4)
    found, packed = np.empty(12), np.zeros((12, 2))
    assert np.isfinite(loss_row(POWER, state, -1))
    assert np.isfinite(working(POWER, state, 0, found, packed, 1))
    assert np.isfinite(packed).all()
