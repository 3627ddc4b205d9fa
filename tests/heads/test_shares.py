"""Shares: the best convex blend, held against a general optimiser."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from heedful.heads._shares import Outside, fit_many, fit_one, head_errors, smallest_in_hull


def outside(rng, n=60, n_heads=5, weight=None):
    y = rng.normal(size=n)
    heads = y[:, None] + rng.normal(size=(n, n_heads)) * np.linspace(0.5, 2, n_heads)
    return Outside(heads, y + rng.normal(size=n), y, np.ones(n) if weight is None else weight)


def blend_error(share, part):
    blend = (1 - share.sum()) * part.baseline + part.heads @ share
    return np.average((part.y - blend) ** 2, weights=part.weight)


def best_by_general_optimiser(part):
    size = part.heads.shape[1]
    limit = {"type": "ineq", "fun": lambda share: 1 - share.sum()}
    start = np.full(size, 0.5 / size)
    return minimize(blend_error, start, (part,), "SLSQP", bounds=[(0, 1)] * size, constraints=limit, tol=1e-12)


def test_many_shares_minimise_the_error_on_the_simplex(rng):
    part = outside(rng, weight=rng.uniform(0.5, 2, size=60))
    share = fit_many(part, None)
    assert (share >= 0).all()
    assert share.sum() <= 1 + 1e-12
    assert blend_error(share, part) <= best_by_general_optimiser(part).fun + 1e-9


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 12), st.integers(2, 40))
def test_no_vertex_beats_the_fitted_blend(seed, n_heads, n):
    part = outside(np.random.default_rng(seed), n, n_heads)
    share = fit_many(part, None)
    vertices = [np.zeros(n_heads), *np.eye(n_heads)]
    assert blend_error(share, part) <= min(blend_error(v, part) for v in vertices) + 1e-9


@pytest.mark.parametrize("mixing", [0.3, 1.0])
def test_a_fixed_mixing_is_the_sum_of_many_shares_and_the_one_share(rng, mixing):
    part = outside(rng)
    assert fit_many(part, mixing).sum() == pytest.approx(mixing)
    assert fit_one(part, mixing).max() == mixing
    assert (fit_one(part, mixing) > 0).sum() == 1


def test_one_head_takes_the_closed_form_mixing_of_the_best_head(rng):
    part = outside(rng)
    grid = [blend_error(m * vertex, part) for vertex in np.eye(5) for m in np.linspace(0, 1, 201)]
    share = fit_one(part, None)
    assert (share > 0).sum() == 1
    assert blend_error(share, part) <= min(grid) + 1e-12


def test_heads_that_equal_the_baseline_get_no_share(rng):
    part = outside(rng)
    same = part._replace(heads=np.tile(part.baseline[:, None], (1, 5)))
    assert fit_one(same, None).sum() == 0


def test_a_perfect_head_gets_everything(rng):
    part = outside(rng)
    perfect = part._replace(heads=np.column_stack([part.heads, part.y]))
    np.testing.assert_allclose(fit_many(perfect, None), [0, 0, 0, 0, 0, 1], atol=1e-8)


def test_zero_residuals_do_not_divide_by_zero():
    assert smallest_in_hull(np.zeros((3, 3))).sum() == pytest.approx(1)


def test_head_errors_are_weighted_means_of_squares(rng):
    weight = rng.uniform(size=60)
    part = outside(rng, weight=weight)
    expected = [np.average((part.heads[:, h] - part.y) ** 2, weights=weight) for h in range(5)]
    np.testing.assert_allclose(head_errors(part), expected)
