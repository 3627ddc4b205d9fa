import numpy as np
import pytest

from heedful._kernels.descent import (
    descend_row,
    drop_noise_row,
    factor_row,
    gradient_row,
    list_active,
    polish_row,
    soften,
    solve_row,
    step_row,
    sweep_row,
)
from reference.cases import CASES, small_table
from reference.lasso import weighted_lasso
from reference.moments import weighted_moments


def problem(X, y):
    """Return Gram matrix and covariances under equal weights."""
    sums = weighted_moments(X, y, np.full(y.size, 1 / y.size))
    return sums.gram, sums.cross


def descend(gram, cov, penalty, coef=None, tol=1e-12, max_iter=1000):
    coef = np.zeros(cov.size) if coef is None else coef.copy()
    grad = cov - gram @ coef
    return descend_row(gram, cov, penalty, coef, grad, tol, max_iter), coef, grad


@pytest.mark.parametrize(("value", "softened"), [(3.0, 2.0), (-3.0, -2.0), (0.5, 0.0), (-1.0, 0.0), (1.0, 0.0)])
def test_soften_moves_towards_zero_and_stops_there(value, softened):
    assert soften(value, 1.0) == softened


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("penalty", [0.05, 10.0])
def test_descent_equals_the_twin_on_rows(rng, case, penalty):
    X, y = small_table(rng, case)
    sweeps, coef, _ = descend(*problem(X, y), np.full(4, penalty))
    assert sweeps >= 1
    np.testing.assert_allclose(coef, weighted_lasso(X, y, np.ones(y.size), penalty, np.ones(4))[1], atol=1e-9)


def test_descent_keeps_the_gradient_equal_to_its_definition(rng):
    gram, cov = problem(rng.normal(size=(30, 6)), rng.normal(size=30))
    _, coef, grad = descend(gram, cov, np.full(6, 0.02))
    np.testing.assert_allclose(grad, cov - gram @ coef, atol=1e-13)


def test_descent_does_not_depend_on_its_start(rng):
    gram, cov = problem(rng.normal(size=(30, 6)), rng.normal(size=30))
    _, cold, _ = descend(gram, cov, np.full(6, 0.02))
    _, warm, _ = descend(gram, cov, np.full(6, 0.02), coef=rng.normal(size=6))
    np.testing.assert_allclose(warm, cold, atol=1e-10)


def test_each_column_has_its_own_penalty(rng):
    X, y, penalty = rng.normal(size=(30, 4)), rng.normal(size=30), np.array([0.0, 0.1, 0.01, 50.0])
    _, coef, _ = descend(*problem(X, y), penalty)
    np.testing.assert_allclose(coef, weighted_lasso(X, y, np.ones(30), 1.0, penalty)[1], atol=1e-9)


def test_a_column_of_zero_curve_stays_at_zero(rng):
    gram, cov = problem(rng.normal(size=(30, 3)), rng.normal(size=30))
    gram[1], gram[:, 1], cov[1] = 0.0, 0.0, 5.0
    _, coef, _ = descend(gram, cov, np.full(3, 0.01))
    assert coef[1] == 0.0
    assert np.isfinite(coef).all()


def test_two_equal_columns_converge_to_one_fit(rng):
    x = rng.normal(size=(30, 1))
    gram, cov = problem(np.hstack([x, x]), 2 * x[:, 0])
    sweeps, coef, _ = descend(gram, cov, np.zeros(2))
    assert sweeps > 0
    assert coef.sum() == pytest.approx(2.0)


def test_too_few_sweeps_are_reported_as_minus_one(rng):
    gram, cov = problem(rng.normal(size=(30, 6)), rng.normal(size=30))
    assert descend(gram, cov, np.full(6, 0.01), tol=1e-300, max_iter=1)[0] == -1


def test_a_sweep_equals_one_round_of_the_twin(rng):
    X, y = rng.normal(size=(30, 4)), rng.normal(size=30)
    gram, cov = problem(X, y)
    coef, grad = np.zeros(4), cov.copy()
    change = sweep_row(gram, np.full(4, 0.05), coef, grad, False)
    expected = weighted_lasso(X, y, np.ones(30), 0.05, np.ones(4), max_sweeps=1)[1]
    np.testing.assert_allclose(coef, expected, atol=1e-12)
    assert change == pytest.approx(np.max(np.abs(expected) * np.sqrt(gram.diagonal())))


def test_a_sweep_over_active_columns_leaves_the_silent_ones_alone(rng):
    gram, cov = problem(rng.normal(size=(30, 4)), rng.normal(size=30))
    coef = np.array([0.5, 0.0, 0.0, -0.5])
    sweep_row(gram, np.zeros(4), coef, cov - gram @ coef, True)
    assert (coef[1:3] == 0).all()
    assert (coef[[0, 3]] != [0.5, -0.5]).all()


