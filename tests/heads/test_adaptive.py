"""Adaptive mixing: the closed form per query, and its shrinkage."""

import numpy as np
import pytest

from heedful.attention import attend
from heedful.heads._adaptive import PRIOR_ROWS, adapt, gather_evidence


@pytest.fixture
def known(rng):
    y, base = rng.normal(size=50), rng.normal(size=50)
    return y, base, 0.6 * y + 0.4 * rng.normal(size=50)


def test_it_minimises_the_weighted_error_plus_the_prior(rng, known):
    y, base, heads = known
    attention = attend(rng.normal(size=(1, 50)))
    evidence = gather_evidence(base, heads, y, np.ones(50))
    grid = np.linspace(0, 1, 10_001)
    errors = (y - base - np.outer(grid, heads - base)) ** 2 @ attention.toarray()[0]
    penalty = PRIOR_ROWS * evidence.mean_curve * (grid - 0.5) ** 2
    best = grid[np.argmin(attention.n_eff[0] * errors + penalty)]
    assert adapt(attention, evidence, 0.5)[0] == pytest.approx(best, abs=2e-4)


def test_equal_weights_over_many_rows_give_the_global_closed_form(rng):
    y, base = rng.normal(size=20_000), rng.normal(size=20_000)
    heads = 0.5 * y + 0.5 * base + 0.5 * rng.normal(size=20_000)
    evidence = gather_evidence(base, heads, y, np.ones(y.size))
    step = heads - base
    overall = float(np.clip(step @ (y - base) / (step @ step), 0, 1))
    assert adapt(attend(np.zeros((1, y.size))), evidence, 0.0)[0] == pytest.approx(overall, abs=0.01)


def test_few_effective_rows_cannot_swing_it(known):
    y, base, heads = known
    one_row = attend(np.where(np.arange(50) == 3, 1e3, 0.0)[None, :])
    assert abs(adapt(one_row, gather_evidence(base, heads, y, np.ones(50)), 0.5)[0] - 0.5) < 0.35


def test_rows_without_a_prediction_give_no_evidence(known):
    y, base, heads = known
    evidence = gather_evidence(np.where(np.arange(50) < 25, np.nan, base), heads, y, np.ones(50))
    assert (evidence.slope[:25] == 0).all()
    assert np.isfinite(evidence.mean_curve)


def test_heads_that_equal_the_baseline_leave_the_overall_value(known):
    y, base, _ = known
    evidence = gather_evidence(base, base, y, np.ones(50))
    np.testing.assert_array_equal(adapt(attend(np.zeros((2, 50))), evidence, 0.3), 0.3)
