"""Heads of any family: one Newton step, fits to convergence, means, and how they are blended."""

import numpy as np
import pytest
from heedful._models.blocks import Queries, blended_attention, fit_heads

from heedful import local_lasso
from heedful._kernels.shapes import Rule
from heedful._models.linear import make_problem
from heedful._solver import Scale, build_table
from heedful._solver.families import SMOOTH
from heedful._tuning.grid import make_grid
from heedful.attention import attend
from heedful.attention._weighting import Weighting
from heedful.baseline import CoxBaseline, LassoBaseline, LogisticBaseline
from heedful.baseline._folds import random_splits
from heedful.similarity import GaussianSimilarity
from reference.cases import family_table
from reference.lasso import weighted_lasso
from reference.losses import KINDS

MODELS = {"gaussian": LassoBaseline, "binomial": LogisticBaseline, "multinomial": LogisticBaseline, "cox": CoxBaseline}
SOFTMAX = [Weighting("softmax", 0.5), Weighting("softmax", 2.0)]
ALPHAS = np.array([np.inf, 0.1, 0.05])
ALL = np.ones((2, 3), dtype=bool)


class Case:
    """Training rows on the baseline's scale, a similarity of them, and the local problem near the baseline."""

    def __init__(self, rng, kind, n=60, p=3):
        X, y, self.what, (weight, *_) = family_table(rng, "binomial" if kind == "gaussian" else kind, n, p)
        self.kind, self.weight = kind, weight + 0.5
        self.y = X[:, 0] * X[:, 1] if kind == "gaussian" else y
        splits = random_splits(n, 5, 0)
        self.base = MODELS[kind](0.1).fit(X, self.y, sample_weight=self.weight, splits=splits)
        self.x = self.base.fit_.scale.rows(X)
        width = self.x.shape[1]
        rule = Rule(self.base.fit_.scale.pad(np.ones(p)), False, np.zeros(width), 1e-10, 10_000)
        shared = self.base.fit_.family, self.weight, self.base.fit_.model, rule, ALPHAS
        self.problem, self.n, self.p = make_problem(self.x, *shared), n, p
        self.similarity = GaussianSimilarity(standardize=False).fit(self.x[:, :p])
        self.queries = Queries(self.x[:7], self.x[:7, :p], self.base.fit_.family.part(np.arange(7)))

    def fit(self, wanted=ALL, shares=None, problem=None, **changes):
        shares = np.zeros((2, 3)) if shares is None else shares
        how = (problem or self.problem), (changes.pop("queries", None) or self.queries), wanted, shares
        return fit_heads(self.similarity, SOFTMAX, *how, n_jobs=changes.pop("n_jobs", 1))

    def attention(self, w):
        """Return the weights of the queries under one weighting, without curvatures."""
        return attend(self.similarity.scores(self.x[:7, : self.p]), SOFTMAX[w].temperature, self.weight).toarray()

    def exact(self):
        """Return the problem for fits to convergence."""
        width = self.x.shape[1]
        plain = Scale(np.zeros(width), np.ones(width), 0.0, 1.0)
        return self.problem._replace(exact=build_table(self.x, np.zeros(self.n), self.weight, plain))

    def observed(self, links):
        """Return the values that the loss looks at, for links (n_query, n_weighting, n_ratio, n_outputs)."""
        return self.queries.happened.observed(self.problem.family.values(links))


def twin_step(case, attention, alpha):
    """Return intercepts and coefficients of the twin's step from the baseline, with the family's curvatures."""
    link, x = case.base.fit_.model.link(case.x), case.x[:, : case.p]
    family = case.problem.family
    curve = attention[:, None] * family.hessian(link, case.weight)
    response = link + family.residual(link, case.weight) * attention[:, None] / curve
    return [weighted_lasso(x, z, c, alpha / c.sum(), np.ones(case.p)) for z, c in zip(response.T, curve.T, strict=True)]


