"""Trees weighed anew: local lassos on what trees say, and rows that must not have been seen."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor

from heedful import local_lasso
from heedful._ensembles import read_ensemble
from heedful._flow.heads import HeadGroup, Queries, make_grid
from heedful._flow.kinds import Run
from heedful._flow.out_of_fold import predict_by_folds, predict_out_of_bag
from heedful._folds import random_splits
from heedful._models.trees import LocalTrees, TreeProblem, tree_outputs
from heedful.attention import attend
from heedful.attention._weighting import Weighting
from heedful.similarity import GaussianSimilarity
from reference.fits import blend_heads
from reference.heads import of_all_rows

N = 60
MODELS = [
    GradientBoostingRegressor(n_estimators=6, max_depth=2, random_state=0),
    RandomForestRegressor(6, min_samples_leaf=3, random_state=0),
]
EVERY = pytest.mark.parametrize("model", MODELS)
RATIOS = (np.inf, 0.3, 0.1)


class Case:
    """Rows with weights, an ensemble and those of the folds, a similarity that knows nothing of the response."""

    def __init__(self, rng, model, change=0.0, local=None):
        self.x = rng.normal(size=(N, 3))
        self.y = 10.0 + self.x[:, 0] * self.x[:, 1] + rng.normal(size=N)
        self.y[7] += change
        self.weight, self.splits, self.model = rng.uniform(0.5, 2.0, size=N), random_splits(N, 4, 0), model
        self.similarity = GaussianSimilarity(standardize=False).fit(self.x)
        self.grid = make_grid([self.similarity], (0.5, 2.0), RATIOS)
        folds = tuple(self.grow(train) for train, _ in self.splits)
        parts = (self.y, self.weight, self.grid.ratios)
        self.problem = TreeProblem(*self.grow(np.arange(N)), *parts, folds, local or LocalTrees())

    def grow(self, rows):
        """Return the ensemble of some rows, and the leaves of all rows in it."""
        self.fitted = clone(self.model).fit(self.x[rows], self.y[rows], self.weight[rows])
        ensemble = read_ensemble(self.fitted)
        return ensemble, ensemble.leaves(self.x).T

    def out_of_bag(self):
        return of_all_rows(predict_out_of_bag(self.grid, self.problem, self.splits, Run()), N)


@pytest.mark.one_value
@EVERY
def test_start_and_trees_add_up_to_the_prediction(rng, model):
    case = Case(rng, model)
    ensemble = case.problem.ensemble
    total = ensemble.start[0] + tree_outputs(ensemble, case.problem.leaves).sum(axis=1)
    np.testing.assert_allclose(total, case.fitted.predict(case.x))


def moments(values, weight):
    """Return weighted means and standard deviations."""
    mean = np.average(values, axis=0, weights=weight)
    return mean, np.sqrt(np.average((values - mean) ** 2, axis=0, weights=weight))


@pytest.mark.one_value
@EVERY
def test_heads_are_local_lassos_of_what_the_ensemble_leaves_over(rng, model):
    case, x = Case(rng, model), rng.normal(size=(5, 3))
    ensemble = case.problem.ensemble
    leaves = ensemble.leaves(x).T
    said, new = tree_outputs(ensemble, case.problem.leaves), tree_outputs(ensemble, leaves)
    left = case.y - case.fitted.predict(case.x)
    (mean, unit), (left_mean, _) = moments(said, case.weight), moments(left, case.weight)
    # the smallest penalty that changes no tree's weight for all rows together
    largest = np.abs(np.average((said - mean) / unit * (left - left_mean)[:, None], axis=0, weights=case.weight)).max()
    weights = attend(case.similarity.scores(x), 0.5, case.weight)
    group = HeadGroup(case.similarity, [Weighting("softmax", 0.5)])
    for t, ratio in enumerate(case.grid.ratios):
        shares = np.eye(3)[[t]]
        found = blend_heads(group, case.problem, Queries(leaves, x), shares).local[:, 0]
        fits = local_lasso(said / unit, left, weights, alpha=ratio * largest, standardize=False)
        expected = case.fitted.predict(x) + fits.intercept_ + (fits.coef_ * new / unit).sum(axis=1)
        np.testing.assert_allclose(found, expected, atol=1e-6)


@pytest.mark.one_value
@EVERY
def test_out_of_bag_and_folds_agree_where_the_similarity_learns_nothing(rng, model):
    case = Case(rng, model)
    folds = of_all_rows(predict_by_folds(case.grid, case.problem, case.splits, [case.x], [case.y], Run()), N)
    np.testing.assert_allclose(case.out_of_bag(), folds, atol=1e-6)


@pytest.mark.one_value
@EVERY
def test_a_rows_own_response_has_no_say_in_what_is_said_of_it(model):
    one, other = (Case(np.random.default_rng(0), model, change) for change in (0.0, 1000.0))
    np.testing.assert_allclose(one.out_of_bag()[7], other.out_of_bag()[7], atol=1e-8)
    assert np.abs(one.out_of_bag() - other.out_of_bag()).max() > 1


@pytest.mark.one_value
@pytest.mark.parametrize(("penalty", "to"), [("ridge", 0), ("ridge", 1), ("lasso", 0)])
def test_folds_have_the_same_shrinkage_as_all_rows(rng, penalty, to):
    local = LocalTrees(penalty=penalty, shrink_to=to)
    case = Case(rng, MODELS[0], local=local)
    assert case.problem.fold(0, case.splits[0]).problem.local is local
    assert all(part.problem.local is local for part in case.problem.held_out(case.splits))
    folds = of_all_rows(predict_by_folds(case.grid, case.problem, case.splits, [case.x], [case.y], Run()), N)
    np.testing.assert_allclose(case.out_of_bag(), folds, atol=1e-6)
