import numpy as np
import pytest

from heedful._kernels import lasso_rows
from heedful._kernels.lasso import FULL_GRAM, everyone_row, inverse_hessian_row, n_touched, pick_columns
from heedful._kernels.shapes import Rule
from reference.cases import CASES, small_table
from reference.lasso import penalty_scale, weighted_lasso
from reference.moments import plain_table, spread_weights

ALPHAS = np.array([np.inf, 0.3, 0.05])


def plain_rule(p, *, weighted=False, start=None, max_iter=1000):
    return Rule(np.ones(p), weighted, np.zeros(p) if start is None else start, 1e-11, max_iter)


def fit(table, weights, rule, alphas=ALPHAS):
    """Return intercepts, coefficients and unconverged fits of one query at each penalty."""
    indptr = np.array([0, weights.rows.size])
    background = np.array([weights.background])
    coefs, means, y_means, failed = lasso_rows(indptr, weights.rows, weights.excess, background, table, alphas, rule)
    return y_means[0] - coefs[0] @ means[0], coefs[0], failed[0]


def check_against_twin(table, weights, rule):
    scale = penalty_scale(table.x, weights.dense, "weighted" if rule.weighted_scale else False)
    intercepts, coefs, failed = fit(table, weights, rule)
    assert failed == 0
    for t, alpha in enumerate(ALPHAS):
        intercept, coef = weighted_lasso(table.x, table.y, weights.dense, min(alpha, 1e6), scale)
        np.testing.assert_allclose(coefs[t], coef, atol=1e-8)
        assert intercepts[t] == pytest.approx(intercept, abs=1e-8)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("background", [0.0, 0.6])
