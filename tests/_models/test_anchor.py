"""What a teacher says of a query as one more row of the query's own fit."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.linear_model import LinearRegression

from heedful import AttentionLasso, LocalLasso
from heedful._flow.heads import HeadGroup, Queries
from heedful._folds import random_splits
from heedful._kernels.shapes import Rule
from heedful._models.linear_fits import _within_range, make_problem
from heedful._solver.paths import Paths
from heedful._solver.table import Scale, build_table
from heedful._solver.weights import weight_rows
from heedful.attention import attend
from heedful.attention._weighting import Weighting
from heedful.baseline import LassoBaseline
from heedful.similarity import TeacherSimilarity
from reference.fits import blend_heads, head_values, train_queries
from reference.lasso import weighted_lasso

N, P = 40, 3
TEMPERATURES, ALPHAS = (0.5, 5.0), np.array([np.inf, 0.1, 0.01])
ALL = np.ones((2, 3), dtype=bool)


class Case:
    """Training rows on the baseline's scale, a teacher of them, and the local problem near the baseline."""

    def __init__(self, rng, pull):
        X = rng.normal(size=(N, P))
        self.weight = rng.uniform(0.5, 2.0, size=N)
        self.base = LassoBaseline(0.1).fit(X, X[:, 0] * X[:, 1], self.weight, splits=random_splits(N, 5, 0))
        fit = self.base.fit_
        self.x, self.y = fit.scale.rows(X), fit.tables[0].y
        rule = Rule(fit.scale.pad(np.ones(P)), False, np.zeros(self.x.shape[1]), 1e-10, 10_000)
        self.family = fit.family
        self.problem = make_problem(self.x, fit.family, self.weight, fit.model, rule, ALPHAS)
        teacher = TeacherSimilarity(LinearRegression(), anchor=True, random_state=0)
        self.similarity = teacher.fit(self.x[:, :P], self.y, self.weight)
        self.group = HeadGroup(self.similarity, [Weighting("softmax", t) for t in TEMPERATURES], pull)
        self.new = fit.scale.rows(rng.normal(size=(5, P)))

    def values(self, queries):
        """Return what the loss looks at in each head."""
        rows = np.arange(len(queries.seen)) if queries.number is None else queries.number
        return head_values(self.group, self.problem, queries, self.family.part(rows), ALL)

    def blend(self):
        """Return the new rows' heads, of equal shares."""
        return blend_heads(self.group, self.problem, Queries(self.new, self.new[:, :P]), ALL / 6)

    def weights(self, scores, w):
        """Return the weights of the training rows, which sum to one, and that of the teacher's row."""
        attention = attend(scores[None], TEMPERATURES[w], self.weight)
        return np.append(attention.toarray(), self.group.anchor_weight / np.sqrt(attention.n_eff[0]))

    def twin(self, query, scores, said, w, t):
        """Return the intercept and the slopes of one fit with the teacher's row among the others."""
        rows, y = np.vstack([self.x[:, :P], query[:P]]), np.append(self.y, said)
        return weighted_lasso(rows, y, self.weights(scores, w), ALPHAS[t], np.ones(P))


def test_an_anchor_is_one_more_row_of_the_querys_own_lasso(rng):
    case = Case(rng, pull=2.5)
    seen = case.new[:, :P]
    found = case.values(Queries(case.new, seen))
    scores, said = case.similarity.scores(seen), case.similarity.teach(seen)
    for q, w, t in np.ndindex(5, 2, 3):
        intercept, coef = case.twin(case.new[q], scores[q], said[q], w, t)
        np.testing.assert_allclose(found[q, w, t], observe(case, intercept + seen[q] @ coef), atol=1e-6)


def test_a_training_row_is_anchored_out_of_fold_and_not_to_itself(rng):
    case, rows = Case(rng, pull=2.5), np.array([3, 11, 25])
    found = case.values(train_queries(case.x, rows))
    scores, said = case.similarity.train_rows(rows).score.reshape(3, N), case.similarity.teach_train(rows)
    for q, w, t in np.ndindex(3, 2, 3):
        intercept, coef = case.twin(case.x[rows[q]], scores[q], said[q], w, t)
        expected = observe(case, intercept + case.x[rows[q], :P] @ coef)
        np.testing.assert_allclose(found[q, w, t], expected, atol=1e-6)


def observe(case, link):
    """Return a link on the table's scale as what is blended."""
    return case.family.values(np.array([[link]]))[0, 0]


def test_coefficients_are_those_of_the_anchored_fits(rng):
    case = Case(rng, pull=2.5)
    seen = case.new[:, :P]
    coef = case.blend().coef[:, 0, :P]
    scores, said = case.similarity.scores(seen), case.similarity.teach(seen)
    for q in range(5):
        twins = [case.twin(case.new[q], scores[q], said[q], w, t)[1] for w, t in np.ndindex(2, 3)]
        np.testing.assert_allclose(coef[q], np.mean(twins, axis=0), atol=1e-6)


def test_the_stronger_the_pull_the_nearer_to_the_teacher(rng):
    gaps = []
    for pull in (1.0, 2.0, 10.0, 1e6):
        case = Case(np.random.default_rng(0), pull)
        said = observe(case, case.similarity.teach(case.new[:, :P]))
        value = case.blend().local[:, 0]
        gaps.append(np.abs(value - np.ravel(said)).mean())
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] < 1e-3 < gaps[0]


