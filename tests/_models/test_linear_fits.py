"""Heads of any family: one Newton step, fits to convergence, and means."""

import numpy as np
import pytest
from scipy import sparse

from heedful import local_lasso
from heedful._kernels.shapes import ScoreRows, dense_rows
from heedful._responses.response import SMOOTH
from heedful.attention import attend
from reference.fits import ALPHAS, MODELS, SOFTMAX, FamilyCase, head_values, train_queries
from reference.lasso import weighted_lasso
from reference.losses import KINDS


def twin_step(case, attention, alpha):
    """Return intercepts and coefficients of the twin's step from the baseline, with the family's curvatures."""
    link, x = case.base.fit_.model.link(case.x), case.x[:, : case.p]
    family = case.problem.family
    curve = attention[:, None] * family.hessian(link, case.weight)
    response = link + family.residual(link, case.weight) * attention[:, None] / curve
    return [weighted_lasso(x, z, c, alpha / c.sum(), np.ones(case.p)) for z, c in zip(response.T, curve.T, strict=True)]


@pytest.mark.parametrize("kind", KINDS)
def test_heads_are_one_newton_step_from_the_baseline(rng, kind):
    case = FamilyCase(rng, kind)
    found = case.values()
    for w, t in np.ndindex(2, 2):
        links = []
        for q, weights in enumerate(case.attention(w)):
            steps = twin_step(case, weights, ALPHAS[t + 1])
            links.append([intercept + case.x[q, : case.p] @ coef for intercept, coef in steps])
        np.testing.assert_allclose(found[:, w, t + 1], case.observed(np.array(links)), atol=1e-6)


def test_a_step_goes_no_farther_from_the_baseline_than_its_family_lets_it(rng, monkeypatch):
    case = FamilyCase(rng, "cox")
    free, base = case.values()[:, :, 1:], case.base.fit_.model.link(case.queries.x)[:, :, None]
    farthest = np.median(np.abs(free - base))
    assert farthest < case.problem.family.farthest_step
    monkeypatch.setattr(type(case.problem.family), "farthest_step", farthest)
    found = case.values()[:, :, 1:]
    np.testing.assert_allclose(found, np.clip(free, base - farthest, base + farthest))
    assert 0 < (found == free).sum() < free.size


@pytest.mark.parametrize("kind", KINDS[:2])
def test_heads_of_infinite_penalty_are_the_class_shares_moved_a_little(rng, kind):
    case = FamilyCase(rng, kind)
    classes = np.eye(3)[case.what][:, : case.what.max() + 1]
    overall = np.average(classes, axis=0, weights=case.weight)
    found = case.blend(np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])).local
    np.testing.assert_allclose(found, (1 - SMOOTH) * case.attention(0) @ classes + SMOOTH * overall, atol=1e-9)


def test_a_survival_head_of_infinite_penalty_is_events_over_those_expected(rng):
    case = FamilyCase(rng, "cox")
    hazard = case.problem.family.hazard
    found = np.exp(case.values()[:, 1, 0])
    sums = case.attention(1) @ np.column_stack([case.what[0], hazard])
    overall = np.average(np.column_stack([case.what[0], hazard]), axis=0, weights=case.weight)
    moved = (1 - SMOOTH) * sums + SMOOTH * overall
    np.testing.assert_allclose(found, moved[:, 0] / moved[:, 1])


@pytest.mark.one_value
@pytest.mark.parametrize("kind", ["gaussian", *KINDS])
def test_rows_that_are_not_stored_count_as_rows_of_score_zero(rng, kind):
    case = FamilyCase(rng, kind)
    scores = np.maximum(case.similarity.scores(case.queries.seen) + 3.0, 0.0)
    few = sparse.csr_array(scores)
    assert 0 < few.nnz < scores.size
    stored = ScoreRows(few.indptr.astype(np.int64), few.indices.astype(np.int32), few.data, np.empty(0))
    every, nobody = np.ones((2, 3), dtype=bool), np.zeros((2, 3))
    one, other = (
        case.problem.fit(rows, case.queries.x, SOFTMAX, every, nobody).values for rows in (stored, dense_rows(scores))
    )
    np.testing.assert_allclose(one, other, atol=1e-8)


