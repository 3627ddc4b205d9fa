import numpy as np
import pytest

from heedful._kernels import proximity_sum_rows
from heedful._kernels.proximity_sums import TREES_PER_BYTE
from reference.proximity_sums import softmax_sums

TEMPERATURES = (1.0, 0.2, 0.03)
NO_ROW, NO_TREE = 255, 254


def pack(codes, width):
    """Return codes (n_rows, n_tree) in parts of a width, trees filled up to fours."""
    n_rows, n_tree = codes.shape
    packed = np.full((-(-n_rows // width) * width, -(-n_tree // 4) * 4), NO_ROW, np.uint8)
    packed[:n_rows, :n_tree] = codes
    return np.ascontiguousarray(packed.reshape(-1, width, packed.shape[1]).transpose(0, 2, 1))


def fast_sums(queries, train, columns, own=None, width=8):
    n_tree = train.shape[1]
    padded = np.full((len(queries), -(-n_tree // 4) * 4), NO_TREE, np.uint8)
    padded[:, :n_tree] = queries
    rows = np.zeros((-(-len(train) // width) * width, columns.shape[1]))
    rows[: len(train)] = columns
    values = np.ascontiguousarray(rows.reshape(-1, width, columns.shape[1]).transpose(0, 2, 1))
    tables = np.exp((np.arange(n_tree + 1) / n_tree - 1) / np.array(TEMPERATURES)[:, None])
    number = np.empty(0, np.int64) if own is None else own
    return proximity_sum_rows(padded, number, pack(train, width), tables, values)


@pytest.mark.parametrize("n_tree", [1, 3, 4, 9])
@pytest.mark.parametrize("n_train", [1, 7, 8, 19])
@pytest.mark.parametrize("n_query", [1, 4, 6])
def test_sums_equal_the_twin(rng, n_query, n_train, n_tree):
    train, queries = (rng.integers(0, 3, size=(n, n_tree)) for n in (n_train, n_query))
    columns = rng.normal(size=(n_train, 4))
    np.testing.assert_allclose(
        fast_sums(queries, train, columns), softmax_sums(queries, train, columns, TEMPERATURES), atol=1e-13
    )


@pytest.mark.parametrize("case", ["random", "tied", "constant"])
def test_the_own_row_does_not_count(rng, case):
    train = rng.integers(0, 1 if case == "constant" else 4, size=(11, 6))
    if case == "tied":
        train[1::2] = train[:-1:2]
    columns, own = rng.normal(size=(11, 2)), rng.permutation(11)
    expected = softmax_sums(train[own], train, columns, TEMPERATURES, own)
    np.testing.assert_allclose(fast_sums(train[own], train, columns, own), expected, rtol=1e-12, atol=1e-14)


def test_more_trees_than_a_byte_counts(rng):
    n_tree = 2 * TREES_PER_BYTE + 5
    train = np.zeros((5, n_tree), np.int64)
    train[1, ::2], train[2, 100:] = 1, 1
    columns = rng.normal(size=(5, 2))
    expected = softmax_sums(train[:2], train, columns, TEMPERATURES)
    np.testing.assert_allclose(fast_sums(train[:2], train, columns), expected, rtol=1e-12)
