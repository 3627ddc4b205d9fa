import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy import sparse

from heedful._kernels.shapes import dense_rows
from heedful.attention import attend
from heedful.attention._attention import blend_attention
from heedful.attention._weighting import Weighting, weigh
from heedful.similarity import GaussianSimilarity
from reference.weights import softmax_weights

LAW = settings(deadline=None, max_examples=60, derandomize=True)
VALUES = st.one_of(st.just(0.0), st.just(-np.inf), st.floats(-1e6, 1e6))
SCORES = arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=6), elements=VALUES)
TEMPERATURES = st.floats(1e-3, 1e6)


@LAW
@given(scores=SCORES, temperature=TEMPERATURES)
def test_rows_sum_to_one_and_are_never_nan(scores, temperature):
    weight = attend(scores, temperature).toarray()
    assert (weight >= 0).all()
    np.testing.assert_allclose(weight.sum(axis=1), 1.0, atol=1e-12)


@LAW
@given(scores=SCORES, temperature=TEMPERATURES)
def test_dense_and_sparse_scores_give_the_same_weights(scores, temperature):
    dense = attend(scores, temperature).toarray()
    np.testing.assert_allclose(attend(sparse.csr_array(scores), temperature).toarray(), dense, atol=1e-14)


@LAW
@given(scores=SCORES, temperature=TEMPERATURES)
def test_weights_equal_the_twin(scores, temperature):
    twin = [softmax_weights(row, temperature, np.ones(row.size)) for row in scores]
    np.testing.assert_allclose(attend(scores, temperature).toarray(), twin, atol=1e-14)


@LAW
@given(scores=SCORES, temperature=TEMPERATURES, wide=st.booleans())
def test_masked_rows_have_weight_exactly_zero(scores, temperature, wide):
    scores[:, 0] = 0.5
    table = sparse.csr_array(np.pad(scores, ((0, 0), (0, 3)))) if wide else scores
    weight = attend(table, temperature).toarray()[:, : scores.shape[1]]
    assert (weight[scores == -np.inf] == 0.0).all()


@LAW
@given(scores=SCORES, data=st.data())
def test_any_sample_weights_and_any_storage_give_the_weights_of_the_twin(scores, data):
    choices = st.sampled_from([0.0, 0.1, 0.7, 3.0])
    prior = data.draw(arrays(np.float64, scores.shape[1], elements=choices).filter(np.any))
    twin = [softmax_weights(row, 0.5, prior) for row in scores]
    for kind in (np.asarray, sparse.csr_array):
        np.testing.assert_allclose(attend(kind(scores), 0.5, sample_weight=prior).toarray(), twin, atol=1e-12)


def test_an_all_zero_row_gives_equal_weights():
    np.testing.assert_allclose(attend(np.zeros((1, 4)), 1e-3).toarray(), 0.25)


def test_a_sparse_matrix_that_stores_nothing_gives_equal_weights():
    np.testing.assert_allclose(attend(sparse.csr_array((2, 4))).toarray(), 0.25)


def test_a_row_with_every_entry_masked_attends_to_all_alike():
    np.testing.assert_allclose(attend(np.full((1, 4), -np.inf)).toarray(), 0.25)


def test_a_huge_temperature_gives_equal_weights(rng):
    np.testing.assert_allclose(attend(rng.normal(size=(3, 8)), 1e12).toarray(), 1 / 8, rtol=1e-9)


def test_an_infinite_temperature_gives_equal_weights_to_the_rows_that_are_not_masked():
    np.testing.assert_allclose(attend([[3.0, -np.inf, 0.0]], np.inf).toarray(), [[0.5, 0.0, 0.5]])


def test_a_tiny_temperature_attends_to_the_largest_score(rng):
    scores = rng.normal(size=(3, 8))
    np.testing.assert_allclose(attend(scores, 1e-6).toarray(), np.eye(8)[scores.argmax(axis=1)], atol=1e-12)


