import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from heedful._kernels.shapes import ScoreRows, dense_rows
from heedful.attention import attend
from heedful.attention._attention import blend_attention
from heedful.attention._weighting import Weighting, weigh, weigh_each

LAW = settings(deadline=None, max_examples=40, derandomize=True)
SCORES = arrays(np.float64, (3, 6), elements=st.sampled_from([0.0, 0.0, 0.2, 1.0, -0.5, -np.inf]))


@LAW
@given(scores=SCORES, temperature=st.floats(0.05, 50.0))
def test_the_effective_number_of_rows_is_one_over_the_sum_of_squares(scores, temperature):
    attention = attend(sparse.csr_array(scores), temperature, sample_weight=np.arange(1.0, 7.0))
    np.testing.assert_allclose(attention.n_eff, 1 / (attention.toarray() ** 2).sum(axis=1), rtol=1e-10)


@LAW
@given(scores=SCORES, temperature=st.floats(1e-3, 1e6))
def test_the_effective_number_of_rows_lies_between_one_and_all(scores, temperature):
    n_eff = attend(sparse.csr_array(scores), temperature).n_eff
    assert (n_eff >= 1 - 1e-9).all()
    assert (n_eff <= 6 + 1e-9).all()


@pytest.mark.parametrize("shape", [(6,), (6, 2)])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_products_equal_those_of_the_dense_weights(rng, kind, shape):
    scores = rng.normal(size=(3, 6)) * rng.integers(0, 2, size=(3, 6))
    attention, values = attend(kind(scores), sample_weight=rng.uniform(size=6)), rng.normal(size=shape)
    np.testing.assert_allclose(attention @ values, attention.toarray() @ values, atol=1e-14)


def test_excess_weights_are_what_the_stored_weights_add_to_the_background(rng):
    attention = attend(sparse.csr_array([[0.5, 0.0, -1.0, 0.0]]), sample_weight=[1.0, 2.0, 3.0, 4.0])
    base = attention.background[0] * attention.sample_weight[[0, 2]]
    np.testing.assert_allclose(attention.excess().data + base, attention.toarray()[0, [0, 2]])
    assert attention.excess().data[1] < 0


def test_top_lists_the_largest_weights_first(rng):
    attention = attend(rng.normal(size=(3, 9)))
    rows, weight = attention.top(1, 4)
    order = np.argsort(-attention.toarray()[1])[:4]
    np.testing.assert_array_equal(rows, order)
    np.testing.assert_allclose(weight, attention.toarray()[1, order])


def test_top_breaks_ties_by_row_number_and_lists_no_more_than_is_stored():
    rows, weight = attend(sparse.csr_array([[0.0, 0.5, 0.0, 0.5, 1.0]])).top(0, 10)
    np.testing.assert_array_equal(rows, [4, 1, 3])
    assert weight[1] == weight[2]


def test_the_shape_counts_queries_and_training_rows():
    assert attend(np.zeros((2, 5))).shape == (2, 5)


def test_a_blend_is_the_mean_of_the_dense_weights_by_share(rng):
    scores, prior = sparse.csr_array(rng.uniform(size=(3, 6)) * (rng.uniform(size=(3, 6)) < 0.5)), np.ones(6)
    sharp, flat = attend(scores, 0.1), attend(scores, 2.0)
    rows = ScoreRows(scores.indptr.astype(np.int64), scores.indices.astype(np.int32), scores.data, np.empty(0))
    ways = [Weighting("softmax", temperature) for temperature in (0.1, 1.0, 2.0)]
    blend = blend_attention(weigh_each(rows, ways, np.array([0.3, 0.0, 0.7]), prior), prior)
    np.testing.assert_allclose(blend.toarray(), 0.3 * sharp.toarray() + 0.7 * flat.toarray(), atol=1e-14)
    np.testing.assert_allclose(blend.toarray().sum(axis=1), 1.0)


def test_queries_without_stored_rows_can_be_weighed(rng):
    attention = attend(sparse.csr_array((2, 3)), sample_weight=[1.0, 2.0, 3.0])
    np.testing.assert_allclose(attention.toarray(), [[1 / 6, 2 / 6, 3 / 6]] * 2)
    np.testing.assert_allclose(attention.n_eff, 36 / 14)


@pytest.mark.parametrize(("name", "kind"), [("softmax", 0), ("share", 1), ("leaf", 2)])
def test_weightings_know_their_kernel_number(name, kind):
    assert Weighting(name).kind == kind


def test_weigh_returns_one_background_per_query(rng):
    excess, background = weigh(dense_rows(rng.normal(size=(4, 5))), Weighting("softmax", 1.0), np.ones(5))
    assert excess.shape == (4, 5)
    np.testing.assert_array_equal(background, 0.0)


def sparse_case(rng):
    scores = rng.normal(size=(4, 12)) * (rng.uniform(size=(4, 12)) < 0.4)
    return attend(sparse.csr_array(scores), 0.5, sample_weight=rng.uniform(0.5, 2.0, size=12))


def test_attention_within_some_rows_is_their_weights_made_to_sum_to_one(rng):
    attention, rows = sparse_case(rng), np.array([1, 2, 5, 9, 11])
    part = attention.toarray()[:, rows]
    np.testing.assert_allclose(attention.within(rows).toarray(), part / part.sum(axis=1, keepdims=True), rtol=1e-12)


def test_attention_within_all_rows_is_itself(rng):
    attention = sparse_case(rng)
    assert attention.within(np.arange(12)) is attention


def test_a_query_that_attends_to_none_of_some_rows_gives_them_equal_weights():
    attention = attend([[0.0, -np.inf, -np.inf], [0.0, 0.0, 0.0]], sample_weight=[1.0, 1.0, 2.0])
    np.testing.assert_allclose(attention.within(np.array([1, 2])).toarray(), [[1 / 3, 2 / 3]] * 2)


def test_attention_without_a_row_of_each_query_is_the_others_made_to_sum_to_one(rng):
    attention, own = sparse_case(rng), np.array([0, 3, 7, 7])
    dense = attention.toarray()
    dense[np.arange(4), own] = 0.0
    found = attention.without(own).toarray()
    np.testing.assert_allclose(found, dense / dense.sum(axis=1, keepdims=True), rtol=1e-10, atol=1e-15)
    assert (found[np.arange(4), own] == 0).all()


def test_evened_attention_lies_between_the_weights_and_equal_ones(rng):
    attention, share = sparse_case(rng), np.array([0.0, 0.3, 0.9, 1.0])
    equal = attention.sample_weight / attention.sample_weight.sum()
    expected = share[:, None] * attention.toarray() + (1 - share)[:, None] * equal
    np.testing.assert_allclose(attention.evened(share).toarray(), expected, rtol=1e-12)
