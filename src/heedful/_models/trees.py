"""Trees that are kept, with a weight for each tree and query: a local lasso on what the trees predict."""

from typing import Any

import numpy as np

from heedful._ensembles import Ensemble, is_fitted
from heedful._kernels.shapes import Rule
from heedful._models.kept_trees import AroundTrees, FoldTrees, KeptTrees
from heedful._models.linear_fits import LinearProblem, make_problem
from heedful._models.protocol import BlockFits, Run, Variants, View
from heedful._responses import Response
from heedful._solver import Numbers, Scale, measure, no_model
from heedful._training_table import TrainingTable
from heedful.baseline._folds import Split
from heedful.baseline._global import null_gradient, penalty_path

TOL, MAX_ITER = 1e-7, 10_000


class TreeModels:
    """The trees of an ensemble, a small LightGBM if there is None."""

    few_heads = anchors = has_residuals = False

    def __init__(self, estimator: Any, random_state: int | None):
        self.estimator, self.random_state = estimator, random_state

    @property
    def keeps_table(self) -> bool:
        """Return whether the ensemble was handed in fitted."""
        return self.estimator is not None and is_fitted(self.estimator)

    def fit(self, rows: TrainingTable, response: Response, splits: list[Split], run: Run) -> "FittedTrees":
        """Grow the ensemble, or take it as it is."""
        return FittedTrees(rows, response, splits, self)


class FittedTrees(KeptTrees):
    """An ensemble whose trees are the columns of local lassos; the plain ensemble gives each the coefficient one."""

    linear = True

    def __init__(self, rows: TrainingTable, response: Response, splits: list[Split], kind: TreeModels):
        super().__init__(rows, response, splits, kind.estimator, kind.random_state)
        self.leaves, n_trees = self.leaves_of(self.ensemble, rows.codes), self.ensemble.n_trees
        self.names, self.coef = [f"tree {t + 1}" for t in range(n_trees)], np.ones((1, n_trees))
        self.intercept = self.ensemble.start[:1]
        total = self.ensemble.start[0] + self.train_design().sum(axis=1)
        predicted = response.learner_values(self.baseline, self.train_rows())[:, 0]
        if not np.allclose(total, predicted, rtol=1e-4, atol=1e-4 * np.ptp(rows.y)):
            raise ValueError(
                f"`estimator` must predict the sum or mean of its trees, got {kind.estimator!r}, whose loss has a "
                "link. Take one with squared loss."
            )

    def make_problem(self, variants: Variants, fixed: bool, seed: np.random.RandomState) -> "TreeProblem":
        """Return the lassos on the trees' predictions."""
        folds = () if fixed else self.grow_folds()
        problem = TreeProblem(self.ensemble, self.leaves, self.rows.y, self.rows.weight, variants.ratios, folds)
        self._scale = problem.scale
        return problem

    def view_of(self, codes: np.ndarray, given: Any) -> View:
        """Return rows by what the trees predict of them."""
        view = super().view_of(codes, given)
        return view._replace(design=tree_outputs(self.ensemble, view.x))

    def train_design(self) -> np.ndarray:
        """Return what the trees predict of the training rows."""
        return tree_outputs(self.ensemble, self.leaves)

    def original(self, coef: np.ndarray) -> np.ndarray:
        """Return the weights of the trees."""
        return 1.0 + self._scale.original(coef)


class TreeProblem(AroundTrees):
    """Local lassos of what an ensemble leaves over, on what its trees predict; infinite penalty leaves the trees alone.

    A tree's coefficient is one, plus what the lasso adds.
    """

    def __init__(
        self,
        ensemble: Ensemble,
        leaves: np.ndarray,
        y: np.ndarray,
        weight: np.ndarray,
        ratios: np.ndarray,
        folds: tuple[FoldTrees, ...] = (),
    ):
        self.ensemble, self.leaves, self.y, self.weight = ensemble, leaves, y, weight
        self.family, self.ratios, self.folds = Numbers(y), ratios, folds
        self.scale, self.linear = self._lassos()

    def _lassos(self) -> tuple[Scale, LinearProblem]:
        outputs = tree_outputs(self.ensemble, self.leaves)
        left = self.y - self.ensemble.start[0] - outputs.sum(axis=1)
        scale = measure(outputs, left, self.weight)
        family, x = Numbers(left, scale.y_center, scale.y_unit), scale.rows(outputs)
        largest = penalty_path(null_gradient(x, family, self.weight), outputs.shape)[0]
        rule = Rule(scale.pad(np.ones(outputs.shape[1])), False, np.zeros(scale.width), TOL, MAX_ITER)
        finite = np.isfinite(self.ratios)
        penalties = np.where(finite, np.where(finite, self.ratios, 0.0) * largest, np.inf)
        return scale, make_problem(x, family, self.weight, no_model(1, scale.width), rule, penalties)

    def fit(self, rows, x, weightings, wanted, shares, anchor=None) -> BlockFits:
        """Fit a block; the prediction of the whole ensemble is added to that of the lassos for the rest."""
        outputs = tree_outputs(self.ensemble, x)
        fits = self.linear.fit(rows, self.scale.rows(outputs), weightings, wanted, shares)
        whole = self.ensemble.start[0] + outputs.sum(axis=1)
        return fits._replace(values=fits.values + whole[:, None, None, None])

    def around(self, ensemble, leaves, part, weight) -> "TreeProblem":
        """Return the lassos on another ensemble, for a part of the rows."""
        return TreeProblem(ensemble, leaves, self.y[part], weight, self.ratios)


def tree_outputs(ensemble: Ensemble, leaves: np.ndarray) -> np.ndarray:
    """Return what each tree adds to the prediction (n_rows, n_trees); with the start their sum is the prediction."""
    return ensemble.value[leaves] / (1 if ensemble.boosted else ensemble.n_trees)