def test_a_constant_added_to_dense_scores_changes_nothing(rng):
    scores = rng.normal(size=(3, 8))
    np.testing.assert_allclose(attend(scores + 1e3, 0.3).toarray(), attend(scores, 0.3).toarray(), atol=1e-12)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_sample_weights_multiply_the_weights(rng, kind):
    scores, weight = rng.normal(size=(3, 8)) * rng.integers(0, 2, size=(3, 8)), rng.uniform(size=8)
    expected = attend(scores, 0.3).toarray() * weight
    attention = attend(kind(scores), 0.3, sample_weight=weight)
    np.testing.assert_allclose(attention.toarray(), expected / expected.sum(axis=1)[:, None], atol=1e-14)


def test_a_row_of_sample_weight_zero_is_as_good_as_absent():
    with_it = attend([[1000.0, 1.0, 0.0]], 0.1, sample_weight=[0.0, 1.0, 1.0]).toarray()
    np.testing.assert_allclose(with_it, [[0.0, *attend([[1.0, 0.0]], 0.1).toarray()[0]]], atol=1e-14)


def test_the_scale_of_sample_weights_is_irrelevant(rng):
    scores, weight = rng.normal(size=(2, 5)), rng.uniform(size=5)
    np.testing.assert_allclose(
        attend(scores, sample_weight=1e9 * weight).toarray(), attend(scores, sample_weight=weight).toarray()
    )


def test_duplicate_sparse_entries_are_summed_and_the_given_matrix_is_left_alone():
    scores = sparse.csr_array((np.array([1.0, 2.0, 3.0]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 3))
    before = scores.data.copy(), scores.indices.copy()
    np.testing.assert_allclose(attend(scores).toarray(), attend([[0.0, 3.0, 0.0], [3.0, 0.0, 0.0]]).toarray())
    np.testing.assert_array_equal(scores.data, before[0])
    np.testing.assert_array_equal(scores.indices, before[1])


def test_gaussian_attention_is_dot_product_attention_when_all_rows_have_one_length(rng):
    rows = rng.normal(size=(9, 4))
    rows /= np.linalg.norm(rows, axis=1)[:, None]
    gaussian = GaussianSimilarity(standardize=False).fit(rows).scores(rows)
    np.testing.assert_allclose(attend(gaussian, 0.3).toarray(), attend(rows @ rows.T, 0.3).toarray(), atol=1e-13)


def test_share_weights_are_scores_over_their_sum():
    rows = dense_rows(np.array([[1.0, 3.0, 0.0], [0.0, 0.0, 2.0]]))
    weight = blend_attention([weigh(rows, Weighting("share"), np.ones(3))], np.ones(3)).toarray()
    np.testing.assert_allclose(weight, [[0.25, 0.75, 0.0], [0.0, 0.0, 1.0]])


@pytest.mark.parametrize("temperature", [0.0, -1.0, np.nan])
def test_a_temperature_that_is_not_positive_is_refused(temperature):
    with pytest.raises(ValueError, match="`temperature` must be > 0"):
        attend([[0.0, 1.0]], temperature)


@pytest.mark.parametrize("temperature", ["1", None, True, [1.0]])
def test_a_temperature_that_is_no_number_is_refused(temperature):
    with pytest.raises(TypeError, match="`temperature` must be a number"):
        attend([[0.0, 1.0]], temperature)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_scores_that_are_nan_or_plus_infinity_are_refused(kind, bad):
    with pytest.raises(ValueError, match="`scores` must not hold NaN"):
        attend(kind([[0.0, bad]]))


@pytest.mark.parametrize("scores", [[1.0, 2.0], 3.0, np.zeros((2, 2, 2))])
def test_scores_that_are_no_matrix_are_refused(scores):
    with pytest.raises(ValueError, match="`scores` must be a matrix"):
        attend(scores)


@pytest.mark.parametrize("weight", [[1.0], [1.0, -1.0], [0.0, 0.0], [1.0, np.nan]])
def test_bad_sample_weights_are_refused(weight):
    with pytest.raises(ValueError, match="`sample_weight` must"):
        attend([[0.0, 1.0]], sample_weight=weight)
