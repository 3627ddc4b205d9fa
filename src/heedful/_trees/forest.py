"""Forests grown on binned columns, with the rows that each tree drew and the rows of each leaf."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from heedful import _blocks, _kernels
from heedful._file_checks import Compact, require, require_indices, require_trees
from heedful._kernels.shapes import Growth, TreeTable, TreeWork
from heedful._trees.bins import Binned, Bins
from heedful._trees.packed import pack_nodes, unpack_nodes

# Trees whose bags fill whole bytes of bits.
GROUP = 8
# Bits of a response in fixed point at most, and those that sums and products of sums may take in all.
MOST_BITS, ALL_BITS = 40, 61
# Of weights in splits, and of sums of a weighted response.
WEIGHT_BITS, SUM_BITS = 30, 61


@dataclass
class Forest(Compact):
    """Fitted trees: their nodes, sets of codes that go left, and roots; a leaf has one number in the whole forest.

    ``feature_importances_`` are the shares of columns in what the splits took off the squared error, tree by tree.
    """

    nodes: np.ndarray
    sets: np.ndarray
    roots: np.ndarray
    feature_importances_: np.ndarray
    bins: Bins

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"nodes": pack_nodes(self.nodes)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state | {"nodes": unpack_nodes(state["nodes"])})

    @property
    def n_features_in_(self) -> int:
        return self.bins.categories.size

    @property
    def n_trees(self) -> int:
        return self.roots.size

    def apply(self, X: Any) -> np.ndarray:
        """Return the leaf of every row in every tree (n_rows, n_trees), as forests of scikit-learn do."""
        rows = X if isinstance(X, Binned) else self.bins.transform(np.asarray(X, dtype=np.float64))
        return self.leaves(rows).T

    def leaves(self, rows: Binned) -> np.ndarray:
        """Return the leaf of every row in every tree (n_trees, n_rows)."""
        return _kernels.binned_leaf_rows(np.ascontiguousarray(rows.codes), self.nodes, self.sets, self.roots)

    def near_leaves(self, rows: Binned, moved: Binned, source: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the leaves of queries and of rows near them, whose queries ``source`` names, ascending."""
        codes = (np.ascontiguousarray(part.codes) for part in (rows, moved))
        return _kernels.near_leaf_rows(*codes, source, self.nodes, self.sets, self.roots)

    def check_loaded(self) -> int:
        """Raise if trees that came from a file lead nowhere; return the number of leaves."""
        self.bins.check_loaded()
        splits = self.nodes[self.nodes[:, 2] >= 0]
        children = self.nodes[:, 2].astype(np.int64)[:, None] + [0, 1]
        n_leaves = require_trees(self.nodes, self.roots, children, self.n_features_in_)
        require(self.sets.dtype == np.uint64 and self.sets.shape[1:] == (4,), "sets of codes are wrong")
        named = -1 - splits[splits[:, 1] < 0, 1]
        require_indices(named, len(self.sets), named.size)
        return n_leaves


class Buckets(NamedTuple):
    """Rows by leaf: where the rows of a leaf start in ``members``, and how often its tree drew each (``draws``).

    ``inside`` (n_rows, n_trees / 8) says in bits which trees drew a row.
    """

    starts: np.ndarray
    members: np.ndarray
    draws: np.ndarray
    inside: np.ndarray


class Grown(NamedTuple):
    """Trees of one block: nodes, sets, roots, and what each column took off the squared error in each tree."""

    nodes: np.ndarray
    sets: np.ndarray
    roots: np.ndarray
    gains: np.ndarray


class Growing(NamedTuple):
    """How a forest is grown.

    Each tree draws ``n_drawn`` rows, 0 takes every row once; ``n_tried`` columns are candidates at a split; nodes of
    less than ``min_samples_split`` draws are not split, and no part has less than ``min_samples_leaf``.
    """

    n_trees: int
    n_drawn: int
    n_tried: int
    min_samples_split: int = 2
    min_samples_leaf: int = 1


