import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from heedful._frames import center_and_unit, column_blocks, row_blocks, units

LAW = settings(deadline=None, max_examples=50, derandomize=True)


def test_it_is_the_weighted_mean_and_standard_deviation(rng):
    X, weight = rng.normal(3.0, 2.0, size=(40, 3)), rng.random(40)
    center, unit = center_and_unit(X, weight)
    mean = np.average(X, axis=0, weights=weight)
    np.testing.assert_allclose(center, mean, rtol=1e-13)
    np.testing.assert_allclose(unit, np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weight)), rtol=1e-13)
    np.testing.assert_allclose(center_and_unit(X)[1], X.std(axis=0), rtol=1e-13)


@LAW
@given(powers=st.lists(st.integers(-996, 996), min_size=3, max_size=3))
def test_another_unit_is_another_unit_to_the_last_bit(powers):
    X, units = np.random.default_rng(0).normal(size=(20, 3)), 2.0 ** np.array(powers)
    for found, expected in zip(center_and_unit(X * units), center_and_unit(X), strict=True):
        np.testing.assert_array_equal(found, expected * units)


def test_a_spread_that_nothing_can_be_divided_by_is_none(rng):
    X = rng.normal(size=(20, 3)) * [1e-310, 1e-323, 1e-300]
    center, unit = center_and_unit(X)
    assert unit[:2].tolist() == [0.0, 0.0]
    assert np.isfinite(1 / unit[2])
    assert (np.abs(center) < 1e-300).all()


@pytest.mark.parametrize("constant", [0.0, 0.1, 1e300, -1e-300])
def test_a_constant_column_has_no_spread(constant, rng):
    center, unit = center_and_unit(np.full((30, 1), constant), rng.random(30))
    np.testing.assert_allclose(center, constant, rtol=1e-12)
    assert unit == 0.0


def test_a_large_table_is_measured_in_blocks_of_columns_to_the_same(monkeypatch, rng):
    X, weight = rng.normal(2.0, 3.0, size=(50, 7)), rng.uniform(size=50)
    whole = center_and_unit(X, weight)
    monkeypatch.setattr(units, "PIECE", 100)
    assert [block.stop - block.start for block in column_blocks(X.shape)] == [2, 2, 2, 1]
    np.testing.assert_allclose(center_and_unit(X, weight), whole, rtol=1e-14)


@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (7, 3), (100, 1)])
def test_blocks_hold_each_row_once(monkeypatch, shape):
    monkeypatch.setattr(units, "PIECE", 9)
    rows = np.concatenate([np.arange(shape[0])[block] for block in row_blocks(shape)])
    np.testing.assert_array_equal(rows, np.arange(shape[0]))
