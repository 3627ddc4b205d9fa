"""Fit heads to queries: scores, weights, local lassos, block by block."""

from typing import Any, NamedTuple

import numpy as np

from heedful import _blocks, _kernels
from heedful._kernels.shapes import Rule, ScoreRows, Table
from heedful.attention import Attention, Weighting, blend_attention, weigh
from heedful.heads._grid import Grid


class Problem(NamedTuple):
    """The local lassos to fit: training rows, solver rule (started at the baseline) and penalties of the ratios."""

    table: Table
    rule: Rule
    penalties: np.ndarray


class Queries(NamedTuple):
    """Rows to predict: on the table's scale, and as the similarity sees them; None if they are the training rows."""

    x: np.ndarray
    seen: np.ndarray | None

    def score(self, block: slice, similarity: Any) -> ScoreRows:
        """Return the scores of a block."""
        if self.seen is not None:
            return similarity.score_rows(self.seen[block])
        return similarity.train_rows(np.arange(self.x.shape[0])[block])


class HeadFits(NamedTuple):
    """Fits of one similarity's heads on the table's scale."""

    prediction: np.ndarray
    intercept: np.ndarray
    coef: np.ndarray
    n_failed: int


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
    blocks = _blocks.cut(queries.x.shape[0], _bytes_per_query(similarity, problem.table), n_jobs)
    shared = (similarity, weightings, problem, queries, wanted, shares)
    parts = list(_blocks.run(_fit_block, blocks, *shared, n_jobs=n_jobs, verbose=verbose, label="local models"))
    prediction, intercept, coef, failed = (np.concatenate(column) for column in zip(*parts, strict=True))
    return HeadFits(prediction, intercept, coef, int(failed.sum()))


def _fit_block(block, similarity, weightings, problem, queries, wanted, shares):
    rows = queries.score(block, similarity)
    kinds = np.array([weighting.kind for weighting in weightings])
    temperatures = np.array([weighting.temperature for weighting in weightings])
    return _kernels.head_rows(
        *rows, queries.x[block], problem.table, kinds, temperatures, problem.penalties, wanted, shares, problem.rule
    )


def blended_attention(
    similarities: list[Any], grid: Grid, shares: np.ndarray, prior: np.ndarray, queries: list[Queries], block: slice
) -> Attention:
    """Return the attention of a block of queries, averaged over heads by their shares (the prior if there are none).

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
                parts.append((part / total, *weigh(rows, weighting, prior)))
    if not parts:
        n_query = queries[0].x[block].shape[0]
        nothing = ScoreRows(np.zeros(n_query + 1, np.int64), np.empty(0, np.int32), np.empty(0), np.empty(0))
        parts = [(1.0, *weigh(nothing, Weighting("share"), prior))]
    return blend_attention(parts, prior)


def _bytes_per_query(similarity: Any, table: Table) -> int:
    """Return an upper estimate of the memory that a query's scores take."""
    n_train = table.prior.size
    trees = getattr(getattr(similarity, "forest_", None), "estimators_", None)
    touched = n_train if trees is None else min(n_train, 20 * len(trees))
    return 24 * touched
