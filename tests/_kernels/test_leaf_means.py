import numpy as np
import pytest

from heedful._kernels import bucket_rows, leaf_mean_rows
from heedful._kernels.leaf_means import compare_row, gather_row
from heedful._solver.leaves import _plain_means
from reference.leaf_means import leaf_means

# so many leaves that few excess weights go by stored rows and many by members
N_NODE, N_TREE, N_QUERY = 12, 6, 5
CASES = pytest.mark.parametrize("case", ["random", "tied", "constant", "single", "masked"])
SETS = pytest.mark.parametrize("n_set", [1, N_TREE])


def number(leaves):
    return (leaves + N_NODE * np.arange(leaves.shape[0])[:, None]).astype(np.int32)


def rows_in_leaves(rng, case, n_column=2, n_set=1, n_train=11):
    """Return leaves, prior, target and mass of training rows, and leaves of queries, those of the first maybe empty."""
    n_train = 1 if case == "single" else n_train
    leaves = rng.integers(0, 1 if case == "constant" else N_NODE, size=(N_TREE, n_train))
    target = rng.normal(size=(n_train, n_column, n_set))
    if case == "tied":
        leaves[:, 1::2], target = leaves[:, :-1:2], np.round(target)
    if case == "constant":
        target[:] = 3.0
    prior, mass = rng.uniform(0.5, 2.0, size=n_train), rng.uniform(0.1, 1.0, size=(n_train, 1, n_set))
    queries = leaves[:, rng.integers(0, n_train, size=N_QUERY)]
    queries[:, 0] = rng.integers(0, N_NODE, size=N_TREE)
    return number(leaves), prior, target, mass, number(queries)


def weigh(rng, case, prior, k):
    """Return ``k`` stored excess weights per query over a background, and the same weights dense."""
    n_train = prior.size
    rows = np.stack([rng.permutation(n_train)[:k] for _ in range(N_QUERY)]).astype(np.int32)
    backgrounds = rng.uniform(size=N_QUERY)
    over = backgrounds[:, None] * prior / prior.sum()
    at = np.arange(N_QUERY)[:, None], rows
    excess = rng.uniform(size=(N_QUERY, k)) if case != "masked" else -over[at]
    dense = over.copy()
    dense[at] = 0.0 if case == "masked" else over[at] + excess
    return (np.arange(N_QUERY + 1) * k, rows.ravel(), excess.ravel(), backgrounds / prior.sum()), dense


def fast_means(weights, queries, leaves, prior, target, mass):
    n_leaves = N_TREE * N_NODE
    moment = mass * target
    starts, members, *_ = bucket_rows(leaves, n_leaves, np.ones(leaves.shape, np.uint8))
    plain = _plain_means(leaves, mass, moment, prior, n_leaves)
    by_tree = (np.ascontiguousarray(part.T) for part in (leaves, mass, moment))
    return leaf_mean_rows(*weights, queries, starts, members, *by_tree, *plain)


@CASES
@SETS
@pytest.mark.parametrize("k", [0, 1, 9])
def test_means_equal_the_twin(rng, case, n_set, k):
    leaves, prior, target, mass, queries = rows_in_leaves(rng, case, n_set=n_set)
    weights, dense = weigh(rng, case, prior, min(k, prior.size))
    wide = np.broadcast_to(mass, (prior.size, 2, N_TREE))
    twin = leaf_means(dense, queries, leaves, prior, np.broadcast_to(target, wide.shape), wide)
    np.testing.assert_allclose(fast_means(weights, queries, leaves, prior, target, mass), twin, atol=1e-12)


@SETS
def test_both_ways_through_the_bumps_agree(rng, n_set):
    leaves, _, target, mass, queries = rows_in_leaves(rng, "random", n_set=n_set)
    rows, excess = rng.permutation(11)[:7].astype(np.int32), rng.normal(size=7)
    starts, members, *_ = bucket_rows(leaves, N_TREE * N_NODE, np.ones(leaves.shape, np.uint8))
    leaf, dense, (one, other) = np.ascontiguousarray(queries[:, 1]), np.zeros(11), np.zeros((2, 3, N_TREE))
    dense[rows] = excess
    mass, target, train = (np.ascontiguousarray(part.T) for part in (mass, target, leaves))
    compare_row(leaf, rows, excess, train, mass, one[:1])
    compare_row(leaf, rows, excess, train, target, one[1:])
    gather_row(leaf, starts, members, dense, mass, target, other[:1], other[1:])
    np.testing.assert_allclose(one, other, atol=1e-14)
    assert (one != 0).any()


def test_without_indices_every_row_is_stored_in_order(rng):
    leaves, prior, target, mass, queries = rows_in_leaves(rng, "random")
    (indptr, _, excess, backgrounds), _ = weigh(rng, "random", prior, prior.size)
    named = indptr, np.tile(np.arange(prior.size, dtype=np.int32), N_QUERY), excess, backgrounds
    unnamed = indptr, np.empty(0, np.int32), excess, backgrounds
    one, other = (fast_means(w, queries, leaves, prior, target, mass) for w in (named, unnamed))
    np.testing.assert_array_equal(one, other)


def test_without_bumps_means_are_exactly_the_plain_ones(rng):
    leaves, prior, target, mass, queries = rows_in_leaves(rng, "random")
    weights = np.zeros(N_QUERY + 1, np.int64), np.empty(0, np.int32), np.empty(0), np.full(N_QUERY, 1e-3)
    _, plain = _plain_means(leaves, mass, mass * target, prior, N_TREE * N_NODE)
    found = fast_means(weights, queries, leaves, prior, target, mass)
    np.testing.assert_array_equal(found, plain[:, queries].transpose(2, 1, 0))


def test_queries_do_not_leak_into_each_other(rng):
    leaves, prior, target, mass, queries = rows_in_leaves(rng, "random", n_train=60)
    for k in (1, 50):
        (indptr, rows, excess, backgrounds), _ = weigh(rng, "random", prior, k)
        together = fast_means((indptr, rows, excess, backgrounds), queries, leaves, prior, target, mass)
        for q in range(N_QUERY):
            part = slice(q * k, (q + 1) * k)
            alone = indptr[:2], rows[part], excess[part], backgrounds[q : q + 1]
            one = fast_means(alone, queries[:, [q]], leaves, prior, target, mass)
            np.testing.assert_array_equal(together[q], one[0])
