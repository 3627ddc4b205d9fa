import numpy as np
import pytest

from heedful.attention._weighting import Weighting, weigh
from heedful.similarity._leaf_proximity import COLDEST, NOBODY, LeafProximity
from reference.forest import meetings as shares
from reference.proximity_sums import softmax_sums

N_TREE, N_LEAF = 6, 5
NOT_TRAIN = np.empty(0, np.int64)


def leaves(rng, n_rows, n_leaf=N_LEAF):
    """Return leaves (n_rows, n_tree) with one number in the whole ensemble."""
    return (rng.integers(0, n_leaf, size=(n_rows, N_TREE)) + n_leaf * np.arange(N_TREE)).astype(np.int32)


def test_scores_are_the_shares_of_trees_in_which_rows_meet(rng):
    train, queries = leaves(rng, 9), leaves(rng, 4)
    indptr, indices, score, *_ = LeafProximity(N_TREE * N_LEAF).fit(train).score_rows(queries)
    dense = np.zeros((4, 9))
    dense[np.repeat(np.arange(4), np.diff(indptr)), indices] = score
    np.testing.assert_allclose(dense, shares(queries.T, train.T))


def test_a_training_row_is_masked_and_scored_by_every_tree(rng):
    train = leaves(rng, 9)
    rows = LeafProximity(N_TREE * N_LEAF).fit(train).train_rows(np.array([3]))
    own = rows.indices == 3
    assert np.isneginf(rows.score[own]).all()
    np.testing.assert_allclose(rows.score[~own], shares(train[3:4].T, train.T)[0][rows.indices[~own]])


@pytest.mark.one_value
@pytest.mark.parametrize("n_train", [2, 31, 33, 100])
def test_sums_equal_the_twin_for_new_rows_and_training_rows(rng, n_train):
    train, queries, columns = leaves(rng, n_train), leaves(rng, 5), rng.normal(size=(n_train, 3))
    found, own = LeafProximity(N_TREE * N_LEAF).fit(train), np.array([0, 1])
    expected = softmax_sums(queries, train, columns, [1.0, 0.1])
    np.testing.assert_allclose(found.score_rows(queries).sums(columns, [1.0, 0.1]), expected, atol=1e-12)
    expected = softmax_sums(train[own], train, columns, [0.1], own)
    np.testing.assert_allclose(found.train_rows(own).sums(columns, [0.1]), expected, atol=1e-12)


def test_parts_of_any_width_give_the_same(rng, monkeypatch):
    train, queries, columns = leaves(rng, 150), leaves(rng, 7), rng.normal(size=(150, 2))
    whole = LeafProximity(N_TREE * N_LEAF).fit(train).score_rows(queries).sums(columns, [0.2])
    monkeypatch.setattr("heedful.similarity._leaf_proximity.WIDTH", 64)
    parts = LeafProximity(N_TREE * N_LEAF).fit(train).score_rows(queries).sums(columns, [0.2])
    np.testing.assert_allclose(parts, whole, rtol=1e-12)


def test_a_leaf_without_training_rows_meets_nobody(rng):
    train = np.zeros((4, N_TREE), np.int32) + N_LEAF * np.arange(N_TREE, dtype=np.int32)
    sums = LeafProximity(N_TREE * N_LEAF).fit(train).score_rows(train[:1] + np.int32(1)).sums(np.ones((4, 1)), [0.5])
    np.testing.assert_allclose(sums, 4 * np.exp(-2.0))


def test_cold_softmaxes_and_many_leaves_go_by_scores(rng):
    few = LeafProximity(N_TREE * N_LEAF).fit(leaves(rng, 10)).score_rows(leaves(rng, 1))
    assert few.can_sum([COLDEST])
    assert not few.can_sum([0.5 * COLDEST])
    n_leaf = NOBODY + 1
    train = (np.arange(n_leaf)[:, None] + n_leaf * np.arange(N_TREE)).astype(np.int32)
    assert not LeafProximity(n_leaf * N_TREE).fit(train).score_rows(train[:1]).can_sum([1.0])


def test_scores_can_be_weighed_like_those_of_any_similarity(rng):
    train = leaves(rng, 12)
    excess, background = weigh(
        LeafProximity(N_TREE * N_LEAF).fit(train).score_rows(train[:3]), Weighting("softmax", 0.2), np.ones(12)
    )
    np.testing.assert_allclose(excess.sum(axis=1) + background, 1.0)


def test_other_attributes_are_missing(rng):
    with pytest.raises(AttributeError, match="colour"):
        _ = LeafProximity(N_TREE * N_LEAF).fit(leaves(rng, 3)).score_rows(leaves(rng, 1)).colour


def test_its_name_in_tables():
    assert LeafProximity(N_TREE * N_LEAF).label == "leaves"
