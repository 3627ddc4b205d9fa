"""Trees that are kept, with leaves weighed anew for each query (Algorithm 3)."""

from typing import Any

import numpy as np

from heedful._ensembles import Ensemble, is_fitted
from heedful._flow import BlockFits, Run, TrainingTable, Variants
from heedful._folds import Split
from heedful._models.kept_trees import EVERYONE, AroundTrees, FoldTrees, KeptTrees
from heedful._models.learners import learned_rows
from heedful._responses import Response
from heedful._solver import LeafTable, importance_of
from heedful.attention import weigh


class LeafModels:
    """The leaves of an ensemble, a small LightGBM if there is None; ``leaf_value`` is what a leaf averages."""

    few_heads = anchors = has_residuals = False

    def __init__(self, estimator: Any, leaf_value: str, random_state: int | None):
        self.estimator, self.leaf_value, self.random_state = estimator, leaf_value, random_state

    @property
    def keeps_table(self) -> bool:
        """Return whether the ensemble was handed in fitted."""
        return self.estimator is not None and is_fitted(self.estimator)

    def fit(self, rows: TrainingTable, response: Response, splits: list[Split], run: Run) -> "FittedLeaves":
        return FittedLeaves(rows, response, splits, self)


class FittedLeaves(KeptTrees):
    """An ensemble whose leaves are to be weighed anew; the importance of columns is the same for every query."""

    def __init__(self, rows: TrainingTable, response: Response, splits: list[Split], kind: LeafModels):
        super().__init__(rows, response, splits, kind.estimator, kind.random_state)
        self.leaf_value = kind.leaf_value
        self.coef = importance_of(self.baseline, self.train_rows())[None]

    def make_problem(self, variants: Variants, fixed: bool, seed: np.random.RandomState) -> "LeafProblem":
        folds = () if fixed else self.grow_folds()
        family = learned_rows(self.response, self.rows.y)
        leaves = self.leaves_of(self.ensemble, self.rows.codes)
        parts = (self.ensemble, leaves, family, self.rows.weight, self.leaf_value, self.coef[0])
        return LeafProblem(*parts, folds)


class LeafProblem(AroundTrees):
    """Leaves of an ensemble, weighed anew; ``importance`` is that of the ensemble, the same for every query."""

    def __init__(
        self,
        ensemble: Ensemble,
        leaves: np.ndarray,
        family: Response,
        weight: np.ndarray,
        leaf_value: str,
        importance: np.ndarray,
        folds: tuple[FoldTrees, ...] = (),
    ):
        self.ensemble, self.family, self.weight = ensemble, family, weight
        self.leaf_value, self.importance, self.folds = leaf_value, importance, folds
        n_classes = None if family.classes is None else family.n_values
        how: dict[str, Any] = {"n_classes": n_classes, "leaf_value": leaf_value}
        self.table = LeafTable(ensemble, np.ascontiguousarray(leaves.T), family.y, weight, **how)

    def fit(self, rows, x, weightings, wanted, shares, anchor=None) -> BlockFits:
        values = np.full((x.shape[0], *wanted.shape, self.family.n_values), np.nan)
        leaves = np.ascontiguousarray(x.T)
        for w in np.flatnonzero(wanted.any(axis=1)):
            values[:, w, 0] = self.table.predict(*weigh(rows, weightings[w], self.weight), leaves)
        return BlockFits(values, np.tile(shares.sum() * self.importance, (x.shape[0], 1, 1)))

    def around(self, ensemble, leaves, part, weight) -> "LeafProblem":
        """Return the leaves of another ensemble, for a part of the rows."""
        family = self.family if part is EVERYONE else self.family.part(part)
        return LeafProblem(ensemble, leaves, family, weight, self.leaf_value, self.importance)
