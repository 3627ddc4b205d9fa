"""Fit heads to queries: scores, weights, local models, block by block."""

from typing import Any, NamedTuple

import numpy as np

from heedful import _blocks, _kernels
from heedful._kernels.shapes import Rule, ScoreRows, Table
from heedful.attention import Attention, Weighting, blend_attention, over_background, weigh
from heedful.heads._grid import Grid
from heedful.local import Family, Model, Paths, Scale, Survival, WeightRows, fit_paths, weight_rows, working_tables


class Problem(NamedTuple):
    """The local models to fit: training rows with what happened to them, solver rule, penalties of the ratios.

    ``tables`` are those of one Newton step from the global model ``start``, one per output; ``means`` the columns whose
    weighted means make the heads of infinite penalty, None where the tables' own responses do. ``exact`` is a table for
    fits to convergence, None for one step.
    """

    family: Family
    weight: np.ndarray
    tables: tuple[Table, ...]
    start: Model
    rule: Rule
    penalties: np.ndarray
    means: np.ndarray | None
    exact: Table | None = None


class Queries(NamedTuple):
    """Rows to predict: on the table's scale, and as the similarity sees them; or by number if they are training rows.

    ``happened`` is what happened to them, if it is known: heads then give the values that the loss looks at.
    """

    x: np.ndarray
    seen: np.ndarray
    happened: Family | None = None
    number: np.ndarray | None = None

    def score(self, block: slice, similarity: Any) -> ScoreRows:
        """Return the scores of a block."""
        if self.number is not None:
            return similarity.train_rows(self.number[block])
        return similarity.score_rows(self.seen[block])


class HeadFits(NamedTuple):
    """Fits of one similarity's heads on the table's scale.

    ``observed`` (n_query, n_weighting, n_ratio) is empty unless it is known what happened to the queries; ``value`` is
    blended by share, and so is ``coef`` of the linear predictor (outputs before features).
    """

    observed: np.ndarray
    value: np.ndarray
    coef: np.ndarray
    n_failed: int


def make_problem(
    x: np.ndarray, family: Family, weight: np.ndarray, start: Model, rule: Rule, penalties: np.ndarray
) -> Problem:
    """Return the local problems of training rows on the table's scale, near the global model ``start``."""
    scale = Scale(np.zeros(x.shape[1]), np.ones(x.shape[1]), 0.0, 1.0)
    link = start.link(x)
    family = family.anchored(link, weight)
    tables = working_tables(x, family, link, weight, scale)
    return Problem(family, weight, tables, start, rule, penalties, family.means())


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
    blocks = _blocks.cut(queries.x.shape[0], _bytes_per_query(similarity, problem), n_jobs)
    shared = (similarity, weightings, problem, queries, wanted, shares)
    parts = list(_blocks.run(_fit_block, blocks, *shared, n_jobs=n_jobs, verbose=verbose, label="local models"))
    observed, value, coef, failed = (np.concatenate(column) for column in zip(*parts, strict=True))
    return HeadFits(observed, value, coef, int(failed.sum()))


def _fit_block(block, similarity, weightings, problem, queries, wanted, shares):
    """Fit one block: all outputs see the same scores."""
    rows, x = queries.score(block, similarity), queries.x[block]
    finite = np.isfinite(problem.penalties)
    lassos = wanted & (finite | (problem.means is None))
    fit = _one_step if problem.exact is None else _to_convergence
    link, coef, failed = fit(rows, x, weightings, problem, lassos, shares)
    if problem.means is not None and (wanted & ~finite).any():
        _fit_means(rows, weightings, problem, wanted & ~finite, link)
    values = problem.family.values(link)
    value = np.zeros((x.shape[0], values.shape[-1]))
    for w, t in np.argwhere(shares > 0):
        # one by one: a product of matrices would add up in an order that depends on the size of the block
        value += shares[w, t] * values[:, w, t]
    observed = np.empty((x.shape[0], 0))
    if queries.happened is not None:
        observed = queries.happened.part(np.arange(queries.x.shape[0])[block]).observed(values)
    return observed, value, coef, failed


def _one_step(rows, x, weightings, problem, wanted, shares):
    """Fit by one Newton step from the global model: a weighted lasso for each output."""
    n_query, n_outputs = x.shape[0], len(problem.tables)
    kinds = np.array([weighting.kind for weighting in weightings])
    temperatures = np.array([weighting.temperature for weighting in weightings])
    link = np.empty((n_query, *wanted.shape, n_outputs))
    coef, failed = np.empty((n_query, n_outputs, x.shape[1])), np.zeros(n_query, np.int64)
    for k, table in enumerate(problem.tables):
        rule = problem.rule._replace(start=np.ascontiguousarray(problem.start.coef[k]))
        how = (table, kinds, temperatures, problem.penalties, wanted, shares, rule)
        link[..., k], coef[:, k], bad = _kernels.head_rows(*rows, x, *how)
        failed += bad
    return link, coef, failed


def _to_convergence(rows, x, weightings, problem, wanted, shares):
    """Fit each head to convergence; survival models get the level at which expected events are those observed."""
    n_query, n_outputs = x.shape[0], problem.start.intercept.size
    link = np.full((n_query, *wanted.shape, n_outputs), np.nan)
    coef, failed = np.zeros((n_query, n_outputs, x.shape[1])), 0
    for w, weighting in enumerate(weightings):
        if not wanted[w].any():
            continue
        weights = weight_rows(*weigh(rows, weighting, problem.weight))
        penalties = problem.penalties[wanted[w]]
        paths = fit_paths(weights, problem.exact, problem.family.outcome, penalties, problem.rule, problem.start)
        level = _levels(problem, paths, weights, problem.exact.x)
        link[:, w, wanted[w]] = level + np.einsum("qtkj,qj->qtk", paths.coef, x)
        coef += np.einsum("qtkj,t->qkj", paths.coef, shares[w, wanted[w]])
        failed += paths.n_failed
    return link, coef, np.array([failed])


def _levels(problem: Problem, paths: Paths, weights: WeightRows, x: np.ndarray) -> np.ndarray:
    """Return the intercepts (n_query, n_penalty, n_outputs) of converged fits."""
    if not isinstance(problem.family, Survival):
        return paths.intercept
    attention = over_background(
        weights.bumps(problem.weight.size), weights.background / problem.weight.sum(), problem.weight
    )
    link = paths.coef[:, :, 0] @ x.T
    return problem.family.level(link, attention.toarray()[:, None, :], problem.weight)


def _fit_means(rows, weightings, problem, wanted, link):
    """Write the heads without columns: the link of weighted means of what happened."""
    overall = np.average(problem.means, axis=0, weights=problem.weight)
    for w, weighting in enumerate(weightings):
        if wanted[w].any():
            bumps, background = weigh(rows, weighting, problem.weight)
            means = bumps @ problem.means + np.multiply.outer(background, overall)
            link[:, w, wanted[w]] = problem.family.mean_link(np.clip(means, 0.0, None), overall)[:, None, :]


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


def _bytes_per_query(similarity: Any, problem: Problem) -> int:
    """Return an upper estimate of the memory that a query's scores take."""
    n_train = problem.weight.size
    trees = getattr(getattr(similarity, "forest_", None), "estimators_", None)
    touched = n_train if trees is None else min(n_train, 20 * len(trees))
    return 24 * touched
