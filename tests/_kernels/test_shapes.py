import numpy as np

from heedful._kernels.shapes import dense_rows


def test_dense_rows_store_everything_in_order():
    rows = dense_rows(np.arange(6).reshape(2, 3).T)
    np.testing.assert_array_equal(rows.indptr, [0, 2, 4, 6])
    np.testing.assert_array_equal(rows.score, [0.0, 3.0, 1.0, 4.0, 2.0, 5.0])
    assert rows.indices.size == rows.leaf.size == 0
