"""Predictions of training rows by heads that did not see them: out of bag, or by folds."""

import numpy as np

from heedful import _blocks
from heedful._flow.fitted import FittedAttention
from heedful._flow.heads import Grid, HeadGroup, Queries
from heedful._flow.kinds import HeldOut, Problem, Run
from heedful._flow.shares import OutOfFold, Whole
from heedful._flow.similarities import seen_rows, similarity_targets
from heedful._folds import Split
from heedful._responses import Response
from heedful.similarity import refit

# Probabilities of several classes by all heads are kept until shares are known, unless there are more numbers of them.
MOST_KEPT = 25_000_000


def predict_out_of_fold(fitted: FittedAttention, out_of_bag: bool, run: Run) -> OutOfFold:
    """Return what heads and global models that did not see a training row predict of it."""
    models, problem, grid, splits = fitted.models, fitted.problem, fitted.grid, fitted.splits
    family = problem.family
    whole = family.n_values > 2 and problem.weight.size * grid.n_heads * family.n_values <= MOST_KEPT
    if out_of_bag:
        number, heads = predict_out_of_bag(grid, problem, splits, run, whole=whole)
    else:
        seen, targets = seen_rows(models, grid.similarities), list(similarity_targets(models, grid.similarities))
        number, heads = predict_by_folds(grid, problem, splits, seen, targets, run, whole=whole)
    baseline, family = models.left_out(problem, out_of_bag, run)[number], family.part(number)
    every = Whole(heads, baseline) if whole else None
    observed = (family.observed(heads) if whole else heads, family.observed(baseline))
    groups = None if models.rows.groups is None else models.rows.groups[number]
    return OutOfFold(*observed, family, models.rows.weight[number], grid.shaped, groups, every, number)


def predict_out_of_bag(
    grid: Grid, problem: Problem, splits: list[Split], run: Run, *, whole: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Predict training rows by scores of trees that did not draw them and local models that leave them out.

    Returns the numbers of the rows that the problem tries heads on, in ascending order, and the part of each prediction
    that the loss looks at (n_rows, n_heads), or the ``whole`` of it (n_rows, n_heads, n_values).
    """
    tried = []
    for part in problem.held_out(splits):
        # scores are those of training rows by number: nothing else is seen of them
        queries = Queries(part.x, part.number[:, None], part.number)
        predictions = [_observe(group, grid, part, queries, problem.family, run, whole) for group in grid.groups]
        tried.append((part.number, np.hstack(predictions)))
    return _average(tried)


def predict_by_folds(
    grid: Grid,
    problem: Problem,
    splits: list[Split],
    seen: list[np.ndarray],
    targets: list[np.ndarray],
    run: Run,
    *,
    whole: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """Predict each fold by similarities and local models of its training part.

    ``seen`` holds the training rows as each similarity sees them, ``targets`` what it is fitted to; the result is that
    of ``predict_out_of_bag``, means for rows that are in several folds.
    """
    tried = []
    for k, split in enumerate(splits):
        part, train = problem.fold(k, split), split.train
        if part.number.size == 0:
            continue
        predictions = []
        for group, rows, target in zip(grid.groups, seen, targets, strict=True):
            similarity = refit(group.similarity, rows[train], target[train], problem.weight[train])
            queries = Queries(part.x, rows[part.number])
            predictions.append(
                _observe(group._replace(similarity=similarity), grid, part, queries, problem.family, run, whole)
            )
        tried.append((part.number, np.hstack(predictions)))
    return _average(tried)


def _average(tried: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of all rows of some parts, in ascending order, and the mean prediction of each."""
    number = np.unique(np.concatenate([rows for rows, _ in tried]))
    total, times = np.zeros((number.size, *tried[0][1].shape[1:])), np.zeros(number.size)
    for rows, predictions in tried:
        at = np.searchsorted(number, rows)
        total[at] += predictions
        times[at] += 1
    return number, total / times.reshape(-1, *[1] * (total.ndim - 1))


def _observe(
    group: HeadGroup, grid: Grid, part: HeldOut, queries: Queries, family: Response, run: Run, whole: bool
) -> np.ndarray:
    """Return the predictions of every head of a group (n_query, n_heads): what the loss looks at, or the whole."""
    wanted = np.ones((len(group.weightings), grid.variants.size), dtype=bool)
    blocks = _blocks.cut(part.number.size, group.similarity.bytes_per_query, run.n_jobs, part.problem.largest_block)
    shared = (group, part, queries, family, wanted, whole)
    predictions = _blocks.run(
        _observe_block, blocks, *shared, n_jobs=run.n_jobs, verbose=run.verbose, label="local models"
    )
    return np.concatenate(list(predictions)).reshape(
        part.number.size, wanted.size, *([family.n_values] if whole else [])
    )


def _observe_block(
    block: slice, group: HeadGroup, part: HeldOut, queries: Queries, family: Response, wanted: np.ndarray, whole: bool
) -> np.ndarray:
    asked = queries.block(block)
    shares = np.zeros(wanted.shape)
    fits = part.problem.fit(group.score(asked), asked.x, group.weightings, wanted, shares, group.anchor(asked))
    return fits.values if whole else family.part(part.number[block]).observed(fits.values)