def test_an_anchored_head_does_not_predict_far_from_the_responses_it_attends_to(rng):
    case = Case(rng, pull=2.5)
    case.problem = case.problem._replace(rule=case.problem.rule._replace(max_range=0.2))
    seen = case.new[:, :P]
    found = case.values(Queries(case.new, seen))
    scores, said = case.similarity.scores(seen), case.similarity.teach(seen)
    for q, w in np.ndindex(5, 2):
        y, weight = np.append(case.y, said[q]), case.weights(scores[q], w)
        mean = np.average(y, weights=weight)
        limit = 0.2 * np.sqrt(np.average((y - mean) ** 2, weights=weight))
        low, high = (observe(case, mean + side * (limit + 1e-9)) for side in (-1, 1))
        assert ((low <= found[q, w]) & (found[q, w] <= high)).all()


@pytest.mark.parametrize("pull", [0.0, 0.5, 1.0])
def test_a_weak_pull_changes_not_a_bit(rng, pull):
    case = Case(rng, pull)
    queries = Queries(case.new, case.new[:, :P])
    found, blend = case.values(queries), case.blend()
    case.group = HeadGroup(case.similarity, case.group.weightings)
    np.testing.assert_array_equal(found, case.values(queries))
    np.testing.assert_array_equal(blend.local, case.blend().local)
    np.testing.assert_array_equal(blend.coef, case.blend().coef)


@pytest.fixture
def table(rng):
    X = rng.normal(size=(90, 4))
    return X, 3.0 * (X[:, 0] > 0) * X[:, 1] + 0.2 * rng.normal(size=90), rng.normal(size=(20, 4))


def pull_of(model):
    """Return how much the only teacher's predictions are worth to a fitted model."""
    (group,) = model._model.grid.groups
    return group.anchor_weight


def model_of(teacher, anchor, **settings):
    return AttentionLasso(similarity=TeacherSimilarity(teacher, anchor=anchor), random_state=0, **settings)


@pytest.mark.one_value
@pytest.mark.parametrize("cv", ["oob", 3])
def test_a_teacher_that_is_no_better_than_the_lasso_anchors_nothing(table, cv):
    X, y, X_new = table
    bad = GradientBoostingRegressor(n_estimators=1, learning_rate=0.01, max_depth=1, random_state=0)
    with_anchor, without = (model_of(bad, anchor, cv=cv).fit(X, y) for anchor in (True, False))
    assert pull_of(with_anchor) <= 1
    np.testing.assert_array_equal(with_anchor.predict(X_new), without.predict(X_new))


@pytest.mark.more
@pytest.mark.parametrize("cv", ["oob", 3])
def test_a_teacher_that_is_better_brings_predictions_nearer_to_its_own(table, cv):
    X, y, X_new = table
    good = GradientBoostingRegressor(n_estimators=30, random_state=0)
    how = {"mixing": 1.0, "temperature": 0.3, "local": LocalLasso(alpha_ratio=1.0), "cv": cv}
    with_anchor, without = (model_of(good, anchor, **how).fit(X, y) for anchor in (True, False))
    assert pull_of(with_anchor) > 1
    said = good.fit(X, y).predict(X_new)
    gaps = [np.abs(model.predict(X_new) - said).mean() for model in (with_anchor, without)]
    assert gaps[0] < gaps[1]


def test_the_pull_is_how_much_smaller_the_teachers_error_is(table):
    X, y, _ = table
    model = model_of(GradientBoostingRegressor(n_estimators=30, random_state=0), True, mixing=1.0, temperature=0.3).fit(
        X, y
    )
    teacher = model.similarity_[0]
    expected = model.baseline_.cv_error_.min() / (teacher.teacher_loss_ * y.var())
    np.testing.assert_allclose(pull_of(model), expected)


@pytest.mark.one_value
@pytest.mark.parametrize("max_range", [0.2, 1.0, np.inf])
def test_a_prediction_stays_within_range_of_the_responses_attended_to(rng, max_range):
    X, y, prior = rng.normal(size=(N, P)), 3.0 + rng.normal(size=N), rng.uniform(0.5, 2.0, size=N)
    flat = Scale(np.zeros(P), np.ones(P), 0.0, 1.0)
    table, x = build_table(X, y, prior, flat), flat.rows(rng.normal(size=(4, P)))
    excess = sparse.csr_array(rng.dirichlet(np.ones(N), size=4) * 0.6 * (rng.uniform(size=(4, N)) < 0.4))
    background = 1.0 - excess.sum(axis=1)
    coef = np.zeros((4, 2, 1, flat.width))
    coef[..., :P] = rng.normal(size=(4, 2, 1, P))
    found, keep = _within_range(
        weight_rows(excess, background), table, Paths(np.zeros((4, 2, 1)), coef, 0), x, max_range
    )
    weight = excess.toarray() + np.outer(background, prior / prior.sum())
    mean = weight @ y
    limit = max_range * np.sqrt(weight @ y**2 - mean**2)[:, None] if np.isfinite(max_range) else np.inf
    away = np.einsum("qtj,qj->qt", coef[:, :, 0, :P], x[:, :P] - weight @ X)
    np.testing.assert_allclose(found[:, :, 0], mean[:, None] + np.clip(away, -limit, limit))
    np.testing.assert_allclose(keep * away, np.clip(away, -limit, limit))