@pytest.mark.parametrize("kind", KINDS)
def test_heads_are_one_newton_step_from_the_baseline(rng, kind):
    case = Case(rng, kind)
    found = case.fit().observed
    for w, t in np.ndindex(2, 2):
        links = []
        for q, weights in enumerate(case.attention(w)):
            steps = twin_step(case, weights, ALPHAS[t + 1])
            links.append([intercept + case.x[q, : case.p] @ coef for intercept, coef in steps])
        np.testing.assert_allclose(found[:, w, t + 1], case.observed(np.array(links)), atol=1e-6)


@pytest.mark.parametrize("kind", KINDS[:2])
def test_heads_of_infinite_penalty_are_the_class_shares_moved_a_little(rng, kind):
    case = Case(rng, kind)
    classes = np.eye(3)[case.what][:, : case.what.max() + 1]
    overall = np.average(classes, axis=0, weights=case.weight)
    found = case.fit(shares=np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])).value
    np.testing.assert_allclose(found, (1 - SMOOTH) * case.attention(0) @ classes + SMOOTH * overall, atol=1e-9)


def test_a_survival_head_of_infinite_penalty_is_events_over_those_expected(rng):
    case = Case(rng, "cox")
    hazard = case.problem.family.hazard
    found = np.exp(case.fit().observed[:, 1, 0])
    sums = case.attention(1) @ np.column_stack([case.what[0], hazard])
    overall = np.average(np.column_stack([case.what[0], hazard]), axis=0, weights=case.weight)
    moved = (1 - SMOOTH) * sums + SMOOTH * overall
    np.testing.assert_allclose(found, moved[:, 0] / moved[:, 1])


@pytest.mark.parametrize("kind", KINDS[:2])
def test_heads_to_convergence_are_local_lassos(rng, kind):
    case = Case(rng, kind)
    found = case.fit(problem=case.exact()).observed
    for w, t in np.ndindex(2, 2):
        weights = case.attention(w)
        fits = local_lasso(case.x[:, : case.p], case.y, weights, alpha=ALPHAS[t + 1], family=kind, standardize=False)
        coef = fits.coef_.reshape(7, -1, case.p)
        links = fits.intercept_.reshape(7, -1) + np.einsum("qkj,qj->qk", coef, case.x[:7, : case.p])
        np.testing.assert_allclose(found[:, w, t + 1], case.observed(links), atol=1e-6)


def test_survival_heads_to_convergence_are_local_lassos_at_the_level_of_attended_events(rng):
    case = Case(rng, "cox")
    found = case.fit(problem=case.exact()).observed[:, 0, 2]
    weights, x = case.attention(0), case.x[:, : case.p]
    coef = local_lasso(x, case.y, weights, alpha=0.05, family="cox", standardize=False).coef_
    events = weights @ case.what[0]
    expected = (weights * np.exp(coef @ x.T) * case.problem.family.hazard).sum(axis=1)
    overall = np.average(case.what[0], weights=case.weight)
    level = np.log((1 - SMOOTH) * events + SMOOTH * overall) - np.log((1 - SMOOTH) * expected + SMOOTH * overall)
    np.testing.assert_allclose(found, level + (coef * x[:7]).sum(axis=1), atol=1e-6)


def test_heads_of_a_squared_loss_are_local_lassos(rng):
    case = Case(rng, "gaussian")
    unit, found = case.base.fit_.scale.y_unit, case.fit().observed
    for w, t in np.ndindex(2, 3):
        alpha = ALPHAS[t] * unit
        fits = local_lasso(case.x[:, : case.p], case.y, case.attention(w), alpha=alpha, standardize=False)
        expected = fits.intercept_ + (fits.coef_ * case.x[:7, : case.p]).sum(axis=1)
        np.testing.assert_allclose(found[:, w, t], expected, atol=1e-6)


