"""Cross-fitted models of outcome and treatment, whose residuals are used to estimate effects."""

import warnings
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.utils.validation import check_consistent_length, has_fit_parameter

from heedful._effects.inputs import Column
from heedful._folds import Split, fold_pattern, random_splits, translate, user_splits
from heedful._frames import Observations, TableReader, count_rows, find_observations, take

# Propensities are kept this far from 0 and 1; it is worth a word if they are so near in more than this share of rows,
# and an end if in more than that one. For amounts: the part of their variance that columns do not tell.
CLIP, MANY, NEARLY_ALL, NO_VARIANCE = 0.02, 0.05, 0.95, 1e-4


class Learner(NamedTuple):
    """Models of a column, not fitted, whose mean counts; those of ``ours`` tell their doubts of the table elsewhere."""

    models: tuple[Any, ...]
    ours: bool


class Rows(NamedTuple):
    """Training rows as they were given, the observations that they stand for, and folds of these.

    ``order`` puts observations in an order that depends on their columns, ``treatment`` and ``groups`` (None without)
    are theirs.
    """

    table: pd.DataFrame | np.ndarray
    observations: Observations
    splits: list[Split]
    order: np.ndarray
    treatment: np.ndarray
    groups: np.ndarray | None

    @property
    def are_draws(self) -> bool:
        """Whether equal rows are observations of their own, by treatments and outcomes: what is left hides that."""
        return int(self.observations.number[-1]) + 1 < self.observations.number.size

    def given_splits(self) -> list[Split]:
        """Return the folds as those of the rows as given; rows of weight 0 are in none."""
        number, distinct = self.observations.number, self.observations.distinct
        return [Split(*(np.flatnonzero(np.isin(distinct, number[part])) for part in split)) for split in self.splits]


def draw_folds(
    table: Any,
    columns: list[Column],
    weight: np.ndarray,
    groups: Any,
    cv: int | list[Split],
    seed: np.random.RandomState,
    propensity: np.ndarray | None = None,
) -> Rows:
    """Return rows with folds, so many or those given, such that models of the others know both labels of each column.

    Folds are of observations: copies of one row, with its ``propensity`` if that is known, stay together, rows that
    happen to be equal do not. Neither the order of rows nor, if that can be helped, the columns change them.
    """
    codes, values = TableReader().fit(table).read(table), np.column_stack([column.values for column in columns])
    values = values if propensity is None else np.column_stack([values, propensity])
    check_consistent_length(table, groups)
    number = np.zeros(len(codes), np.intp)
    if groups is not None:
        number = np.unique(np.asarray(groups), return_inverse=True)[1].ravel()
    given = [] if isinstance(cv, int) else cv
    fold = np.column_stack([number, fold_pattern(given, len(codes))]) if given else number
    observations = find_observations(codes, values, fold, weight, count_rows(weight))
    # by the cells of rows, then by the columns
    order = np.lexsort(np.column_stack([number, values, codes])[observations.source].T)
    in_order = [Column(column.values[observations.source[order]], column.labels) for column in columns]
    if not isinstance(cv, int):
        sides = translate(given, observations)
        splits = [Split(*(np.flatnonzero(np.isin(order, side)) for side in split)) for split in sides]
        check_partition(splits, order.size)
    elif groups is not None:
        splits = user_splits(cv, order, order, number[observations.source[order]])
    else:
        splits = random_splits(order.size, cv, seed)
        if not all(_knows_both(split, column) for split in splits for column in in_order):
            kinds = sum(2**k * column.values for k, column in enumerate(in_order) if column.binary)
            splits = random_splits(order.size, cv, seed, np.asarray(kinds))
    for column, name in zip(in_order, ("treatment", "y"), strict=False):
        if not all(_knows_both(split, column) for split in splits):
            raise ValueError(
                f"`{name}` must have rows of both labels in the training part of all {len(splits)} folds, but one "
                "label has too few rows or groups. Add such rows, or use fewer folds."
            )
    return Rows(
        table,
        observations,
        [Split(order[train], order[test]) for train, test in splits],
        order,
        columns[0].values[observations.source],
        None if groups is None else number[observations.source],
    )


