import numpy as np
import pytest

from heedful._kernels.moments import (
    cross_row,
    gather_row,
    gradient_all_row,
    grow_gram,
    settle,
    spread_row,
    square,
    variance_row,
    whole_gram,
)
from reference.cases import CASES, small_table
from reference.moments import plain_table, spread_weights, weighted_moments

EVERY_CASE = [(case, background) for case in CASES for background in (0.0, 0.6)]


def gather(table, rows, excess, background, mean):
    space = np.empty((rows.size, mean.size)), np.empty(rows.size), np.empty(rows.size)
    return gather_row(table, rows, excess, background, mean, *space)


class Setting:
    """One query's weights on a small table, with the kernel's and the twin's moments."""

    def __init__(self, rng, case, background, p=4):
        X, y = small_table(rng, case, p)
        prior = rng.uniform(0.5, 2.0, size=y.size)
        self.table = plain_table(X, y, prior, scatter=True)
        weights = spread_weights(rng, prior, background, y.size if background == 0 else -(-y.size // 2))
        self.background, self.twin = background, weighted_moments(X, y, weights.dense)
        self.mean = np.empty(p)
        self.y_mean, self.rooted = gather(self.table, weights.rows, weights.excess, background, self.mean)
        self.signs = np.sign(weights.excess)


@pytest.mark.parametrize(("case", "background"), EVERY_CASE)
def test_means_equal_the_twin(rng, case, background):
    s = Setting(rng, case, background)
    np.testing.assert_allclose(s.mean, s.twin.mean, atol=1e-13)
    assert s.y_mean == pytest.approx(s.twin.y_mean, abs=1e-13)


@pytest.mark.parametrize(("case", "background"), EVERY_CASE)
def test_the_whole_gram_equals_the_twin(rng, case, background):
    s = Setting(rng, case, background)
    np.testing.assert_allclose(whole_gram(s.table, background, s.mean, s.rooted), s.twin.gram, atol=1e-13)


@pytest.mark.parametrize(("case", "background"), EVERY_CASE)
def test_a_grown_gram_equals_the_whole_one(rng, case, background):
    s = Setting(rng, case, background)
    columns, gram = np.array([2, 0, 3, 1]), np.empty((0, 0))
    flat = np.empty(4 * s.table.y.size)
    for size in (1, 3, 4):
        gram = grow_gram(s.table, background, s.mean, s.rooted, columns[:size], gram, flat)
    np.testing.assert_allclose(gram, s.twin.gram[np.ix_(columns, columns)], atol=1e-13)


@pytest.mark.parametrize(("case", "background"), EVERY_CASE)
def test_variances_and_spread_equal_the_twin(rng, case, background):
    s, variance = Setting(rng, case, background), np.empty(4)
    variance_row(s.table, background, s.mean, s.rooted, variance)
    np.testing.assert_allclose(variance, s.twin.gram.diagonal(), atol=1e-13)
    assert spread_row(s.table, background, s.y_mean, s.rooted) == pytest.approx(s.twin.spread, abs=1e-13)


@pytest.mark.parametrize(("case", "background"), EVERY_CASE)
def test_covariances_and_gradient_equal_the_twin(rng, case, background):
    s, cov, grad, coef = Setting(rng, case, background), np.empty(4), np.empty(4), np.array([1.0, 0.0, -2.0, 0.5])
    cross_row(s.table, background, s.mean, s.y_mean, s.rooted, cov)
    gradient_all_row(s.table, background, s.mean, cov, s.rooted, coef, grad)
    np.testing.assert_allclose(cov, s.twin.cross, atol=1e-13)
    np.testing.assert_allclose(grad, s.twin.cross - s.twin.gram @ coef, atol=1e-12)


def test_rows_below_the_background_come_last(rng):
    s = Setting(rng, "random", 0.6)
    assert s.rooted.n_plus == (s.signs > 0).sum() > 0
    assert s.rooted.y.size - s.rooted.n_plus == (s.signs < 0).sum() > 0


def test_a_column_that_is_constant_under_the_weights_has_variance_exactly_zero(rng):
    X, y = 1e3 + rng.normal(size=(8, 3)), rng.normal(size=8)
    X[:4, 1] = X[0, 1]
    table = plain_table(X, y, np.ones(8), scatter=True)
    rows, excess, mean = np.arange(4, dtype=np.int32), np.array([0.1, 0.3, 0.4, 0.2]), np.empty(3)
    _, rooted = gather(table, rows, excess, 0.0, mean)
    assert whole_gram(table, 0.0, mean, rooted)[1, 1] == 0.0
    assert (whole_gram(table, 0.0, mean, rooted).diagonal()[[0, 2]] > 0).all()


def test_settle_keeps_real_variances_and_drops_rounding():
    assert settle(1e-6, 1.0) == 1e-6
    assert settle(1e-16, 1.0) == 0.0
    assert settle(-1e-17, 0.0) == 0.0


@pytest.mark.parametrize("shape", [(5, 3), (300, 64), (20, 80), (1, 1)])
def test_a_product_in_pieces_equals_the_product(rng, shape):
    rows, gram = rng.normal(size=shape), np.zeros((shape[1], shape[1]))
    square(rows, gram)
    np.testing.assert_allclose(gram, rows.T @ rows, atol=1e-11)


def test_no_rows_at_all_leave_the_background_alone(rng):
    X, y = rng.normal(size=(9, 3)), rng.normal(size=9)
    table, mean = plain_table(X, y, np.ones(9)), np.empty(3)
    y_mean, rooted = gather(table, np.empty(0, np.int32), np.empty(0), 1.0, mean)
    cov = np.empty(3)
    cross_row(table, 1.0, mean, y_mean, rooted, cov)
    np.testing.assert_allclose(whole_gram(table, 1.0, mean, rooted), np.cov(X.T, ddof=0), atol=1e-13)
    np.testing.assert_allclose(cov, table.cross, atol=1e-13)