def test_the_gradient_is_covariance_minus_gram_times_coefficients(rng):
    gram, cov = problem(rng.normal(size=(30, 5)), rng.normal(size=30))
    coef, grad = np.array([1.0, 0.0, -2.0, 0.0, 0.5]), np.empty(5)
    gradient_row(gram, cov, coef, grad)
    np.testing.assert_allclose(grad, cov - gram @ coef, atol=1e-13)


def test_active_columns_are_those_with_a_coefficient_the_largest_first():
    active = np.empty(5, np.int64)
    assert list_active(np.array([0.5, -1.0, 0.0, 2.0, 0.0]), active) == 3
    np.testing.assert_array_equal(active[:3], [3, 1, 0])


def test_the_factor_is_the_cholesky_factor_of_the_active_columns(rng):
    gram = problem(rng.normal(size=(30, 5)), rng.normal(size=30))[0]
    active, factor = np.array([3, 0, 4, -9, -9]), np.zeros((5, 5))
    assert factor_row(gram, active, 0, 3, factor) == 3
    np.testing.assert_allclose(factor[:3, :3], np.linalg.cholesky(gram[np.ix_(active[:3], active[:3])]), atol=1e-12)


def test_the_factor_stops_at_the_first_column_that_depends_on_those_before(rng):
    x = rng.normal(size=(30, 3))
    gram = problem(np.column_stack([x[:, :2], x[:, 0] - x[:, 1], x[:, 2]]), rng.normal(size=30))[0]
    assert factor_row(gram, np.arange(4), 0, 4, np.empty((4, 4))) == 2


def test_a_column_left_out_leaves_the_factor_of_those_before_it(rng):
    gram = problem(rng.normal(size=(30, 5)), rng.normal(size=30))[0]
    whole, kept = np.zeros((5, 5)), np.zeros((5, 5))
    without = np.array([0, 1, 3, 4])
    factor_row(gram, np.arange(5), 0, 5, kept)
    factor_row(gram, without, 2, 4, kept)
    factor_row(gram, without, 0, 4, whole)
    np.testing.assert_array_equal(np.tril(kept[:4, :4]), np.tril(whole[:4, :4]))


def test_solving_uses_the_leading_part_only(rng):
    gram = problem(rng.normal(size=(30, 5)), rng.normal(size=30))[0]
    factor, value = np.zeros((5, 5)), np.arange(1.0, 6.0)
    factor_row(gram, np.arange(5), 0, 3, factor)
    solve_row(factor, 3, value)
    np.testing.assert_allclose(value, [*np.linalg.solve(gram[:3, :3], [1.0, 2.0, 3.0]), 4.0, 5.0], rtol=1e-9)


@pytest.mark.parametrize(
    ("move", "coef", "first"),
    [([1.0, 1.0], [3.0, 0.0], -1), ([-4.0, 1.0], [0.0, -0.5], 0), ([-4.0, 4.0], [1.0, 0.0], 1)],
)
def test_a_step_ends_where_the_first_coefficient_reaches_zero(move, coef, first):
    start = np.array([2.0, -1.0])
    assert step_row(start, np.arange(2), 2, np.array(move), 1.0) == first
    np.testing.assert_array_equal(start, coef)


def polish(gram, cov, penalty, coef):
    grad, size = cov - gram @ coef, coef.size
    polish_row(gram, cov, penalty, coef, grad, np.empty((size, size)), np.empty(size), np.empty(size, np.int64))
    return coef, grad


@pytest.mark.more
def test_polish_solves_the_active_equations(rng):
    gram, cov = problem(rng.normal(size=(30, 3)), rng.normal(size=30))
    signs = np.sign(np.linalg.solve(gram, cov))
    coef, grad = polish(gram, cov, np.full(3, 1e-9), signs * 0.1)
    np.testing.assert_allclose(coef, np.linalg.solve(gram, cov - 1e-9 * signs), rtol=1e-9)
    np.testing.assert_allclose(grad, cov - gram @ coef, atol=1e-13)


def test_polish_neither_turns_a_sign_nor_raises_the_objective(rng):
    gram, cov = problem(rng.normal(size=(30, 3)), rng.normal(size=30))
    start = -np.sign(np.linalg.solve(gram, cov)) * 0.1
    coef, grad = polish(gram, cov, np.full(3, 1e-9), start.copy())
    before, after = (b @ gram @ b / 2 - cov @ b + 1e-9 * np.abs(b).sum() for b in (start, coef))
    assert (coef * start >= 0).all()
    assert after <= before
    np.testing.assert_allclose(grad, cov - gram @ coef, atol=1e-13)


