"""Weights of any kind a user may give, as excess weights over a background."""

import numpy as np
import pytest
from scipy import sparse

from heedful._solver.weights import WeightRows, read_weights, weight_rows, whole_table
from heedful.attention import attend


def dense(weights, prior):
    """Return the weights of every fit as a matrix."""
    out = np.multiply.outer(weights.background, prior / prior.sum())
    for q in range(out.shape[0]):
        part = slice(weights.indptr[q], weights.indptr[q + 1])
        rows = weights.indices[part] if weights.indices.size else np.arange(prior.size)
        np.add.at(out[q], rows, weights.excess[part])
    return out


@pytest.mark.parametrize("kind", [np.asarray, np.ndarray.tolist, sparse.csr_array, sparse.csr_matrix, sparse.coo_array])
def test_each_row_of_any_kind_is_normalised(rng, kind):
    given = rng.uniform(size=(4, 7))
    given[given < 0.3] = 0.0
    found = dense(*read_weights(kind(given), 7))
    np.testing.assert_allclose(found, given / given.sum(axis=1, keepdims=True), atol=1e-16)


def test_attention_keeps_its_background(rng):
    scores = sparse.random_array((4, 9), density=0.4, rng=rng)
    attention = attend(scores, 0.5, sample_weight=rng.uniform(0.5, 2.0, size=9))
    rows, prior = read_weights(attention, 9)
    assert rows.excess.size == scores.nnz
    np.testing.assert_allclose(dense(rows, prior), attention.toarray(), atol=1e-15)


def test_masked_rows_have_no_weight(rng):
    scores = np.where(rng.uniform(size=(4, 9)) < 0.3, -np.inf, rng.normal(size=(4, 9)))
    found = dense(*read_weights(attend(scores), 9))
    np.testing.assert_allclose(found[np.isinf(scores)], 0.0, atol=1e-16)


def test_duplicates_are_summed_and_the_given_matrix_is_left_alone():
    given = sparse.csr_array((np.array([1.0, 2.0, 3.0]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 3))
    np.testing.assert_array_equal(dense(*read_weights(given, 3)), [[0, 1, 0], [1, 0, 0]])
    np.testing.assert_array_equal(given.data, [1.0, 2.0, 3.0])


def test_no_rows_of_weights_are_no_fits():
    rows, _ = read_weights(np.empty((0, 5)), 5)
    assert rows.background.size == rows.excess.size == 0


@pytest.mark.parametrize("kind", ["dense", "sparse", "attention"])
def test_a_block_is_a_part_of_the_fits(rng, kind):
    scores = sparse.random_array((6, 9), density=0.4, rng=rng)
    given = {"attention": attend(scores), "dense": rng.uniform(size=(6, 9)), "sparse": abs(scores)}[kind]
    if kind == "sparse":
        given = given + sparse.csr_array(np.eye(6, 9))
    rows, prior = read_weights(given, 9)
    np.testing.assert_array_equal(dense(rows.block(slice(2, 5)), prior), dense(rows, prior)[2:5])


def test_excess_weights_are_a_matrix_again(rng):
    excess, background = sparse.random_array((3, 8), density=0.5, rng=rng, format="csr"), rng.uniform(size=3)
    rows = weight_rows(sparse.csr_array(excess), background)
    np.testing.assert_array_equal(rows.excess_matrix(8).toarray(), excess.toarray())
    assert rows.indptr.dtype == np.int64
    assert rows.indices.dtype == np.int32


def test_the_whole_table_is_all_background():
    rows = whole_table(3)
    assert isinstance(rows, WeightRows)
    np.testing.assert_array_equal(dense(rows, np.array([1.0, 3.0])), [[0.25, 0.75]] * 3)


BAD = [
    (np.ones((2, 3)), "`weights` must have shape"),
    (np.ones(40), "`weights` must have shape"),
    (sparse.csr_array(np.ones((2, 3))), "`weights` must have shape"),
    (attend(np.zeros((2, 3))), "`weights` must have shape"),
    (np.full((1, 40), -1.0), "`weights` must be finite and >= 0"),
    (sparse.csr_array(np.full((1, 40), -1.0)), "`weights` must be finite and >= 0"),
    (np.full((1, 40), np.nan), "`weights` must be finite and >= 0"),
    (np.vstack([np.ones(40), np.zeros(40)]), "`weights` must have a positive sum in each row; row 1"),
    (sparse.csr_array((2, 40)), "`weights` must have a positive sum in each row; row 0"),
]


@pytest.mark.parametrize(("weights", "message"), BAD, ids=[f"{type(w).__name__}: {m}" for w, m in BAD])
def test_bad_weights_are_one_clear_error(weights, message):
    with pytest.raises(ValueError, match=message):
        read_weights(weights, 40)
