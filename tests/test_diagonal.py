"""The study of a learned diagonal: its gradient, and that learning goes down."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.linear_model import Ridge

from benchmarks.paper.diagonal.learning import RIDGE, LearnedDiagonal, left_out_error

KINDS = pytest.mark.parametrize("distance", [False, True])


@pytest.fixture
def table(rng):
    X = rng.normal(size=(60, 3))
    return X, np.where(X[:, 0] > 0, 2.0, -2.0) * X[:, 1] + 0.1 * rng.normal(size=60)


@KINDS
def test_the_gradient_is_that_of_finite_differences(rng, table, distance):
    log, rows = rng.normal(size=3), np.array([3, 10, 41])
    _, slope = left_out_error(log, *table, rows, distance)
    expected = approx_fprime(log, lambda at: left_out_error(at, *table, rows, distance)[0], 1e-6)
    np.testing.assert_allclose(slope, expected, atol=1e-4, rtol=1e-4)


@KINDS
def test_the_error_is_that_of_weighted_ridges_without_the_row(table, distance):
    (X, y), log = table, np.array([0.5, -0.5, 0.0])
    z, others = X[7], np.arange(60) != 7
    score = -((X - z) ** 2) @ np.exp(log) if distance else X @ (np.exp(log) * z)
    weight = np.exp(score[others] - score[others].max())
    fit = Ridge(RIDGE).fit(X[others], y[others], sample_weight=weight / weight.sum())
    error, _ = left_out_error(log, X, y, np.array([7]), distance)
    assert error == pytest.approx((fit.predict(z[None]).item() - y[7]) ** 2)


@KINDS
def test_learning_goes_down_and_finds_the_column_that_parts_the_rows(table, distance):
    X, y = table
    rows = np.arange(60)
    errors = []
    for n_steps in (1, 80):
        found = LearnedDiagonal(distance, n_steps=n_steps, random_state=0).fit(X, y)
        errors.append(left_out_error(np.log(found.diagonal_), found._standard(X), y, rows, distance)[0])
    assert errors[1] < 0.9 * errors[0]
    # the first column says which rows are alike, the second only has a slope
    assert not distance or found.diagonal_[0] > 10 * found.diagonal_[1]
