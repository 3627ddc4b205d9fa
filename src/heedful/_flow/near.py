"""Predictions of many rows near each query, from what the query's own fits took; as ``predict`` gives them."""

from typing import Any, NamedTuple

import numpy as np

from heedful import _blocks
from heedful._flow.kinds import NearProblem, Run
from heedful._flow.predict import Heads, QueryBatch
from heedful._frames import take
from heedful._kernels.shapes import LeafRows, NearRows
from heedful.similarity import ForestProximity, OwnForest, Similarity

# A softmax that is colder has weights too far apart for sums that are changed.
COLDEST = 0.01
# Rows near queries that are worked on at a time.
BLOCK = 4096


class _Group(NamedTuple):
    """Heads of one forest that are in use: the number of their group, weightings, shares, and trees."""

    number: int
    weightings: list
    share: np.ndarray
    forest: OwnForest


def can_share(heads: Heads) -> bool:
    """Return whether rows near queries can be predicted from the queries' own fits."""
    if heads.evidence is not None or not isinstance(heads.problem, NearProblem) or not heads.problem.fits_near():
        return False
    for group, share in zip(heads.grid.groups, heads.grid.split(heads.share), strict=True):
        if not share.any():
            continue
        if _trees_of(group.similarity) is None:
            return False
        for weighting, own in zip(group.weightings, share, strict=True):
            cold = weighting.name == "softmax" and weighting.temperature < COLDEST
            if own.any() and (cold or not np.isinf(weighting.width)):
                return False
    return True


def _trees_of(similarity: Similarity) -> OwnForest | None:
    """Return the trees of a forest of our own."""
    return similarity.index if type(similarity) is ForestProximity else None


def near_values(queries: QueryBatch, rows: QueryBatch, source: np.ndarray, heads: Heads, run: Run) -> np.ndarray:
    """Return the heads' blend of rows (n_rows, n_values), each near the query that ``source`` names, ascending."""
    parts = zip(heads.grid.groups, heads.grid.split(heads.share), strict=True)
    groups = [
        _Group(number, group.weightings, share, forest)
        for number, (group, share) in enumerate(parts)
        if share.any() and (forest := _trees_of(group.similarity)) is not None
    ]
    ends = np.searchsorted(source, np.arange(queries.size + 1))
    per_query = int(np.ceil(source.size / max(queries.size, 1))) or 1
    blocks = _blocks.cut(queries.size, _blocks.BUDGET * per_query // BLOCK, run.n_jobs)
    shared = (queries, rows, source, ends, groups, heads.problem)
    return np.concatenate(list(_blocks.run(_near_block, blocks, *shared, n_jobs=run.n_jobs)))


def _near_block(
    block: slice,
    queries: QueryBatch,
    rows: QueryBatch,
    source: np.ndarray,
    ends: np.ndarray,
    groups: list[_Group],
    problem: NearProblem,
) -> np.ndarray:
    near = slice(ends[block.start], ends[block.stop])
    moved = take(rows.view.x, near)
    local = np.zeros((near.stop - near.start, problem.family.n_values))
    for number, weightings, share, forest in groups:
        of_block = source[near] - block.start
        seen: Any = queries.seen[number][block]
        moved_seen: Any = rows.seen[number][near]
        leaves = forest.forest.near_leaves(seen, moved_seen, of_block)
        known = NearRows(*leaves, of_block, moved)
        index = LeafRows(*forest.index[:4], forest.per_weight)
        values = problem.fit_near(known, index, weightings, share > 0)
        for w, t in np.argwhere(share > 0):
            local += share[w, t] * values[:, w, t]
    return local
