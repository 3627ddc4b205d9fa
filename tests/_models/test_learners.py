"""Learners as local models: what each fit sees, and what it must not have seen."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.tree import DecisionTreeRegressor

from heedful._flow.heads import HeadGroup, Queries, make_grid
from heedful._flow.kinds import Run
from heedful._flow.out_of_fold import predict_by_folds, predict_out_of_bag
from heedful._folds import Split, average_out_of_fold, random_splits
from heedful._models.learners import LearnerProblem, leave_one_out
from heedful.attention import attend
from heedful.attention._weighting import Weighting
from heedful.similarity import GaussianSimilarity
from reference.fits import blend_heads, head_values
from reference.heads import of_all_rows
from reference.rows import classes_of, numbers_of

N = 40
SOFTMAX = [Weighting("softmax", 0.5), Weighting("softmax", 2.0)]
ONCE = np.ones(N, np.int64)
ALL = np.ones((2, 1), dtype=bool)


class Case:
    """Rows with weights, a similarity that knows nothing of the response, and the local learners."""

    def __init__(self, rng, learner, *, n_classes=None, tried=None, counts=ONCE, change=0.0):
        self.x = rng.normal(size=(N, 3))
        self.y = self.x[:, 0] * self.x[:, 1] + rng.normal(size=N)
        self.y[7] += change
        self.family = numbers_of(self.y)
        if n_classes is not None:
            self.y = (np.argsort(np.argsort(self.y)) * n_classes // N).astype(np.float64)
            self.family = classes_of(self.y, n_classes)
        self.weight = rng.uniform(0.5, 2.0, size=N)
        self.learner, self.tried = learner, np.arange(N) if tried is None else tried
        parts = (self.x, self.family, self.weight, counts, self.tried)
        self.problem = LearnerProblem(learner, *parts, trim_weight=0.0)
        self.similarity = GaussianSimilarity(standardize=False).fit(self.x)
        self.group = HeadGroup(self.similarity, SOFTMAX)
        self.grid = make_grid([self.similarity], (0.5, 2.0), (1.0,))

    def out_of_bag(self):
        return of_all_rows(predict_out_of_bag(self.grid, self.problem, [], Run()), N)

    def by_folds(self, splits):
        return of_all_rows(predict_by_folds(self.grid, self.problem, splits, [self.x], [self.y], Run()), N)

    def scaled(self, weights):
        """Return weights that sum to those of all rows, as every fit gets them."""
        return weights * (self.weight.sum() / weights.sum())

    def plain(self, weights):
        """Return the learner's own fit."""
        return clone(self.learner).fit(self.x, self.y, self.scaled(weights))


def test_a_head_is_the_learner_under_the_querys_weights(rng):
    case, x = Case(rng, Ridge()), rng.normal(size=(5, 3))
    found = head_values(case.group, case.problem, Queries(x, x), numbers_of(np.zeros(5)), ALL)
    for w, weighting in enumerate(SOFTMAX):
        weights = attend(case.similarity.scores(x), weighting.temperature, case.weight).toarray()
        expected = [case.plain(row).predict(x[[q]])[0] for q, row in enumerate(weights)]
        np.testing.assert_allclose(found[:, w, 0], expected)


def test_out_of_bag_is_the_learner_of_all_other_rows(rng):
    case = Case(rng, Ridge())
    scores = case.similarity.scores(case.x)
    np.fill_diagonal(scores, -np.inf)
    for w, weighting in enumerate(SOFTMAX):
        weights = attend(scores, weighting.temperature, case.weight).toarray()
        expected = [case.plain(row).predict(case.x[[i]])[0] for i, row in enumerate(weights)]
        np.testing.assert_allclose(case.out_of_bag()[:, w], expected)


def test_left_out_alone_is_the_plain_learner_of_all_other_rows(rng):
    case, expected = Case(rng, Ridge()), np.empty(N)
    for i in range(N):
        rest = np.flatnonzero(np.arange(N) != i)
        model = Ridge().fit(case.x[rest], case.y[rest], case.scaled(case.weight[rest]))
        expected[i] = model.predict(case.x[[i]])[0]
    np.testing.assert_allclose(leave_one_out(case.problem, Run(1))[:, 0], expected)


