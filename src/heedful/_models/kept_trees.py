"""An ensemble whose trees are kept as global model; out-of-fold predictions are those of ensembles of the folds."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from heedful._ensembles import Ensemble, is_fitted, read_ensemble
from heedful._flow import FittedModels, HeldOut, Problem, Run, TrainingTable, View
from heedful._folds import Split, average_out_of_fold
from heedful._frames import take
from heedful._models.learners import check_every_class, default_booster, fit_part
from heedful._responses import Response


class TreeSettings:
    """What kinds of models around an ensemble share; a small LightGBM stands for None."""

    few_heads = anchors = has_residuals = False
    estimator: Any
    random_state: int | None

    @property
    def keeps_table(self) -> bool:
        """Return whether the ensemble was handed in fitted."""
        return self.estimator is not None and is_fitted(self.estimator)


class FoldTrees(NamedTuple):
    """The ensemble of a fold's training part, and the leaves (n_train, n_trees) of all rows in it."""

    ensemble: Ensemble
    leaves: np.ndarray


class KeptTrees(FittedModels):
    """A fitted ensemble: one handed in fitted sees tables as they are, any other gets categories as numbers."""

    def __init__(self, rows: TrainingTable, response: Response, splits: list[Split], kind: TreeSettings):
        super().__init__(rows, response)
        self.splits, self.given = splits, kind.keeps_table
        check_every_class(rows, response)
        if kind.estimator is None:
            self.learner = default_booster(rows, response, splits, kind.random_state)
        else:
            self.learner = kind.estimator
        if self.given:
            check_given(self.learner, rows, response)
        self.baseline = self.learner if self.given else self._grow(np.arange(rows.weight.size))
        self.ensemble = read_ensemble(self.baseline)
        self.names = rows.plain_names

    def train_rows(self) -> Any:
        return self.rows.table if self.given else self.rows.plain_rows(self.rows.codes)

    def leaves_of(self, ensemble: Ensemble, codes: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(ensemble.leaves(self.rows.plain_rows(codes)).T)

    def _grow(self, part: np.ndarray) -> Any:
        """Return the ensemble fitted to some of the rows; trees of all folds must know the same classes."""
        every_class = self.response.classes is not None
        return fit_part(self.learner, self.train_rows(), self.rows, self.response, part, every_class=every_class)

    def grow_folds(self) -> tuple[FoldTrees, ...]:
        """Return the ensembles of the folds; what they predict of the others' rows is kept for ``left_out``."""
        if not hasattr(self.learner, "get_params"):
            raise TypeError(
                f"`estimator` must be one whose clones can be fitted on folds, such as LGBMRegressor, got "
                f"{self.learner!r}. Or fix `temperature` and `mixing`."
            )
        folds = []

        def predict(_: int, split: Split) -> np.ndarray:
            grown = self._grow(split.train)
            ensemble = read_ensemble(grown)
            folds.append(FoldTrees(ensemble, self.leaves_of(ensemble, self.rows.codes)))
            return self.response.learner_values(grown, take(self.train_rows(), split.test))

        self._left_out = average_out_of_fold(self.splits, predict, (self.rows.weight.size, self.response.n_values))
        return tuple(folds)

    def left_out(self, problem: Problem, out_of_bag: bool, run: Run) -> np.ndarray:
        return self._left_out

    def given_rows(self, table: pd.DataFrame | np.ndarray) -> Any:
        return self.rows.given_rows(table) if self.given else None

    def train_given(self, problem: Problem) -> Any:
        """Return the training rows as an ensemble takes them that was handed in fitted: numbers under their names."""
        return self.rows.plain_table() if self.given else None

    def view_of(self, codes: np.ndarray, given: Any) -> View:
        design = self.rows.plain_rows(codes)
        base = self.response.learner_values(self.baseline, design if given is None else given)
        return View(codes, design, self.leaves_of(self.ensemble, codes), base)


def check_given(estimator: Any, rows: TrainingTable, response: Response) -> None:
    """Raise if a fitted ensemble cannot have been fitted on this table."""
    expected, n_columns = read_ensemble(estimator).n_features, rows.plain_rows(rows.codes).shape[1]
    if expected != n_columns:
        raise ValueError(f"`estimator` was fitted on {expected} columns, got {n_columns}. Give it the same table.")
    if rows.has_levels:
        raise ValueError(
            "`X` must be numeric if `estimator` is already fitted, got text or categories. Encode them as for the "
            "estimator, or pass it unfitted."
        )
    labels, classes = getattr(estimator, "classes_", None), response.classes
    if classes is not None and (labels is None or not np.array_equal(labels, classes)):
        raise ValueError(f"`estimator` must know the labels {classes.tolist()} of `y`, got {labels!r}.")


class AroundTrees:
    """What problems around an ensemble share; ``x`` of a query is its leaf in each tree."""

    largest_block = 512
    weight: np.ndarray
    folds: tuple[FoldTrees, ...]

    def held_out(self, splits: list[Split]) -> list[HeldOut]:
        """Return the rows of each fold with the ensemble of the others; only the others' rows count."""
        parts = []
        for (ensemble, leaves), (train, test) in zip(self.folds, splits, strict=True):
            weight = np.zeros(self.weight.size)
            weight[train] = self.weight[train]
            parts.append(HeldOut(self.around(ensemble, leaves, slice(None), weight), leaves[test], test))
        return parts

    def fold(self, number: int, split: Split) -> HeldOut:
        ensemble, leaves = self.folds[number]
        train, test = split
        return HeldOut(self.around(ensemble, leaves[train], train, self.weight[train]), leaves[test], test)

    def around(self, ensemble: Ensemble, leaves: np.ndarray, part: Any, weight: np.ndarray) -> Problem:
        """Return the same problem around another ensemble, for a part of the rows."""
        raise NotImplementedError
