"""Predictions of unseen rows are what a fit without the row would give."""

import numpy as np
import pytest

from heedful import local_lasso
from heedful._flow.heads import make_grid
from heedful._flow.kinds import Run
from heedful._flow.out_of_fold import predict_by_folds, predict_out_of_bag
from heedful._folds import Split, random_splits
from heedful._kernels.shapes import Rule
from heedful._models.linear_fits import make_problem
from heedful.attention import attend
from heedful.similarity import ForestProximity, GaussianSimilarity
from reference.cases import family_table, survival
from reference.fits import MODELS, head_values, train_queries
from reference.heads import of_all_rows

KINDS = tuple(MODELS)[1:]


class Case:
    """A baseline with folds, the local problem near it, and a similarity of its rows."""

    def __init__(self, kind, X, y, splits, similarity=None, ratios=(np.inf, 1.0), temperatures=(0.5,)):
        self.kind, self.splits, self.n, self.p = kind, splits, *X.shape
        self.base = MODELS[kind](0.1).fit(X, y, splits=splits)
        fit = self.base.fit_
        self.x, self.weight = fit.scale.rows(X), np.ones(self.n)
        rule = Rule(fit.scale.pad(np.ones(self.p)), False, np.zeros(self.x.shape[1]), 1e-10, 10_000)
        self.seen = self.x[:, : self.p]
        self.response = np.asarray(fit.family.outcome.value)
        self.similarity = similarity or GaussianSimilarity(standardize=False).fit(self.seen)
        self.grid = make_grid([self.similarity], temperatures, ratios)
        penalties = self.grid.ratios * fit.alpha / fit.scale.y_unit
        problem = make_problem(self.x, fit.family, self.weight, fit.model, rule, penalties)
        self.problem = problem._replace(folds=tuple(fit.folds))

    def out_of_bag(self, n_jobs=None):
        return of_all_rows(predict_out_of_bag(self.grid, self.problem, self.splits, Run(n_jobs)), self.n)

    def by_folds(self, n_jobs=None):
        shared = self.grid, self.problem, self.splits, [self.seen], [self.response]
        return of_all_rows(predict_by_folds(*shared, Run(n_jobs)), self.n)


def numbers(rng):
    X = rng.normal(size=(40, 3))
    return X, X[:, 0] * X[:, 1] + rng.normal(size=40)


def other_outcome(kind, y, row):
    """Return the response as if something else had happened to one row."""
    other = y.copy()
    if kind == "cox":
        other["event"][row] = not y["event"][row]
    else:
        other[row] = y[row] + 1000.0 if kind == "gaussian" else "b" if y[row] == "a" else "a"
    return other


def test_out_of_bag_is_a_local_lasso_that_leaves_the_row_out(rng):
    X, y = numbers(rng)
    case = Case("gaussian", X, y, random_splits(40, 5, 0))
    scores = case.similarity.scores(case.seen)
    np.fill_diagonal(scores, -np.inf)
    fits = local_lasso(case.seen, y, attend(scores, 0.5), alpha=0.1, standardize=False)
    expected = fits.intercept_ + (fits.coef_ * case.seen).sum(axis=1)
    np.testing.assert_allclose(case.out_of_bag()[:, 1], expected, atol=1e-6)


@pytest.mark.parametrize("kind", MODELS)
def test_a_rows_own_outcome_has_no_say_in_its_out_of_bag_values(rng, kind):
    X, y = numbers(rng) if kind == "gaussian" else family_table(rng, kind)[:2]
    splits = random_splits(40, 5, 0)
    one, other = (Case(kind, X, z, splits) for z in (y, other_outcome(kind, y, 7)))
    values = [case.out_of_bag() for case in (one, other)]
    if kind in ("binomial", "multinomial"):
        # values are of the class that happened: ask both for the same one
        values[1][7] = same_class(one, other)
    # the hazard that all rows share, and the overall class shares, have seen the row: 1 in 40
    tolerance = {"gaussian": 1e-6, "cox": 0.2}.get(kind, 1e-3)
    np.testing.assert_allclose(values[1][7], values[0][7], atol=tolerance)
    assert np.abs(np.delete(values[1] - values[0], 7, axis=0)).max() > 0.01


def same_class(one, other):
    """Return what the heads of ``other`` say of row 7 for the class that ``one`` knows."""
    fold = next(k for k, split in enumerate(other.splits) if 7 in split.test)
    start, shared = other.base.fit_.folds[fold], (other.base.fit_.family, other.weight)
    near = make_problem(other.x, *shared, start, other.problem.rule, other.problem.penalties)
    row, (group,) = np.array([7]), other.grid.groups
    happened, wanted = one.base.fit_.family.part(row), np.ones((1, 2), dtype=bool)
    return head_values(group, near, train_queries(other.x, row), happened, wanted)[0, 0]


