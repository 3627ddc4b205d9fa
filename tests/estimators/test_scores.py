"""Forests grown on scores: rows that need like coefficients are alike, whatever their responses are."""

import numpy as np
import pandas as pd
import pytest

from heedful import AttentionCox, AttentionEffect, AttentionGLM, AttentionLasso, AttentionLassoClassifier
from heedful.similarity import ForestProximity, PastSimilarity
from reference.cases import survival

FOREST = ForestProximity(20, target="scores", max_features=1.0, min_samples_leaf=10, random_state=7)


def draw_switch(seed, n_train, n_new=2000, n_columns=20, least=-1.0):
    """Return training and new rows of which the first column says what the second one's slope is: 2 or ``least``."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_train + n_new, n_columns))
    y = np.where(X[:, 0] > 0, 2.0, least) * X[:, 1] + X[:, 2] + 0.5 * rng.normal(size=len(X))
    return X[:n_train], y[:n_train], X[n_train:], y[n_train:]


def gain_over_lasso(model, X, y):
    """Return by how many per cent the squared error of new rows is less than the lasso's."""
    error, lasso = (np.mean((y - part.predict(X)) ** 2) for part in (model, model.baseline_))
    return 100.0 * (1.0 - error / lasso)


def fit(X, y, **settings):
    return AttentionLasso(**{"similarity": FOREST, "random_state": 0} | settings).fit(X, y)


def attention_to_same_side(model, X_new):
    """Return the part of each new row's attention that goes to rows of its own sign in the first column."""
    same = (X_new[:, :1] > 0) == (model._model.rows.codes[:, 0] > 0)
    scores = model.similarity_[0].scores(X_new).toarray()
    return (scores * same).sum(axis=1) / scores.sum(axis=1)


@pytest.mark.more
@pytest.mark.parametrize(("n_rows", "least"), [(500, 85.0), (2000, 88.0)])
def test_by_default_a_slope_that_another_column_switches_is_found(n_rows, least):
    X, y, X_new, y_new = draw_switch(0, n_rows)
    model = AttentionLasso(random_state=0).fit(X, y)
    assert gain_over_lasso(model, X_new, y_new) > least
    effect = model.local_effects(X_new[:200], columns=[1])["effect"].to_numpy()
    assert np.mean((effect > 0) == (X_new[:200, 0] > 0)) >= 0.9


@pytest.mark.more
def test_scores_tell_rows_that_need_other_coefficients_apart_better_than_residuals_do():
    X, y, X_new, _ = draw_switch(0, 500, 300)
    other = FOREST.get_params() | {"target": "residual"}
    scores, residuals = (
        attention_to_same_side(fit(X, y, similarity=part), X_new) for part in (FOREST, ForestProximity(**other))
    )
    assert scores.mean() > residuals.mean() + 0.1
    assert (scores > residuals).mean() > 0.7


@pytest.mark.more
def test_of_many_columns_those_whose_slope_differs_are_found():
    X, y, X_new, _ = draw_switch(0, 500, 300, n_columns=100)
    assert attention_to_same_side(fit(X, y), X_new).mean() > 0.65


def test_a_slope_that_is_nothing_on_average_is_found_too():
    X, y, X_new, _ = draw_switch(0, 500, 300, least=-2.0)
    assert attention_to_same_side(fit(X, y), X_new).mean() > 0.7


@pytest.mark.more
@pytest.mark.parametrize(("of_column", "of_response"), [(1e6, 1.0), (1.0, 1e-5), (-3.7, 250.0)])
def test_units_of_columns_and_response_do_not_change_the_forest(of_column, of_response):
    X, y, X_new, _ = draw_switch(1, 150, 40, n_columns=5)
    unit = np.array([1.0, abs(of_column), 1.0, 1.0, 1.0])
    one, other = fit(X, y), fit(unit * X + 5.0 * unit, of_response * y - 3.0 * of_response)
    scores = [
        part.similarity_[0].scores(new).toarray() for part, new in ((one, X_new), (other, unit * X_new + 5.0 * unit))
    ]
    np.testing.assert_array_equal(*scores)


@pytest.mark.one_value
@pytest.mark.parametrize("cv", ["oob", 3])
def test_jobs_change_no_bit(cv):
    X, y, X_new, _ = draw_switch(1, 150, 40, n_columns=5)
    one, two = (fit(X, y, cv=cv, n_jobs=n_jobs) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one.predict(X_new), two.predict(X_new))
    np.testing.assert_array_equal(one.heads_["error"], two.heads_["error"])


def test_the_order_of_rows_changes_nothing(rng):
    X, y, X_new, _ = draw_switch(1, 150, 40, n_columns=5)
    order = rng.permutation(150)
    np.testing.assert_allclose(fit(X, y).predict(X_new), fit(X[order], y[order]).predict(X_new), rtol=1e-9)


def test_a_row_of_weight_two_is_the_row_twice(rng):
    X, y, X_new, _ = draw_switch(1, 120, 40, n_columns=5)
    weight = rng.integers(1, 3, 120)
    often = np.repeat(np.arange(120), weight)
    weighted = AttentionLasso(similarity=FOREST, random_state=0).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(weighted.predict(X_new), fit(X[often], y[often]).predict(X_new), atol=1e-8)


