"""Trees that are kept, with a weight for each tree and query: a local lasso or ridge on what the trees predict."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from heedful._ensembles import Ensemble
from heedful._flow import BlockFits, Run, TrainingTable, Variants, View
from heedful._folds import Split
from heedful._kernels.shapes import Rule
from heedful._models.kept_trees import AroundTrees, FoldTrees, KeptTrees, TreeSettings
from heedful._models.linear_fits import LinearProblem, make_problem, scale_penalties
from heedful._responses import Regression, Response
from heedful._solver.paths import no_model
from heedful._solver.ridge import ridge_rows
from heedful._solver.table import Scale, measure
from heedful.attention import over_background, weigh
from heedful.baseline import null_gradient, penalty_path

TOL, MAX_ITER = 1e-9, 10_000


@dataclass(eq=False, repr=False, kw_only=True)
class LocalTrees(BaseEstimator):
    """Settings of the tree weights, for ``local`` of tree attention.

    Parameters
    ----------
    alpha_ratio : float, list of float or "auto", default="auto"
        Penalties to try, relative to the smallest lasso penalty that leaves all tree weights unchanged in a fit to all
        rows; ridge penalties are relative to the number of trees.
    penalty : {"lasso", "ridge"}, default="lasso"
        Penalty on the changes of the tree weights, in units of each tree's predictions: absolute or squared.
    shrink_to : {1, 0}, default=1
        Value that the weights shrink to: 1 (the plain ensemble), or 0 as in the paper's remark.

    Examples
    --------
    >>> from heedful import TreeAttentionRegressor
    >>> TreeAttentionRegressor(local=LocalTrees(penalty="ridge"))
    TreeAttentionRegressor(local=LocalTrees(penalty='ridge'))
    """

    alpha_ratio: Any = "auto"
    penalty: str = "lasso"
    shrink_to: int = 1


@dataclass(eq=False)
class TreeModels(TreeSettings):
    """The trees of an ensemble, with a weight for each tree and query."""

    estimator: Any
    local: LocalTrees
    random_state: int | None

    def fit(self, rows: TrainingTable, response: Response, splits: list[Split], run: Run) -> "FittedTrees":
        return FittedTrees(rows, response, splits, self)


class FittedTrees(KeptTrees):
    """An ensemble whose trees are the columns of local models; the plain ensemble gives each the coefficient one."""

    linear = True

    def __init__(self, rows: TrainingTable, response: Response, splits: list[Split], kind: TreeModels):
        super().__init__(rows, response, splits, kind)
        self.local = kind.local
        self.leaves, n_trees = self.leaves_of(self.ensemble, rows.codes), self.ensemble.n_trees
        self.names, self.coef = [f"tree {t + 1}" for t in range(n_trees)], np.ones((1, n_trees))
        self.intercept = self.ensemble.start[:1]
        total = self.ensemble.start[0] + self.train_design().sum(axis=1)
        predicted = response.learner_values(self.baseline, self.train_rows())[:, 0]
        if not np.allclose(total, predicted, rtol=1e-4, atol=1e-4 * np.ptp(rows.y)):
            raise ValueError(
                f"`estimator` must predict the sum or mean of its trees, got {kind.estimator!r}, whose loss has a "
                "link. Use squared loss."
            )

    def make_problem(self, variants: Variants, fixed: bool, seed: np.random.RandomState) -> "TreeProblem":
        folds = () if fixed else self.grow_folds()
        parts = (self.rows.y, self.rows.weight, variants.ratios)
        problem = TreeProblem(self.ensemble, self.leaves, *parts, folds, self.local)
        self._scale = problem.scale
        return problem

    def view_of(self, codes: np.ndarray, given: Any) -> View:
        view = super().view_of(codes, given)
        return view._replace(design=tree_outputs(self.ensemble, view.x))

    def train_design(self) -> np.ndarray:
        return tree_outputs(self.ensemble, self.leaves)

    def original(self, coef: np.ndarray) -> np.ndarray:
        return self.local.shrink_to + self._scale.original(coef)


@dataclass(eq=False)
class TreeProblem(AroundTrees):
    """Local lassos or ridges on what an ensemble's trees predict, of what it leaves over or of the response.

    A tree's coefficient is what ``local`` shrinks it to, plus what the local model says. Infinite penalty leaves
    the trees at that: the whole ensemble, or none of it, and a weighted mean.
    """

    ensemble: Ensemble
    leaves: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    ratios: np.ndarray
    folds: tuple[FoldTrees, ...] = ()
    local: LocalTrees = field(default_factory=LocalTrees)

    def __post_init__(self) -> None:
        self.family = Regression().with_rows(self.y)
        self.scale, self.linear = self._lassos()

    def _kept(self, outputs: np.ndarray) -> np.ndarray:
        """Return what stays of the ensemble's prediction whatever the penalty."""
        return self.local.shrink_to * (self.ensemble.start[0] + outputs.sum(axis=1))

    def _lassos(self) -> tuple[Scale, LinearProblem]:
        outputs = tree_outputs(self.ensemble, self.leaves)
        left = self.y - self._kept(outputs)
        scale = measure(outputs, left, self.weight)
        family, x = Regression().with_rows(left).scaled(scale.y_center, scale.y_unit), scale.rows(outputs)
        largest = penalty_path(null_gradient(x, family, self.weight), outputs.shape)[0]
        rule = Rule(scale.pad(np.ones(outputs.shape[1])), False, np.zeros(scale.width), TOL, MAX_ITER)
        unit = float(outputs.shape[1]) if self.local.penalty == "ridge" else largest
        penalties = scale_penalties(self.ratios, unit)
        return scale, make_problem(x, family, self.weight, no_model(1, scale.width), rule, penalties)

    def fit(self, rows, x, weightings, wanted, shares, anchor=None) -> BlockFits:
        """Fit a block; what stays of the ensemble's prediction is added to that of the local models."""
        outputs = tree_outputs(self.ensemble, x)
        solve = self._ridges if self.local.penalty == "ridge" else self.linear.fit
        fits = solve(rows, self.scale.rows(outputs), weightings, wanted, shares)
        return fits._replace(values=fits.values + self._kept(outputs)[:, None, None, None])

    def _ridges(self, rows, x, weightings, wanted, shares) -> BlockFits:
        """Fit ridges instead of the lassos of the same rows and penalties."""
        (table,), weight = self.linear.tables, self.linear.weight
        link, coef = np.full((len(x), *wanted.shape, 1), np.nan), np.zeros((len(x), 1, x.shape[1]))
        for w in np.flatnonzero(wanted.any(axis=1)):
            excess, background = weigh(rows, weightings[w], weight)
            attention = over_background(excess, background / weight.sum(), weight).toarray()
            level, slopes = ridge_rows(table.x, table.y, attention, self.linear.penalties[wanted[w]])
            link[:, w, wanted[w], 0] = level + np.einsum("qtj,qj->qt", slopes, x)
            coef[:, 0] += np.einsum("qtj,t->qj", slopes, shares[w, wanted[w]])
        return BlockFits(self.linear.family.values(link), coef)

    def around(self, ensemble, leaves, part, weight) -> "TreeProblem":
        return TreeProblem(ensemble, leaves, self.y[part], weight, self.ratios, local=self.local)


def tree_outputs(ensemble: Ensemble, leaves: np.ndarray) -> np.ndarray:
    """Return what each tree adds to the prediction (n_rows, n_trees); with the start their sum is the prediction."""
    return ensemble.value[leaves] / (1 if ensemble.boosted else ensemble.n_trees)
