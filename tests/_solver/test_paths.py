"""Paths of penalties under any family, and the tables whose lasso is one Newton step."""

import numpy as np
import pytest
from scipy.linalg import eigh
from sklearn.exceptions import ConvergenceWarning

from heedful._kernels.shapes import Rule
from heedful._solver.paths import Paths, fit_paths, no_model, warn_unconverged, working_tables
from heedful._solver.table import Scale, build_table, measure
from heedful._solver.weights import WeightRows, whole_table
from reference import losses
from reference.cases import family_table
from reference.lasso import weighted_lasso
from reference.losses import KINDS
from reference.rows import classes_of, numbers_of, survival_of

PENALTIES = np.array([np.inf, 0.2, 0.05])


def plain(p):
    """Return the scale that leaves columns as they are."""
    return Scale(np.zeros(p), np.ones(p), 0.0, 1.0)


def rule_of(scale):
    return Rule(scale.pad(np.ones(scale.center.size)), False, np.zeros(scale.width), 1e-11, 10_000)


def dense_weights(weights):
    share = weights / weights.sum(axis=1, keepdims=True)
    indptr = np.arange(len(weights) + 1) * weights.shape[1]
    return WeightRows(indptr, np.empty(0, np.int32), share.ravel(), np.zeros(len(weights)))


def family_of(kind, what, *, symmetric=False):
    return survival_of(*what) if kind == "cox" else classes_of(what, what.max() + 1, symmetric=symmetric)


def one_step(X, family, link, prior, attention, alpha):
    """Return intercepts (n_outputs,) and coefficients of one Newton step from ``link`` under attention weights."""
    scale, squares = plain(X.shape[1]), numbers_of(np.zeros(len(X))).outcome
    steps = []
    for table in working_tables(X, family, link, prior, scale):
        weights = dense_weights((attention * table.prior / prior)[None])
        paths = fit_paths(weights, table, squares, np.array([alpha]), rule_of(scale), no_model(1, scale.width))
        steps.append((paths.intercept[0, 0, 0], paths.coef[0, 0, 0, : X.shape[1]]))
    return np.array([step[0] for step in steps]), np.array([step[1] for step in steps])


def setting(rng, kind):
    """Return rows, what happened, weights twice, and a link of small spread: no curvature is near its lower limit."""
    X, _, what, weights = family_table(rng, kind, n_query=2)
    prior, attention = weights + 0.1
    return X, what, prior, attention / attention.sum(), 0.5 * rng.normal(size=(40, 3 if kind == "multinomial" else 1))


@pytest.mark.parametrize("alpha", [0.02, 0.1])
def test_a_step_of_two_classes_is_the_twins_newton_step(rng, alpha):
    X, what, prior, attention, link = setting(rng, "binomial")
    found = one_step(X, family_of("binomial", what), link, prior, attention, alpha)
    expected = losses.newton_step("binomial", X, what, attention, link, alpha, np.ones(5))
    for mine, twin in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine, twin, atol=1e-7)


@pytest.mark.parametrize("alpha", [0.02, 0.1])
def test_a_step_of_two_classes_that_are_alike_is_that_of_their_log_odds(rng, alpha):
    X, what, prior, attention, link = setting(rng, "binomial")
    one = one_step(X, family_of("binomial", what), link, prior, attention, alpha)
    alike, both = family_of("binomial", what, symmetric=True), np.hstack([-link, link]) / 2
    two = one_step(X, alike, both, prior, attention, alpha)
    np.testing.assert_allclose(two[0][1] - two[0][0], one[0][0], atol=1e-7)
    np.testing.assert_allclose(two[1][1] - two[1][0], one[1][0], atol=1e-7)


@pytest.mark.parametrize("alpha", [0.02, 0.1])
def test_a_step_of_many_classes_has_curvatures_that_bound_them_together(rng, alpha):
    X, what, prior, attention, link = setting(rng, "multinomial")
    found = one_step(X, family_of("multinomial", what), link, prior, attention, alpha)
    chance = losses.probabilities("multinomial", link)
    tops = [eigh(np.diag(p) - np.outer(p, p), np.diag(p * (1 - p)), eigvals_only=True)[-1] for p in chance]
    curve = losses.curvature("multinomial", link, what, attention) * np.array(tops)[:, None]
    response = link - losses.slope("multinomial", link, what, attention) / curve
    for k in range(3):
        twin = weighted_lasso(X, response[:, k], curve[:, k], alpha / curve[:, k].sum(), np.ones(5))
        assert found[0][k] == pytest.approx(twin[0], abs=1e-7)
        np.testing.assert_allclose(found[1][k], twin[1], atol=1e-7)


def test_a_step_of_survival_under_the_weights_of_all_rows_is_the_twins_newton_step(rng):
    X, what, prior, _, link = setting(rng, "cox")
    # no row may expect so few events that the lower limit of curvatures counts
    what[0][np.argmin(what[1])] = 1.0
    link += 3.0 * (losses.hazard(link[:, 0], what, prior) * np.exp(link[:, 0]) < 0.02)[:, None]
    found = one_step(X, family_of("cox", what), link, prior, prior / prior.sum(), 0.05)
    twin = losses.newton_step("cox", X, what, prior / prior.sum(), link, 0.05, np.ones(5))
    np.testing.assert_allclose(found[0], twin[0], atol=1e-6)
    np.testing.assert_allclose(found[1], twin[1], atol=1e-6)


