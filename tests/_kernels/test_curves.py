import numpy as np
import pytest

from heedful._kernels import curve_rows


def twin(codes, start, curves, columns):
    """Add column by column, in their order."""
    total = np.tile(start, (len(codes), 1))
    for j in columns:
        total += curves[j, codes[:, j]]
    return total


@pytest.mark.parametrize("columns", [[], [2], [0, 1, 3]])
@pytest.mark.parametrize(("n_rows", "n_outputs"), [(0, 1), (1, 1), (7, 3)])
def test_what_curves_add_equals_the_twin_to_the_last_bit(rng, n_rows, n_outputs, columns):
    codes = rng.integers(256, size=(n_rows, 4)).astype(np.uint8)
    given = codes, rng.normal(size=n_outputs), rng.normal(size=(4, 256, n_outputs)), np.array(columns, np.int64)
    np.testing.assert_array_equal(curve_rows(*given), twin(*given))
