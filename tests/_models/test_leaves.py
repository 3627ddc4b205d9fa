"""Leaves weighed anew: the double loop over trees and queries, and rows that must not have been seen."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor, RandomForestRegressor

from heedful._ensembles import read_ensemble
from heedful._flow.heads import HeadGroup, Queries, make_grid
from heedful._flow.kinds import Run
from heedful._flow.out_of_fold import predict_by_folds, predict_out_of_bag
from heedful._folds import random_splits
from heedful._models.leaves import LeafProblem
from heedful.attention import attend
from heedful.attention._weighting import Weighting
from heedful.similarity import GaussianSimilarity
from reference.fits import blend_heads
from reference.heads import of_all_rows
from reference.rows import classes_of, numbers_of

N = 50
BOOSTER = GradientBoostingRegressor(n_estimators=6, max_depth=2, random_state=0)
CASES = [
    (BOOSTER, None, "responses"),
    (BOOSTER, None, "residuals"),
    (RandomForestRegressor(6, min_samples_leaf=3, random_state=0), None, "responses"),
    (GradientBoostingClassifier(n_estimators=6, max_depth=2, random_state=0), 3, "responses"),
    (GradientBoostingClassifier(n_estimators=6, max_depth=2, random_state=0), 3, "residuals"),
]
EVERY = pytest.mark.parametrize(("model", "n_classes", "leaf_value"), CASES)


class Case:
    """Rows with weights, an ensemble and those of the folds, a similarity that knows nothing of the response."""

    def __init__(self, rng, model, n_classes=None, leaf_value="responses", change=0.0):
        self.x = rng.normal(size=(N, 3))
        self.y = 10.0 + self.x[:, 0] * self.x[:, 1] + rng.normal(size=N)
        self.y[7] += change
        self.family = numbers_of(self.y)
        if n_classes is not None:
            self.y = (np.argsort(np.argsort(self.y)) * n_classes // N).astype(np.float64)
            self.family = classes_of(self.y, n_classes)
        self.weight, self.splits, self.model = rng.uniform(0.5, 2.0, size=N), random_splits(N, 4, 0), model
        folds = tuple(self.grow(train) for train, _ in self.splits)
        parts = (self.family, self.weight, leaf_value, np.ones(3) / 3)
        self.problem = LeafProblem(*self.grow(np.arange(N)), *parts, folds)
        self.similarity = GaussianSimilarity(standardize=False).fit(self.x)
        self.grid = make_grid([self.similarity], (0.5, 2.0), (1.0,))

    def grow(self, rows):
        """Return the ensemble of some rows, and the leaves of all rows in it."""
        ensemble = read_ensemble(clone(self.model).fit(self.x[rows], self.y[rows], self.weight[rows]))
        return ensemble, ensemble.leaves(self.x).T

    def out_of_bag(self):
        return of_all_rows(predict_out_of_bag(self.grid, self.problem, self.splits, Run()), N)


def test_each_weighting_has_the_values_that_it_has_alone(rng):
    case, both = Case(rng, BOOSTER), [Weighting("softmax", 0.1), Weighting("softmax", 2.0)]
    rows, leaves = case.similarity.score_rows(case.x[:5]), case.problem.ensemble.leaves(case.x[:5]).T
    one = np.ones((1, 1), dtype=bool)
    found = case.problem.fit(rows, leaves, both, np.ones((2, 1), dtype=bool), np.ones((2, 1))).values
    for w, own in enumerate(both):
        np.testing.assert_array_equal(found[:, [w]], case.problem.fit(rows, leaves, [own], one, 1.0 * one).values)
    assert np.abs(found[:, 0] - found[:, 1]).max() > 0.1


@pytest.mark.one_value
@pytest.mark.parametrize("temperature", [0.1, 1.0])
def test_values_are_weighted_means_of_the_querys_leaf_in_each_tree(rng, temperature):
    case, x = Case(rng, BOOSTER), rng.normal(size=(5, 3))
    leaves, train = (case.problem.ensemble.leaves(rows).T for rows in (x, case.x))
    weights = attend(case.similarity.scores(x), temperature, case.weight).toarray()
    met = leaves[:, None, :] == train
    means = np.einsum("qi,qit,i->qt", weights, met, case.y) / np.einsum("qi,qit->qt", weights, met)
    group = HeadGroup(case.similarity, [Weighting("softmax", temperature)])
    fits = blend_heads(group, case.problem, Queries(leaves, x), np.ones((1, 1)))
    np.testing.assert_allclose(fits.local[:, 0], means.mean(axis=1))
    np.testing.assert_allclose(fits.coef, np.full((5, 1, 3), 1 / 3))


@pytest.mark.one_value
@EVERY
def test_out_of_bag_and_folds_agree_where_the_similarity_learns_nothing(rng, model, n_classes, leaf_value):
    case = Case(rng, model, n_classes, leaf_value)
    folds = of_all_rows(predict_by_folds(case.grid, case.problem, case.splits, [case.x], [case.y], Run()), N)
    np.testing.assert_allclose(case.out_of_bag(), folds, rtol=1e-9)


@pytest.mark.parametrize("leaf_value", ["responses", "residuals"])
def test_a_rows_own_response_has_no_say_in_what_is_said_of_it(leaf_value):
    one, other = (Case(np.random.default_rng(0), BOOSTER, None, leaf_value, change) for change in (0.0, 1000.0))
    np.testing.assert_allclose(one.out_of_bag()[7], other.out_of_bag()[7], rtol=1e-12)
    assert np.abs(one.out_of_bag() - other.out_of_bag()).max() > 1


@pytest.mark.one_value
@pytest.mark.parametrize(("model", "n_classes"), [(BOOSTER, None), (CASES[-1][0], 3)])
def test_equal_weights_on_residuals_out_of_bag_give_the_boosters_of_the_folds(rng, model, n_classes):
    case = Case(rng, model, n_classes, "residuals")
    grid = make_grid([case.similarity], (1e12,), (1.0,))
    found = of_all_rows(predict_out_of_bag(grid, case.problem, case.splits, Run()), N)[:, 0]
    for train, test in case.splits:
        fold = clone(model).fit(case.x[train], case.y[train], case.weight[train])
        said = fold.predict(case.x[test])[:, None] if n_classes is None else fold.predict_proba(case.x[test])
        np.testing.assert_allclose(found[test], case.family.part(test).observed(said), rtol=1e-6)
