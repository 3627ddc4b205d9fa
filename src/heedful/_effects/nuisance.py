"""What is expected of each row before its effect is looked at: outcome and treatment, by models that did not see it."""

import warnings
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.utils.validation import has_fit_parameter

from heedful._effects.given import Column
from heedful._frames import TableReader, merge_rows, take
from heedful.baseline._folds import Split, random_splits, user_splits

# Propensities are kept this far from 0 and 1; it is worth a word if they are so near in more than this share of rows,
# and an end if in more than that one. For amounts: the part of their variance that columns do not tell.
CLIP, MANY, NEARLY_ALL, NO_VARIANCE = 0.02, 0.05, 0.95, 1e-4
# Equal rows are copies of one if at least this share of rows is distinct; in tables of few levels they are not.
DISTINCT = 0.5


class Learner(NamedTuple):
    """Models of a column, not fitted, whose mean counts; those of ``ours`` tell their doubts of the table elsewhere."""

    models: tuple[Any, ...]
    ours: bool


class Rows(NamedTuple):
    """Training rows as they were given, their sample weights (None if none were given) and folds."""

    table: pd.DataFrame | np.ndarray
    weight: np.ndarray | None
    splits: list[Split]


def draw_folds(
    table: Any, columns: list[Column], weight: np.ndarray, groups: Any, n_folds: int, seed: np.random.RandomState
) -> list[Split]:
    """Return folds of all rows, such that models of the others know both labels of each column.

    They do not depend on the columns if that can be helped; copies of a row stay with it.
    """
    n_rows, first = len(table), first_copies(table, columns)
    if groups is not None:
        splits = user_splits(n_folds, table, columns[0].values, groups)
    else:
        splits = with_copies(random_splits(n_rows, n_folds, seed), first)
        if not all(_knows_both(split, column, weight) for split in splits for column in columns):
            kinds = sum(2**k * column.values for k, column in enumerate(columns) if column.binary)
            splits = with_copies(random_splits(n_rows, n_folds, seed, np.asarray(kinds)), first)
    for column, name in zip(columns, ("treatment", "y"), strict=False):
        if not all(_knows_both(split, column, weight) for split in splits):
            raise ValueError(
                f"`{name}` must have rows of both labels in every part of {n_folds} folds, and one label is in too few "
                "rows or groups for that. Add such rows, or give fewer folds."
            )
    return splits


def first_copies(table: pd.DataFrame | np.ndarray, columns: list[Column]) -> np.ndarray:
    """Return for each row the first one that equals it in all cells and columns; itself where levels are few."""
    codes, values = TableReader().fit(table).read(table), np.column_stack([column.values for column in columns])
    n_rows = len(codes)
    first, number = merge_rows(codes, values, np.zeros(n_rows), np.ones(n_rows))
    return first[number] if first.size >= DISTINCT * n_rows else np.arange(n_rows)