def check_partition(splits: list[Split], n_rows: int) -> None:
    """Raise unless each row is predicted by one of the splits, without having been fitted to."""
    times = sum((np.bincount(test, minlength=n_rows) for _, test in splits), np.zeros(n_rows))
    if (times != 1).any() or any(np.isin(train, test).any() for train, test in splits):
        raise ValueError(
            "`cv` must put each row into the test part of exactly one fold, and not into its training part. Use a "
            "number of folds, or a splitter such as KFold."
        )


def _knows_both(split: Split, column: Column) -> bool:
    return not column.binary or np.ptp(column.values[split.train]) > 0


def check_learner(name: str, model: Any, column: Column, weighted: bool) -> None:
    """Raise unless a model suits a column, and takes sample weights if there are any."""
    if not hasattr(model, "fit") or not (is_classifier(model) or is_regressor(model)):
        raise TypeError(f"`{name}` must be a scikit-learn regressor or classifier, or None, got {model!r}.")
    if is_classifier(model) and not column.binary:
        raise TypeError(f"`{name}` must be a regressor for a numeric response, got {model!r}.")
    if is_classifier(model) and not hasattr(model, "predict_proba"):
        raise TypeError(f"`{name}` must have predict_proba if it is a classifier, got {model!r}.")
    if weighted and not has_fit_parameter(model, "sample_weight"):
        raise TypeError(f"`{name}` must take `sample_weight` in `fit` if rows have weights, got {model!r}.")


def expect(learner: Learner, column: Column, rows: Rows) -> np.ndarray:
    """Return what models that did not see a row expect of a column: its mean, or the chance of the second label.

    Of observations that are equal it is the mean, and that of all folds for a row of weight 0, which none has seen.
    """
    idle = np.flatnonzero(rows.observations.distinct < 0)
    of_observations, of_idle = expect_observations(learner, column, rows, idle)
    expected = rows.observations.give(of_observations)
    expected[idle] = of_idle
    return expected


