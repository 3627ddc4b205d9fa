"""Trees that are kept, with leaves weighed anew for each query (Algorithm 3)."""

from typing import Any

import numpy as np

from heedful._ensembles import Ensemble
from heedful.attention import weigh
from heedful.baseline import Split
from heedful.heads._problem import BlockFits, Unseen
from heedful.local import Classes, LeafTable, Numbers


class LeafProblem:
    """Leaves of an ensemble with the training rows in them; ``x`` of a query is its leaf in each tree.

    ``leaves`` (n_train, n_trees) are those of the training rows, ``folds`` the ensembles of the folds with the leaves
    of all rows in them. ``importance`` is that of the ensemble, the same for every query.
    """

    largest_block = 512

    def __init__(
        self,
        ensemble: Ensemble,
        leaves: np.ndarray,
        family: Numbers | Classes,
        weight: np.ndarray,
        reading: str,
        importance: np.ndarray,
        folds: tuple[tuple[Ensemble, np.ndarray], ...] = (),
    ):
        self.ensemble, self.leaves, self.family, self.weight = ensemble, leaves, family, weight
        self.reading, self.importance, self.folds = reading, importance, folds
        n_classes = family.n_values if family.n_values > 1 else None
        how: dict[str, Any] = {"n_classes": n_classes, "reading": reading}
        self.table = LeafTable(ensemble, np.ascontiguousarray(leaves.T), family.y, weight, **how)

    def fit(self, rows, x, weightings, wanted, shares, anchor=None) -> BlockFits:
        """Weigh the leaves of a block of queries."""
        values = np.full((x.shape[0], *wanted.shape, self.family.n_values), np.nan)
        leaves = np.ascontiguousarray(x.T)
        for w in np.flatnonzero(wanted.any(axis=1)):
            values[:, w, 0] = self.table.predict(*weigh(rows, weightings[w], self.weight), leaves)
        return BlockFits(values, np.tile(shares.sum() * self.importance, (x.shape[0], 1, 1)))

    def unseen(self, splits: list[Split]) -> list[Unseen]:
        """Return the rows of each fold with the ensemble of the others; only the others' rows count in its leaves."""
        parts = []
        for (ensemble, leaves), (train, test) in zip(self.folds, splits, strict=True):
            weight = np.zeros(self.weight.size)
            weight[train] = self.weight[train]
            problem = LeafProblem(ensemble, leaves, self.family, weight, self.reading, self.importance)
            parts.append(Unseen(problem, leaves[test], test))
        return parts

    def fold(self, number: int, split: Split) -> Unseen:
        """Return the leaves of the fold's ensemble with the rows of its training part."""
        ensemble, leaves = self.folds[number]
        part = (leaves[split.train], self.family.part(split.train), self.weight[split.train])
        problem = LeafProblem(ensemble, *part, self.reading, self.importance)
        return Unseen(problem, leaves[split.test], split.test)