@pytest.mark.parametrize("signs", [(1, 1), (1, -1), (-1, 1), (-1, -1)])
def test_polish_never_raises_the_objective_when_columns_nearly_depend_on_each_other(rng, signs):
    x, z = rng.normal(size=(2, 30))
    gram, cov = problem(np.column_stack([x, x + 1e-6 * z]), z)
    start = np.array(signs) * 1e5
    coef, _ = polish(gram, cov, np.zeros(2), start.copy())
    before, after = (b @ gram @ b / 2 - cov @ b for b in (start, coef))
    assert after <= before


@pytest.mark.parametrize("n_other", [1, 4])
def test_descent_converges_when_two_rows_have_nearly_all_weight(rng, n_other):
    X, y = rng.normal(size=(2 + n_other, 5)), rng.normal(size=2 + n_other)
    sums = weighted_moments(X, y, np.array([0.98, 0.02 - 1e-9 * n_other, *[1e-9] * n_other]))
    scale = np.sqrt(sums.gram.diagonal())
    for penalty in (0.2, 0.02, 0.002):
        sweeps, coef, _ = descend(sums.gram, sums.cross, penalty * scale, tol=1e-8, max_iter=300)
        assert sweeps > 0
        assert np.isfinite(coef).all()


@pytest.mark.parametrize("p", [10, 40])
def test_descent_converges_when_columns_outnumber_rows(rng, p):
    gram, cov = problem(rng.normal(size=(7, p)), rng.normal(size=7))
    for penalty in (0.1, 1e-3, 1e-5):
        assert descend(gram, cov, np.full(p, penalty), tol=1e-8, max_iter=1000)[0] > 0


def test_of_two_columns_that_say_the_same_one_has_exactly_zero(rng):
    n_zero = 0
    for _ in range(50):
        yes = rng.integers(0, 2, 30).astype(float)
        gram, cov = problem(np.column_stack([yes, 1 - yes, rng.normal(size=(30, 2))]), yes + rng.normal(size=30))
        _, coef, grad = descend(gram, cov, np.full(4, 0.02), tol=1e-7)
        n_zero += int((coef == 0).any())
        assert not ((coef != 0) & (np.abs(coef) < 1e-12)).any()
        np.testing.assert_allclose(grad, cov - gram @ coef, atol=1e-13)
    assert n_zero > 25


def test_noise_is_measured_by_what_a_column_does_to_the_fit_not_by_its_unit():
    gram, grad = np.diag([1.0, 1e30, 1e-30]), np.zeros(3)
    coef = np.array([1e-13, 1e-13, 1.0])
    drop_noise_row(gram, coef, grad, 1e-12)
    np.testing.assert_array_equal(coef, [0.0, 1e-13, 0.0])
    np.testing.assert_allclose(grad, [1e-13, 0.0, 1e-30])


def test_a_coefficient_below_the_tolerance_is_kept_if_it_is_more_than_rounding():
    _, coef, _ = descend(np.eye(2), np.array([1.0, 1e-9]), np.zeros(2), tol=1e-7)
    np.testing.assert_array_equal(coef, [1.0, 1e-9])


def test_coefficients_at_a_limit_are_not_active():
    limits, active = np.array([[-1.0, -1.0, 0.0, -2.0], [1.0, 1.0, 2.0, 2.0]]), np.empty(4, np.int64)
    assert list_active(np.array([0.5, -1.0, 2.0, -1.5]), active, limits) == 2
    np.testing.assert_array_equal(active[:2], [3, 0])


@pytest.mark.parametrize(("move", "first", "end"), [([1.0, 0.1], 0, [1.0, 2.05]), ([-0.1, 9.0], 1, [0.49, 3.0])])
def test_a_step_ends_at_the_first_limit(move, first, end):
    start, limits = np.array([0.5, 2.0]), np.array([[-1.0, -1.0], [1.0, 3.0]])
    assert step_row(start, np.arange(2), 2, np.array(move), 1.0, limits) == first
    np.testing.assert_allclose(start, end, atol=2e-2)
    assert start[first] == limits[1, first]


@pytest.mark.more
def test_the_exact_solve_stays_within_limits_and_holds_what_is_at_one(rng):
    gram, cov = problem(rng.normal(size=(30, 5)) + rng.normal(size=(30, 1)), rng.normal(size=30))
    limits = np.array([np.full(5, -0.1), np.full(5, 0.1)])
    coef = np.clip(cov, -0.1, 0.1) * [0.5, 1.0, 0.5, 0.5, 0.0]
    coef[1] = 0.1
    grad = cov - gram @ coef
    polish_row(gram, cov, np.full(5, 0.01), coef, grad, np.empty((5, 5)), np.empty(5), np.empty(5, np.int64), limits)
    assert (np.abs(coef) <= 0.1).all()
    assert coef[1] == 0.1
    inside = (np.abs(coef) < 0.1) & (coef != 0)
    np.testing.assert_allclose(grad[inside], 0.01 * np.sign(coef[inside]), atol=1e-12)
