"""Descent over groups of columns, held against proximal gradients and the lasso."""

import numpy as np
import pytest

from heedful._kernels.descent import descend_row
from heedful._kernels.groups import norm_row, pick_groups
from reference.amounts import group_lasso
from reference.cases import CASES, small_table
from reference.moments import weighted_moments

GROUPS = np.array([0, 1, 0, 2, 1, 1])


def problem(rng, case="random", n=30):
    """Return Gram matrix and covariances of six columns under equal weights."""
    X, y = small_table(rng, case, 6) if case != "random" else (rng.normal(size=(n, 6)), rng.normal(size=n))
    sums = weighted_moments(X, y, np.full(y.size, 1 / y.size))
    return sums.gram, sums.cross


def descend(gram, cov, penalty, groups, coef=None):
    coef = np.zeros(cov.size) if coef is None else coef.copy()
    grad = cov - gram @ coef
    sweeps = descend_row(gram, cov, penalty, coef, grad, 1e-13, 5000, None, groups)
    np.testing.assert_allclose(grad, cov - gram @ coef, atol=1e-12)
    return sweeps, coef


@pytest.mark.more
@pytest.mark.parametrize("level", [0.01, 0.1, 0.3])
def test_descent_over_groups_equals_proximal_gradients(rng, level):
    gram, cov = problem(rng)
    penalty = level * rng.uniform(0.5, 2.0, size=6)
    sweeps, coef = descend(gram, cov, penalty, GROUPS)
    assert sweeps > 0
    np.testing.assert_allclose(coef, group_lasso(gram, cov, penalty, GROUPS), atol=1e-9)


@pytest.mark.parametrize("case", CASES)
def test_columns_of_a_group_enter_and_leave_together(rng, case):
    gram, cov = problem(rng, case)
    for level in (0.01, 0.1, 0.2, 10.0):
        sweeps, coef = descend(gram, cov, np.full(6, level), GROUPS)
        assert sweeps > 0
        for group in range(3):
            own = coef[(group == GROUPS) & (gram.diagonal() > 0)]
            assert (own == 0).all() or (own != 0).all()
        assert (coef[gram.diagonal() == 0] == 0).all()


@pytest.mark.more
def test_groups_of_one_column_are_the_lasso(rng):
    gram, cov = problem(rng)
    penalty = rng.uniform(0.02, 0.2, size=6)
    _, coef = descend(gram, cov, penalty, np.arange(6))
    _, lasso = descend(gram, cov, penalty, None)
    np.testing.assert_allclose(coef, lasso, atol=1e-10)


def test_the_start_of_descent_over_groups_makes_no_difference(rng):
    gram, cov = problem(rng)
    _, cold = descend(gram, cov, np.full(6, 0.1), GROUPS)
    _, warm = descend(gram, cov, np.full(6, 0.1), GROUPS, rng.normal(size=6))
    np.testing.assert_allclose(warm, cold, atol=1e-10)


def test_groups_without_penalty_are_fitted_and_those_of_an_infinite_one_are_not(rng):
    gram, cov = problem(rng)
    penalty = np.where(GROUPS == 0, 0.0, np.where(GROUPS == 1, np.inf, 1e9))
    _, coef = descend(gram, cov, penalty, GROUPS, rng.normal(size=6))
    free = np.flatnonzero(GROUPS == 0)
    np.testing.assert_allclose(coef[free], np.linalg.solve(gram[np.ix_(free, free)], cov[free]), atol=1e-10)
    assert (coef[GROUPS > 0] == 0).all()


def test_a_tiny_penalty_on_dependent_columns_still_ends(rng):
    X = rng.normal(size=(20, 3))
    sums = weighted_moments(np.hstack([X, X]), rng.normal(size=20), np.full(20, 0.05))
    sweeps, coef = descend(sums.gram, sums.cross, np.full(6, 1e-13), np.array([0, 0, 0, 1, 1, 1]))
    assert sweeps > 0
    np.testing.assert_allclose(sums.gram @ coef, sums.cross, atol=1e-10)


def test_norms_of_groups_are_added_up(rng):
    coef, scale = rng.normal(size=6), rng.uniform(size=6)
    expected = sum(np.linalg.norm((scale * coef)[group == GROUPS]) for group in range(3))
    assert norm_row(coef, scale, GROUPS) == pytest.approx(expected)


@pytest.mark.more
def test_groups_that_break_their_condition_are_picked_whole():
    grad, coef, columns = np.array([0.0, 0.5, 0.9, 0.99, 0.9, 0.0]), np.zeros(6), np.zeros(6, np.int64)
    assert pick_groups(grad, np.ones(6), coef, 0.0, columns, 0, GROUPS) == 3
    np.testing.assert_array_equal(columns[:3], [1, 4, 5])
    assert pick_groups(grad, np.ones(6), coef, 0.2, columns, 0, GROUPS) == 0
    coef[2] = -1.0
    assert pick_groups(grad, np.ones(6), coef, 0.2, columns, 0, GROUPS) == 2
    np.testing.assert_array_equal(columns[:2], [0, 2])
