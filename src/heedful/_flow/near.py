"""Predictions of many rows near each query, from what the query's own fits took; as ``predict`` gives them."""

from typing import Any

import numpy as np

from heedful import _blocks
from heedful._flow.heads import HeadGroup
from heedful._flow.kinds import NearProblem, Run
from heedful._flow.predict import Heads, QueryBatch, blend_values
from heedful._frames import take
from heedful._kernels.shapes import LeafRows, NearRows
from heedful.similarity import ForestProximity, OwnForest

# A softmax that is colder has weights too far apart for sums that are changed.
COLDEST = 0.01
# Rows near queries that are worked on at a time.
BLOCK = 4096


def can_share(heads: Heads) -> bool:
    """Return whether rows near queries can be predicted from the queries' own fits."""
    if heads.evidence is not None or not isinstance(heads.problem, NearProblem) or not heads.problem.fits_near():
        return False
    groups = zip(heads.grid.groups, heads.grid.split(heads.share), strict=True)
    return all(_is_shared(group, share) for group, share in groups if share.any())


def _is_shared(group: HeadGroup, share: np.ndarray) -> bool:
    """Return whether the heads of a group that are in use weigh leaves of our own trees, without a kernel."""
    used = [weighting for weighting, own in zip(group.weightings, share, strict=True) if own.any()]
    cold = any(weighting.name == "softmax" and weighting.temperature < COLDEST for weighting in used)
    kernel = any(np.isfinite(weighting.width) for weighting in used)
    own_trees = type(group.similarity) is ForestProximity and group.similarity.index is not None
    return own_trees and not cold and not kernel


def near_values(queries: QueryBatch, rows: QueryBatch, source: np.ndarray, heads: Heads, run: Run) -> np.ndarray:
    """Return the heads' blend of rows (n_rows, n_values), each near the query that ``source`` names, ascending."""
    ends = np.searchsorted(source, np.arange(queries.size + 1))
    per_query = int(np.ceil(source.size / max(queries.size, 1))) or 1
    blocks = _blocks.cut(queries.size, _blocks.BUDGET * per_query // BLOCK, run.n_jobs)
    shared = (queries, rows, source, ends, heads, heads.problem)
    return np.concatenate(list(_blocks.run(_near_block, blocks, *shared, n_jobs=run.n_jobs)))


def _near_block(
    block: slice,
    queries: QueryBatch,
    rows: QueryBatch,
    source: np.ndarray,
    ends: np.ndarray,
    heads: Heads,
    problem: NearProblem,
) -> np.ndarray:
    near = slice(ends[block.start], ends[block.stop])
    moved, of_block = take(rows.view.x, near), source[near] - block.start
    local = np.zeros((of_block.size, problem.family.n_values))
    groups: Any = zip(heads.grid.groups, heads.grid.split(heads.share), queries.seen, rows.seen, strict=True)
    for group, share, seen, moved_seen in groups:
        if not share.any():
            continue
        trees: OwnForest = group.similarity.index
        leaves = trees.forest.near_leaves(seen[block], moved_seen[near], of_block)
        index = LeafRows(*trees.index[:4], trees.per_weight)
        values = problem.fit_near(NearRows(*leaves, of_block, moved), index, group.weightings, share > 0)
        local += blend_values(values, share)
    return local
