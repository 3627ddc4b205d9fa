"""Predictions of training rows by heads that did not see them: out of bag, or by folds."""

from typing import Any

import numpy as np
from sklearn.base import clone

from heedful.baseline import Split
from heedful.heads._fits import Problem, Queries, fit_heads, make_problem
from heedful.heads._grid import Grid
from heedful.local import Model

NOTHING = np.empty((0, 0))


def _predict_all(similarities, grid: Grid, problem: Problem, queries: Queries, n_jobs, verbose) -> np.ndarray:
    """Return what every head says of what happened (n_query, n_heads)."""
    columns = []
    for similarity, weightings in zip(similarities, grid.weightings, strict=True):
        wanted = np.ones((len(weightings), grid.ratios.size), dtype=bool)
        fits = fit_heads(
            similarity, weightings, problem, queries, wanted, np.zeros(wanted.shape), n_jobs=n_jobs, verbose=verbose
        )
        columns.append(fits.observed.reshape(queries.x.shape[0], -1))
    return np.hstack(columns)


def predict_out_of_bag(
    similarities: list[Any],
    grid: Grid,
    problem: Problem,
    x: np.ndarray,
    splits: list[Split],
    starts: list[Model],
    n_jobs=None,
    verbose=0,
) -> np.ndarray:
    """Predict every training row by trees that did not draw it and local models that leave it out.

    One Newton step must not start at a model that has seen the row: the rows of each fold start at the baseline of the
    others. The start of a squared loss makes no difference, and all rows share one.
    """
    family, weight = problem.family, problem.weight
    if problem.means is None:
        queries = Queries(x, NOTHING, family, np.arange(weight.size))
        return _predict_all(similarities, grid, problem, queries, n_jobs, verbose)
    heads = np.full((weight.size, grid.n_heads), np.nan)
    for (_, test), start in zip(splits, starts, strict=True):
        near = make_problem(x, family, weight, start, problem.rule, problem.penalties)
        queries = Queries(x[test], NOTHING, family.part(test), test)
        heads[test] = _predict_all(similarities, grid, near, queries, n_jobs, verbose)
    return heads


def predict_by_folds(
    similarities: list[Any],
    grid: Grid,
    problem: Problem,
    x: np.ndarray,
    splits: list[Split],
    starts: list[Model],
    seen: list[np.ndarray],
    response: np.ndarray,
    n_jobs=None,
    verbose=0,
) -> np.ndarray:
    """Predict each fold by similarities and local models of its training part; NaN for rows that are in no fold.

    ``seen`` holds the training rows as each similarity sees them, ``response`` what it is fitted to, ``starts`` the
    baseline of each fold.
    """
    family, weight = problem.family, problem.weight
    total = np.zeros((x.shape[0], grid.n_heads))
    times = np.zeros(x.shape[0])
    for (train, test), start in zip(splits, starts, strict=True):
        fold = make_problem(x[train], family.part(train), weight[train], start, problem.rule, problem.penalties)
        for s, similarity in enumerate(similarities):
            fitted = clone(similarity).fit(seen[s][train], response[train], weight[train])
            one = Grid([grid.weightings[s]], grid.ratios)
            first = sum(len(weightings) for weightings in grid.weightings[:s]) * grid.ratios.size
            queries = Queries(x[test], seen[s][test], family.part(test))
            columns = slice(first, first + one.n_heads)
            total[test, columns] += _predict_all([fitted], one, fold, queries, n_jobs, verbose)
        times[test] += 1
    return np.where((times > 0)[:, None], total / np.maximum(times, 1)[:, None], np.nan)
