import numpy as np
import pytest

from heedful._kernels import weigh_rows
from heedful._kernels.shapes import LEAF, SHARE, SOFTMAX, dense_rows
from heedful._kernels.weighting import mass_row, pick_rows, weigh_row
from reference.weights import weights_by_kind

KINDS = (SOFTMAX, SHARE, LEAF)
SCORES = {
    "random": [0.3, 0.9, 0.1, 0.4, 0.8],
    "tied": [0.5, 0.5, 0.1, 0.5, 0.1],
    "constant": [0.2] * 5,
    "zero": [0.0] * 5,
    "negative": [-2.0, -0.1, -5.0, -1.0, -1.0],
    "masked": [0.3, -np.inf, 0.1, -np.inf, 0.8],
    "all masked": [-np.inf] * 5,
    "far away": [-1e5, 0.2 - 1e5, 0.5 - 1e5, -1e5, 0.1 - 1e5],
    "far apart": [1e5, 0.0, -1e5, 1.0, 2.0],
}


def both(kind, score, rows, prior, temperature=0.3):
    """Return dense weights by the kernel and by the twin; rows that are not listed have score 0."""
    score, rows, prior = np.asarray(score, float), np.asarray(rows, np.int32), np.asarray(prior, float)
    leaf = np.abs(np.where(np.isfinite(score), score, 1.0)) ** 2
    excess = np.empty(rows.size)
    mass = np.empty(rows.size)
    rest = mass_row(rows, prior, prior.sum(), mass)
    background = weigh_row(kind, temperature, score, leaf, mass, rest, prior.sum(), excess)
    weight = background * prior / prior.sum()
    weight[rows] += excess
    dense, dense_leaf = np.zeros(prior.size), np.zeros(prior.size)
    dense[rows], dense_leaf[rows] = score, leaf
    return weight, weights_by_kind(kind, temperature, dense, dense_leaf, prior)


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("kind", KINDS)
def test_weights_of_every_row_equal_the_twin(rng, kind, name):
    weight, twin = both(kind, SCORES[name], np.arange(5), rng.uniform(0.5, 2.0, size=5))
    np.testing.assert_allclose(weight, twin, atol=1e-14)


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("kind", KINDS)
def test_weights_over_a_background_equal_the_twin(rng, kind, name):
    weight, twin = both(kind, SCORES[name], [6, 0, 3, 8, 2], rng.uniform(0.5, 2.0, size=9))
    np.testing.assert_allclose(weight, twin, atol=1e-14)


@pytest.mark.parametrize("kind", KINDS)
def test_a_single_training_row_has_weight_one(kind):
    for score in (0.7, 0.0, -np.inf):
        assert both(kind, [score], [0], [2.0])[0] == pytest.approx(1.0)


@pytest.mark.parametrize("kind", KINDS)
def test_a_query_without_stored_rows_attends_to_the_prior(kind):
    weight, _ = both(kind, [], [], [1.0, 3.0])
    np.testing.assert_allclose(weight, [0.25, 0.75])


@pytest.mark.parametrize("kind", KINDS)
def test_masked_rows_have_weight_exactly_zero(kind):
    weight, _ = both(kind, SCORES["masked"], np.arange(5), np.ones(5))
    assert (weight[[1, 3]] == 0.0).all()
    assert weight.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("kind", KINDS)
def test_masked_rows_over_a_background_have_weight_zero_but_for_rounding(kind):
    weight, _ = both(kind, SCORES["masked"], np.arange(5), np.ones(9))
    np.testing.assert_allclose(weight[[1, 3]], 0.0, atol=1e-17)
    assert weight.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("kind", KINDS)
def test_scores_below_the_background_give_negative_bumps_but_no_negative_weights(kind):
    score, rows, prior, excess = np.array([-1.0, 2.0]), np.arange(2, dtype=np.int32), np.ones(4), np.empty(2)
    mass = np.empty(rows.size)
    weigh_row(SOFTMAX, 1.0, score, score, mass, mass_row(rows, prior, 4.0, mass), 4.0, excess)
    assert excess[0] < 0 < excess[1]
    assert (both(kind, score, rows, prior)[0] >= 0).all()


