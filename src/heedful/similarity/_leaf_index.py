"""Which training rows lie in the leaves of a forest: all of them, or a sample of each leaf."""

from typing import Any, NamedTuple

import numpy as np

from heedful import _blocks, _kernels
from heedful._file_checks import are_offsets, require, require_indices, require_numbers
from heedful._kernels.shapes import ScoreRows


class LeafIndex(NamedTuple):
    """Training rows by leaf, over all trees: where a leaf starts, its rows, how much each counts and all together.

    ``inside`` (n_train, n_tree / 8) says in bits which trees drew a row.
    """

    starts: np.ndarray
    members: np.ndarray
    counts: np.ndarray
    total: np.ndarray
    inside: np.ndarray

    def score(self, leaves: np.ndarray, own: np.ndarray) -> ScoreRows:
        """Return the scores of rows by their leaves (n_tree, n_query); ``own`` names those that are training rows."""
        drew = np.unpackbits(self.inside[own], axis=1, count=leaves.shape[0]).astype(bool)
        return ScoreRows(*_kernels.leaf_score_rows(leaves, own, drew, *self[:4], self.inside.shape[0]))

    def check(self, n_leaves: int, n_trees: int) -> int:
        """Raise if rows that came from a file are in no leaf of a forest; return how many there are."""
        starts, n_train, n_members = self.starts, self.inside.shape[0], self.members.size
        require_indices(starts, n_members + 1, n_leaves + 1)
        require(are_offsets(starts, n_members), "the rows of a leaf are not there")
        require_indices(self.members, n_train, n_members)
        right = self.counts.shape == (n_members,) and self.counts.dtype.kind in "iuf"
        require(right and np.isfinite(self.counts).all() and (self.counts >= 0).all(), "the draws of rows are missing")
        require_numbers(self.total, n_leaves)
        drawn = np.add.reduceat(np.append(self.counts.astype(np.float64), 0.0), starts[:-1])
        require((self.total > 0)[(np.diff(starts) > 0) & (drawn > 0)].all(), "a leaf has rows and no draws")
        require(self.inside.shape == (n_train, -(-n_trees // 8)) and self.inside.dtype == np.uint8, "bags are missing")
        return n_train


def count_draws(drawn: list[np.ndarray], n_train: int) -> np.ndarray:
    """Return how often each tree drew each row (n_tree, n_train)."""
    counts = np.stack([np.bincount(rows, minlength=n_train).astype(np.uint32) for rows in drawn])
    return counts.astype(np.uint8) if counts.max() < 256 else counts


def index_all(leaves: np.ndarray, n_leaves: int, counts: np.ndarray) -> LeafIndex:
    """Return the index of all rows, given their leaves and how often each tree drew them (both n_tree, n_train)."""
    starts, members, draws, total = _kernels.bucket_rows(leaves, n_leaves, counts)
    return LeafIndex(starts, members, draws, total, np.packbits((counts > 0).T, axis=1))


def index_some(
    trees: tuple[np.ndarray, ...],
    X: np.ndarray,
    drawn: list[np.ndarray],
    room: list[np.ndarray],
    seed: np.random.RandomState,
    n_jobs: int | None,
) -> LeafIndex:
    """Return an index of at most ``room`` rows of each leaf (one array per tree), each of which counts once.

    One random order of the rows serves all leaves: a leaf keeps those that come first. A row that is kept in one tree
    is then likely kept in others, so that the scores of rows that are found are nearly what they are with all rows.
    """
    n_train, n_tree = X.shape[0], len(room)
    first = np.concatenate([[0], np.cumsum([part.size for part in room])])
    blocks = _blocks.cut(n_tree, 8 * n_train, n_jobs)
    parts = _blocks.run(_keep_block, blocks, trees, X, seed.permutation(n_train), room, first, n_jobs=n_jobs)
    sizes, members = zip(*(part for block in parts for part in block), strict=True)
    total = np.concatenate(sizes)
    starts = np.concatenate([[0], np.cumsum(total)])
    kept = np.concatenate(members)
    inside = np.zeros((n_train, -(-n_tree // 8)), np.uint8)
    for t, rows in enumerate(drawn):
        inside[rows, t // 8] |= 128 >> t % 8
    return LeafIndex(starts, kept, np.ones(kept.size, np.uint8), total.astype(np.float64), inside)


def _keep_block(block: slice, trees: tuple[np.ndarray, ...], X, order, room, first) -> list[Any]:
    """Return how many rows each leaf of some trees keeps, and which."""
    nodes, thresholds, roots = trees
    leaves = _kernels.leaf_rows(X, nodes, thresholds, roots[block])
    numbers = range(block.start, block.stop)
    return [_kernels.keep_rows(part, order, first[t], room[t]) for t, part in zip(numbers, leaves, strict=True)]