@pytest.mark.one_value
@pytest.mark.parametrize("kind", KINDS[:2])
def test_heads_to_convergence_are_local_lassos(rng, kind):
    case = FamilyCase(rng, kind)
    found = case.values(problem=case.exact())
    for w, t in np.ndindex(2, 2):
        weights = case.attention(w)
        fits = local_lasso(case.x[:, : case.p], case.y, weights, alpha=ALPHAS[t + 1], family=kind, standardize=False)
        coef = fits.coef_.reshape(7, -1, case.p)
        links = fits.intercept_.reshape(7, -1) + np.einsum("qkj,qj->qk", coef, case.x[:7, : case.p])
        np.testing.assert_allclose(found[:, w, t + 1], case.observed(links), atol=1e-6)


def test_survival_heads_to_convergence_are_local_lassos_at_the_level_of_attended_events(rng):
    case = FamilyCase(rng, "cox")
    found = case.values(problem=case.exact())[:, 0, 2]
    weights, x = case.attention(0), case.x[:, : case.p]
    coef = local_lasso(x, case.y, weights, alpha=0.05, family="cox", standardize=False).coef_
    events = weights @ case.what[0]
    expected = (weights * np.exp(coef @ x.T) * case.problem.family.hazard).sum(axis=1)
    overall = np.average(case.what[0], weights=case.weight)
    level = np.log((1 - SMOOTH) * events + SMOOTH * overall) - np.log((1 - SMOOTH) * expected + SMOOTH * overall)
    np.testing.assert_allclose(found, level + (coef * x[:7]).sum(axis=1), atol=1e-6)


def test_heads_of_a_squared_loss_are_local_lassos(rng):
    case = FamilyCase(rng, "gaussian")
    unit, found = case.base.fit_.scale.y_unit, case.values()
    for w, t in np.ndindex(2, 3):
        alpha = ALPHAS[t] * unit
        fits = local_lasso(case.x[:, : case.p], case.y, case.attention(w), alpha=alpha, standardize=False)
        expected = fits.intercept_ + (fits.coef_ * case.x[:7, : case.p]).sum(axis=1)
        np.testing.assert_allclose(found[:, w, t], expected, atol=1e-6)


@pytest.mark.parametrize("kind", MODELS)
def test_unwanted_heads_are_left_out(rng, kind):
    case, wanted = FamilyCase(rng, kind), np.array([[True, False, True], [False, True, False]])
    some, every = case.values(wanted), case.values()
    assert np.isnan(some[:, ~wanted]).all()
    np.testing.assert_allclose(some[:, wanted], every[:, wanted], atol=1e-7)


@pytest.mark.one_value
@pytest.mark.parametrize("kind", MODELS)
def test_training_rows_by_number_are_predicted_without_themselves(rng, kind):
    case, rows = FamilyCase(rng, kind), np.array([3, 50])
    queries, happened = train_queries(case.x, rows), case.base.fit_.family.part(rows)
    found = head_values(case.group, case.problem, queries, happened, np.ones((2, 3), dtype=bool))
    scores = case.similarity.scores(case.x[rows, : case.p])
    scores[[0, 1], rows] = -np.inf
    weights = attend(scores, 0.5, case.weight).toarray()
    if kind in KINDS[:2]:
        share = (1 - SMOOTH) * weights @ np.eye(3)[case.what]
        share += SMOOTH * np.average(np.eye(3)[case.what], axis=0, weights=case.weight)
        np.testing.assert_allclose(found[:, 0, 0], share[[0, 1], case.what[rows]])
    elif kind == "gaussian":
        np.testing.assert_allclose(found[:, 0, 0], weights @ case.y)
