import numpy as np
import pytest

from heedful._kernels.shapes import dense_rows, pack, unpack
from reference.moments import plain_table


def test_dense_rows_store_everything_in_order():
    rows = dense_rows(np.arange(6).reshape(2, 3).T)
    np.testing.assert_array_equal(rows.indptr, [0, 2, 4, 6])
    np.testing.assert_array_equal(rows.score, [0.0, 3.0, 1.0, 4.0, 2.0, 5.0])
    assert rows.indices.size == rows.leaf.size == 0


@pytest.mark.parametrize(("width", "n_features"), [(3, 3), (8, 3), (8, 7), (8, 8), (41, 41)])
def test_the_response_lies_behind_the_features_of_a_row(rng, width, n_features):
    x, y = np.zeros((5, width)), rng.normal(size=5)
    x[:, :n_features] = rng.normal(size=(5, n_features))
    packed, column = pack(y, n_features, width)
    packed[:, :n_features] = x[:, :n_features]
    assert packed.shape[1] % 8 == 0 or packed.shape[1] == width
    np.testing.assert_array_equal(packed[:, :n_features], x[:, :n_features])
    np.testing.assert_array_equal(packed[:, column], y)
    np.testing.assert_array_equal(unpack(packed, column, width), x)


def test_a_table_gives_its_features_back(rng):
    X, y = rng.normal(size=(5, 3)), rng.normal(size=5)
    table = plain_table(X, y, np.ones(5))
    np.testing.assert_array_equal(table.x, X)
    np.testing.assert_array_equal(
        table.with_features(2 * X).packed[:, [0, 1, 2, table.y_column]], np.c_[2 * X, table.y]
    )
