"""A family without a kernel of its own is fitted by lassos of working responses: R's glmnet has the same minimum."""

import json
from pathlib import Path

import numpy as np
import pytest

from heedful._kernels.shapes import OTHER, Rule
from heedful._responses import Classification, CountsOrCosts, Response
from heedful._solver.constraints import Constraints, make_rule
from heedful._solver.paths import Model, no_model
from heedful._solver.table import build_table, measure
from heedful._solver.weights import read_weights
from heedful._solver.working import everyone, fit_family, objective
from reference.rows import classes_of, costs_of

GLMNET = json.loads((Path(__file__).parents[1] / "fixtures" / "glmnet_poisson.json").read_text())
CASES = [pytest.param(case, id="-".join(map(str, list(case.values())[:3]))) for case in GLMNET["cases"]]


def fit(X, family, weights, alpha, standardize):
    rows, prior = read_weights(weights, X.shape[0])
    scale = measure(X, family.response)
    table = build_table(X, family.response, prior, scale)
    penalty_scale = scale.pad(np.ones(X.shape[1]) if standardize else 1.0 / scale.unit)
    rule = Rule(penalty_scale, standardize, np.zeros(scale.width), 1e-9, 10_000)
    paths = fit_family(rows, table, family, np.array([alpha]), rule, no_model(1, scale.width))
    assert paths.n_failed == 0
    intercept, coef = paths.unscaled(scale)
    return intercept[:, 0] + coef[:, 0, 0] @ X.T


class KernelFreeCounts(CountsOrCosts):
    """Counts whose loss no kernel is told of."""

    outcome = Response.outcome


@pytest.mark.parametrize("case", CASES)
def test_counts_equal_glmnet(case):
    X, weights = np.array(GLMNET["X"]), np.array(GLMNET["W"])[[case["weights_row"]]]
    found = fit(
        X,
        costs_of(np.array(GLMNET["y"], dtype=float), 1.0, kind=KernelFreeCounts),
        weights,
        case["lambda"],
        case["standardize"],
    )[0]
    expected = case["coef"][0] + X @ np.array(case["coef"][1:])
    assert np.abs(found - expected).max() <= 1e-4 * max(expected.std(), 1e-8)


class KernelFree(Classification):
    """Two classes whose loss no kernel is told of."""

    @property
    def outcome(self):
        return super().outcome._replace(kind=OTHER)


@pytest.mark.parametrize("standardize", [True, False])
def test_working_responses_and_the_kernel_have_the_same_minimum(rng, standardize):
    X = rng.normal(size=(80, 5))
    y = (X[:, 0] + rng.normal(size=80) > 0).astype(float)
    weights = rng.uniform(size=(3, 80)) * (rng.uniform(size=(3, 80)) > 0.3)
    families = (classes_of(y, 2, kind=kind) for kind in (KernelFree, Classification))
    found, expected = (fit(X, family, weights, 0.02, standardize) for family in families)
    np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.more
@pytest.mark.parametrize("weighted", [True, False])
def test_groups_and_factors_have_the_same_minimum_both_ways_from_any_start(rng, weighted):
    X = rng.normal(size=(60, 5)) * [1.0, 5.0, 0.2, 1.0, 2.0]
    y = (X[:, 0] + X[:, 2] + rng.normal(size=60) > 0).astype(float)
    rows, prior = read_weights(rng.uniform(size=(2, 60)), 60)
    scale = measure(X, np.zeros(60))
    table = build_table(X, np.zeros(60), prior, scale)
    asked = Constraints(factor=np.array([1.0, 1.0, 0.3, 0.3, 2.0]), groups=np.array([0, 0, 1, 1, 2]))
    rule = make_rule(scale, asked, weighted=weighted, start=np.zeros(scale.width), tol=1e-9, max_iter=10_000)
    far = Model(rng.normal(size=(2, 1)), np.zeros((2, 1, scale.width)))
    start = no_model(1, scale.width)
    expected = fit_family(rows, table, classes_of(y, 2), np.array([0.03]), rule, start).coef
    assert (expected != 0).any()
    for begin in (start, far):
        found = fit_family(rows, table, classes_of(y, 2, kind=KernelFree), np.array([0.03]), rule, begin).coef
        np.testing.assert_allclose(found, expected, atol=1e-5)


def test_what_is_minimised_is_the_mean_loss_and_the_norms_of_groups(rng):
    x, weight = rng.normal(size=(20, 8)), rng.uniform(size=20)
    family, groups = costs_of(rng.poisson(1.0, 20).astype(float), 1.0), np.array([0, 0, 1, 2, 2, 2, 3, 4])
    model, factor = Model(np.array([0.3]), rng.normal(size=(1, 8))), rng.uniform(0.5, 2.0, 8)
    loss = np.average(family.losses(model.link(x)[:, 0]).value, weights=weight)
    for known in (None, groups):
        own = np.arange(8) if known is None else known
        norms = sum(np.linalg.norm((factor * model.coef[0])[own == g]) for g in np.unique(own))
        rule = Rule(factor, False, np.zeros(8), 1e-9, 100, np.inf, None, known)
        assert objective(x, family, weight, 0.7, rule, model) == pytest.approx(loss + 0.7 * norms)


def test_everyone_has_the_weight_that_was_given(rng):
    X, weights = rng.normal(size=(30, 2)), rng.uniform(size=(3, 30)) * (rng.uniform(size=(3, 30)) > 0.4)
    rows, prior = read_weights(weights, 30)
    table = build_table(X, np.zeros(30), prior, measure(X, np.zeros(30)))
    for q in range(3):
        np.testing.assert_allclose(everyone(rows, q, table), weights[q] / weights[q].sum(), atol=1e-15)
    # rows that are not stored have their prior
    own = rows._replace(background=np.full(3, 0.25))
    np.testing.assert_allclose(everyone(own, 1, table), weights[1] / weights[1].sum() + 0.25 * prior / prior.sum())