def grow_forest(
    rows: Binned,
    y: np.ndarray,
    how: Growing,
    seed: int,
    *,
    chances: np.ndarray | None = None,
    split_weight: np.ndarray | None = None,
    room: int | str | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> tuple[Forest, Buckets]:
    """Grow a forest to a response (n_rows,) or to several outputs (n_rows, n_outputs) by squared error.

    Zeros and ones of one output give the splits of Gini's index for two classes, a column of them for each class those
    for several. ``chances`` are the weights by which rows are drawn, ``split_weight`` those by which they count in
    splits. ``room`` are the rows that a bucket keeps at most, a random choice: an int is their number, a float times
    those that were drawn, None stands for all.
    """
    n_rows, any_order = len(rows), np.random.RandomState(seed)
    tree_seeds = any_order.randint(0, 2**63, how.n_trees, dtype=np.int64).astype(np.uint64)
    values, weights, single, unit, bits = fixed_point(y, split_weight, how.n_drawn or n_rows)
    sums, order = np.empty(0) if chances is None else np.cumsum(chances), np.arange(n_rows)
    if room is None:
        columns, places = rows.columns, order
    else:
        # rows in random order stay in that order in each bucket: the first ones of each are a random choice
        order = any_order.permutation(n_rows)
        columns, places = np.ascontiguousarray(rows.codes[order].T), np.argsort(order)
    categories = rows.bins.categories if rows.bins.categories.any() else None
    table = TreeTable(columns, rows.bins.centers, categories, values, weights, single, unit, bits, sums, places, order)
    n_groups = -(-how.n_trees // GROUP)
    blocks = _blocks.cut(n_groups, GROUP * (10 * n_rows + 48 * min(n_rows, how.n_drawn or n_rows)), n_jobs)
    grown = _blocks.run(
        _grow_block, blocks, table, how, tree_seeds, room, n_jobs=n_jobs, verbose=verbose, label="trees"
    )
    return _join(list(grown), order, rows.bins)


def fixed_point(
    y: np.ndarray, weight: np.ndarray | None, n_drawn: int
) -> tuple[np.ndarray, np.ndarray, bool, float, int]:
    """Return a response (n_rows, n_outputs) and weights as whole numbers, small enough for exact sums over the draws.

    What follows says whether it is one output without weights, whose sums are small enough for products with counts
    too; a weight of 1; and the bits of a number whose squares have exact sums.
    """
    y = np.asarray(y, dtype=np.float64)
    bits = int(np.ceil(np.log2(max(n_drawn, 2))))
    whole, unit = np.ones(y.shape[0], np.int64), 1.0
    single = (y.ndim == 1 or y.shape[1] == 1) and weight is None
    if weight is not None:
        # by their sum, which is the same for a row of weight 2 and for the row twice
        unit = 2.0 ** (WEIGHT_BITS - np.ceil(np.log2(weight.sum())))
        whole = np.rint(weight * unit).astype(np.int64)
        bits += int(np.ceil(np.log2(max(whole.max(), 2))))
    room = min(MOST_BITS, ALL_BITS - 2 * bits if single else SUM_BITS - bits)
    # column by column: a copy of many outputs of many rows is large
    outputs = y.reshape(y.shape[0], -1).T
    if all(np.array_equal(np.rint(part), part) and np.abs(part).max(initial=0.0) < 2.0**room for part in outputs):
        # counts and classes are whole numbers as they are, so that equally good splits stay equal
        return y.astype(np.int64).reshape(y.shape[0], -1), whole, single, unit, (ALL_BITS - bits) // 2
    mean, values = np.atleast_1d(y.mean(axis=0)), np.empty(outputs.shape[::-1], np.int64)
    largest = max(np.abs(part - center).max() for part, center in zip(outputs, mean, strict=True))
    for part, center, column in zip(outputs, mean, values.T, strict=True):
        column[:] = np.rint((part - center) / (largest if largest > 0 else 1.0) * 2.0**room)
    return values, whole, single, unit, (ALL_BITS - bits) // 2


def _grow_block(block: slice, table: TreeTable, how: Growing, seeds: np.ndarray, room: float | None) -> Any:
    """Grow some groups of trees; return their growth, cut to size, with buckets thinned out if need be."""
    seeds = seeds[GROUP * block.start : GROUP * block.stop]
    (n_columns, n_rows), n_trees = table.codes.shape, seeds.size
    n_sums = 2 if table.single else 2 + table.values.shape[1]
    most = min(n_rows, how.n_drawn or n_rows)
    work = TreeWork(
        bag=np.empty((3, n_rows), np.int64),
        others=np.empty(n_rows, np.int64),
        spare=np.empty((3, n_rows), np.int64),
        order=np.stack([np.arange(n_columns), np.zeros(n_columns, np.int64)]),
        stack=np.empty((most + 1, 5), np.int64),
        # 256 bins, an empty one, and the left part of a node
        tally=np.zeros((258, n_sums), np.int64),
        mask=np.zeros(4, np.uint64),
        levels=np.empty((2, 256)),
        few=np.empty((2, 16), np.int64),
        whole=np.empty(n_sums, np.int64),
        members=np.empty(4, np.uint64),
    )
    growth = Growth(
        nodes=np.empty((2 * most * n_trees, 4), np.int32),
        sets=np.empty((1 if table.categories is None else most * n_trees + 1, 4), np.uint64),
        roots=np.empty(n_trees, np.int32),
        starts=np.empty(most * n_trees + 1, np.int64),
        members=np.empty((n_rows if room is None else most) * n_trees, np.int32),
        draws=np.empty((n_rows if room is None else most) * n_trees, np.int32),
        inside=np.empty((n_trees, n_rows), np.bool_),
        gains=np.zeros((n_trees, n_columns)),
        ends=np.zeros(3, np.int64),
        every=room is None,
    )
    with np.errstate(over="ignore"):
        # the random numbers of the kernel wrap around, which NumPy warns of where numba is switched off
        _kernels.grow_rows(table, table if room is None else room_for(table, most), how, seeds, work, growth)
    n_nodes, n_sets, n_leaves = growth.ends
    grown = Grown(growth.nodes[:n_nodes].copy(), growth.sets[:n_sets].copy(), growth.roots, growth.gains)
    starts, members, draws = growth.starts[: n_leaves + 1].copy(), growth.members, growth.draws
    if room is not None:
        # those with the lowest numbers
        size = leaf_sizes(room, np.diff(starts), n_rows)
        starts, members = _kernels.first_rows(table.codes, *grown[:3], size)
        draws = np.ones(members.size, np.uint8)
    draws = draws.astype(np.uint8 if draws.max() < 256 else np.uint32)
    return grown, Buckets(starts, members, draws, np.packbits(growth.inside.T, axis=1))


def leaf_sizes(room: float, n_drawn: np.ndarray, n_rows: int) -> np.ndarray:
    """Return how many rows leaves keep at most: a number, or a float times the rows that were drawn in each."""
    size = np.ceil(room * n_drawn) if isinstance(room, float | np.floating) else np.full(n_drawn.size, room)
    return np.minimum(size, n_rows).astype(np.int64)


def room_for(table: TreeTable, n_rows: int) -> TreeTable:
    """Return a table with room for so many rows of another one."""
    codes, values = np.empty((len(table.codes), n_rows), np.uint8), np.empty((n_rows, table.values.shape[1]), np.int64)
    return table._replace(codes=codes, values=values, weights=np.empty(n_rows, np.int64))


def _join(grown: list[tuple[Grown, Buckets]], order: np.ndarray, bins: Bins) -> tuple[Forest, Buckets]:
    n_nodes = n_sets = n_leaves = n_members = 0
    nodes, roots, starts = [], [], [np.zeros(1, np.int64)]
    for trees, buckets in grown:
        part, leaf = trees.nodes, trees.nodes[:, 2] < 0
        part[leaf, 3] += n_leaves
        part[~leaf, 2] += n_nodes
        part[~leaf & (part[:, 1] < 0), 1] -= n_sets
        nodes.append(part)
        roots.append(trees.roots + n_nodes)
        starts.append(buckets.starts[1:] + n_members)
        n_nodes, n_sets = n_nodes + len(part), n_sets + len(trees.sets)
        n_leaves, n_members = n_leaves + buckets.starts.size - 1, n_members + buckets.members.size
    members, draws = (np.concatenate([getattr(buckets, name) for _, buckets in grown]) for name in ("members", "draws"))
    inside = np.concatenate([buckets.inside for _, buckets in grown], axis=1)
    members, inside = order[members].astype(np.int32), inside[np.argsort(order)]
    sets, gains = (np.concatenate([getattr(trees, name) for trees, _ in grown]) for name in ("sets", "gains"))
    total = gains.sum(axis=1, keepdims=True)
    importances = np.divide(gains, total, out=np.zeros(gains.shape), where=total > 0).mean(axis=0)
    forest = Forest(np.concatenate(nodes), sets, np.concatenate(roots).astype(np.int32), importances, bins)
    return forest, Buckets(np.concatenate(starts), members, draws, inside)