def expect_observations(
    learner: Learner, column: Column, rows: Rows, idle: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return what models of the splits expect of their observations, and on average of the rows ``idle``."""
    source, n_folds = rows.observations.source, len(rows.splits)
    expected, of_idle = np.zeros(source.size), np.zeros(idle.size)
    with warnings.catch_warnings():
        if learner.ours:
            warnings.simplefilter("ignore")
        for train, test in rows.splits:
            queries = take(rows.table, np.concatenate([source[test], idle]))
            by_model = [_expect_others(model, learner.ours, column, rows, train, queries) for model in learner.models]
            mean = np.mean(by_model, axis=0)
            expected[test] = mean[: test.size]
            of_idle += mean[test.size :] / n_folds
    return expected, of_idle


def _expect_others(model: Any, ours: bool, column: Column, rows: Rows, train: np.ndarray, queries: Any) -> np.ndarray:
    """Return what a model of some observations expects of other rows."""
    weight, how = rows.observations.weight[train], {}
    if np.ptp(weight) > 0:
        if has_fit_parameter(model, "sample_weight"):
            how["sample_weight"] = weight
        else:
            # without sample weights these are numbers of copies
            train = np.repeat(train, np.rint(weight).astype(np.int64))
    used = rows.observations.source[train]
    table, y = take(rows.table, used), column.values[used]
    if not is_classifier(model):
        return np.asarray(clone(model).fit(table, y, **how).predict(queries), dtype=np.float64)
    # ours learn the more frequent label, so that swapping labels changes nothing else
    swapped = ours and np.average(y, weights=how.get("sample_weight")) < 0.5
    fitted = clone(model).fit(table, (1.0 - y if swapped else y).astype(np.int64), **how)
    return fitted.predict_proba(queries)[:, 0 if swapped else 1]


class Nuisance(NamedTuple):
    """What learns the outcomes and the treatments of rows; ``propensity``, one for each row, if it is known."""

    outcomes: Column
    arms: Column
    outcome: Learner
    treatment: Learner | None
    propensity: np.ndarray | None
    weight: np.ndarray

    def expect(self, rows: Rows) -> pd.DataFrame:
        """Return outcome and treatment of rows as given, with what is expected of both."""
        propensity = self.propensity
        if self.treatment is not None:
            propensity = expect(self.treatment, self.arms, rows)
            if self.arms.binary:
                propensity = clip_propensity(propensity, self.weight)
            else:
                check_amounts_left(self.arms.values, propensity, self.weight)
        return self._frame(slice(None), expect(self.outcome, self.outcomes, rows), propensity)

    def expect_observations(self, rows: Rows) -> pd.DataFrame:
        """Return the same of observations; those in no split have nothing expected of them."""
        source, none = rows.observations.source, np.empty(0, dtype=np.intp)
        if self.treatment is None:
            propensity = None if self.propensity is None else self.propensity[source]
        else:
            propensity = expect_observations(self.treatment, self.arms, rows, none)[0]
            propensity = np.clip(propensity, CLIP, 1 - CLIP) if self.arms.binary else propensity
        return self._frame(source, expect_observations(self.outcome, self.outcomes, rows, none)[0], propensity)

    def knows_both(self, rows: Rows) -> bool:
        """Return whether models of all splits see both labels of outcomes and treatments."""
        source = rows.observations.source
        columns = [Column(column.values[source], column.labels) for column in (self.arms, self.outcomes)]
        return all(_knows_both(split, column) for split in rows.splits for column in columns)

    def _frame(self, rows: Any, outcome: np.ndarray, propensity: np.ndarray | None) -> pd.DataFrame:
        return pd.DataFrame(
            {
                "outcome": self.outcomes.values[rows],
                "treatment": self.arms.values[rows],
                "expected_outcome": outcome,
                "propensity": propensity,
            }
        )


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
    """Return chances of treatment away from 0 and 1; warn if that changes many of them."""
    near = (propensity < CLIP) | (propensity > 1 - CLIP)
    share = float(np.average(near, weights=weight))
    if share > NEARLY_ALL:
        raise ValueError(
            f"The columns of `X` predict the treatment of {int(near.sum())} of {near.size} rows almost perfectly, so "
            "there is no overlap: no similar rows got different treatments. Leave out columns that determine the "
            "treatment or follow from it."
        )
    if share > MANY:
        warnings.warn(
            f"{int(near.sum())} of {near.size} rows have a propensity within {CLIP} of 0 or 1 and were clipped: "
            "similar rows got one treatment only, so their effects are extrapolated. Look at overlap(); leave out such "
            "rows, or columns that determine the treatment.",
            stacklevel=4,
        )
    return np.clip(propensity, CLIP, 1 - CLIP)


def check_amounts_left(treatment: np.ndarray, propensity: np.ndarray, weight: np.ndarray) -> None:
    """Raise, or warn, if hardly anything is left of amounts."""
    mean = np.average(treatment, weights=weight)
    whole = np.average((treatment - mean) ** 2, weights=weight)
    part = float(np.average((treatment - propensity) ** 2, weights=weight) / whole)
    share = f"The columns of `X` explain all but {part:.2g} of the variance of `treatment`"
    if part < NO_VARIANCE:
        raise ValueError(
            f"{share}, so there is no overlap: no similar rows got different treatments. Leave out columns that "
            "determine the treatment or follow from it."
        )
    if part < MANY:
        warnings.warn(
            f"{share}: estimates of effects depend on few rows. Look at overlap(); leave out columns that determine "
            "the treatment or follow from it.",
            stacklevel=4,
        )