def test_paths_equal_the_twin(rng, case, background):
    X, y = small_table(rng, case)
    prior = rng.uniform(0.5, 2.0, size=y.size)
    weights = spread_weights(rng, prior, background, -(-y.size // 2) if background else y.size)
    check_against_twin(plain_table(X, y, prior), weights, plain_rule(4))


@pytest.mark.parametrize("p", [FULL_GRAM, FULL_GRAM + 1])
@pytest.mark.parametrize("n", [60, 25])
@pytest.mark.parametrize("background", [0.0, 0.6])
def test_both_gram_routes_equal_the_twin_on_tall_and_wide_tables(rng, p, n, background):
    X = rng.normal(size=(n, p))
    table = plain_table(X, X[:, :3] @ [2.0, -1.0, 0.5] + rng.normal(size=n), rng.uniform(0.5, 2.0, size=n))
    check_against_twin(table, spread_weights(rng, table.prior, background, 20), plain_rule(p))


@pytest.mark.parametrize("p", [4, FULL_GRAM + 1])
@pytest.mark.parametrize("background", [0.0, 0.6])
def test_weighted_scales_equal_the_twin(rng, p, background):
    X = rng.normal(size=(60, p)) * rng.uniform(0.2, 3.0, size=p)
    table = plain_table(X, X[:, 0] + rng.normal(size=60), np.ones(60))
    check_against_twin(table, spread_weights(rng, table.prior, background, 30), plain_rule(p, weighted=True))


@pytest.mark.parametrize("background", [0.0, 0.6])
def test_the_two_gram_routes_agree(rng, background):
    X, y, prior = rng.normal(size=(70, 10)), rng.normal(size=70), np.ones(70)
    weights = spread_weights(rng, prior, background, 30)
    padded = np.hstack([X, np.full((70, FULL_GRAM), 1.5)])
    narrow = fit(plain_table(X, y, prior), weights, plain_rule(10))
    wide = fit(plain_table(padded, y, prior), weights, plain_rule(10 + FULL_GRAM))
    np.testing.assert_allclose(wide[1][:, :10], narrow[1], atol=1e-9)
    np.testing.assert_allclose(wide[0], narrow[0], atol=1e-9)


@pytest.mark.parametrize("p", [6, FULL_GRAM + 6])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_column_without_weighted_variance_gets_coefficient_zero(rng, p, weighted):
    X, y = rng.normal(size=(60, p)), rng.normal(size=60)
    weights = spread_weights(rng, np.ones(60), 0.0, 20)
    X[weights.rows, 2], X[:, 4] = 0.7, -3.0
    _, coefs, failed = fit(plain_table(X, y, np.ones(60)), weights, plain_rule(p, weighted=weighted))
    assert failed == 0
    assert (coefs[:, [2, 4]] == 0.0).all()


@pytest.mark.parametrize("p", [5, FULL_GRAM + 5])
def test_the_start_does_not_matter(rng, p):
    X, y = rng.normal(size=(60, p)), rng.normal(size=60)
    table, weights = plain_table(X, y, np.ones(60)), spread_weights(rng, np.ones(60), 0.5, 20)
    cold = fit(table, weights, plain_rule(p))
    warm = fit(table, weights, plain_rule(p, start=rng.normal(size=p)))
    np.testing.assert_allclose(warm[1], cold[1], atol=1e-8)


@pytest.mark.parametrize("p", [5, FULL_GRAM + 5])
def test_all_weight_on_one_row_gives_its_response(rng, p):
    table = plain_table(rng.normal(size=(60, p)), rng.normal(size=60), np.ones(60))
    one = spread_weights(rng, np.ones(60), 0.0, 1)
    intercepts, coefs, failed = fit(table, one, plain_rule(p, start=np.ones(p)))
    np.testing.assert_allclose(intercepts, table.y[one.rows[0]])
    assert (coefs == 0.0).all()
    assert failed == 0


@pytest.mark.parametrize("p", [5, FULL_GRAM + 5])
def test_unconverged_fits_are_counted(rng, p):
    X, y = rng.normal(size=(60, p)), rng.normal(size=60)
    table, weights = plain_table(X, y, np.ones(60)), spread_weights(rng, np.ones(60), 0.0, 60)
    rule = plain_rule(p, max_iter=0)
    assert fit(table, weights, rule)[2] == 2


def test_no_indices_mean_that_every_query_lists_every_row(rng):
    X, y, dense = rng.normal(size=(12, 3)), rng.normal(size=12), rng.uniform(size=(2, 12))
    excess, indptr = (dense / dense.sum(axis=1)[:, None]).ravel(), np.array([0, 12, 24])
    rows = np.tile(np.arange(12), 2).astype(np.int32)
    shared = excess, np.zeros(2), plain_table(X, y, np.ones(12)), ALPHAS, plain_rule(3)
    for implied, listed in zip(
        lasso_rows(indptr, np.empty(0, np.int32), *shared), lasso_rows(indptr, rows, *shared), strict=True
    ):
        np.testing.assert_array_equal(implied, listed)


def test_everyone_row_adds_bumps_to_the_background(rng):
    prior = rng.uniform(0.5, 2.0, size=9)
    weights, out = spread_weights(rng, prior, 0.6, 4), np.empty(9)
    everyone_row(plain_table(rng.normal(size=(9, 2)), prior, prior), weights.rows, weights.excess, 0.6, out)
    np.testing.assert_allclose(out, weights.dense, atol=1e-16)


@pytest.mark.parametrize("background", [0.0, 0.6])
def test_penalties_are_eased_by_the_mean_inverse_curvature(rng, background):
    prior, curve = rng.uniform(0.5, 2.0, size=(2, 9))
    weights, table = spread_weights(rng, prior, background, 9), plain_table(rng.normal(size=(9, 2)), prior, prior)
    assert inverse_hessian_row(table, weights.rows, weights.excess, background) == 1.0
    bent = table._replace(inverse=1 / curve, inverse_mean=float(np.average(1 / curve, weights=prior)))
    assert inverse_hessian_row(bent, weights.rows, weights.excess, background) == pytest.approx(
        weights.dense @ (1 / curve)
    )


def test_n_touched_is_the_longest_query_or_the_whole_table_when_wide(rng):
    indptr = np.array([0, 2, 7, 7])
    for p, expected in ((2, 5), (12, 12)):
        table = plain_table(rng.normal(size=(12, p)), rng.normal(size=12), np.ones(12))
        assert n_touched(indptr, table) == expected


def test_columns_are_picked_when_active_or_in_breach():
    grad, penalty, coef = np.array([0.5, 2.0, 0.1, 0.0]), np.ones(4), np.array([0.0, 0.0, 0.0, 0.3])
    columns = np.array([2, 0, 0, 0])
    assert pick_columns(grad, penalty, coef, 0.0, columns, 1) == 3
    np.testing.assert_array_equal(columns[:3], [2, 1, 3])
