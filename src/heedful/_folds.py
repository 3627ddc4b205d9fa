"""Folds: from what a user writes as ``cv=`` to pairs of row numbers, and to weights that leave rows out."""

from collections.abc import Callable
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import GroupKFold, KFold, check_cv
from sklearn.utils import check_random_state

from heedful._frames import Observations
from heedful._solver.weights import WeightRows

BASELINE_FOLDS = 10


class Split(NamedTuple):
    """Rows to fit on and rows to predict."""

    train: np.ndarray
    test: np.ndarray


def check_folds(cv: Any, groups: Any) -> None:
    """Raise if ``cv`` is none of "oob", a whole number of folds >= 2, a splitter or an iterable of splits."""
    if isinstance(cv, str):
        if cv != "oob":
            raise ValueError(f"`cv` must be 'oob', a number of folds, a splitter or an iterable of splits, got {cv!r}.")
        if groups is not None:
            raise ValueError(
                "`groups` need folds, and cv='oob' has none. Set `cv=10`, or a splitter such as GroupKFold."
            )
    elif isinstance(cv, Integral) and (isinstance(cv, bool) or cv < 2):
        raise ValueError(f"`cv` must be at least 2 folds, got {cv!r}. Use 10 as in the paper, or 'oob'.")
    elif not isinstance(cv, Integral) and not hasattr(cv, "split") and not hasattr(cv, "__iter__"):
        raise TypeError(f"`cv` must be 'oob', a number of folds, a splitter or an iterable of splits, got {cv!r}.")


def user_splits(cv: Any, X: Any, y: np.ndarray, groups: Any, counts: np.ndarray | None = None) -> list[Split]:
    """Return the splits that depend on the rows as given: a splitter's, or those of groups; else none.

    Folds of groups have about as many rows each, a row being as many as it ``counts``.
    """
    if isinstance(cv, str) or (isinstance(cv, Integral) and groups is None):
        return []
    if isinstance(cv, Integral):
        row = np.arange(len(y)) if counts is None else np.repeat(np.arange(len(y)), counts.astype(np.int64))
        splits = GroupKFold(int(cv)).split(row, groups=np.asarray(groups)[row])
        return [Split(np.unique(row[train]), np.unique(row[test])) for train, test in splits]
    splits = [Split(np.asarray(train), np.asarray(test)) for train, test in check_cv(cv).split(X, y, groups)]
    return [Split(*(np.flatnonzero(rows) if rows.dtype == bool else rows for rows in split)) for split in splits]


