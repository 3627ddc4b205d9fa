"""Fit heads to queries: scores, weights, local models, block by block."""

from typing import Any, NamedTuple

import numpy as np

from heedful import _blocks
from heedful._frames import take
from heedful._kernels.shapes import ScoreRows
from heedful._models.protocol import Anchor, BlockFits, Problem
from heedful._solver import Family
from heedful._tuning.grid import Grid
from heedful.attention import Attention, Weighting, blend_attention, weigh


class Queries(NamedTuple):
    """Rows to predict: as local models take them, and as the similarity sees them; by number if they are training rows.

    ``happened`` is what happened to them, if it is known: heads then give the values that the loss looks at.
    """

    x: Any
    seen: np.ndarray
    happened: Family | None = None
    number: np.ndarray | None = None

    def score(self, block: slice, similarity: Any) -> ScoreRows:
        """Return the scores of a block."""
        if self.number is not None:
            return similarity.train_rows(self.number[block])
        return similarity.score_rows(self.seen[block])

    def anchor(self, block: slice, similarity: Any) -> Anchor | None:
        """Return what the similarity's teacher says of a block, if local fits are to be pulled to it."""
        pull = getattr(similarity, "pull_", 0.0)
        if pull <= 1.0:
            return None
        if self.number is not None:
            return Anchor(similarity.teach_train(self.number[block]), pull)
        return Anchor(similarity.teach(self.seen[block]), pull)


class HeadFits(NamedTuple):
    """Fits of one similarity's heads.

    ``observed`` (n_query, n_weighting, n_ratio) is empty unless it is known what happened to the queries; ``value`` is
    blended by share, and so is ``coef`` (outputs before features). ``models`` holds fitted learners if they are kept.
    """

    observed: np.ndarray
    value: np.ndarray
    coef: np.ndarray
    n_failed: int
    models: list[Any]


def fit_heads(
    similarity: Any,
    weightings: list[Weighting],
    problem: Problem,
    queries: Queries,
    wanted: np.ndarray,
    shares: np.ndarray,
    *,
    n_jobs: int | None,
    verbose: int = 0,
) -> HeadFits:
    """Fit the wanted heads (n_weighting, n_ratio) of every query and blend their models by ``shares``."""
    blocks = _blocks.cut(queries.x.shape[0], similarity.bytes_per_query, n_jobs, problem.largest_block)
    shared = (similarity, weightings, problem, queries, wanted, shares)
    parts = list(_blocks.run(_fit_block, blocks, *shared, n_jobs=n_jobs, verbose=verbose, label="local models"))
    observed, value = (np.concatenate(column) for column in list(zip(*parts, strict=True))[:2])
    fits = [part[2] for part in parts]
    coef = np.concatenate([part.coef for part in fits])
    return HeadFits(observed, value, coef, sum(part.failed for part in fits), [m for part in fits for m in part.models])


def _fit_block(block, similarity, weightings, problem, queries, wanted, shares):
    """Fit one block and blend it; values of heads that nobody looks at are dropped."""
    rows, x = queries.score(block, similarity), take(queries.x, block)
    anchor = queries.anchor(block, similarity)
    fits: BlockFits = problem.fit(rows, x, weightings, wanted, shares, anchor)
    value = np.zeros((x.shape[0], fits.values.shape[-1]))
    for w, t in np.argwhere(shares > 0):
        # one by one: a product of matrices would add up in an order that depends on the size of the block
        value += shares[w, t] * fits.values[:, w, t]
    observed = np.empty((x.shape[0], 0))
    if queries.happened is not None:
        observed = queries.happened.part(np.arange(queries.x.shape[0])[block]).observed(fits.values)
    return observed, value, fits._replace(values=np.empty(0))


def blended_attention(
    similarities: list[Any],
    grid: Grid,
    shares: np.ndarray,
    sample_weight: np.ndarray,
    queries: list[Queries],
    block: slice,
) -> Attention:
    """Return the attention of a block of queries, averaged over heads by their shares (equal if there are none).

    ``queries`` holds the same rows once for each similarity, as that one sees them.
    """
    total = shares.sum()
    parts = []
    for s, share in enumerate(grid.split(shares)):
        if not share.any():
            continue
        rows, weightings = queries[s].score(block, similarities[s]), grid.weightings[s]
        for weighting, part in zip(weightings, share.sum(axis=1), strict=True):
            if part > 0:
                parts.append((part / total, *weigh(rows, weighting, sample_weight)))
    if not parts:
        n_query = queries[0].seen[block].shape[0]
        nothing = ScoreRows(np.zeros(n_query + 1, np.int64), np.empty(0, np.int32), np.empty(0), np.empty(0))
        parts = [(1.0, *weigh(nothing, Weighting("share"), sample_weight))]
    return blend_attention(parts, sample_weight)
