"""Newton steps and the fits they end in, held against their slow twins and the optimality conditions."""

import numpy as np
import pytest

from heedful._kernels import newton_rows
from heedful._kernels.absent import settle_absent_row, settle_pure_row, shares_row
from heedful._kernels.newton import (
    KEPT_COLUMNS,
    Fit,
    gather_row,
    keep_gram_row,
    link_row,
    make_wide,
    make_workspace,
    newton_row,
    size_row,
    solve_output_row,
    step_output_row,
    weighted_scale_row,
)
from heedful._kernels.outcomes import State, loss_row
from heedful._kernels.shapes import BINOMIAL, COX, MULTINOMIAL, Outcome, Rule
from reference import losses
from reference.cases import CASES, small_outcome, small_table
from reference.lasso import penalty_scale
from reference.losses import KINDS
from reference.moments import plain_table, weighted_moments

NUMBER = {"binomial": BINOMIAL, "multinomial": MULTINOMIAL, "cox": COX}
ALPHAS = np.array([np.inf, 0.1, 0.04])
NO_INDICES = np.empty(0, np.int32)


def setting(rng, kind, case="random", p=4):
    """Return rows, what happened, weights, and the same as kernels take them."""
    (X, _), (what, weight) = small_table(rng, case, p), small_outcome(rng, kind, case)
    value, time = what if kind == "cox" else (what, np.empty(0))
    order = np.argsort(time, kind="stable") if kind == "cox" else np.arange(weight.size)
    outcome = Outcome(NUMBER[kind], value.astype(float), time, order)
    return X, what, weight, plain_table(X, np.zeros(weight.size), np.ones(weight.size)), outcome


def seat(kind, weight, table, outcome, max_iter=10_000):
    """Return a fit with the rows in it, and zeros for a model and what steps write to."""
    n_output, p = 3 if kind == "multinomial" else 1, table.mean.size
    work = make_workspace(table, n_output)
    work.weight[:], work.moved[:] = weight, np.inf
    size = gather_row(table, outcome, work)
    value, time, weight, total, level, _, offset, _ = work.arrays[:, :size]
    link, mass = np.empty((2, n_output, size))
    state = State(value, time, weight, link, mass, total, level, offset, outcome.power)
    rule, n_features = plain_rule(p, max_iter), min(table.y_column, p)
    fit = Fit(outcome.kind, work.packed[:size], table.y_column, state, work, rule, n_features)
    wide = make_wide(table, np.zeros(p) if p > KEPT_COLUMNS else None)
    return fit, np.zeros(n_output), np.zeros((n_output, p)), wide, np.zeros((1, p))


def plain_rule(p, max_iter=10_000, *, weighted=False):
    return Rule(np.ones(p), weighted, np.zeros(p), 1e-9, max_iter)


def start(rng, kind, p, size):
    """Return a model that is not the minimum."""
    n_output = 3 if kind == "multinomial" else 1
    return size * rng.normal(size=n_output), size * rng.normal(size=(n_output, p))


def values(kind, X, fits):
    """Return probabilities, or log relative hazards, at each penalty."""
    links = [intercept + X @ coef.T for intercept, coef in zip(*fits[:2], strict=True)]
    return links if kind == "cox" else [losses.probabilities(kind, link) for link in links]


