import copy
import importlib

import numpy as np
import pytest
from scipy import sparse
from sklearn.ensemble import (
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from threadpoolctl import threadpool_limits

from heedful._ensembles import read_ensemble
from heedful._solver.leaves import LeafTable

LEAF_VALUES = pytest.mark.parametrize("leaf_value", ["responses", "residuals"])


@pytest.fixture(autouse=True)
def one_thread():
    # histogram boosting on a busy machine: threads that wait for each other take seconds
    with threadpool_limits(1):
        yield


def table_of(rng, n_classes=None, n=120, p=4):
    """Return rows, their response, weights and queries."""
    X = rng.normal(size=(n, p))
    signal = 10.0 + X[:, 0] - 2.0 * X[:, 1] + rng.normal(size=n)
    y = signal if n_classes is None else np.digitize(signal, np.quantile(signal, np.arange(1, n_classes) / n_classes))
    return X, y, rng.uniform(0.5, 2.0, size=n), rng.normal(size=(9, p))


def leaf_table(model, X, y, weight, leaf_value="responses", **how):
    ensemble = read_ensemble(model)
    how.setdefault("n_classes", len(model.classes_) if hasattr(model, "predict_proba") else None)
    return LeafTable(ensemble, ensemble.leaves(X), y, weight, leaf_value=leaf_value, **how)


def predict(table, weights, queries):
    """Return predictions under dense weights, without background."""
    return table.predict(sparse.csr_array(weights), np.zeros(len(queries)), table.ensemble.leaves(queries))


def predict_alike(table, n_train, queries):
    """Return predictions when all weight is in the background."""
    nobody = sparse.csr_array((len(queries), n_train))
    return table.predict(nobody, np.ones(len(queries)), table.ensemble.leaves(queries))


def own_prediction(model, queries):
    return model.predict_proba(queries) if hasattr(model, "predict_proba") else model.predict(queries)[:, None]


FORESTS = [
    (RandomForestRegressor(20, bootstrap=False, max_features=1, min_samples_leaf=3, random_state=0), None),
    (ExtraTreesRegressor(20, min_samples_leaf=5, random_state=0), None),
    (RandomForestClassifier(20, bootstrap=False, max_features=1, min_samples_leaf=5, random_state=0), 2),
    (RandomForestClassifier(20, bootstrap=False, max_features=1, min_samples_leaf=5, random_state=0), 3),
]


@pytest.mark.parametrize(("forest", "n_classes"), FORESTS)
def test_equal_weights_give_a_forest_without_bootstrap(rng, forest, n_classes):
    X, y, weight, queries = table_of(rng, n_classes)
    table = leaf_table(forest.fit(X, y, sample_weight=weight), X, y, weight)
    own, dense = own_prediction(forest, queries), np.tile(weight / weight.sum(), (9, 1))
    np.testing.assert_allclose(predict_alike(table, 120, queries), own, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(predict(table, dense, queries), own, rtol=1e-10, atol=1e-10)


def lightgbm(kind, **options):
    how = {"n_estimators": 15, "num_leaves": 5, "verbose": -1, "n_jobs": 1}
    return getattr(importlib.import_module("lightgbm"), kind)(**how, **options)


def xgboost(kind, **options):
    return getattr(importlib.import_module("xgboost"), kind)(n_estimators=15, max_depth=3, n_jobs=1, **options)


def catboost(kind):
    how = {"iterations": 15, "depth": 3, "verbose": False, "allow_writing_files": False, "thread_count": 1}
    return getattr(importlib.import_module("catboost"), kind)(**how)


BOOSTERS = {
    "gradient": (lambda: GradientBoostingRegressor(n_estimators=15), None),
    "stochastic": (lambda: GradientBoostingRegressor(n_estimators=15, subsample=0.5, random_state=0), None),
    "gradient, 2 classes": (lambda: GradientBoostingClassifier(n_estimators=15), 2),
    "gradient, 3 classes": (lambda: GradientBoostingClassifier(n_estimators=15), 3),
    "histogram": (lambda: HistGradientBoostingRegressor(max_iter=15, l2_regularization=5.0), None),
    "histogram, 2 classes": (lambda: HistGradientBoostingClassifier(max_iter=15), 2),
    "histogram, 3 classes": (lambda: HistGradientBoostingClassifier(max_iter=15), 3),
    "lightgbm": (lambda: lightgbm("LGBMRegressor", reg_lambda=5.0, reg_alpha=1.0), None),
    "lightgbm, 2 classes": (lambda: lightgbm("LGBMClassifier"), 2),
    "lightgbm, 3 classes": (lambda: lightgbm("LGBMClassifier", subsample=0.5, subsample_freq=1), 3),
    "xgboost": (lambda: xgboost("XGBRegressor"), None),
    "xgboost, 2 classes": (lambda: xgboost("XGBClassifier"), 2),
    "xgboost, 3 classes": (lambda: xgboost("XGBClassifier"), 3),
    "catboost": (lambda: catboost("CatBoostRegressor"), None),
    "catboost, 2 classes": (lambda: catboost("CatBoostClassifier"), 2),
    "catboost, 3 classes": (lambda: catboost("CatBoostClassifier"), 3),
}


@pytest.mark.parametrize(("make", "n_classes"), BOOSTERS.values(), ids=BOOSTERS)
def test_equal_weights_give_back_any_booster(rng, make, n_classes):
    X, y, weight, queries = table_of(rng, n_classes)
    booster = make().fit(X, y, sample_weight=weight)
    table = leaf_table(booster, X, y, weight, "residuals")
    # XGBoost adds in single precision
    limit = 1e-5 if "xgboost" in type(booster).__module__ else 1e-10
    np.testing.assert_allclose(predict_alike(table, 120, queries), own_prediction(booster, queries), rtol=limit)
    dense = np.tile(weight / weight.sum(), (9, 1))
    np.testing.assert_allclose(predict(table, dense, queries), own_prediction(booster, queries), rtol=limit)


UNPENALISED = {
    "gradient": (lambda: GradientBoostingRegressor(n_estimators=15, learning_rate=0.3), None, 0.3),
    "gradient, 2 classes": (lambda: GradientBoostingClassifier(n_estimators=15, learning_rate=0.3), 2, 0.3),
    "gradient, 3 classes": (lambda: GradientBoostingClassifier(n_estimators=15, learning_rate=0.3), 3, 0.2),
    "histogram": (lambda: HistGradientBoostingRegressor(max_iter=15, learning_rate=0.3), None, 0.3),
    "lightgbm": (lambda: lightgbm("LGBMRegressor", learning_rate=0.3), None, 0.3),
    "lightgbm, 2 classes": (lambda: lightgbm("LGBMClassifier", learning_rate=0.3), 2, 0.3),
}


@pytest.mark.parametrize(("make", "n_classes", "rate"), UNPENALISED.values(), ids=UNPENALISED)
def test_without_regularisation_the_rates_are_the_learning_rate(rng, make, n_classes, rate):
    X, y, _, _ = table_of(rng, n_classes)
    table = leaf_table(make().fit(X, y), X, y, np.ones(120), "residuals")
    np.testing.assert_allclose(table.rate, rate, rtol=1e-3)


@pytest.mark.parametrize(("times", "rate"), [(-0.5, 0.0), (0.0, 0.0), (0.4, 0.4), (1.0, 1.0), (3.0, 1.0)])
def test_a_tree_that_goes_against_its_rows_or_beyond_them_has_a_rate_of_none_or_all(rng, times, rate):
    X, y, weight, _ = table_of(rng)
    model = GradientBoostingRegressor(n_estimators=1, learning_rate=1.0).fit(X, y, sample_weight=weight)
    ensemble = read_ensemble(model)
    other = copy.copy(ensemble)
    other.value = times * ensemble.value
    table = LeafTable(other, ensemble.leaves(X), y, weight, n_classes=None, leaf_value="residuals")
    np.testing.assert_allclose(table.rate, rate, atol=1e-9)


def test_residuals_equal_a_booster_whose_leaves_are_averaged_anew(rng):
    X, y, _, queries = table_of(rng)
    booster = GradientBoostingRegressor(n_estimators=8, learning_rate=0.2).fit(X, y)
    weights = rng.dirichlet(np.ones(120), size=9)
    found = predict(leaf_table(booster, X, y, np.ones(120), "residuals"), weights, queries)
    before = [np.full(120, y.mean()), *booster.staged_predict(X)]
    expected = np.full(9, y.mean())
    for tree, residual in zip(booster.estimators_[:, 0], (y - f for f in before), strict=False):
        met = weights * (tree.apply(queries)[:, None] == tree.apply(X))
        expected += 0.2 * (met @ residual) / met.sum(axis=1)
    np.testing.assert_allclose(found[:, 0], expected, rtol=1e-10)


@LEAF_VALUES
@pytest.mark.parametrize("n_classes", [2, 3])
def test_probabilities_sum_to_one(rng, n_classes, leaf_value):
    X, y, weight, queries = table_of(rng, n_classes)
    table = leaf_table(GradientBoostingClassifier(n_estimators=9).fit(X, y), X, y, weight, leaf_value)
    found = predict(table, rng.dirichlet(np.ones(120), size=9), queries)
    assert found.shape == (9, n_classes)
    assert (found >= 0).all()
    np.testing.assert_allclose(found.sum(axis=1), 1.0)


def test_a_class_that_is_left_out_of_the_background_has_no_probability_below_zero(rng):
    X, y, weight, queries = table_of(rng, 3)
    model = RandomForestClassifier(9, min_samples_leaf=5, random_state=0).fit(X, y)
    table, background = leaf_table(model, X, y, weight), rng.uniform(0.2, 1.0, size=9)
    masked = -background[:, None] * np.where(y == 0, weight / weight.sum(), 0.0)
    chance = table.predict(sparse.csr_array(masked), background, table.ensemble.leaves(queries))
    assert (chance >= 0.0).all()
    np.testing.assert_allclose(chance[:, 0], 0.0, atol=1e-12)


@pytest.mark.parametrize("n_classes", [None, 3])
def test_all_weight_on_a_row_of_the_querys_leaves_gives_its_response(rng, n_classes):
    X, y, weight, _ = table_of(rng, n_classes)
    forest = (RandomForestRegressor if n_classes is None else RandomForestClassifier)(10, random_state=0).fit(X, y)
    found = predict(leaf_table(forest, X, y, weight), np.eye(120), X)
    np.testing.assert_allclose(found, y[:, None] if n_classes is None else np.eye(3)[y], atol=1e-12)


@LEAF_VALUES
@pytest.mark.parametrize("n_classes", [None, 2])
def test_the_order_of_rows_is_irrelevant(rng, leaf_value, n_classes):
    X, y, weight, queries = table_of(rng, n_classes)
    booster = (HistGradientBoostingRegressor if n_classes is None else HistGradientBoostingClassifier)(max_iter=9)
    booster.fit(X, y)
    order, weights = rng.permutation(120), rng.dirichlet(np.ones(120), size=9)
    one = predict(leaf_table(booster, X, y, weight, leaf_value), weights, queries)
    other = predict(leaf_table(booster, X[order], y[order], weight[order], leaf_value), weights[:, order], queries)
    np.testing.assert_allclose(one, other, rtol=1e-11)


@LEAF_VALUES
def test_rows_without_weight_have_no_say(rng, leaf_value):
    X, y, weight, queries = table_of(rng)
    members = np.sort(rng.permutation(120)[:80])
    booster = GradientBoostingRegressor(n_estimators=9).fit(X[members], y[members])
    some_rows = np.isin(np.arange(120), members)
    scores = sparse.random_array((9, 120), density=0.3, rng=rng, format="csr") @ sparse.diags_array(1.0 * some_rows)
    share = rng.uniform(size=9)
    every = leaf_table(booster, X, y, np.where(some_rows, weight, 0.0), leaf_value)
    some = leaf_table(booster, X[members], y[members], weight[members], leaf_value)
    leaves = every.ensemble.leaves(queries)
    found = every.predict(sparse.csr_array(scores), share, leaves)
    expected = some.predict(sparse.csr_array(scores[:, members]), share, leaves)
    np.testing.assert_allclose(found, expected, rtol=1e-11)


def test_a_leaf_without_weight_has_the_mean_of_all_rows(rng):
    X, y, weight, _ = table_of(rng)
    forest = RandomForestRegressor(1, random_state=0).fit(X, y)
    table = leaf_table(forest, X, y, np.where(np.arange(120) < 2, weight, 0.0))
    far = np.flatnonzero((table.ensemble.leaves(X)[0, 2:, None] != table.ensemble.leaves(X)[0, :2]).all(axis=1)) + 2
    found = predict_alike(table, 120, X[far])
    np.testing.assert_allclose(found, np.average(y[:2], weights=weight[:2]))


REFUSED = [
    (RandomForestRegressor(3), None, "with squared loss, got a forest"),
    (RandomForestClassifier(3), 2, "with log loss, got a forest"),
    (GradientBoostingRegressor(loss="absolute_error", n_estimators=3), None, "got a booster with other loss"),
    (GradientBoostingClassifier(loss="exponential", n_estimators=3), 2, "got a booster with other loss"),
]


@pytest.mark.parametrize(("model", "n_classes", "message"), REFUSED)
def test_residuals_need_a_booster_of_a_known_loss(rng, model, n_classes, message):
    X, y, weight, _ = table_of(rng, n_classes)
    with pytest.raises(ValueError, match=rf"{message}.* Set leaf_value='responses'"):
        leaf_table(model.fit(X, y), X, y, weight, "residuals")


def test_an_unknown_leaf_value_is_refused(rng):
    X, y, weight, _ = table_of(rng)
    with pytest.raises(ValueError, match="`leaf_value` must be"):
        leaf_table(RandomForestRegressor(3).fit(X, y), X, y, weight, "tea leaves")
