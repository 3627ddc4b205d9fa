"""Folds: from what a user writes as ``cv=`` to pairs of row numbers, and to weights that leave rows out."""

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import GroupKFold, KFold, check_cv
from sklearn.utils import check_random_state

from heedful._solver import WeightRows

BASELINE_FOLDS = 10


class Split(NamedTuple):
    """Hold the rows to fit on and the rows to predict.

    Parameters
    ----------
    train, test : ndarray of int
        Numbers of the rows.

    Examples
    --------
    >>> Split(np.array([0, 1]), np.array([2])).test
    array([2])
    """

    train: np.ndarray
    test: np.ndarray


def check_folds(cv: Any, groups: Any) -> None:
    """Raise if ``cv`` is no way to predict unseen rows.

    Parameters
    ----------
    cv : "oob", int, splitter or iterable of splits
        How unseen rows are predicted.
    groups : array-like of shape (n_train,) or None
        Rows of one group stay together.

    Raises
    ------
    TypeError, ValueError
        If ``cv`` is anything else, has fewer than 2 folds, or is "oob" while there are groups.

    Examples
    --------
    >>> check_folds(10, None)
    >>> check_folds(1, None)
    Traceback (most recent call last):
    ...
    ValueError: `cv` must be at least 2 folds, got 1. Use 10 as in the paper, or 'oob'.
    """
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


def user_splits(cv: Any, X: Any, y: np.ndarray, groups: Any) -> list[Split]:
    """Return the splits that depend on the rows as given.

    Parameters
    ----------
    cv : "oob", int, splitter or iterable of splits
        How unseen rows are predicted.
    X : array-like of shape (n_train, n_features)
        Training rows.
    y : ndarray of shape (n_train,)
        Response.
    groups : array-like of shape (n_train,) or None
        Rows of one group stay together.

    Returns
    -------
    list of Split
        Those of a splitter or of groups; empty for "oob" and for a number of folds without groups.

    Examples
    --------
    >>> from sklearn.model_selection import TimeSeriesSplit
    >>> [split.test.tolist() for split in user_splits(TimeSeriesSplit(2), np.zeros((6, 1)), np.zeros(6), None)]
    [[2, 3], [4, 5]]
    >>> user_splits("oob", np.zeros((6, 1)), np.zeros(6), None)
    []
    """
    if isinstance(cv, str) or (isinstance(cv, Integral) and groups is None):
        return []
    splitter = GroupKFold(int(cv)) if isinstance(cv, Integral) else check_cv(cv)
    splits = [Split(np.asarray(train), np.asarray(test)) for train, test in splitter.split(X, y, groups)]
    return [Split(*(np.flatnonzero(rows) if rows.dtype == bool else rows for rows in split)) for split in splits]


def random_splits(n_rows: int, n_folds: int, random_state: Any, strata: np.ndarray | None = None) -> list[Split]:
    """Return shuffled folds, as many as the rows allow.

    A single row is both fitted on and predicted.

    Parameters
    ----------
    n_rows : int
        Number of rows.
    n_folds : int
        Number of folds; at most one per row.
    random_state : int, RandomState instance or None
        Seed.
    strata : ndarray of shape (n_rows,), default=None
        Rows of each value are dealt out to the folds in turn.

    Returns
    -------
    list of Split
        One per fold.

    Examples
    --------
    >>> sorted(int(row) for split in random_splits(5, 2, 0) for row in split.test)
    [0, 1, 2, 3, 4]
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


def fold_pattern(splits: list[Split], n_rows: int) -> np.ndarray:
    """Return a number per row, equal for rows on the same side of all splits.

    Parameters
    ----------
    splits : list of Split
        Rows to fit on and rows to predict.
    n_rows : int
        Number of rows.

    Returns
    -------
    ndarray of shape (n_rows,)
        The numbers, as floats.

    Examples
    --------
    >>> fold_pattern([Split(np.array([0, 1]), np.array([2]))], 4)
    array([2., 2., 1., 0.])
    """
    side = np.zeros((n_rows, 2 * len(splits)), dtype=np.int8)
    for k, split in enumerate(splits):
        side[split.train, 2 * k] = 1
        side[split.test, 2 * k + 1] = 1
    if not splits:
        return np.zeros(n_rows)
    return np.unique(side, axis=0, return_inverse=True)[1].astype(np.float64).ravel()


def translate(splits: list[Split], inverse: np.ndarray) -> list[Split]:
    """Return the splits of the distinct rows.

    Parameters
    ----------
    splits : list of Split
        Rows to fit on and rows to predict.
    inverse : ndarray of int of shape (n_rows,)
        Distinct row that each row is equal to; -1 for none.

    Returns
    -------
    list of Split
        The same splits by numbers of distinct rows, without those that lost all rows of one side.

    Examples
    --------
    >>> translate([Split(np.array([0, 1]), np.array([2, 3]))], np.array([0, 0, 1, -1]))
    [Split(train=array([0]), test=array([1]))]
    """
    merged = [Split(*(np.unique(inverse[rows][inverse[rows] >= 0]) for rows in split)) for split in splits]
    return [split for split in merged if split.train.size and split.test.size]


def fold_weights(splits: list[Split], prior: np.ndarray) -> WeightRows:
    """Return one row of weights per split: the training part by prior, held by the smaller side.

    The part to leave out is a negative bump over the background of all rows; a small training part is a positive one
    over none. No row is stored that need not be.
    """
    bumps, indices, background = [], [], []
    for split in splits:
        inside = np.zeros(prior.size, dtype=bool)
        inside[split.train] = True
        mass = prior[inside].sum()
        most = 2 * split.train.size > prior.size
        rows = np.flatnonzero(inside != most)
        background.append(prior.sum() / mass if most else 0.0)
        indices.append(rows.astype(np.int32))
        bumps.append((-1.0 if most else 1.0) * prior[rows] / mass)
    indptr = np.concatenate([[0], np.cumsum([rows.size for rows in indices])]).astype(np.int64)
    return WeightRows(indptr, np.concatenate(indices), np.concatenate(bumps), np.array(background))
