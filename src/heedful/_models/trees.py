"""Trees that are kept, with a weight for each tree and query: a local lasso on what the trees say."""

import numpy as np

from heedful._ensembles import Ensemble
from heedful._kernels.shapes import Rule
from heedful._models.kept_trees import KeptTrees
from heedful._models.linear import LinearProblem, make_problem
from heedful._models.protocol import BlockFits
from heedful._solver import Numbers, Scale, measure, no_model
from heedful.baseline import null_gradient, penalty_path

TOL, MAX_ITER = 1e-7, 10_000


class TreeProblem(KeptTrees):
    """Local lassos of what an ensemble leaves over, on what its trees say; infinite penalty leaves the trees alone.

    A tree's coefficient is one, plus what the lasso adds.
    """

    def __init__(
        self,
        ensemble: Ensemble,
        leaves: np.ndarray,
        y: np.ndarray,
        weight: np.ndarray,
        ratios: np.ndarray,
        folds: tuple[tuple[Ensemble, np.ndarray], ...] = (),
    ):
        self.ensemble, self.leaves, self.y, self.weight = ensemble, leaves, y, weight
        self.family, self.ratios, self.folds = Numbers(y), ratios, folds
        self.scale, self.linear = self._lassos()

    def _lassos(self) -> tuple[Scale, LinearProblem]:
        said = tree_outputs(self.ensemble, self.leaves)
        left = self.y - self.ensemble.start[0] - said.sum(axis=1)
        scale = measure(said, left, self.weight)
        family, x = Numbers(left, scale.y_center, scale.y_unit), scale.rows(said)
        largest = penalty_path(null_gradient(x, family, self.weight), said.shape)[0]
        rule = Rule(scale.pad(np.ones(said.shape[1])), False, np.zeros(scale.width), TOL, MAX_ITER)
        finite = np.isfinite(self.ratios)
        penalties = np.where(finite, np.where(finite, self.ratios, 0.0) * largest, np.inf)
        return scale, make_problem(x, family, self.weight, no_model(1, scale.width), rule, penalties)

    def fit(self, rows, x, weightings, wanted, shares, anchor=None) -> BlockFits:
        """Fit a block; what the whole ensemble says is added to what the lassos say of the rest."""
        said = tree_outputs(self.ensemble, x)
        fits = self.linear.fit(rows, self.scale.rows(said), weightings, wanted, shares)
        whole = self.ensemble.start[0] + said.sum(axis=1)
        return fits._replace(values=fits.values + whole[:, None, None, None])

    def _around(self, ensemble, leaves, part, weight) -> "TreeProblem":
        return TreeProblem(ensemble, leaves, self.y[part], weight, self.ratios)


def tree_outputs(ensemble: Ensemble, leaves: np.ndarray) -> np.ndarray:
    """Return what each tree adds to the prediction (n_rows, n_trees); with the start their sum is the prediction."""
    return ensemble.value[leaves] / (1 if ensemble.boosted else ensemble.n_trees)