@pytest.mark.one_value
@pytest.mark.parametrize("cv", ["oob", 4])
def test_a_row_has_no_say_in_the_forest_that_predicts_it_beyond_the_baselines(cv):
    X, y, _, _ = draw_switch(2, 120, 1, n_columns=12)
    model = fit(X, y, cv=cv)
    targets, split = model._model.models.scores(), model._model.splits[0]
    other = np.array(targets)
    other[split.test] *= 100.0
    seen = model._model.models.seen(model._model.models.train_view(), ["bins"])[0]
    one, two = (
        ForestProximity(**FOREST.get_params()).fit(seen[split.train], part[split.train]) for part in (targets, other)
    )
    np.testing.assert_array_equal(one.scores(seen).toarray(), two.scores(seen).toarray())


def make_response(kind, link, rng):
    """Return a response of a kind whose linear predictor is given."""
    if kind == "counts":
        return rng.poisson(np.exp(link / 2)).astype(float)
    if kind == "costs":
        return rng.gamma(2.0, np.exp(link / 2) / 2)
    if kind == "survival":
        return survival(rng.random(link.size) < 0.7, rng.exponential(np.exp(-link)) + 0.01)
    return np.digitize(link + rng.logistic(size=link.size), [0.0] if kind == "two classes" else [-1.0, 1.0])


ESTIMATORS = {
    "two classes": AttentionLassoClassifier,
    "three classes": AttentionLassoClassifier,
    "counts": AttentionGLM,
    "costs": AttentionGLM,
    "survival": AttentionCox,
}


@pytest.mark.one_value
@pytest.mark.parametrize("kind", ESTIMATORS)
@pytest.mark.parametrize("cv", ["oob", 3])
def test_for_every_kind_of_response_like_coefficients_are_alike(rng, kind, cv):
    X = rng.normal(size=(700, 4))
    y = make_response(kind, np.where(X[:, 0] > 0, 2.0, -2.0) * X[:, 1] + X[:, 2], rng)
    how = {"family": "gamma"} if kind == "costs" else {}
    model = ESTIMATORS[kind](similarity=FOREST, cv=cv, random_state=0, **how).fit(X[:500], y[:500])
    assert attention_to_same_side(model, X[500:]).mean() > 0.6
    assert np.isfinite(model.predict(X[500:])).all()


@pytest.mark.more
def test_effects_of_a_treatment_that_another_column_switches_are_found(rng):
    X, treatment = rng.normal(size=(900, 5)), rng.integers(0, 2, 900)
    effect = np.where(X[:, 0] > 0, 2.0, -1.0) * X[:, 1]
    y = X[:, 2] + effect * treatment + 0.5 * rng.normal(size=900)
    model = AttentionEffect(similarity=FOREST, propensity=0.5, outcome=AttentionLasso(mixing=0.0), random_state=0)
    model.fit(X[:600], y[:600], treatment[:600])
    assert np.mean((model.effect(X[600:]) - effect[600:]) ** 2) < 0.5 * effect.var()


@pytest.mark.one_value
@pytest.mark.parametrize("cv", ["oob", 3])
def test_text_and_missing_cells_are_no_hindrance(rng, cv):
    table = pd.DataFrame(rng.normal(size=(200, 3)), columns=list("abc"))
    table["kind"] = rng.choice(["red", "green", "blue"], 200)
    y = np.where(table["kind"] == "red", 2.0, -1.0) * table["a"] + 0.3 * rng.normal(size=200)
    table.loc[::9, "b"] = np.nan
    table.loc[::11, "kind"] = None
    model = fit(table[:150], y[:150], cv=cv)
    assert gain_over_lasso(model, table[150:], y[150:]) > 20.0


def test_a_constant_column_and_a_column_that_is_there_twice_are_no_hindrance():
    X, y, X_new, y_new = draw_switch(3, 300, 300, n_columns=4)
    X, X_new = (np.column_stack([part, np.full(len(part), 3.0), part[:, 1]]) for part in (X, X_new))
    assert gain_over_lasso(fit(X, y), X_new, y_new) > 50.0


@pytest.mark.one_value
@pytest.mark.parametrize("cv", ["oob", 3])
def test_a_baseline_without_error_leaves_no_scores_to_grow_trees_on(rng, cv):
    X = rng.normal(size=(60, 3))
    model = fit(X, X @ [1.0, -2.0, 0.5] + 11.0, alpha=0.0, cv=cv)
    assert len(model.similarity_[0].forest_.nodes) == model.similarity_[0].forest_.n_trees


def test_scores_of_the_past_alone_are_looked_at_too():
    X, y, X_new, _ = draw_switch(1, 150, 20, n_columns=4)
    X, X_new = np.column_stack([np.arange(150.0), X]), np.column_stack([np.arange(150.0, 170.0), X_new])
    model = fit(X, y, similarity=PastSimilarity(FOREST, time=0), cv=3)
    assert model.heads_["similarity"].unique().tolist() == ["past(forest(scores, all))"]
    assert np.isfinite(model.predict(X_new)).all()


@pytest.mark.one_value
@pytest.mark.parametrize("heads", ["multi", "single"])
def test_a_forest_of_scores_may_be_the_only_similarity(heads):
    X, y, _, _ = draw_switch(1, 100, 1, n_columns=4)
    model = fit(X, y, heads=heads)
    assert set(model.heads_["similarity"]) == {"forest(scores, all)"}
    assert len(model.heads_) == (2 * 5 if heads == "multi" else 5 * 5)
