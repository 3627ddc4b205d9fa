import numpy as np
import pytest

from heedful._frames import units
from heedful._solver.table import LANE, PADDED_UP_TO, build_table, measure
from reference.moments import weighted_moments


@pytest.mark.parametrize("weighted", [False, True])
def test_a_scale_is_the_weighted_mean_and_deviation(rng, weighted):
    X, y = rng.normal(2.0, 3.0, size=(20, 3)), rng.normal(size=20)
    weight = rng.uniform(size=20) if weighted else None
    scale = measure(X, y, weight)
    share = np.full(20, 1 / 20) if weight is None else weight / weight.sum()
    sums = weighted_moments(X, y, share)
    np.testing.assert_allclose(scale.center, sums.mean)
    np.testing.assert_allclose(scale.unit, np.sqrt(sums.gram.diagonal()))
    assert (scale.y_center, scale.y_unit) == pytest.approx((sums.y_mean, np.sqrt(sums.spread)))


@pytest.mark.parametrize("value", [0.0, 0.1, -1e8, 1e-12])
def test_a_constant_column_has_unit_one(rng, value):
    X = np.column_stack([np.full(7, value), rng.normal(size=7)])
    scale = measure(X, np.full(7, value), rng.uniform(0.1, 1.0, size=7))
    assert scale.unit[0] == scale.y_unit == 1.0
    assert scale.unit[1] != 1.0


@pytest.mark.parametrize(("p", "width"), [(1, LANE), (LANE, LANE), (LANE + 1, 2 * LANE), (PADDED_UP_TO + 1,) * 2])
def test_few_columns_are_padded_with_zeros(rng, p, width):
    X = rng.normal(size=(50, p))
    scale = measure(X, X[:, 0])
    rows = scale.rows(X)
    assert scale.width == width == rows.shape[1] == scale.pad(np.ones(p)).size
    np.testing.assert_allclose(rows[:, :p] * scale.unit + scale.center, X)
    assert (rows[:, p:] == 0).all()


def test_coefficients_return_to_the_original_units(rng):
    X, y, coef = rng.normal(2.0, 3.0, size=(20, 3)), rng.normal(size=20), np.arange(8.0)
    scale = measure(X, y)
    gained = scale.rows(X) @ np.where(np.arange(8) < 3, coef, 0.0) * scale.y_unit
    np.testing.assert_allclose(gained, (X - scale.center) @ scale.original(coef))


@pytest.mark.parametrize(("n", "p"), [(20, 3), (20, 45), (60, 45)])
def test_a_table_holds_the_sums_under_the_prior(rng, n, p):
    X, y, prior = rng.normal(1.0, 2.0, size=(n, p)), rng.normal(size=n), rng.uniform(0.5, 2.0, size=n)
    table = build_table(X, y, prior, measure(X, y))
    sums = weighted_moments(table.x, table.y, prior / prior.sum())
    np.testing.assert_allclose(table.mean, sums.mean, atol=1e-14)
    np.testing.assert_allclose(table.cross, sums.cross, atol=1e-14)
    assert (table.y_mean, table.y_scatter) == pytest.approx((sums.y_mean, sums.spread))
    np.testing.assert_allclose(table.scatter, sums.gram if p < n else np.empty((0, 0)), atol=1e-14)


def test_curvatures_multiply_the_prior_and_are_kept_as_inverses(rng):
    X, y, weight, curve = rng.normal(size=(20, 3)), *rng.uniform(0.5, 2.0, size=(3, 20))
    table = build_table(X, y, weight, measure(X, y), curve)
    np.testing.assert_allclose(table.prior, weight * curve)
    np.testing.assert_allclose(table.inverse, 1 / curve)
    assert table.inverse_mean == pytest.approx(1 / np.average(curve, weights=weight))
    assert table.inverse_mean == pytest.approx(np.average(table.inverse, weights=table.prior))


def test_without_curvatures_penalties_are_left_alone(rng):
    X, y = rng.normal(size=(20, 3)), rng.normal(size=20)
    table = build_table(X, y, np.ones(20), measure(X, y))
    assert table.inverse.size == 0
    assert table.inverse_mean == 1.0


@pytest.mark.parametrize("p", [3, 8])
def test_a_large_table_is_built_in_blocks_of_rows_to_the_same(monkeypatch, rng, p):
    X, y, weight, curve = rng.normal(size=(50, p)), rng.normal(size=50), rng.uniform(size=50), rng.uniform(size=50)
    scale = measure(X, y, weight)
    whole = build_table(X, y, weight, scale, curve)
    monkeypatch.setattr(units, "PIECE", 7 * scale.width)
    for table in (build_table(X, y, weight, scale, curve), build_table(X[:, :2], y, weight, scale, curve, X[:, 2:])):
        for name, part in table._asdict().items():
            np.testing.assert_allclose(part, getattr(whole, name), rtol=1e-12, atol=1e-15, err_msg=name)
    np.testing.assert_array_equal(whole.rows(np.array([9, 4])), scale.rows(X)[[9, 4]])