@pytest.mark.parametrize(("kind", "exact"), [*((kind, False) for kind in MODELS), *((kind, True) for kind in KINDS)])
def test_values_and_coefficients_are_blended_by_share(rng, kind, exact):
    case = Case(rng, kind)
    problem, shares = case.exact() if exact else case.problem, rng.dirichlet(np.ones(6)).reshape(2, 3) * 0.8
    blend = case.fit(shares=shares, problem=problem)
    value, coef = np.zeros(blend.value.shape), np.zeros(blend.coef.shape)
    for w, t in np.ndindex(2, 3):
        one = case.fit(shares=np.where(np.arange(6).reshape(2, 3) == 3 * w + t, 1.0, 0.0), problem=problem)
        value, coef = value + shares[w, t] * one.value, coef + shares[w, t] * one.coef
    np.testing.assert_allclose(blend.value, value, atol=1e-9)
    np.testing.assert_allclose(blend.coef, coef, atol=1e-9)


@pytest.mark.parametrize("kind", MODELS)
def test_unwanted_heads_are_left_out(rng, kind):
    case, wanted = Case(rng, kind), np.array([[True, False, True], [False, True, False]])
    some, every = case.fit(wanted).observed, case.fit().observed
    assert np.isnan(some[:, ~wanted]).all()
    np.testing.assert_allclose(some[:, wanted], every[:, wanted], atol=1e-7)


@pytest.mark.parametrize("kind", MODELS)
def test_results_are_the_same_to_the_bit_for_any_number_of_jobs(rng, kind):
    case, shares = Case(rng, kind), np.full((2, 3), 1 / 6)
    queries = Queries(case.x, case.x[:, : case.p], case.base.fit_.family)
    one, two = (case.fit(shares=shares, queries=queries, n_jobs=jobs) for jobs in (1, 2))
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("kind", MODELS)
def test_training_rows_by_number_are_predicted_without_themselves(rng, kind):
    case, rows = Case(rng, kind), np.array([3, 50])
    queries = Queries(case.x[rows], np.empty((0, 0)), case.base.fit_.family.part(rows), rows)
    found = case.fit(queries=queries).observed
    scores = case.similarity.scores(case.x[rows, : case.p])
    scores[[0, 1], rows] = -np.inf
    weights = attend(scores, 0.5, case.weight).toarray()
    if kind in KINDS[:2]:
        share = (1 - SMOOTH) * weights @ np.eye(3)[case.what]
        share += SMOOTH * np.average(np.eye(3)[case.what], axis=0, weights=case.weight)
        np.testing.assert_allclose(found[:, 0, 0], share[[0, 1], case.what[rows]])
    elif kind == "gaussian":
        np.testing.assert_allclose(found[:, 0, 0], weights @ case.y)


def test_without_knowing_what_happened_nothing_is_observed(rng):
    case = Case(rng, "binomial")
    fits = case.fit(queries=Queries(case.x[:7], case.x[:7, : case.p]), shares=np.full((2, 3), 1 / 6))
    assert fits.observed.shape == (7, 0)
    np.testing.assert_allclose(fits.value.sum(axis=1), 1.0)


def test_attention_is_blended_by_share_and_is_the_prior_without_any(rng):
    case = Case(rng, "binomial")
    grid, queries = make_grid([case.similarity], (0.5, 2.0), (1.0, 0.3)), [case.queries]
    shares = np.array([0.1, 0.2, 0.1, 0.0])
    found = blended_attention([case.similarity], grid, shares, case.weight, queries, slice(0, 7)).toarray()
    np.testing.assert_allclose(found, 0.75 * case.attention(0) + 0.25 * case.attention(1), atol=1e-12)
    plain = blended_attention([case.similarity], grid, 0 * shares, case.weight, queries, slice(2, 5)).toarray()
    np.testing.assert_allclose(plain, np.tile(case.weight / case.weight.sum(), (3, 1)))
