"""Trees that are kept, with leaves weighed anew for each query (Algorithm 3)."""

from typing import Any

import numpy as np

from heedful._ensembles import Ensemble
from heedful._models.kept_trees import EVERYONE, KeptTrees
from heedful._models.protocol import BlockFits
from heedful._solver import Classes, LeafTable, Numbers
from heedful.attention import weigh


class LeafProblem(KeptTrees):
    """Leaves of an ensemble, weighed anew; ``importance`` is that of the ensemble, the same for every query."""

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
        self.ensemble, self.family, self.weight = ensemble, family, weight
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

    def _around(self, ensemble, leaves, part, weight) -> "LeafProblem":
        family = self.family if part is EVERYONE else self.family.part(part)
        return LeafProblem(ensemble, leaves, family, weight, self.reading, self.importance)