def test_a_step_of_survival_under_attention_holds_the_hazard_fixed(rng):
    X, what, prior, attention, link = setting(rng, "cox")
    found = one_step(X, family_of("cox", what), link, prior, attention, 0.05)
    expected = np.exp(link[:, 0]) * losses.hazard(link[:, 0], what, prior)
    bend = np.maximum(expected, 0.0099)
    curve, response = attention * bend, link[:, 0] + (what[0] - expected) / bend
    intercept, coef = weighted_lasso(X, response, curve, 0.05 / curve.sum(), np.ones(5))
    assert found[0][0] == pytest.approx(intercept, abs=1e-7)
    np.testing.assert_allclose(found[1][0], coef, atol=1e-7)


def test_a_squared_loss_has_one_table_of_its_response(rng):
    X, y, weight = rng.normal(size=(20, 3)), rng.normal(size=20), rng.uniform(size=20)
    (table,) = working_tables(X, numbers_of(y), rng.normal(size=(20, 1)), weight, plain(3))
    np.testing.assert_allclose(table.y, y)
    np.testing.assert_array_equal(table.prior, weight)
    assert table.inverse.size == 0


@pytest.mark.one_value
@pytest.mark.parametrize("kind", KINDS)
def test_steps_that_are_repeated_end_in_the_fit(rng, kind):
    X, what, prior, _, link = setting(rng, kind)
    family, share = family_of(kind, what), prior / prior.sum()
    for _ in range(300):
        intercept, coef = one_step(X, family, link, prior, share, 0.1)
        link = intercept + X @ coef.T
    assert losses.breach(kind, X, what, prior, 0.1, np.ones(5), intercept, coef) < 1e-4


def test_paths_of_a_squared_loss_equal_the_twin(rng):
    X, y, weights = rng.normal(size=(30, 4)), rng.normal(size=30), rng.uniform(size=(2, 30))
    family, scale = numbers_of(y), plain(4)
    table = build_table(X, y, np.ones(30), scale)
    paths = fit_paths(dense_weights(weights), table, family.outcome, PENALTIES, rule_of(scale), no_model(1, 8))
    for q, t in np.ndindex(2, 3):
        intercept, coef = weighted_lasso(X, y, weights[q], min(PENALTIES[t], 1e6), np.ones(4))
        assert paths.intercept[q, t, 0] == pytest.approx(intercept, abs=1e-8)
        np.testing.assert_allclose(paths.coef[q, t, 0, :4], coef, atol=1e-8)


@pytest.mark.parametrize("kind", KINDS)
def test_paths_of_other_losses_miss_no_optimality_condition(rng, kind):
    X, _, what, weights = family_table(rng, kind)
    scale, family = plain(5), family_of(kind, what)
    table, nothing = build_table(X, np.zeros(40), np.ones(40), scale), no_model(family.n_outputs, 8)
    paths = fit_paths(dense_weights(weights), table, family.outcome, PENALTIES, rule_of(scale), nothing)
    assert paths.n_failed == 0
    for q, t in np.ndindex(3, 3):
        model = paths.intercept[q, t], paths.coef[q, t, :, :5]
        assert losses.breach(kind, X, what, weights[q], min(PENALTIES[t], 1e6), np.ones(5), *model) < 1e-7


@pytest.mark.parametrize("kind", KINDS)
def test_each_fit_may_have_a_start_of_its_own(rng, kind):
    X, _, what, weights = family_table(rng, kind)
    scale, family = plain(5), family_of(kind, what)
    table, nothing = build_table(X, np.zeros(40), np.ones(40), scale), no_model(family.n_outputs, 8)
    shared = dense_weights(weights), table, family.outcome
    first = fit_paths(*shared, PENALTIES[:2], rule_of(scale), nothing)
    last = fit_paths(*shared, PENALTIES[2:], rule_of(scale), first.last(), n_jobs=2)
    whole = fit_paths(*shared, PENALTIES, rule_of(scale), nothing)
    np.testing.assert_allclose(last.coef[:, 0], whole.coef[:, 2], atol=1e-7)


def test_the_whole_table_weighs_rows_by_their_prior(rng):
    X, y, prior = rng.normal(size=(30, 4)), rng.normal(size=30), rng.uniform(size=30)
    scale = plain(4)
    table, how = build_table(X, y, prior, scale), (PENALTIES, rule_of(scale), no_model(1, 8))
    one = fit_paths(whole_table(), table, numbers_of(y).outcome, *how)
    other = fit_paths(dense_weights(prior[None]), table, numbers_of(y).outcome, *how)
    np.testing.assert_allclose(one.coef, other.coef, atol=1e-9)


def test_unscaled_paths_say_the_same_of_original_rows(rng):
    X, y = rng.normal(2.0, 3.0, size=(30, 4)), rng.normal(5.0, 7.0, size=30)
    scale = measure(X, y)
    paths = Paths(rng.normal(size=(2, 3, 1)), np.zeros((2, 3, 1, 8)), 0)
    paths.coef[..., :4] = rng.normal(size=(2, 3, 1, 4))
    intercept, coef = paths.unscaled(scale)
    for q, t in np.ndindex(2, 3):
        link = scale.y_center + scale.y_unit * paths.model(q, t).link(scale.rows(X))
        np.testing.assert_allclose(intercept[q, t] + X @ coef[q, t].T, link)


def test_models_are_cut_out_of_paths(rng):
    paths = Paths(rng.normal(size=(2, 3, 4)), rng.normal(size=(2, 3, 4, 5)), 0)
    for model, expected in ((paths.model(1, 2), (1, 2)), (paths.last(), (slice(None), 2))):
        np.testing.assert_array_equal(model.intercept, paths.intercept[expected])
        np.testing.assert_array_equal(model.coef, paths.coef[expected])


def test_unconverged_fits_are_counted_in_one_warning():
    with pytest.warns(ConvergenceWarning, match=r"3 of 7 lasso fits stopped before they converged \(max_iter=5\)"):
        warn_unconverged(3, 7, 5)
    warn_unconverged(0, 7, 5)
