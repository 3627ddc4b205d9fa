"""Trees that are kept, with leaves weighed anew for each query (Algorithm 3)."""

from dataclasses import InitVar, dataclass
from typing import Any

import numpy as np

from heedful._ensembles import Ensemble
from heedful._flow import BlockFits, Run, TrainingTable, Variants
from heedful._folds import Split
from heedful._models.kept_trees import AroundTrees, FoldTrees, KeptTrees, TreeSettings
from heedful._models.learners import learned_rows
from heedful._responses import Response
from heedful._solver.contract import importance_of
from heedful._solver.leaves import LeafTable
from heedful.attention import weigh


@dataclass(eq=False)
class LeafModels(TreeSettings):
    """The leaves of an ensemble; ``leaf_value`` is what a leaf averages."""

    estimator: Any
    leaf_value: str
    random_state: int | None

    def fit(self, rows: TrainingTable, response: Response, splits: list[Split], run: Run) -> "FittedLeaves":
        return FittedLeaves(rows, response, splits, self)


class FittedLeaves(KeptTrees):
    """An ensemble whose leaves are to be weighed anew; the importance of columns is the same for every query."""

    def __init__(self, rows: TrainingTable, response: Response, splits: list[Split], kind: LeafModels):
        super().__init__(rows, response, splits, kind)
        self.leaf_value = kind.leaf_value
        self.coef = importance_of(self.baseline, self.train_rows())[None]

    def make_problem(self, variants: Variants, fixed: bool, seed: np.random.RandomState) -> "LeafProblem":
        folds = () if fixed else self.grow_folds()
        family = learned_rows(self.response, self.rows.y)
        leaves = self.leaves_of(self.ensemble, self.rows.codes)
        parts = (self.ensemble, leaves, family, self.rows.weight, self.leaf_value, self.coef[0])
        return LeafProblem(*parts, folds)


@dataclass(eq=False)
class LeafProblem(AroundTrees):
    """Leaves of an ensemble, weighed anew; ``importance`` is that of the ensemble, the same for every query."""

    ensemble: Ensemble
    leaves: InitVar[np.ndarray]
    family: Response
    weight: np.ndarray
    leaf_value: str
    importance: np.ndarray
    folds: tuple[FoldTrees, ...] = ()

    def __post_init__(self, leaves: np.ndarray) -> None:
        n_classes = None if self.family.classes is None else self.family.n_values
        rows = (np.ascontiguousarray(leaves.T), self.family.y, self.weight)
        self.table = LeafTable(self.ensemble, *rows, n_classes=n_classes, leaf_value=self.leaf_value)

    def fit(self, rows, x, weightings, wanted, shares, anchor=None) -> BlockFits:
        values = np.full((x.shape[0], *wanted.shape, self.family.n_values), np.nan)
        leaves = np.ascontiguousarray(x.T)
        for w in np.flatnonzero(wanted.any(axis=1)):
            values[:, w, 0] = self.table.predict(*weigh(rows, weightings[w], self.weight), leaves)
        return BlockFits(values, np.tile(shares.sum() * self.importance, (x.shape[0], 1, 1)))

    def around(self, ensemble, leaves, part, weight) -> "LeafProblem":
        return LeafProblem(ensemble, leaves, self.family.part(part), weight, self.leaf_value, self.importance)
