"""Explanations of models that are not linear: importances in the place of coefficients."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from tests.explain.conftest import over_distinct_rows

from heedful import AttentionClassifier, AttentionRegressor, LeafAttentionRegressor, LocalTrees, TreeAttentionRegressor
from heedful.similarity import ForestProximity

HOW = {"similarity": ForestProximity(20), "temperature": 0.1, "mixing": 0.6, "random_state": 0}
TREE = {"max_depth": 3, "random_state": 0}
FOREST = RandomForestRegressor(8, max_depth=3, random_state=0)
MODELS = {
    "numbers": lambda: AttentionRegressor(DecisionTreeRegressor(**TREE), **HOW),
    "two classes": lambda: AttentionClassifier(DecisionTreeClassifier(**TREE), **HOW),
    "three classes": lambda: AttentionClassifier(DecisionTreeClassifier(**TREE), **HOW),
    "leaves": lambda: LeafAttentionRegressor(FOREST, **HOW),
}


def explain(kind):
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(90, 4)), columns=list("abcd"), index=[f"r{i}" for i in range(90)])
    y = (np.where(X["c"] > 0, 2.0, -2.0) * X["a"] + X["b"]).rename("yield")
    if kind.endswith("classes"):
        y = pd.qcut(y, 2 if kind == "two classes" else 3, labels=False).map({0: "low", 1: "mid", 2: "top"})
    model = MODELS[kind]()
    model.fit(X[:60], y[:60])
    return model, X[60:], model.explain(X[60:], y[60:])


@pytest.fixture(scope="module", params=MODELS)
def every(request):
    return explain(request.param)


@pytest.fixture(scope="module")
def numbers():
    return explain("numbers")


def test_importances_of_each_query_sum_to_one(every):
    _, _, e = every
    assert not e.slopes
    assert list(e.coef) == e.features == list("abcd")
    np.testing.assert_allclose(e.local_coef.sum(axis=1), 1.0)
    np.testing.assert_allclose(e.coef.sum(axis=1), 1.0)
    assert (e.coef >= 0).all(axis=None)


def test_importances_are_blended_by_the_mixing(every):
    _, _, e = every
    blend = np.outer(1 - e.mixing, e.baseline_coef) + e.mixing.to_numpy()[:, None] * e.local_coef.to_numpy()
    np.testing.assert_allclose(e.coef, blend)


def test_contributions_add_up_and_come_with_importances(every):
    _, X, e = every
    for output in e.outputs or [None]:
        link, base = (e.link, e.base_value) if output is None else (e.link[output], e.base_value[output])
        np.testing.assert_allclose(base + e.contributions(output).sum(axis=1), link, atol=1e-8)
    top = e.top_features(3)
    assert list(top)[-4:] == ["feature", "value", "contribution", "importance"]
    first = top.xs(1, level="rank")
    np.testing.assert_allclose(first["contribution"].abs(), e.contributions().abs().max(axis=1))
    np.testing.assert_array_equal(first["value"], [X.loc[q, name] for q, name in first["feature"].items()])
    np.testing.assert_array_equal(first["importance"], [e.coef.loc[q, name] for q, name in first["feature"].items()])


@pytest.mark.parametrize("part", ["attention", "model"])
def test_parts_that_need_slopes_are_refused(every, part):
    with pytest.raises(ValueError, match=f"`part` must be 'all' where models have no slopes.*got '{part}'"):
        every[2].contributions(part=part)


@pytest.mark.one_value
def test_the_mean_is_that_of_the_training_rows_under_the_attention(every):
    model, X, e = every
    train, attention = model._model.rows.filled_rows(), over_distinct_rows(model, X)
    np.testing.assert_allclose(e.mean, attention @ train)


def test_queries_are_clustered_by_importances_as_they_are(every):
    _, X, e = every
    pd.testing.assert_frame_equal(e.scaled_coef(), e.coef)
    if e.local_coef.nunique().max() > 1:
        groups = e.clusters(3)
        assert groups.table["size"].sum() == len(X)
        assert len(groups.table) == 3
        expected = e.coef.loc[groups.table["prototype"], groups.coef.columns]
        np.testing.assert_array_equal(groups.coef, expected)


@pytest.mark.one_value
def test_losses_rows_and_stability_are_told_as_for_linear_models(every):
    _, X, e = every
    assert (e.loss >= 0).all()
    assert len(e.top_rows(2)) == 2 * len(X)
    assert len(e.stability()) == len(X)
    assert (e.n_nonzero <= 4).all()


def test_intercepts_are_unknown(every):
    _, _, e = every
    assert np.isnan(e.intercept).all(axis=None)


@pytest.mark.more
def test_one_model_has_no_output_to_choose(numbers):
    with pytest.raises(ValueError, match="`output` must be None"):
        numbers[2].top_features(output="low")


def test_missing_cells_are_shown_as_missing_and_leave_the_means_finite(rng):
    X = pd.DataFrame(rng.normal(size=(60, 3)), columns=list("abc"))
    y = X["a"] * X["b"]
    X.loc[::5, "a"] = np.nan
    e = LeafAttentionRegressor(FOREST, **HOW).fit(X, y).explain(X[:10])
    np.testing.assert_array_equal(e.design["a"].isna(), X["a"][:10].isna())
    assert np.isfinite(e.mean).all(axis=None)


def test_weights_of_trees_are_slopes(rng):
    X = rng.normal(size=(60, 3))
    e = (
        TreeAttentionRegressor(FOREST, **HOW, local=LocalTrees(alpha_ratio=0.1))
        .fit(X, X[:, 0] * X[:, 1])
        .explain(X[:10])
    )
    assert e.slopes
    np.testing.assert_allclose(e.base_value + e.contributions().sum(axis=1), e.link, atol=1e-8)
    assert list(e.top_features(1)) == ["feature", "value", "contribution"]
    with pytest.raises(ValueError, match="no slopes of the table's columns"):
        e.contributions(part="model")
