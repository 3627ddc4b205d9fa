"""Predictions of training rows by heads that did not see them: out of bag, or by folds."""

from typing import Any

import numpy as np
from sklearn.base import clone

from heedful.baseline import Split
from heedful.heads._fits import Problem, Queries, fit_heads
from heedful.heads._grid import Grid
from heedful.local import Scale, build_table


def _predict_all(similarities, grid: Grid, problem: Problem, queries: Queries, n_jobs, verbose) -> np.ndarray:
    """Return the predictions of every head (n_query, n_heads) on the table's scale."""
    columns = []
    for similarity, weightings in zip(similarities, grid.weightings, strict=True):
        wanted = np.ones((len(weightings), grid.ratios.size), dtype=bool)
        fits = fit_heads(
            similarity, weightings, problem, queries, wanted, np.zeros(wanted.shape), n_jobs=n_jobs, verbose=verbose
        )
        columns.append(fits.prediction.reshape(queries.x.shape[0], -1))
    return np.hstack(columns)


def predict_out_of_bag(similarities: list[Any], grid: Grid, problem: Problem, n_jobs=None, verbose=0) -> np.ndarray:
    """Predict every training row by trees that did not draw it and local models that leave it out."""
    return _predict_all(similarities, grid, problem, Queries(problem.table.x, None), n_jobs, verbose)


def predict_by_folds(
    similarities: list[Any],
    grid: Grid,
    problem: Problem,
    splits: list[Split],
    starts: np.ndarray,
    seen: list[np.ndarray],
    n_jobs=None,
    verbose=0,
) -> np.ndarray:
    """Predict each fold by similarities and local models of its training part; NaN for rows that are in no fold.

    ``seen`` holds the training rows as each similarity sees them, ``starts`` the baseline of each fold.
    """
    table, x = problem.table, problem.table.x
    total = np.zeros((x.shape[0], grid.n_heads))
    times = np.zeros(x.shape[0])
    identity = Scale(np.zeros(x.shape[1]), np.ones(x.shape[1]), 0.0, 1.0)
    for split, start in zip(splits, starts, strict=True):
        part = build_table(x[split.train], table.y[split.train], table.prior[split.train], identity)
        fold = problem._replace(table=part, rule=problem.rule._replace(start=start))
        for s, similarity in enumerate(similarities):
            response = np.round(table.y[split.train], 9)
            fitted = clone(similarity).fit(seen[s][split.train], response, table.prior[split.train])
            one = Grid([grid.weightings[s]], grid.ratios)
            first = sum(len(weightings) for weightings in grid.weightings[:s]) * grid.ratios.size
            queries = Queries(x[split.test], seen=seen[s][split.test])
            columns = slice(first, first + one.n_heads)
            total[split.test, columns] += _predict_all([fitted], one, fold, queries, n_jobs, verbose)
        times[split.test] += 1
    return np.where((times > 0)[:, None], total / np.maximum(times, 1)[:, None], np.nan)
