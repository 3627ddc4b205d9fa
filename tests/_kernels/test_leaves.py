import numpy as np
import pytest

from heedful._kernels import bucket_rows, keep_rows, leaf_score_rows, shared_leaf_rows
from reference.forest import meetings, prediction_weights, shared_leaves

NOBODY = np.empty(0, np.int64), np.empty((0, 0), bool)


def forest(rng, case, n_tree=6, n_train=9, n_node=4):
    """Return leaves of training rows, numbered through all trees, their number, and draws."""
    if case == "single":
        n_train = 1
    leaves = rng.integers(0, 1 if case == "constant" else n_node, size=(n_tree, n_train)).astype(np.int32)
    if case == "tied":
        leaves[:, 1::2] = leaves[:, :-1:2]
    counts = rng.multinomial(n_train, np.full(n_train, 1 / n_train), size=n_tree).astype(np.uint8)
    return number(leaves, n_node), n_tree * n_node, counts


def number(leaves, n_node=4):
    return (leaves + n_node * np.arange(leaves.shape[0])[:, None]).astype(np.int32)


def dense(rows, n_train):
    indptr, indices, score, weight = rows
    scores, weights = np.zeros((indptr.size - 1, n_train)), np.zeros((indptr.size - 1, n_train))
    query = np.repeat(np.arange(indptr.size - 1), np.diff(indptr))
    scores[query, indices], weights[query, indices] = score, weight
    return scores, weights


CASES = pytest.mark.parametrize("case", ["random", "tied", "constant", "single"])


@CASES
def test_scores_of_new_rows_equal_the_twin(rng, case):
    leaves, n_leaves, counts = forest(rng, case)
    queries = number(rng.integers(0, 4, size=(6, 5)))
    rows = leaf_score_rows(queries, *NOBODY, *bucket_rows(leaves, n_leaves, counts), leaves.shape[1])
    score, weight = dense(rows, leaves.shape[1])
    np.testing.assert_allclose(score, shared_leaves(queries, leaves), atol=1e-15)
    np.testing.assert_allclose(weight, prediction_weights(queries, leaves, counts), atol=1e-15)


@CASES
def test_scores_of_training_rows_equal_the_twin(rng, case):
    leaves, n_leaves, counts = forest(rng, case)
    own = rng.permutation(leaves.shape[1])[:5]
    buckets = bucket_rows(leaves, n_leaves, counts)
    score, weight = dense(
        leaf_score_rows(leaves[:, own], own, counts[:, own].T > 0, *buckets, leaves.shape[1]), leaves.shape[1]
    )
    np.testing.assert_allclose(score, shared_leaves(leaves[:, own], leaves, own, counts), atol=1e-15)
    np.testing.assert_allclose(weight, prediction_weights(leaves[:, own], leaves, counts, own), atol=1e-15)


def test_a_row_that_every_tree_drew_stores_only_its_mask(rng):
    leaves, n_leaves, counts = forest(rng, "random")
    counts[:, 3] = 1
    own, buckets = np.array([3]), bucket_rows(leaves, n_leaves, counts)
    indptr, indices, score, weight = leaf_score_rows(leaves[:, own], own, counts[:, own].T > 0, *buckets, 9)
    assert indptr.tolist() == [0, 1]
    assert (indices[0], score[0], weight[0]) == (3, -np.inf, 0.0)


def test_buckets_hold_each_row_once_per_tree_in_its_leaf(rng):
    leaves, n_leaves, counts = forest(rng, "random")
    starts, members, draws, drawn = bucket_rows(leaves, n_leaves, counts)
    for leaf in range(n_leaves):
        part, t = slice(starts[leaf], starts[leaf + 1]), leaf // 4
        np.testing.assert_array_equal(members[part], np.flatnonzero(leaves[t] == leaf))
        np.testing.assert_array_equal(draws[part], counts[t, members[part]])
        assert drawn[leaf] == counts[t, members[part]].sum()


def test_queries_do_not_leak_into_each_other(rng):
    leaves, n_leaves, counts = forest(rng, "random")
    buckets = bucket_rows(leaves, n_leaves, counts)
    together = dense(leaf_score_rows(leaves, np.arange(9), counts.T > 0, *buckets, 9), 9)
    alone = [
        dense(leaf_score_rows(leaves[:, [q]], np.array([q]), counts[:, [q]].T > 0, *buckets, 9), 9) for q in range(9)
    ]
    np.testing.assert_array_equal(together[0], np.vstack([score for score, _ in alone]))


@CASES
def test_a_leaf_keeps_its_first_rows_in_the_order_given(rng, case):
    leaves, *_ = forest(rng, case)
    order, room = rng.permutation(leaves.shape[1]), rng.integers(1, 4, size=4)
    for t, tree in enumerate(leaves):
        sizes, members = keep_rows(tree, order, 4 * t, room)
        parts = np.split(members, np.cumsum(sizes)[:-1])
        for leaf, part in enumerate(parts, start=4 * t):
            inside = [i for i in order if tree[i] == leaf]
            assert part.tolist() == inside[: room[leaf - 4 * t]]


@CASES
def test_meetings_equal_the_twin(rng, case):
    leaves, _, _ = forest(rng, case)
    queries = number(rng.integers(0, 4, size=(6, 5)))
    np.testing.assert_array_equal(shared_leaf_rows(queries, leaves), meetings(queries, leaves))
    np.testing.assert_array_equal(shared_leaf_rows(leaves, leaves), meetings(leaves, leaves))


def test_every_row_meets_itself_in_all_trees_and_others_as_often_as_they_meet_it(rng):
    leaves, _, _ = forest(rng, "random")
    shares = shared_leaf_rows(leaves, leaves)
    np.testing.assert_array_equal(shares.diagonal(), 1.0)
    np.testing.assert_array_equal(shares, shares.T)


def test_nobody_asks_and_nobody_meets(rng):
    leaves, _, _ = forest(rng, "random")
    assert shared_leaf_rows(leaves[:, :0], leaves).shape == (0, 9)