def random_splits(n_rows: int, n_folds: int, random_state: Any, strata: np.ndarray | None = None) -> list[Split]:
    """Return shuffled folds, as many as the rows allow; a single row is both fitted on and predicted.

    With ``strata`` each of them is dealt out to the folds in turn.
    """
    if n_rows == 1:
        return [Split(np.zeros(1, np.int64), np.zeros(1, np.int64))]
    seed, n_folds = check_random_state(random_state), min(n_folds, n_rows)
    if strata is None:
        folds = KFold(n_folds, shuffle=True, random_state=seed)
        return [Split(train, test) for train, test in folds.split(np.empty((n_rows, 1)))]
    shuffled = seed.permutation(n_rows)
    fold = np.empty(n_rows, np.int64)
    fold[shuffled[np.argsort(strata[shuffled], kind="stable")]] = np.arange(n_rows) % n_folds
    return [Split(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(n_folds)]


def group_splits(groups: np.ndarray, n_folds: int, random_state: Any) -> list[Split]:
    """Return shuffled folds of whole groups, as many as the groups allow."""
    labels, number = np.unique(groups, return_inverse=True)
    splits = random_splits(labels.size, n_folds, random_state)
    return [Split(*(np.flatnonzero(np.isin(number, part)) for part in split)) for split in splits]


def by_group(values: np.ndarray, groups: np.ndarray | None) -> np.ndarray:
    """Return sums of rows over groups, as a standard error needs them; without groups each row is one."""
    if groups is None:
        return values
    total = np.zeros((groups.max() + 1, *values.shape[1:]))
    np.add.at(total, groups, values)
    return total


def fold_pattern(splits: list[Split], n_rows: int) -> np.ndarray:
    """Return one number per row that is equal for rows that are on the same side of every split."""
    if not splits:
        return np.zeros(n_rows)
    side = np.zeros((n_rows, 2 * len(splits)), dtype=np.int8)
    for k, split in enumerate(splits):
        side[split.train, 2 * k] = 1
        side[split.test, 2 * k + 1] = 1
    return np.unique(side, axis=0, return_inverse=True)[1].astype(np.float64).ravel()


def average_out_of_fold(
    splits: list[Split], predict: Callable[[int, Split], np.ndarray], shape: tuple[int, int]
) -> np.ndarray:
    """Return what ``predict`` says of the test rows of each split, averaged; NaN for rows that are in no test part."""
    total, times = np.zeros(shape), np.zeros((shape[0], 1))
    for k, split in enumerate(splits):
        total[split.test] += predict(k, split)
        times[split.test] += 1
    return np.where(times > 0, total / np.maximum(times, 1), np.nan)


def cut_all_rows(splits: list[Split], n_rows: int) -> bool:
    """Return whether the test parts cut all rows into pieces, each left out by all others."""
    whole = all(split.train.size + split.test.size == n_rows for split in splits)
    return whole and np.array_equal(np.sort(np.concatenate([split.test for split in splits])), np.arange(n_rows))


def translate(splits: list[Split], observations: Observations) -> list[Split]:
    """Return splits of rows as given as splits of the observations that they stand for."""
    sides = [[np.isin(observations.number, observations.distinct[rows]) for rows in split] for split in splits]
    return _without_empty(sides)


def _without_empty(sides: list[list[np.ndarray]]) -> list[Split]:
    """Return splits from masks of their two sides, without those that have an empty one."""
    return [Split(*map(np.flatnonzero, both)) for both in sides if all(side.any() for side in both)]


def even_folds(weight: np.ndarray, splits: list[Split]) -> np.ndarray:
    """Return weights under which a mean over rows is the mean over folds of each fold's own mean."""
    even = np.zeros(weight.size)
    for _, test in splits:
        even[test] += weight[test] / weight[test].sum()
    return even


def inner_splits(splits: list[Split], given: list[Split], strata: np.ndarray | None = None) -> list[list[Split]]:
    """Return folds of the training part of each split, in numbers of its rows.

    They are what the others of ``given``, the user's own splits, make of that part, so that groups stay together and
    the future stays unseen; without these they are drawn, as many as there are splits, as ``random_splits`` does.
    """
    parts = []
    for number, (train, _) in enumerate(splits):
        inner = _without_empty([[np.isin(train, other.train), np.isin(train, other.test)] for other in given])
        strata_there = None if strata is None else strata[train]
        parts.append(inner or random_splits(train.size, len(splits), number, strata_there))
    return parts


def fold_weights(splits: list[Split], prior: np.ndarray) -> WeightRows:
    """Return one row of weights per split: the training part by prior, held by the smaller side.

    The part to leave out is a negative excess over the background of all rows; a small training part is a positive one
    over none. No row is stored that need not be.
    """
    excess, indices, background = [], [], []
    for split in splits:
        inside = np.zeros(prior.size, dtype=bool)
        inside[split.train] = True
        mass = prior[inside].sum()
        most = 2 * split.train.size > prior.size
        rows = np.flatnonzero(inside != most).astype(np.int32)
        background.append(prior.sum() / mass if most else 0.0)
        excess.append((-1.0 if most else 1.0) * prior[rows] / mass)
        indices.append(rows)
    indptr = np.cumsum([0, *map(len, indices)], dtype=np.int64)
    return WeightRows(indptr, np.concatenate(indices), np.concatenate(excess), np.array(background))
