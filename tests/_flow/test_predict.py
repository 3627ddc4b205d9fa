"""A batch of queries: heads and attention blended by share, block by block."""

import numpy as np
import pytest

from heedful._flow.heads import Queries, make_grid
from heedful._flow.kinds import Run, View
from heedful._flow.predict import Heads, QueryBatch, Wanted, predict_blocks
from reference.fits import MODELS, FamilyCase
from reference.losses import KINDS


@pytest.mark.parametrize(("kind", "exact"), [*((kind, False) for kind in MODELS), *((kind, True) for kind in KINDS)])
def test_values_and_coefficients_are_blended_by_share(rng, kind, exact):
    case = FamilyCase(rng, kind)
    problem, shares = case.exact() if exact else case.problem, rng.dirichlet(np.ones(6)).reshape(2, 3) * 0.8
    blend = case.blend(shares, problem)
    value, coef = np.zeros(blend.local.shape), np.zeros(blend.coef.shape)
    for w, t in np.ndindex(2, 3):
        one = case.blend(np.where(np.arange(6).reshape(2, 3) == 3 * w + t, 1.0, 0.0), problem)
        value, coef = value + shares[w, t] * one.local, coef + shares[w, t] * one.coef
    np.testing.assert_allclose(blend.local, value, atol=1e-9)
    np.testing.assert_allclose(blend.coef, coef, atol=1e-9)


@pytest.mark.parametrize("kind", MODELS)
def test_results_are_the_same_to_the_bit_for_any_number_of_jobs(rng, kind):
    case, shares = FamilyCase(rng, kind), np.full((2, 3), 1 / 6)
    queries = Queries(case.x, case.x[:, : case.p])
    one, two = (case.blend(shares, queries=queries, n_jobs=jobs) for jobs in (1, 2))
    for name in ("value", "local", "coef", "mixing", "n_failed"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    np.testing.assert_array_equal(one.attention.toarray(), two.attention.toarray())


def test_probabilities_of_queries_whose_class_nobody_knows_sum_to_one(rng):
    blend = FamilyCase(rng, "binomial").blend(np.full((2, 3), 1 / 6))
    np.testing.assert_allclose(blend.local.sum(axis=1), 1.0)


def attend_by(case, shares, rows):
    """Return the attention of some queries to heads of two temperatures and two penalties."""
    nothing, seen = np.empty((0, 0)), case.queries.seen[rows]
    view = View(nothing, nothing, case.queries.x[rows], np.zeros((len(seen), 2)))
    grid = make_grid([case.similarity], (0.5, 2.0), (1.0, 0.3))
    heads = Heads(grid, case.problem, shares, shares, shares.sum(), 1.0, None)
    return predict_blocks(
        QueryBatch(view, [seen]), heads, Wanted(models=False, attention=True), Run()
    ).attention.toarray()


def test_attention_is_blended_by_share_and_is_the_prior_without_any(rng):
    case, shares = FamilyCase(rng, "binomial"), np.array([0.1, 0.2, 0.1, 0.0])
    found = attend_by(case, shares, slice(0, 7))
    np.testing.assert_allclose(found, 0.75 * case.attention(0) + 0.25 * case.attention(1), atol=1e-12)
    plain = attend_by(case, 0 * shares, slice(2, 5))
    np.testing.assert_allclose(plain, np.tile(case.weight / case.weight.sum(), (3, 1)))
