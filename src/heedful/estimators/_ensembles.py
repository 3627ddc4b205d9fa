"""Attention models around a tree ensemble whose trees are kept."""

from typing import Any

import numpy as np
from sklearn.base import clone

from heedful._ensembles import ACCEPTED, Ensemble, is_ensemble, is_fitted, read_ensemble
from heedful._frames import take
from heedful._solver import with_every_class
from heedful.estimators._attention import AttentionModel
from heedful.estimators._blending import View
from heedful.estimators._plain import copies, default_booster, predict_left_out
from heedful.estimators._settings import check_kind
from heedful.estimators._training import Training


class EnsembleAttention(AttentionModel):
    """A fitted ensemble as baseline; a subclass knows its response and what it does with the trees.

    An ensemble that was handed in fitted sees tables as they are given; any other gets categories as numbers.
    """

    estimator: Any

    def _check_estimator(self) -> None:
        if self.estimator is not None and not is_ensemble(self.estimator):
            raise TypeError(f"`estimator` must be {ACCEPTED}, got {self.estimator!r}. Or use None for a LightGBM.")
        check_kind(self)

    def _takes_table(self) -> bool:
        return self.estimator is not None and is_fitted(self.estimator)

    def _fit_baseline(self, rows):
        self._check_classes(rows)
        default = self.estimator is None
        self._learner = default_booster(self, rows, self._splits) if default else self.estimator
        if self._takes_table():
            self._check_given(rows)
            self.baseline_ = self.estimator
        else:
            self.baseline_ = self._grow(rows, np.arange(rows.weight.size))
        self._ensemble = read_ensemble(self.baseline_)

    def _check_classes(self, rows: Training) -> None:
        if self._n_classes() is not None and np.unique(rows.y).size < self._n_classes():
            raise ValueError("`sample_weight` must leave rows of every class. Drop the rows of a class that has none.")

    def _check_given(self, rows: Training) -> None:
        """Raise if a fitted ensemble cannot have been fitted on this table."""
        expected, found = read_ensemble(self.estimator).n_features, rows.plain_rows(rows.codes).shape[1]
        if expected != found:
            raise ValueError(f"`estimator` was fitted on {expected} columns, got {found}. Give it the same table.")
        if rows.has_levels:
            raise ValueError(
                "`X` must hold numbers only where `estimator` is fitted already, got text or categories. Encode them "
                "as the estimator had them, or hand it in unfitted."
            )
        labels = getattr(self.estimator, "classes_", None)
        if self._n_classes() is not None and (labels is None or not np.array_equal(labels, self.classes_)):
            raise ValueError(f"`estimator` must know the labels {self.classes_.tolist()} of `y`, got {labels!r}.")

    def _grow(self, rows: Training, part: np.ndarray) -> Any:
        """Return the ensemble fitted to some of the rows."""
        table, y = self._table(rows), self._taught_response(self._learner, rows.y)
        if self._n_classes() is not None:
            # trees of all folds must know the same classes
            part = with_every_class(part, rows.weight, rows.y)
        part, weight = copies(rows, part)
        return clone(self._learner).fit(take(table, part), y[part], sample_weight=weight)

    def _table(self, rows: Training) -> Any:
        """Return the training rows as the ensemble takes them."""
        return rows.table if self._takes_table() else rows.plain_rows(rows.codes)

    def _leaves_of(self, ensemble: Ensemble, codes: np.ndarray) -> np.ndarray:
        """Return the leaf of each row in each tree (n_rows, n_trees)."""
        return np.ascontiguousarray(ensemble.leaves(self._training.plain_rows(codes)).T)

    def _fold_ensembles(self, rows: Training) -> tuple[tuple[Ensemble, np.ndarray], ...]:
        """Return the ensembles of the folds, with the leaves of all rows; keep what they say of the others' rows."""
        if not hasattr(self._learner, "get_params"):
            raise TypeError(
                f"`estimator` must be one whose clones can be fitted on folds, such as LGBMRegressor, got "
                f"{self._learner!r}. Or fix `temperature` and `mixing`."
            )
        shape = (rows.weight.size, self._n_classes() or 1)
        table, folds = self._table(rows), []

        def said(split):
            grown = self._grow(rows, split.train)
            ensemble = read_ensemble(grown)
            folds.append((ensemble, self._leaves_of(ensemble, rows.codes)))
            return self._said(grown, take(table, split.test))

        self._unseen = predict_left_out(self._splits, said, shape)
        return tuple(folds)

    def _base_unseen(self, rows):
        return self._unseen

    def _view(self, X, codes) -> View:
        design = self._training.plain_rows(codes)
        table = self._training.given_rows(X) if self._takes_table() else design
        return View(design, self._leaves_of(self._ensemble, codes), table)

    def _base_values(self, view):
        return self._said(self.baseline_, view.table)

    def _names(self):
        return self._training.plain_names

    def _train_design(self):
        return self._training.filled_rows()
