"""Predictions of training rows by heads that did not see them: out of bag, or by folds."""

from typing import Any

import numpy as np
from sklearn.base import clone

from heedful._models.blocks import Queries, fit_heads
from heedful._models.protocol import HeldOut, Problem
from heedful._tuning.grid import Grid
from heedful.baseline import Split

NOTHING = np.empty((0, 0))


def predict_out_of_bag(
    similarities: list[Any], grid: Grid, problem: Problem, splits: list[Split], n_jobs=None, verbose=0
) -> np.ndarray:
    """Predict training rows by scores of trees that did not draw them and local models that leave them out.

    NaN for rows that the problem does not try heads on.
    """
    heads = np.full((problem.weight.size, grid.n_heads), np.nan)
    for part in problem.held_out(splits):
        queries = Queries(part.x, NOTHING, problem.family.part(part.number), part.number)
        heads[part.number] = _predict_all(similarities, grid, part, queries, n_jobs, verbose)
    return heads


def predict_by_folds(
    similarities: list[Any],
    grid: Grid,
    problem: Problem,
    splits: list[Split],
    seen: list[np.ndarray],
    targets: list[np.ndarray],
    n_jobs=None,
    verbose=0,
) -> np.ndarray:
    """Predict each fold by similarities and local models of its training part; NaN for rows that are in no fold.

    ``seen`` holds the training rows as each similarity sees them, ``targets`` what it is fitted to.
    """
    total = np.zeros((problem.weight.size, grid.n_heads))
    times = np.zeros(problem.weight.size)
    for k, split in enumerate(splits):
        part, train = problem.fold(k, split), split.train
        if part.number.size == 0:
            continue
        for s, similarity in enumerate(similarities):
            fitted = refit(similarity, seen[s][train], targets[s][train], problem.weight[train])
            one = Grid([grid.weightings[s]], grid.ratios)
            first = sum(len(weightings) for weightings in grid.weightings[:s]) * grid.ratios.size
            queries = Queries(part.x, seen[s][part.number], problem.family.part(part.number))
            columns = slice(first, first + one.n_heads)
            total[part.number, columns] += _predict_all([fitted], one, part, queries, n_jobs, verbose)
        times[part.number] += 1
    return np.where((times > 0)[:, None], total / np.maximum(times, 1)[:, None], np.nan)


def refit(similarity: Any, seen: np.ndarray, target: np.ndarray, weight: np.ndarray) -> Any:
    """Return a clone fitted to other rows, with what an estimator has told the similarity."""
    other = clone(similarity)
    if getattr(other, "keeps_rows", False):
        raise ValueError(
            f"`cv` with folds needs a similarity that can be fitted again, got {similarity!r}, which has seen all "
            "rows. Hand in LGBMRegressor, XGBRegressor or the like instead of a bare booster."
        )
    for name in ("pull_", "_column"):
        if hasattr(similarity, name):
            setattr(other, name, getattr(similarity, name))
    return other.fit(seen, target, weight)


def _predict_all(similarities, grid: Grid, part: HeldOut, queries: Queries, n_jobs, verbose) -> np.ndarray:
    """Return what every head says of what happened (n_query, n_heads)."""
    columns = []
    for similarity, weightings in zip(similarities, grid.weightings, strict=True):
        wanted = np.ones((len(weightings), grid.ratios.size), dtype=bool)
        nobody = np.zeros(wanted.shape)
        fits = fit_heads(similarity, weightings, part.problem, queries, wanted, nobody, n_jobs=n_jobs, verbose=verbose)
        columns.append(fits.observed.reshape(part.number.size, -1))
    return np.hstack(columns)