@pytest.mark.one_value
@pytest.mark.parametrize("learner", [Ridge(), DecisionTreeRegressor(max_depth=3, random_state=0)])
def test_a_rows_own_response_has_no_say_in_what_is_said_of_it(learner):
    one, other = (Case(np.random.default_rng(0), learner, change=change) for change in (0.0, 1000.0))
    np.testing.assert_array_equal(one.out_of_bag()[7], other.out_of_bag()[7])
    np.testing.assert_array_equal(leave_one_out(one.problem, Run(1))[7], leave_one_out(other.problem, Run(1))[7])
    assert np.abs(one.out_of_bag() - other.out_of_bag()).max() > 1


def test_folds_are_predicted_by_learners_of_their_training_part(rng):
    case, splits = Case(rng, Ridge()), random_splits(N, 4, 0)
    found = case.by_folds(splits)
    for train, test in splits:
        scores = GaussianSimilarity(standardize=False).fit(case.x[train]).scores(case.x[test])
        weights = attend(scores, 2.0, case.weight[train]).toarray()
        total = case.weight[train].sum()
        expected = [
            Ridge().fit(case.x[train], case.y[train], total * row).predict(case.x[[i]])[0]
            for i, row in zip(test, weights, strict=True)
        ]
        np.testing.assert_allclose(found[test, 1], expected)


@pytest.mark.parametrize("n_tried", [3, 17])
def test_only_the_rows_to_try_are_predicted(rng, n_tried):
    tried = np.sort(rng.permutation(N)[:n_tried])
    case = Case(rng, Ridge(), tried=tried)
    for values in (case.out_of_bag(), leave_one_out(case.problem, Run(1)), case.by_folds(random_splits(N, 4, 0))):
        np.testing.assert_array_equal(np.flatnonzero(np.isfinite(values).all(axis=1)), tried)
        np.testing.assert_array_equal(np.flatnonzero(np.isfinite(values).any(axis=1)), tried)


@pytest.mark.more
def test_classes_are_said_by_their_probabilities(rng):
    case = Case(rng, LogisticRegression(), n_classes=3)
    chance = leave_one_out(case.problem, Run(1))
    np.testing.assert_allclose(chance.sum(axis=1), 1.0)
    assert ((case.out_of_bag() > 0) & (case.out_of_bag() < 1)).all()


def test_a_row_in_several_test_parts_gets_their_mean_and_one_in_none_nothing():
    splits = [Split(np.array([3]), np.array([0, 1])), Split(np.array([3]), np.array([1, 2]))]
    said = iter([np.array([[1.0], [2.0]]), np.array([[4.0], [8.0]])])
    found = average_out_of_fold(splits, lambda *_: next(said), (4, 1))
    np.testing.assert_array_equal(found[:, 0], [1.0, 3.0, 8.0, np.nan])


def test_a_row_that_counts_twice_is_the_row_twice(rng):
    counts = 1 + np.arange(N) % 2
    tree = DecisionTreeRegressor(min_samples_leaf=7, random_state=0)
    case, query = Case(rng, tree, counts=counts), rng.normal(size=(1, 3))
    value = case.problem.learner.refit(case.problem._spread(case.weight), query).value
    copies = np.repeat(np.arange(N), counts)
    twice = tree.fit(case.x[copies], case.y[copies], (case.weight / counts)[copies])
    np.testing.assert_allclose(value, twice.predict(query))


def test_learners_are_kept_only_where_asked_for(rng):
    case, x = Case(rng, Ridge()), rng.normal(size=(5, 3))
    shares = np.array([[1.0], [0.0]])
    keeping = replace(case.problem, keep=True)
    plain, kept = (
        blend_heads(case.group, problem, Queries(x, x), shares, n_jobs=2) for problem in (case.problem, keeping)
    )
    assert plain.models == []
    np.testing.assert_array_equal(plain.local, kept.local)
    said = [model.predict(x[[q]])[0] for q, model in enumerate(kept.models)]
    np.testing.assert_allclose(said, kept.local[:, 0])


def test_importances_are_blended_by_share(rng):
    case, x = Case(rng, Ridge()), rng.normal(size=(5, 3))
    half, one, two = (
        blend_heads(case.group, case.problem, Queries(x, x), np.array(shares)[:, None]).coef
        for shares in ([0.25, 0.75], [1.0, 0.0], [0.0, 1.0])
    )
    np.testing.assert_allclose(half, 0.25 * one + 0.75 * two)
    np.testing.assert_allclose(half.sum(axis=2), 1.0)
