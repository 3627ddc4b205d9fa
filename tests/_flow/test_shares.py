"""Shares: the best convex blend of any loss, held against a general optimiser."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import minimize, minimize_scalar

from heedful._flow.shares import (
    CAUTION,
    OutOfFold,
    best_mixing,
    fit_both,
    fit_many,
    fit_one,
    head_costs,
    head_errors,
    minimise_on_simplex,
    repeats,
    simplex_qp,
    without_extremes,
)
from heedful._flow.tune import tune
from heedful._responses import Losses, Regression
from heedful._responses.response import like_rows
from reference.heads import LOSSES, made_up_heads
from reference.rows import numbers_of


def columns_of(part):
    return np.column_stack([part.heads, part.baseline])


def price(part, share, columns, cost):
    """Return the mean loss of a blend plus what its columns cost."""
    return part.mean_loss(columns @ share) + cost @ share


def best_by_general_optimiser(part, columns, cost):
    size = columns.shape[1]
    whole = {"type": "eq", "fun": lambda share: share.sum() - 1}
    how = {"bounds": [(0, 1)] * size, "constraints": whole, "options": {"ftol": 1e-14, "maxiter": 1000}}
    return minimize(lambda share: price(part, share, columns, cost), np.full(size, 1 / size), method="SLSQP", **how).fun


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("caution", [0.0, 0.5, 3.0])
def test_no_other_convex_blend_is_better(rng, loss, caution):
    part = made_up_heads(rng, loss, weight=rng.uniform(0.5, 2, size=60))
    columns = columns_of(part)
    cost = caution * head_costs(part, columns)
    share = minimise_on_simplex(part, columns, cost)
    assert (share >= 0).all()
    assert share.sum() == pytest.approx(1)
    best = best_by_general_optimiser(part, columns, cost)
    assert price(part, share, columns, cost) <= best + 1e-8 * abs(best)


@pytest.mark.one_value
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("mixing", [None, 0.4])
def test_shares_of_many_heads_are_the_best_blend_at_a_cautious_price(rng, loss, mixing):
    part = made_up_heads(rng, loss)
    mixed = (1 - (mixing or 1)) * part.baseline[:, None] + (mixing or 1) * part.heads
    columns = columns_of(part) if mixing is None else mixed
    share, part = fit_many(part, mixing), without_extremes(part)
    cost = CAUTION * head_costs(part, columns)
    assert share.sum() <= 1 + 1e-12
    whole = np.append(share, 1 - share.sum()) if mixing is None else share / mixing
    best = best_by_general_optimiser(part, columns, cost)
    assert price(part, whole, columns, cost) <= best + 1e-8 * abs(best)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.integers(0, 10_000), st.integers(1, 12), st.integers(2, 40), st.sampled_from(LOSSES))
def test_no_single_column_beats_the_blend(seed, n_heads, n, loss):
    part = made_up_heads(np.random.default_rng(seed), loss, n, n_heads)
    columns, share = columns_of(part), fit_many(part, None)
    part = without_extremes(part)
    cost = CAUTION * head_costs(part, columns)
    mine = price(part, np.append(share, 1 - share.sum()), columns, cost)
    vertices = [price(part, vertex, columns, cost) for vertex in np.eye(n_heads + 1)]
    assert mine <= min(vertices) + 1e-8 * (1 + abs(mine))


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("gain", [-1.0, 0.0, 0.3, 3.0])
def test_the_best_mixing_of_each_head_is_that_of_a_scalar_optimiser(rng, loss, gain):
    part = made_up_heads(rng, loss, gain=gain, weight=rng.uniform(0.5, 2, size=60))
    for head, found in zip(part.heads.T, best_mixing(part, part.heads), strict=True):

        def cost(mixing, head=head):
            return part.mean_loss(part.baseline + mixing * (head - part.baseline))

        best = minimize_scalar(cost, bounds=(0, 1), method="bounded", options={"xatol": 1e-10})
        assert 0 <= found <= 1
        assert cost(found) <= best.fun + 1e-10


class Bent(Regression):
    """A loss of numbers that turns from a square to a line: Newton steps from far off leave the minimum behind."""

    def losses(self, observed):
        away = 17.0 * (observed - like_rows(self.y, observed))
        size = np.sqrt(1.0 + away**2)
        return Losses(size, 17.0 * away / size, 289.0 / size**3)


@pytest.mark.parametrize("best", [0.05, 0.3, 0.62, 0.97])
def test_the_best_mixing_is_found_where_newton_steps_alone_go_astray(best):
    part = OutOfFold(np.ones((3, 1)), np.zeros(3), numbers_of(np.full(3, best), kind=Bent), np.ones(3))
    assert best_mixing(part, part.heads) == pytest.approx(best, abs=1e-9)


@pytest.mark.one_value
@pytest.mark.parametrize("loss", LOSSES)
def test_one_head_takes_its_best_mixing_if_no_other_is_worth_more(rng, loss):
    part = made_up_heads(rng, loss)
    share = fit_one(part, None)
    mixing = best_mixing(part, part.heads)
    blends = part.baseline[:, None] + mixing * (part.heads - part.baseline[:, None])
    worth = part.mean_loss(blends) + CAUTION * head_costs(part, blends)
    expected = np.where(np.arange(5) == np.argmin(worth), mixing, 0.0)
    np.testing.assert_array_equal(share, expected)


@pytest.mark.one_value
@pytest.mark.parametrize("mixing", [None, 1.0])
@pytest.mark.parametrize(("n_bold", "best"), [(20, 0), (25, 1)])
def test_a_head_that_gains_on_few_rows_pays_for_it(mixing, n_bold, best):
    # the error of the baseline is 1; one head gains 0.19 on every row, the other 1 on some: 0.2 or 0.25 on average
    heads = np.column_stack([np.full(100, 0.9), np.arange(100) >= n_bold]).astype(float)
    part = OutOfFold(heads, np.ones(100), numbers_of(np.zeros(100)), np.ones(100))
    assert np.argmin(head_errors(part)) == 1
    np.testing.assert_array_equal(fit_one(part, mixing), np.eye(2)[best])


@pytest.mark.one_value
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("mixing", [0.3, 1.0])
def test_a_fixed_mixing_is_the_sum_of_many_shares_and_the_one_share(rng, loss, mixing):
    part = made_up_heads(rng, loss)
    assert fit_many(part, mixing).sum() == pytest.approx(mixing)
    assert fit_one(part, mixing).max() == mixing
    assert (fit_one(part, mixing) > 0).sum() == 1


@pytest.mark.one_value
@pytest.mark.parametrize("loss", LOSSES)
def test_heads_that_equal_the_baseline_get_no_share(rng, loss):
    part = made_up_heads(rng, loss)
    same = part._replace(heads=np.tile(part.baseline[:, None], (1, 5)))
    assert fit_one(same, None).sum() == 0
    np.testing.assert_array_equal(best_mixing(same, same.heads), 0.0)


@pytest.mark.one_value
@pytest.mark.parametrize("loss", LOSSES[:2])
def test_a_perfect_head_gets_nearly_everything(rng, loss):
    part = made_up_heads(rng, loss, 200)
    perfect = part.family.y if loss == "squares" else np.ones(200)
    share = fit_many(part._replace(heads=np.column_stack([part.heads, perfect])), None)
    assert share[-1] > 0.9


@pytest.mark.one_value
@pytest.mark.parametrize("loss", LOSSES)
def test_only_ratios_of_weights_matter(rng, loss):
    part = made_up_heads(rng, loss, weight=rng.uniform(0.5, 2, size=60))
    heavy = part._replace(weight=7.0 * part.weight)
    np.testing.assert_allclose(fit_many(part, None), fit_many(heavy, None), atol=1e-6)
    np.testing.assert_allclose(best_mixing(part, part.heads), best_mixing(heavy, part.heads), atol=1e-9)


def test_costs_are_standard_errors_of_the_gain(rng):
    part = made_up_heads(rng, "squares", 400)
    gain = (part.heads - part.family.y[:, None]) ** 2 - (part.baseline - part.family.y)[:, None] ** 2
    np.testing.assert_allclose(head_costs(part, part.heads), gain.std(axis=0) / 20)
    np.testing.assert_array_equal(head_costs(part, part.baseline[:, None]), 0.0)


def test_zero_residuals_do_not_divide_by_zero():
    assert simplex_qp(np.zeros((3, 3))).sum() == pytest.approx(1)


def test_a_cost_is_the_linear_part_of_the_quadratic(rng):
    rows, cost = rng.normal(size=(30, 4)), rng.uniform(size=4)
    products, whole = rows.T @ rows / 30, {"type": "eq", "fun": lambda share: share.sum() - 1}
    best = minimize(
        lambda share: share @ products @ share / 2 + cost @ share,
        np.full(4, 0.25),
        method="SLSQP",
        bounds=[(0, 1)] * 4,
        constraints=whole,
        options={"ftol": 1e-14},
    )
    np.testing.assert_allclose(simplex_qp(products, cost), best.x, atol=1e-5)


@pytest.mark.parametrize("loss", LOSSES)
def test_head_errors_are_weighted_mean_losses(rng, loss):
    weight = rng.uniform(size=60)
    part = made_up_heads(rng, loss, weight=weight)
    expected = [np.average(part.family.losses(head).value, weights=weight) for head in part.heads.T]
    np.testing.assert_allclose(head_errors(part), expected)


def test_head_errors_of_numbers_are_squares(rng):
    part = made_up_heads(rng, "squares")
    assert isinstance(part.family, Regression)
    np.testing.assert_allclose(head_errors(part), ((part.heads - part.family.y[:, None]) ** 2).mean(axis=0))


def test_a_part_holds_the_same_rows_of_everything(rng):
    part, rows = made_up_heads(rng, "log"), np.array([3, 30, 31])
    some = part.part(rows)
    np.testing.assert_array_equal(some.heads, part.heads[rows])
    np.testing.assert_array_equal(some.family.y, part.family.y[rows])


@pytest.mark.parametrize("apart", [1e-8, 1e-5, 1.0])
def test_shares_of_equal_and_nearly_equal_heads_are_found(rng, apart):
    for n_heads in range(2, 45):
        away = rng.normal(size=(30, 1)) + apart * rng.normal(size=(30, n_heads))
        away[:, rng.integers(n_heads, size=n_heads // 2)] = away[:, [0]]
        products = away.T @ away
        share = simplex_qp(products)
        slope = products @ share
        assert share @ slope - slope.min() < 1e-6 * slope.max()


@pytest.mark.one_value
@pytest.mark.parametrize("mixing", [None, 0.6])
@pytest.mark.parametrize("loss", LOSSES)
def test_shares_with_shapes_are_the_mean_of_those_with_all_heads_and_with_lines_alone(rng, loss, mixing):
    part = made_up_heads(rng, loss)
    shaped = np.arange(part.heads.shape[1]) % 2 == 1
    lines = np.zeros(shaped.size)
    lines[~shaped] = fit_many(part._replace(heads=part.heads[:, ~shaped]), mixing)
    expected = (fit_many(part, mixing) + lines) / 2
    np.testing.assert_array_equal(fit_both(part._replace(shaped=shaped), mixing), expected)
    np.testing.assert_array_equal(fit_both(part, mixing), fit_many(part, mixing))


def test_a_head_with_shapes_that_says_what_a_line_does_is_not_tried(rng):
    part = made_up_heads(rng, "squares") if "squares" in LOSSES else made_up_heads(rng, next(iter(LOSSES)))
    n_heads = part.heads.shape[1]
    double = np.column_stack(
        [part.heads, part.heads[:, :2] * (1 + 1e-12), part.heads[:, 0] + rng.normal(size=len(part.heads))]
    )
    shaped = np.arange(n_heads + 3) >= n_heads
    both = part._replace(heads=double, shaped=shaped)
    assert repeats(both).tolist() == [False] * n_heads + [True, True, False]
    one, two = (tune(each, True, None, np.random.RandomState(0)) for each in (both, both._replace(
        heads=double[:, [*range(n_heads), n_heads + 2]], shaped=shaped[[*range(n_heads), n_heads + 2]])))  # fmt: skip
    np.testing.assert_array_equal(np.delete(one.share, [n_heads, n_heads + 1]), two.share)
    assert (one.share[n_heads : n_heads + 2] == 0).all()
    assert one.error.size == n_heads + 3


@pytest.mark.parametrize("unit", [1e-12, 1e12])
def test_which_heads_repeat_others_does_not_depend_on_the_unit(rng, unit):
    heads = rng.normal(size=(30, 3))
    heads = unit * np.column_stack([heads, heads[:, 1] * (1 + 1e-9), heads[:, 1] * (1 + 1e-3)])
    part = OutOfFold(heads, np.zeros(30), numbers_of(unit * rng.normal(size=30)), np.ones(30))
    assert repeats(part).tolist() == [False, False, False, True, False]


def test_one_wild_row_does_not_rule_the_shares():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=80)
    y, heads = truth + 0.3 * rng.normal(size=80), np.column_stack([truth, truth + rng.normal(size=80)])
    heads[0] = [-5.0, 60.0]
    calm = OutOfFold(heads[1:], np.zeros(79), numbers_of(y[1:]), np.ones(79))
    y[0] = 60.0
    wild = OutOfFold(heads, np.zeros(80), numbers_of(y), np.ones(80))
    # by squared errors alone the second head, which is noise but for this row, would be the better one
    assert np.mean((heads[:, 1] - y) ** 2) < np.mean((heads[:, 0] - y) ** 2)
    assert fit_many(wild, None)[0] > 0.7
    assert abs(fit_many(wild, None)[0] - fit_many(calm, None)[0]) < 0.2


def test_no_residual_counts_more_than_four_deviations():
    rng = np.random.default_rng(1)
    y = rng.standard_t(2, size=400)
    family, weight = numbers_of(y), np.ones(400)
    trust = family.robust_weight(np.zeros(400), weight)
    limit = 4 * 1.4826 * np.median(np.abs(y))
    assert (trust * y**2).max() <= limit**2 * (1 + 1e-2)
    assert (trust[np.abs(y) < 0.99 * limit] == 1.0).all()
    assert (trust[np.abs(y) > 1.01 * limit] < 1.0).all()
    twice = numbers_of(np.append(y, y[:50])).robust_weight(np.zeros(450), np.ones(450))[:400]
    assert np.allclose(twice, family.robust_weight(np.zeros(400), np.where(np.arange(400) < 50, 2.0, 1.0)))
    assert (numbers_of(np.r_[np.zeros(9), 1.0]).robust_weight(np.zeros(10), np.ones(10)) == 1.0).all()