def with_copies(splits: list[Split], first: np.ndarray) -> list[Split]:
    """Return folds in which copies of a row are where the first of them is."""
    fold = np.empty(first.size, np.int64)
    for number, (_, test) in enumerate(splits):
        fold[test] = number
    fold = fold[first]
    moved = [Split(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(len(splits))]
    return [split for split in moved if split.test.size]


def _knows_both(split: Split, column: Column, weight: np.ndarray) -> bool:
    used = split.train[weight[split.train] > 0]
    return used.size > 0 and (not column.binary or np.ptp(column.values[used]) > 0)


def check_learner(name: str, model: Any, column: Column, weighted: bool) -> None:
    """Raise unless a model suits a column, and takes sample weights if there are any."""
    if not hasattr(model, "fit") or not (is_classifier(model) or is_regressor(model)):
        raise TypeError(f"`{name}` must be a scikit-learn regressor or classifier, or None for ours, got {model!r}.")
    if is_classifier(model) and not column.binary:
        raise TypeError(f"`{name}` must be a regressor, as there are numbers to learn, got {model!r}.")
    if is_classifier(model) and not hasattr(model, "predict_proba"):
        raise TypeError(f"`{name}` must have predict_proba if it is a classifier, got {model!r}.")
    if weighted and not has_fit_parameter(model, "sample_weight"):
        raise TypeError(f"`{name}` must take `sample_weight` in `fit` if rows have weights, got {model!r}.")


def expect(learner: Learner, column: Column, rows: Rows) -> np.ndarray:
    """Return what models that did not see a row expect of a column: its mean, or the chance of the second label."""
    found = np.zeros(column.values.size)
    with warnings.catch_warnings():
        if learner.ours:
            warnings.simplefilter("ignore")
        for split in rows.splits:
            told = [_expect_left_out(model, learner.ours, column, rows, split) for model in learner.models]
            found[split.test] = np.mean(told, axis=0)
    return found


def _expect_left_out(model: Any, ours: bool, column: Column, rows: Rows, split: Split) -> np.ndarray:
    """Return what a model of the other rows expects of those that a split left out."""
    used = split.train if rows.weight is None else split.train[rows.weight[split.train] > 0]
    how = {} if rows.weight is None else {"sample_weight": rows.weight[used]}
    table, left_out, y = take(rows.table, used), take(rows.table, split.test), column.values[used]
    if not is_classifier(model):
        return np.asarray(clone(model).fit(table, y, **how).predict(left_out), dtype=np.float64)
    # ours learn the more frequent label, so that swapping labels changes nothing else
    swapped = ours and np.average(y, weights=how.get("sample_weight")) < 0.5
    fitted = clone(model).fit(table, (1.0 - y if swapped else y).astype(np.int64), **how)
    return fitted.predict_proba(left_out)[:, 0 if swapped else 1]


def check_known(propensity: Any, column: Column) -> np.ndarray:
    """Return a propensity that is known: one number for all rows, or one for each."""
    n_rows = column.values.size
    try:
        known = np.asarray(propensity, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"`propensity` must be numbers, got {propensity!r}.") from error
    if known.shape not in ((), (n_rows,)) or not np.isfinite(known).all():
        raise ValueError(
            f"`propensity` must be one finite number, or one for each of {n_rows} rows, got shape {known.shape}."
        )
    if column.binary and not ((known > 0) & (known < 1)).all():
        raise ValueError(
            f"`propensity` must be > 0 and < 1, got {known.min():g} to {known.max():g}. Drop rows that could get one "
            "treatment only."
        )
    return np.array(np.broadcast_to(known, n_rows))


def clip_propensity(propensity: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return chances of treatment away from 0 and 1; tell if that changes many of them."""
    near = (propensity < CLIP) | (propensity > 1 - CLIP)
    share = float(np.average(near, weights=weight))
    if share > NEARLY_ALL:
        raise ValueError(
            f"The columns of `X` tell the treatment of {int(near.sum())} of {near.size} rows all but surely: no rows "
            "that are alike got different treatments, so there is no effect to see. Leave out columns that decide the "
            "treatment or follow from it."
        )
    if share > MANY:
        warnings.warn(
            f"{int(near.sum())} of {near.size} rows have a propensity within {CLIP} of 0 or 1 and were moved there: "
            "rows like them got one treatment only, so their effects are guesses from others. Look at overlap(); leave "
            "out such rows, or columns that decide the treatment.",
            stacklevel=4,
        )
    return np.clip(propensity, CLIP, 1 - CLIP)


def check_amounts_left(treatment: np.ndarray, propensity: np.ndarray, weight: np.ndarray) -> None:
    """Raise, or warn, if hardly anything is left of amounts."""
    mean = np.average(treatment, weights=weight)
    whole = np.average((treatment - mean) ** 2, weights=weight)
    part = float(np.average((treatment - propensity) ** 2, weights=weight) / whole)
    said = f"The columns of `X` tell all but {part:.2g} of the variance of `treatment`"
    if part < NO_VARIANCE:
        raise ValueError(
            f"{said}: no rows that are alike got different amounts, so there is no effect to see. Leave out columns "
            "that decide the treatment or follow from it."
        )
    if part < MANY:
        warnings.warn(
            f"{said}: effects are guesses from few rows. Look at overlap(); leave out columns that decide the "
            "treatment or follow from it.",
            stacklevel=4,
        )