def test_a_row_of_prior_weight_zero_does_not_set_the_top_of_the_softmax():
    weight, twin = both(SOFTMAX, [1e4, 1.0, 0.0], [0, 1, 2], [0.0, 1.0, 1.0])
    np.testing.assert_allclose(weight, twin, atol=1e-14)


def test_without_indices_a_query_stores_every_row_or_none():
    everyone, nothing = np.arange(3, dtype=np.int32), np.empty(0, np.int32)
    np.testing.assert_array_equal(pick_rows(nothing, 0, 3, everyone), everyone)
    assert pick_rows(nothing, 2, 2, everyone).size == 0
    np.testing.assert_array_equal(pick_rows(np.array([2, 0, 1], np.int32), 1, 3, everyone), [0, 1])


NO_LEAF = np.empty(0)


def one_way(kind, temperature):
    return np.array([kind]), np.array([temperature])


def dense(excess, backgrounds, indptr, indices, prior):
    weight = np.multiply.outer(backgrounds, prior / prior.sum())
    for q in range(backgrounds.size):
        part = slice(indptr[q], indptr[q + 1])
        weight[q, indices[part]] += excess[part]
    return weight


@pytest.mark.parametrize("kind", [SOFTMAX, SHARE])
def test_dense_rows_equal_the_twin(rng, kind):
    scores, prior = rng.uniform(size=(4, 6)), rng.uniform(0.5, 2.0, size=6)
    scores[1], scores[2, 3] = 0.25, -np.inf
    rows = dense_rows(scores)
    (excess,), (backgrounds,) = weigh_rows(*rows[:4], prior, prior.sum(), *one_way(kind, 0.2))
    weight = dense(excess, backgrounds, rows.indptr, np.tile(np.arange(6), 4), prior)
    twin = [weights_by_kind(kind, 0.2, scores[q], None, prior) for q in range(4)]
    np.testing.assert_allclose(weight, twin, atol=1e-14)


@pytest.mark.parametrize("kind", [SOFTMAX, SHARE, LEAF])
def test_sparse_rows_equal_the_twin(rng, kind):
    indptr, indices = np.array([0, 3, 3, 5]), np.array([4, 0, 2, 1, 5], np.int32)
    score, leaf, prior = np.array([0.5, 0.1, -np.inf, 0.5, 0.5]), rng.uniform(size=5), rng.uniform(0.5, 2.0, size=6)
    (excess,), (backgrounds,) = weigh_rows(indptr, indices, score, leaf, prior, prior.sum(), *one_way(kind, 0.2))
    scores, leaves = np.zeros((3, 6)), np.zeros((3, 6))
    query = np.repeat(np.arange(3), np.diff(indptr))
    scores[query, indices], leaves[query, indices] = score, leaf
    twin = [weights_by_kind(kind, 0.2, scores[q], leaves[q], prior) for q in range(3)]
    np.testing.assert_allclose(dense(excess, backgrounds, indptr, indices, prior), twin, atol=1e-14)


def test_no_stored_rows_at_all_give_the_prior():
    indptr, nothing = np.zeros(3, np.int64), np.empty(0, np.int32)
    (excess,), (backgrounds,) = weigh_rows(indptr, nothing, NO_LEAF, NO_LEAF, np.ones(4), 4.0, *one_way(SOFTMAX, 1.0))
    assert excess.size == 0
    np.testing.assert_allclose(backgrounds, 1.0)


def test_several_weightings_of_one_block_are_those_of_each_alone(rng):
    indptr, indices = np.array([0, 3, 3, 5]), np.array([4, 0, 2, 1, 5], np.int32)
    rows = indptr, indices, rng.uniform(size=5), rng.uniform(size=5), rng.uniform(0.5, 2.0, size=6), 7.0
    ways = np.array([SOFTMAX, LEAF, SOFTMAX, SHARE]), np.array([0.2, np.nan, 3.0, np.nan])
    together = weigh_rows(*rows, *ways)
    for w, way in enumerate(zip(*ways, strict=True)):
        for several, alone in zip(together, weigh_rows(*rows, *one_way(*way)), strict=True):
            np.testing.assert_array_equal(several[w], alone[0])
