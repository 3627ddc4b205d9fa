"""The tree engine against a plain tree that tries every split, and the laws that any tree keeps."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from heedful import _blocks
from heedful._trees import Bins, Growing, grow_forest
from heedful._trees.forest import fixed_point
from reference import trees as reference


def bin_table(X, categories=None, weight=None):
    categories = np.zeros(X.shape[1], bool) if categories is None else np.asarray(categories)
    return Bins().fit(X, categories, np.ones(len(X)) if weight is None else weight).transform(X)


def tree_leaves(forest, buckets, t):
    """Return the rows of the leaves of a tree, left to right."""
    n_rows = buckets.inside.shape[0]
    ends = buckets.starts[(buckets.starts >= t * n_rows) & (buckets.starts <= (t + 1) * n_rows)]
    return [sorted(buckets.members[a:b].tolist()) for a, b in pairwise(ends)]


def tree_columns(forest, t):
    """Return the column that each node of a tree splits by, nodes numbered as they were made."""
    root = forest.roots[t]
    stop = forest.roots[t + 1] if t + 1 < forest.n_trees else len(forest.nodes)
    return {k - root: int(forest.nodes[k, 0]) for k in range(root, stop) if forest.nodes[k, 2] >= 0}


def seeds_of(seed, n_trees):
    return np.random.RandomState(seed).randint(0, 2**63, n_trees, dtype=np.int64)


def draws_of(buckets, n_trees):
    counts = np.zeros((n_trees, buckets.inside.shape[0]), int)
    members, draws = (part.reshape(n_trees, -1) for part in (buckets.members, buckets.draws))
    np.put_along_axis(counts, members.astype(int), draws, axis=1)
    return counts


@st.composite
def tables(draw):
    n_rows, n_columns, n_outputs = draw(st.integers(2, 14)), draw(st.integers(1, 4)), draw(st.integers(1, 3))
    seed = draw(st.integers(0, 2**31))
    rng = np.random.default_rng(seed)
    X = rng.integers(0, draw(st.integers(1, 6)), (n_rows, n_columns)).astype(float)
    X[rng.uniform(size=X.shape) < draw(st.sampled_from([0.0, 0.2]))] = np.nan
    y = rng.integers(-4, 5, (n_rows, n_outputs)).astype(float)
    weighted = draw(st.booleans())
    return (
        *(X, rng.uniform(size=n_columns) < draw(st.sampled_from([0.0, 0.5])), y if n_outputs > 1 else y[:, 0]),
        *(rng.integers(1, 4, n_rows).astype(float) if weighted else None, seed),
    )


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(table=tables(), tried=st.integers(1, 4), least=st.integers(1, 3), split=st.integers(2, 5), bag=st.booleans())
def test_trees_are_those_that_trying_every_split_gives(table, tried, least, split, bag):
    X, categories, y, weight, seed = table
    rows, n_rows = bin_table(X, categories), len(X)
    how = Growing(3, n_rows if bag else 0, min(tried, X.shape[1]), split, least)
    forest, buckets = grow_forest(rows, y, how, seed, split_weight=weight)
    values = y.reshape(n_rows, -1).astype(int)
    weights = np.ones(n_rows, int) if weight is None else weight.astype(int)
    shares = np.zeros(X.shape[1])
    for t, tree_seed in enumerate(seeds_of(seed, 3)):
        counts = reference.draw(int(tree_seed), n_rows, n_rows) if bag else np.ones(n_rows, int)
        leaves, used, gains = reference.grow(
            *(rows.codes.astype(int), rows.bins.centers, categories, values, counts, weights, int(tree_seed)),
            *(how.n_tried, split, least),
        )
        assert tree_columns(forest, t) == used
        assert tree_leaves(forest, buckets, t) == leaves
        shares += reference.importances(used, gains, X.shape[1]) / 3
    np.testing.assert_allclose(forest.feature_importances_, shares, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_rows_are_drawn_by_their_weights(rng, weighted):
    X, y = rng.normal(size=(40, 2)), rng.normal(size=40)
    chances = rng.uniform(0.0, 3.0, 40) * (rng.uniform(size=40) < 0.8) if weighted else None
    _, buckets = grow_forest(bin_table(X), y, Growing(11, 25, 2), 3, chances=chances)
    expected = [reference.draw(int(seed), 40, 25, chances) for seed in seeds_of(3, 11)]
    np.testing.assert_array_equal(draws_of(buckets, 11), expected)
    drew = np.unpackbits(buckets.inside, axis=1, count=11).T.astype(bool)
    np.testing.assert_array_equal(drew, np.array(expected) > 0)


def big_table(rng, n_rows=300, missing=0.1):
    X = np.column_stack([rng.normal(size=(n_rows, 4)), rng.integers(0, 40, n_rows), rng.integers(0, 3, n_rows)])
    y = X[:, 0] * X[:, 1] + (X[:, 4] % 3) + rng.normal(size=n_rows)
    X[rng.uniform(size=X.shape) < missing] = np.nan
    return X, y, np.array([False] * 4 + [True, False])


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_rows_end_in_the_leaves_that_hold_them(rng, n_outputs):
    X, y, categories = big_table(rng)
    rows = bin_table(X, categories)
    y = y if n_outputs == 1 else np.column_stack([y, X[:, 3] > 0, rng.normal(size=300)])
    forest, buckets = grow_forest(rows, y, Growing(19, 300, 3), 0)
    leaf = np.repeat(np.arange(buckets.starts.size - 1), np.diff(buckets.starts))
    tree = np.repeat(np.arange(19), 300)
    np.testing.assert_array_equal(forest.leaves(rows)[tree, buckets.members], leaf)
    np.testing.assert_array_equal(forest.apply(X), forest.leaves(rows).T)


def same_forest(one, other):
    for a, b in zip(one[1], other[1], strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(one[0].nodes, other[0].nodes)
    np.testing.assert_array_equal(one[0].sets, other[0].sets)


def test_threads_and_blocks_change_nothing(rng, monkeypatch):
    X, y, categories = big_table(rng)
    rows, how = bin_table(X, categories), Growing(37, 300, 2)
    whole = grow_forest(rows, y, how, 5)
    monkeypatch.setattr(_blocks, "BUDGET", 300_000)
    for n_jobs in (1, 2, 3):
        same_forest(whole, grow_forest(rows, y, how, 5, n_jobs=n_jobs))


def transformed(rng, transform):
    """Return forests of a table and of one with a column transformed."""
    X = rng.choice(np.linspace(-1.0, 1.0, 300), size=(300, 3))
    y = X[:, 0] * X[:, 1] + rng.normal(size=300)
    other = X.copy()
    other[:, 1] = transform(X[:, 1])
    return (grow_forest(bin_table(table), y, Growing(9, 300, 2), 1) for table in (X, other))


@pytest.mark.parametrize("transform", [lambda x: 1e-7 * x, lambda x: 1e8 + x, lambda x: 1e300 * x, lambda x: 3 - 0 * x])
def test_the_unit_of_a_column_changes_nothing(rng, transform):
    one, two = transformed(rng, transform)
    if np.ptp(transform(np.arange(2.0))) > 0:
        same_forest(one, two)
    else:
        assert two[0].feature_importances_[1] == 0


@pytest.mark.parametrize("transform", [np.exp, np.cbrt])
def test_a_monotone_transform_of_a_column_parts_the_drawn_rows_in_the_same_way(rng, transform):
    one, two = transformed(rng, transform)
    np.testing.assert_array_equal(one[0].nodes[:, [0, 2]], two[0].nodes[:, [0, 2]])
    leaves = [np.repeat(np.arange(buckets.starts.size - 1), np.diff(buckets.starts)) for _, buckets in (one, two)]
    drawn = [
        set(zip(leaf[buckets.draws > 0], buckets.members[buckets.draws > 0], strict=True))
        for leaf, (_, buckets) in zip(leaves, (one, two), strict=True)
    ]
    assert drawn[0] == drawn[1]


def test_a_row_that_was_not_drawn_goes_with_the_nearer_value():
    X, y = np.array([0.0, 1.0, 1.9, 2.1, 4.0])[:, None], np.array([0.0, 0.0, 5.0, 5.0, 9.0])
    rows = bin_table(X)
    forest, _ = grow_forest(rows[[0, 1, 4]], y[[0, 1, 4]], Growing(1, 0, 1), 0)
    leaf = forest.leaves(rows)[0]
    assert leaf[0] == leaf[1] == leaf[2] == leaf[3] != leaf[4]
    forest, _ = grow_forest(rows[[0, 4]], y[[0, 4]], Growing(1, 0, 1), 0)
    leaf = forest.leaves(rows)[0]
    assert leaf[0] == leaf[1] == leaf[2] != leaf[3] == leaf[4]


def test_the_ends_of_a_column_of_many_values_have_bins_of_their_own(rng):
    x = np.sort(rng.lognormal(sigma=3, size=2000))
    codes = bin_table(x[:, None]).codes[:, 0]
    assert np.unique(codes).size == 255
    assert (np.bincount(codes)[codes[:16]] == 1).all()
    assert (np.bincount(codes)[codes[-16:]] == 1).all()
    assert (np.diff(codes.astype(int)) >= 0).all()


def test_units_of_the_response_change_nothing(rng):
    X, y, categories = big_table(rng)
    rows = bin_table(X, categories)
    for scale, shift in ((1e-200, 0.0), (2.0**30, 0.0), (0.25, 1.0)):
        same_forest(
            *(grow_forest(rows, part, Growing(9, 300, 2), 1) for part in (y.round(6), scale * y.round(6) + shift))
        )


@pytest.mark.parametrize("value", [0.0, 0.3, 1e-300, 1e300])
def test_a_constant_response_gives_trees_of_one_leaf(rng, value):
    X, _, categories = big_table(rng)
    for y in (np.full(300, value), np.full((300, 2), value)):
        forest, buckets = grow_forest(bin_table(X, categories), y, Growing(3, 300, 2), 0)
        assert len(forest.nodes) == forest.n_trees == buckets.starts.size - 1


def test_constant_columns_are_never_used(rng):
    X, y, _ = big_table(rng, missing=0.0)
    X[:, [1, 4]] = 7.0
    forest, _ = grow_forest(bin_table(X, [False] * 4 + [True, False]), y, Growing(20, 300, 1), 0)
    inner = forest.nodes[forest.nodes[:, 2] >= 0]
    assert not np.isin(inner[:, 0], [1, 4]).any()
    assert (forest.feature_importances_[[1, 4]] == 0).all()


@pytest.mark.parametrize("n_outputs", [1, 2])
def test_a_row_of_weight_two_is_the_row_twice(rng, n_outputs):
    X, y, categories = big_table(rng, 60)
    y = np.column_stack([y, X[:, 2] > 0])[:, :n_outputs]
    weight = rng.integers(1, 4, 60)
    twice = np.repeat(np.arange(60), weight)
    bins = Bins().fit(X, categories, np.ones(60))
    how = Growing(9, 0, 3)
    one = grow_forest(bins.transform(X), y, how, 2, split_weight=weight.astype(float))
    two = grow_forest(bins.transform(X[twice]), y[twice], how, 2, split_weight=np.ones(twice.size))
    np.testing.assert_array_equal(one[0].nodes, two[0].nodes)
    np.testing.assert_array_equal(one[0].leaves(bins.transform(X))[:, twice], two[0].leaves(bins.transform(X[twice])))


def test_bins_of_weighted_rows_are_those_of_repeated_rows(rng):
    X, weight = rng.normal(size=(900, 1)), rng.integers(1, 5, 900)
    one = Bins().fit(X, np.zeros(1, bool), weight.astype(float)).transform(X)
    twice = X[np.repeat(np.arange(900), weight)]
    two = Bins().fit(twice, np.zeros(1, bool), np.ones(len(twice))).transform(X)
    np.testing.assert_array_equal(one.codes, two.codes)


def test_the_order_of_rows_changes_nothing(rng):
    X, y, categories = big_table(rng)
    order = rng.permutation(300)
    how = Growing(5, 0, 2)
    one, two = (grow_forest(bin_table(X[i], categories), y[i], how, 4) for i in (np.arange(300), order))
    np.testing.assert_array_equal(one[0].nodes, two[0].nodes)
    np.testing.assert_array_equal(one[0].apply(X), two[0].apply(X))


def test_importances_are_what_columns_took_off_the_squared_error(rng):
    X = rng.normal(size=(200, 3))
    y = np.where(X[:, 1] > 0, 3.0, 0.0) + 0.01 * rng.normal(size=200)
    forest, _ = grow_forest(bin_table(X), y, Growing(1, 0, 3, 200), 0)
    assert forest.feature_importances_.tolist() == [0.0, 1.0, 0.0]
    forest, _ = grow_forest(bin_table(X), y, Growing(30, 200, 2), 0)
    assert forest.feature_importances_[1] > 0.6
    assert forest.feature_importances_.sum() == pytest.approx(1.0)


def test_missing_cells_go_where_they_help(rng):
    X = rng.normal(size=(200, 1))
    X[::2] = np.nan
    y = np.where(np.isnan(X[:, 0]), 5.0, np.where(X[:, 0] > 1.0, 5.0, 0.0))
    forest, buckets = grow_forest(bin_table(X), y, Growing(1, 0, 1), 0)
    assert len(tree_leaves(forest, buckets, 0)) == 2  # missing with the large ones, whatever side these are on


def test_a_value_that_no_row_missed_goes_with_most_rows(rng):
    X = np.repeat([[0.0], [1.0]], [30, 70], axis=0)
    forest, _ = grow_forest(bin_table(X), X[:, 0], Growing(1, 0, 1), 0)
    assert forest.apply([[np.nan]]) == forest.apply([[1.0]])
    forest, _ = grow_forest(bin_table(-X), X[:, 0], Growing(1, 0, 1), 0)
    assert forest.apply([[np.nan]]) == forest.apply([[-1.0]])


def test_levels_of_a_category_are_parted_by_their_means_whatever_their_codes(rng):
    level = rng.integers(0, 12, 400)
    means = np.array([0, 5, 0, 5, 5, 0, 0, 5, 0, 5, 0, 5])
    forest, buckets = grow_forest(bin_table(level[:, None].astype(float), [True]), means[level], Growing(1, 0, 1), 0)
    assert len(tree_leaves(forest, buckets, 0)) == 2
    leaves = forest.apply(np.arange(12.0)[:, None])[:, 0]
    assert [len(set(leaves[means == m])) for m in (0, 5)] == [1, 1]


def test_far_more_levels_than_bins_keep_the_frequent_ones_apart(rng):
    level = np.concatenate([np.repeat(np.arange(254), 3), np.arange(254, 600)]).astype(float)
    rows = bin_table(rng.permutation(level)[:, None], [True])
    codes = rows.bins.transform(np.arange(601.0)[:, None]).codes[:, 0]
    assert len(set(codes[:254])) == 254
    assert set(codes[254:600]) == {254}
    assert codes[600] == 255  # never seen


@pytest.mark.parametrize("weight", [None, np.array([1.0, 2.0, 0.5])])
def test_sums_are_exact_however_many_rows_are_drawn(weight):
    for n_drawn in (10, 20_000, 1_000_000):
        values, weights, _, unit, bits = fixed_point(np.array([-1.0, 1.0, 1 / 3]), weight, n_drawn)
        heaviest = int(weights.max()) * n_drawn
        assert int(np.abs(values).max()) * heaviest * (n_drawn if weight is None else 1) < 2**62
        assert 4**bits * heaviest < 2**62
        np.testing.assert_array_equal(weights, 1 if weight is None else weight * unit)


@pytest.mark.parametrize("room", [1, 3, 1.0, 2.0])
def test_buckets_keep_the_rows_that_come_first_in_one_random_order(rng, room):
    X, y, categories = big_table(rng)
    rows = bin_table(X, categories)
    how = Growing(16, 150, 2, 2, 10)
    (_, every), (_, some) = (grow_forest(rows, y, how, 0, room=keep) for keep in (None, room))
    np.testing.assert_array_equal(some.inside, every.inside)
    earlier = set()
    for leaf in range(every.starts.size - 1):
        members, draws = (part[every.starts[leaf] : every.starts[leaf + 1]] for part in (every.members, every.draws))
        kept = some.members[some.starts[leaf] : some.starts[leaf + 1]]
        assert kept.size == min(members.size, room * (draws > 0).sum() if isinstance(room, float) else room)
        assert set(kept) <= set(members)
        earlier.update((a, b) for a in kept for b in set(members) - set(kept))
    # a row that is kept in one leaf where another is not comes first wherever both of them are
    assert not any((b, a) in earlier for a, b in earlier)


@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("room", [1.0, 2.5, 2, 1000])
def test_leaves_that_keep_some_rows_are_those_that_keep_all(rng, n_outputs, weighted, room):
    """A tree of some drawn rows is the same, and its leaves keep those that come first in one order of all rows."""
    check_thin(rng, 90, n_outputs, weighted, room)


def test_leaves_of_many_rows_are_filled_some_thousands_at_a_time(rng):
    check_thin(rng, 40_000, 1, False, 1.0)


def check_thin(rng, n, n_outputs, weighted, room):
    X = np.column_stack([rng.integers(0, 9, n), rng.normal(size=(n, 3)).round(1)])
    rows, y = bin_table(X, [True, False, False, False]), rng.normal(size=(n, n_outputs))
    how, chances = Growing(9, 40, 2, min_samples_leaf=2), rng.uniform(size=n) if weighted else None
    forest, every = grow_forest(rows, y, how, 3, chances=chances)
    thin, some = grow_forest(rows, y, how, 3, chances=chances, room=room)
    for name in ("nodes", "sets", "roots", "feature_importances_"):
        np.testing.assert_array_equal(getattr(thin, name), getattr(forest, name), err_msg=name)
    np.testing.assert_array_equal(some.inside, every.inside)
    # the seeds of the trees come first
    state = np.random.RandomState(3)
    state.randint(0, 2**63, 9, dtype=np.int64)
    place = np.argsort(state.permutation(n))
    for kept, (first, last) in zip(pairwise(some.starts), pairwise(every.starts), strict=True):
        members, n_drawn = every.members[first:last], (every.draws[first:last] > 0).sum()
        room_here = int(np.ceil(room * n_drawn)) if isinstance(room, float) else room
        expected = members[np.argsort(place[members])][:room_here]
        np.testing.assert_array_equal(some.members[slice(*kept)], expected)
    assert (some.draws == 1).all()
