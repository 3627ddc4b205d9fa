"""Problems around an ensemble whose trees are kept: what is unseen is known by ensembles of folds."""

from typing import Any

import numpy as np

from heedful._ensembles import Ensemble
from heedful._models.protocol import HeldOut
from heedful.baseline import Split

EVERYONE = slice(None)


class KeptTrees:
    """Training rows by their leaves; ``x`` of a query is its leaf in each tree.

    ``folds`` are the ensembles of the folds, each with the leaves (n_train, n_trees) of all rows.
    """

    largest_block = 512
    weight: np.ndarray
    folds: tuple[tuple[Ensemble, np.ndarray], ...]

    def held_out(self, splits: list[Split]) -> list[HeldOut]:
        """Return the rows of each fold with the ensemble of the others; only the others' rows count."""
        parts = []
        for (ensemble, leaves), (train, test) in zip(self.folds, splits, strict=True):
            weight = np.zeros(self.weight.size)
            weight[train] = self.weight[train]
            parts.append(HeldOut(self._around(ensemble, leaves, EVERYONE, weight), leaves[test], test))
        return parts

    def fold(self, number: int, split: Split) -> HeldOut:
        """Return the problem of the fold's ensemble with the rows of its training part."""
        ensemble, leaves = self.folds[number]
        train, test = split
        problem = self._around(ensemble, leaves[train], train, self.weight[train])
        return HeldOut(problem, leaves[test], test)

    def _around(self, ensemble: Ensemble, leaves: np.ndarray, part: Any, weight: np.ndarray) -> Any:
        """Return the same problem around another ensemble, for a part of the rows."""
        raise NotImplementedError