def fit(weight, table, outcome, rule, alphas=ALPHAS, model=None):
    """Return intercepts, coefficients and unconverged fits of one row of weights at each penalty."""
    n_output = 3 if outcome.kind == MULTINOMIAL else 1
    intercept, coef = model or (np.zeros(n_output), np.zeros((n_output, table.mean.size)))
    weights = np.array([0, weight.size]), NO_INDICES, weight, np.zeros(1)
    intercepts, coefs, failed = newton_rows(*weights, table, outcome, alphas, rule, intercept[None], coef[None])
    return intercepts[0], coefs[0], failed[0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", CASES[:3])
@pytest.mark.parametrize("weighted", [False, True])
def test_fits_miss_no_optimality_condition_along_a_path(rng, kind, case, weighted):
    X, what, weight, table, outcome = setting(rng, kind, case)
    scale = penalty_scale(X, weight, "weighted" if weighted else False)
    intercepts, coefs, failed = fit(weight, table, outcome, plain_rule(4, weighted=weighted))
    assert failed == 0
    if kind == "cox" or case != "constant":
        for t, alpha in enumerate(np.minimum(ALPHAS, 1e6)):
            assert losses.breach(kind, X, what, weight, alpha, scale, intercepts[t], coefs[t]) < 1e-7


@pytest.mark.parametrize("kind", KINDS)
def test_a_single_row_gives_no_coefficients(rng, kind):
    _, _, weight, table, outcome = setting(rng, kind, "single")
    intercepts, coefs, failed = fit(weight, table, outcome, plain_rule(4))
    assert failed == 0
    assert (coefs == 0.0).all()
    assert np.isfinite(intercepts).all()


@pytest.mark.one_value
@pytest.mark.parametrize("kind", KINDS)
def test_many_columns_take_another_way_to_the_same_conditions(rng, kind):
    X, what, weight, table, outcome = setting(rng, kind, p=KEPT_COLUMNS + 1)
    intercepts, coefs, failed = fit(weight, table, outcome, plain_rule(KEPT_COLUMNS + 1), ALPHAS[1:])
    assert failed == 0
    for t, alpha in enumerate(ALPHAS[1:]):
        assert losses.breach(kind, X, what, weight, alpha, np.ones(X.shape[1]), intercepts[t], coefs[t]) < 1e-7


@pytest.mark.parametrize("kind", KINDS)
def test_the_two_ways_agree(rng, kind):
    X, _, weight, table, outcome = setting(rng, kind)
    padded = plain_table(np.hstack([X, np.full((12, KEPT_COLUMNS), 1.5)]), np.zeros(12), np.ones(12))
    narrow = fit(weight, table, outcome, plain_rule(4))
    wide = fit(weight, padded, outcome, plain_rule(4 + KEPT_COLUMNS))
    np.testing.assert_allclose(wide[1][..., :4], narrow[1], atol=1e-6)
    np.testing.assert_allclose(np.ptp(wide[0] - narrow[0], axis=1), 0.0, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_the_start_does_not_matter(rng, kind):
    X, _, weight, table, outcome = setting(rng, kind)
    cold, warm = (fit(weight, table, outcome, plain_rule(4), model=m) for m in (None, start(rng, kind, 4, 3.0)))
    for one, other in zip(values(kind, X, cold), values(kind, X, warm), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)


@pytest.mark.more
@pytest.mark.each_value
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("p", "alpha"), [(4, 0.02), (KEPT_COLUMNS + 1, 0.2)])
def test_one_solved_quadratic_is_the_twins_newton_step(rng, kind, p, alpha):
    X, what, weight, table, outcome = setting(rng, kind, p=p)
    one, intercept, coef, wide, path = seat(kind, weight, table, outcome)
    intercept[:], coef[:] = start(rng, kind, p, 0.6 / np.sqrt(p))
    for k in range(intercept.size):
        link_row(one, intercept[k], coef[k], one.state.link[k])
    loss_row(NUMBER[kind], one.state, -1)
    expected = losses.newton_step(kind, X, what, weight, intercept + X @ coef.T, alpha, np.ones(p))
    for k in range(intercept.size):
        level, good = solve_output_row(one, k, alpha, intercept[k], coef[k], wide, path)
        assert good
        assert level == pytest.approx(expected[0][k], abs=1e-7)
        np.testing.assert_allclose(path[0], expected[1][k], atol=1e-7)


@pytest.mark.more
@pytest.mark.parametrize(("kind", "far"), [(kind, 3.0) for kind in KINDS] + [(kind, 100.0) for kind in KINDS[:2]])
def test_a_step_never_raises_the_objective(rng, kind, far):
    X, what, weight, table, outcome = setting(rng, kind)
    one, intercept, coef, wide, path = seat(kind, weight, table, outcome)
    intercept[:], coef[:] = start(rng, kind, 4, far)
    for k in range(intercept.size):
        link_row(one, intercept[k], coef[k], one.state.link[k])
    cost = loss_row(NUMBER[kind], one.state, -1)
    before = losses.objective(kind, X, what, weight, 0.05, np.ones(4), intercept, coef)
    for k in range(intercept.size):
        cost, _, _ = step_output_row(one, k, 0.05, cost, intercept, coef[k], wide, path)
        after = losses.objective(kind, X, what, weight, 0.05, np.ones(4), intercept, coef)
        assert after <= before + 1e-9
        before = after


@pytest.mark.long
@pytest.mark.more
@pytest.mark.parametrize("kind", KINDS)
def test_one_iteration_is_not_enough_and_says_so(rng, kind):
    _, _, weight, table, outcome = setting(rng, kind)
    assert fit(weight, table, outcome, plain_rule(4, max_iter=1), ALPHAS[1:])[2] == 2
    one, *model = seat(kind, weight, table, outcome, max_iter=1)
    assert not newton_row(one, 0.05, *model)


def test_only_attended_rows_are_seated_in_the_order_of_time(rng):
    X, what, weight, table, outcome = setting(rng, "cox")
    weight[[2, 5]] = 0.0
    one, *_ = seat("cox", weight, table, outcome)
    packed, state = one.packed, one.state
    order = [i for i in outcome.order if weight[i] > 0]
    np.testing.assert_array_equal(packed[:, :4], X[order])
    for found, given in ((state.value, what[0]), (state.time, what[1]), (state.weight, weight)):
        np.testing.assert_array_equal(found, given[order])


@pytest.mark.parametrize("p", [4, 8, 9])
def test_links_are_intercept_plus_rows_times_coefficients(rng, p):
    X, coef, link = rng.normal(size=(12, p)), rng.normal(size=p), np.empty(12)
    table, rows = plain_table(X, rng.normal(size=12), np.ones(12)), np.arange(12)
    one, *_ = seat("binomial", np.full(12, 1 / 12), table, Outcome(BINOMIAL, np.ones(12), np.empty(0), rows))
    link_row(one, 0.7, coef, link)
    np.testing.assert_allclose(link, 0.7 + X @ coef)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", CASES)
def test_shares_are_the_weights_of_classes_or_events(rng, kind, case):
    _, what, weight, table, outcome = setting(rng, kind, case)
    one, intercept, *_ = seat(kind, weight, table, outcome)
    share = np.empty(intercept.size)
    assert shares_row(NUMBER[kind], one.state, share) == pytest.approx(1 / (weight**2).sum())
    expected = weight @ (what[0][:, None] if kind == "cox" else losses.happened(kind, what, share.size))
    np.testing.assert_allclose(share, expected)


@pytest.mark.parametrize(("kind", "share", "level"), [(BINOMIAL, 0.0, -1), (BINOMIAL, 1.0, 1), (COX, 0.0, 0)])
def test_pure_rows_are_settled_without_a_step(kind, share, level):
    intercept, coef = np.ones(1), np.ones((1, 3))
    assert settle_pure_row(kind, np.array([share]), 9.0, intercept, coef)
    assert intercept[0] == pytest.approx(level * np.log(19.0))
    assert (coef == 0.0).all()


@pytest.mark.parametrize(("kind", "share"), [(BINOMIAL, 0.5), (COX, 1.0), (COX, 0.1), (MULTINOMIAL, 0.0)])
def test_other_rows_are_not_settled(kind, share):
    intercept, coef = np.ones(1), np.ones((1, 3))
    assert not settle_pure_row(kind, np.array([share]), 9.0, intercept, coef)
    assert intercept[0] == coef[0, 0] == 1.0


@pytest.mark.more
def test_absent_classes_share_the_probability_of_one_unseen_class(rng):
    X, _, weight, table, outcome = setting(rng, "multinomial")
    one, *_ = seat("multinomial", weight, table, outcome)
    share, intercept, coef = np.array([0.0, 1.0, 0.0]), rng.normal(size=3), rng.normal(size=(3, 4))
    settle_absent_row(one.state, np.array([share, share]), 9.0, 4, one.packed, intercept, coef)
    assert (coef[[0, 2]] == 0.0).all()
    chance = losses.probabilities("multinomial", (intercept + weight @ X @ coef.T)[None])[0]
    np.testing.assert_allclose(chance, [0.025, 0.95, 0.025])


@pytest.mark.parametrize("case", CASES)
def test_kept_covariances_are_those_under_the_given_weights(rng, case):
    X, _, weight, table, outcome = setting(rng, "multinomial", case)
    one, *_ = seat("multinomial", weight, table, outcome)
    keep_gram_row(one, 1, weight)
    sums = weighted_moments(X, np.zeros(len(X)), weight)
    np.testing.assert_allclose(one.work.gram[1], sums.gram, atol=1e-14)
    np.testing.assert_allclose(one.work.mean[1], sums.mean)


def test_sizes_are_scaled_norms(rng):
    coef, scale = rng.normal(size=5), rng.uniform(size=5)
    assert size_row(coef, scale) == pytest.approx(scale @ np.abs(coef))


@pytest.mark.parametrize("case", CASES)
def test_weighted_scales_are_weighted_deviations(rng, case):
    X, _, weight, table, outcome = setting(rng, "binomial", case)
    one, *_ = seat("binomial", weight, table, outcome)
    scale = np.full(8, 2.0)
    weighted_scale_row(one.packed, one.state, 4, scale)
    expected = np.sqrt(np.average((X - weight @ X) ** 2, axis=0, weights=weight))
    np.testing.assert_allclose(scale, [*(2.0 * expected), 0, 0, 0, 0], atol=1e-15)


@pytest.mark.parametrize("kind", KINDS)
def test_a_background_is_a_share_of_the_prior(rng, kind):
    _, _, weight, table, outcome = setting(rng, kind)
    dense = 0.5 * weight + 0.5 / 12
    n_output = 3 if kind == "multinomial" else 1
    model = np.zeros((1, n_output)), np.zeros((1, n_output, 4))
    rows, alphas = np.arange(12).astype(np.int32), ALPHAS[1:]
    found = newton_rows(
        np.array([0, 12]), rows, 0.5 * weight, np.array([0.5]), table, outcome, alphas, plain_rule(4), *model
    )
    np.testing.assert_allclose(found[1][0], fit(dense, table, outcome, plain_rule(4), alphas)[1], atol=1e-9)