def test_trees_that_drew_a_row_have_no_say_in_its_out_of_bag_mean(rng):
    X, y = numbers(rng)
    forest = ForestProximity(50, random_state=0).fit(X, y)
    cases = [
        Case("gaussian", X, z, random_splits(40, 5, 0), forest, temperatures=(0.1, 1.0))
        for z in (y, other_outcome("gaussian", y, 39))
    ]
    plain, changed = (case.out_of_bag()[:, [0, 2]] for case in cases)
    np.testing.assert_allclose(plain[39], changed[39], atol=1e-8)
    assert np.abs(plain[38] - changed[38]).max() > 1


@pytest.mark.one_value
@pytest.mark.one_value
@pytest.mark.parametrize("kind", KINDS)
def test_out_of_bag_values_start_at_the_model_of_the_fold_that_left_the_row_out(rng, kind):
    X, y = family_table(rng, kind)[:2]
    case = Case(kind, X, y, random_splits(40, 5, 0))
    found = case.out_of_bag()
    for split, start in zip(case.splits, case.base.fit_.folds, strict=True):
        shared = case.base.fit_.family, case.weight, start, case.problem.rule, case.problem.penalties
        happened, (group,) = case.base.fit_.family.part(split.test), case.grid.groups
        how = make_problem(case.x, *shared), train_queries(case.x, split.test), happened
        fits = head_values(group, *how, np.ones((1, 2), dtype=bool))
        np.testing.assert_array_equal(found[split.test], fits[:, 0])


def test_folds_predict_by_models_of_their_training_part(rng):
    X, y = numbers(rng)
    case = Case("gaussian", X, y, [Split(np.arange(30), np.arange(30, 40))])
    found = case.by_folds()
    scores = GaussianSimilarity(standardize=False).fit(case.seen[:30]).scores(case.seen[30:])
    fits = local_lasso(case.seen[:30], y[:30], attend(scores, 0.5), alpha=0.1, standardize=False)
    expected = fits.intercept_ + (fits.coef_ * case.seen[30:]).sum(axis=1)
    np.testing.assert_allclose(found[30:, 1], expected, atol=1e-6)
    assert np.isnan(found[:30]).all()


@pytest.mark.one_value
@pytest.mark.one_value
@pytest.mark.parametrize("kind", MODELS)
def test_fold_values_do_not_depend_on_what_happened_to_the_fold(rng, kind):
    X, y = numbers(rng) if kind == "gaussian" else family_table(rng, kind)[:2]
    splits = [Split(np.arange(30), np.arange(30, 40))]
    other = y.copy()
    other[30:] = y[30:][::-1]
    one, two = (Case(kind, X, z, splits) for z in (y, other))
    if kind in ("gaussian", "cox"):
        np.testing.assert_allclose(one.by_folds()[30:], two.by_folds()[30:], atol=1e-7)
    else:
        same = one.base.fit_.family.y[30:] == two.base.fit_.family.y[30:]
        np.testing.assert_allclose(one.by_folds()[30:][same], two.by_folds()[30:][same], atol=1e-7)


def test_a_row_in_two_folds_gets_the_mean(rng):
    X, y = numbers(rng)
    rows = np.arange(40)
    splits = [Split(rows[:20], rows[20:]), Split(rows[10:20], rows[20:])]
    both = Case("gaussian", X, y, splits)
    each = [predict_each(both, split) for split in splits]
    np.testing.assert_allclose(both.by_folds()[20:], np.mean(each, axis=0)[20:])


def predict_each(case, split):
    shared = case.grid, case.problem._replace(folds=case.problem.folds[:1]), [split], [case.seen], [case.response]
    return of_all_rows(predict_by_folds(*shared, Run()), case.n)


def test_survival_values_of_folds_use_the_hazard_of_their_training_part(rng):
    X, y, (event, time), _ = family_table(rng, "cox")
    splits = [Split(np.arange(30), np.arange(30, 40))]
    late = survival(event, np.where(np.arange(40) < 30, time, time + 100.0))
    one, two = (Case("cox", X, z, splits).by_folds() for z in (y, late))
    np.testing.assert_allclose(one[30:], two[30:], atol=1e-7)


@pytest.mark.parametrize("kind", MODELS)
def test_any_number_of_jobs_gives_the_same_bits(rng, kind):
    X, y = numbers(rng) if kind == "gaussian" else family_table(rng, kind)[:2]
    case = Case(kind, X, y, random_splits(40, 5, 0))
    np.testing.assert_array_equal(case.out_of_bag(1), case.out_of_bag(2))
    np.testing.assert_array_equal(case.by_folds(1), case.by_folds(2))
