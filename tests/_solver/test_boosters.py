"""LightGBM on bins that are kept, and XGBoost: the same fits as their scikit-learn objects make."""

import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from sklearn.base import clone
from sklearn.linear_model import Ridge

from heedful._solver.boosters import can_share_bins, in_one_thread, takes_codes, total_gain
from heedful._solver.learners import FEWEST, BinnedLearner, make_learner

N = 120
LIGHT = {"n_estimators": 20, "num_leaves": 6, "n_jobs": 1, "verbose": -1}
EXTREME = {"n_estimators": 10, "max_depth": 3, "n_jobs": 1}
BOOSTERS = {
    "numbers, LightGBM": (lightgbm.LGBMRegressor(**LIGHT), None),
    "two classes, LightGBM": (lightgbm.LGBMClassifier(**LIGHT), 2),
    "three classes, LightGBM": (lightgbm.LGBMClassifier(**LIGHT), 3),
    "drawn rows and columns, LightGBM": (
        lightgbm.LGBMRegressor(subsample=0.5, subsample_freq=1, colsample_bytree=0.6, random_state=3, **LIGHT),
        None,
    ),
    "counts, LightGBM": (lightgbm.LGBMRegressor(objective="poisson", **LIGHT), None),
    "numbers, XGBoost": (xgboost.XGBRegressor(**EXTREME), None),
    "two classes, XGBoost": (xgboost.XGBClassifier(**EXTREME), 2),
    "three classes, XGBoost": (xgboost.XGBClassifier(**EXTREME), 3),
    "drawn rows and columns, XGBoost": (
        xgboost.XGBRegressor(subsample=0.5, colsample_bytree=0.6, random_state=3, **EXTREME),
        None,
    ),
}
every_booster = pytest.mark.parametrize("name", BOOSTERS)


def rows_of(rng, n_classes, n=N):
    """Return a table, a response that is not negative, and a query."""
    X = rng.normal(size=(n, 4))
    y = np.abs(X[:, 0] + X[:, 1] ** 2 + 0.3 * rng.normal(size=n))
    if n_classes is not None:
        y = np.argsort(np.argsort(y)) * n_classes // n
    return X, y, rng.normal(size=(1, 4))


def said(model, query, n_classes):
    """Return what a scikit-learn object predicts."""
    return model.predict(query) if n_classes is None else model.predict_proba(query)[0]


@every_booster
def test_shared_bins_give_exactly_the_fits_of_the_scikit_learn_object(rng, name):
    estimator, n_classes = BOOSTERS[name]
    X, y, query = rows_of(rng, n_classes)
    learner = make_learner(estimator, X, y, np.ones(N), n_classes=n_classes, trim_weight=0.0)
    for weight in rng.dirichlet(np.ones(N), size=3):
        plain = clone(estimator).fit(X, y, sample_weight=weight * (N / weight.sum()))
        np.testing.assert_array_equal(learner.refit(weight, query).value, said(plain, query, n_classes))


@every_booster
def test_left_out_rows_give_exactly_the_fit_to_the_others(rng, name):
    estimator, n_classes = BOOSTERS[name]
    n = 2 * FEWEST
    X, y, query = rows_of(rng, n_classes, n)
    weight = np.where(np.arange(n) < FEWEST, rng.uniform(1.0, 2.0, size=n), 1e-9)
    found = make_learner(estimator, X, y, np.ones(n), n_classes=n_classes, trim_weight=0.01).refit(weight, query)
    plain = clone(estimator).fit(X[:FEWEST], y[:FEWEST], sample_weight=weight[:FEWEST] * (n / weight[:FEWEST].sum()))
    np.testing.assert_array_equal(found.value, said(plain, query, n_classes))


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_a_handful_of_rows_can_be_fitted(rng, n):
    X, y, query = rows_of(rng, None)
    learner = BinnedLearner(lightgbm.LGBMRegressor(**LIGHT), X, y, np.ones(N), None, 0.0)
    weight = rng.uniform(size=n)
    value = learner._fit(np.arange(n), weight, query).value[0]
    np.testing.assert_allclose(value, np.average(y[:n], weights=weight), rtol=1e-6)


@pytest.mark.parametrize("name", ["three classes, LightGBM", "three classes, XGBoost"])
def test_a_class_that_is_left_out_keeps_its_place(rng, name):
    estimator, n_classes = BOOSTERS[name]
    X, y, query = rows_of(rng, n_classes)
    weight = np.where((y == 1) | (np.arange(N) % 5 > 2), 0.0, 1.0)
    value = make_learner(estimator, X, y, np.ones(N), n_classes=3, trim_weight=0.01).refit(weight, query).value
    assert value.shape == (3,)
    assert value[1] < min(value[0], value[2])
    np.testing.assert_allclose(value.sum(), 1.0, rtol=1e-6)


@pytest.mark.parametrize("name", ["two classes, LightGBM", "two classes, XGBoost"])
def test_a_class_that_no_training_row_has_gets_no_probability(rng, name):
    estimator, _ = BOOSTERS[name]
    X, y, query = rows_of(rng, 2)
    value = make_learner(estimator, X, 2 * y, np.ones(N), n_classes=3, trim_weight=0.0).refit(np.ones(N), query).value
    expected = clone(estimator).fit(X, y, sample_weight=np.ones(N)).predict_proba(query)[0]
    np.testing.assert_array_equal(value[[0, 2]], expected)
    assert value[1] == 0.0


def test_categories_of_a_frame_are_split_as_by_the_scikit_learn_object(rng):
    X, y, _ = rows_of(rng, None)
    level = rng.integers(0, 3, size=N)
    table = pd.DataFrame(X, columns=list("abcd")).assign(kind=pd.Categorical(np.array(["u", "v", "w"])[level]))
    y, weight = y + 3.0 * (level == 1), rng.dirichlet(np.ones(N))
    learner = make_learner(lightgbm.LGBMRegressor(**LIGHT), table, y, np.ones(N), n_classes=None, trim_weight=0.0)
    found = learner.refit(weight, table.iloc[[7]])
    plain = lightgbm.LGBMRegressor(**LIGHT).fit(table, y, sample_weight=weight * (N / weight.sum()))
    np.testing.assert_array_equal(found.value, plain.predict(table.iloc[[7]]))
    assert found.importance.argmax() == 4


def test_bins_of_xgboost_are_those_of_the_weights_it_is_fitted_with(rng):
    X, y, query = rows_of(rng, None, n=600)
    estimator, weight = xgboost.XGBRegressor(max_bin=8, **EXTREME), rng.dirichlet(np.full(600, 0.3))
    value = make_learner(estimator, X, y, np.ones(600), n_classes=None, trim_weight=0.0).refit(weight, query).value
    scaled = 600 * weight / weight.sum()
    np.testing.assert_array_equal(value, clone(estimator).fit(X, y, sample_weight=scaled).predict(query))
    plain = xgboost.QuantileDMatrix(X, y, max_bin=8)
    plain.set_weight(scaled)
    shared = xgboost.train({"max_depth": 3, "max_bin": 8, "nthread": 1}, plain, 10).inplace_predict(query)
    assert abs(shared - value) > 1e-4


def test_xgboost_takes_one_thread_for_each_query_unless_it_was_told_otherwise():
    asked = xgboost.XGBRegressor(max_depth=3)
    assert in_one_thread(asked).n_jobs == 1
    assert asked.n_jobs is None
    for kept in (xgboost.XGBRegressor(n_jobs=2), Ridge(), lightgbm.LGBMRegressor()):
        assert in_one_thread(kept) is kept


@pytest.mark.parametrize(
    "estimator",
    [
        Ridge(),
        lightgbm.LGBMClassifier(class_weight="balanced"),
        lightgbm.LGBMRegressor(objective=lambda y, p: (p - y, np.ones_like(y))),
        xgboost.XGBRegressor(),
        type("Mine", (lightgbm.LGBMRegressor,), {"__module__": "mine"})(),
    ],
    ids=["ridge", "class weights", "an objective of one's own", "XGBoost", "subclass"],
)
def test_what_bins_cannot_do_is_left_to_fit(estimator):
    assert not can_share_bins(estimator)


def test_boosters_take_codes_and_others_do_not():
    assert takes_codes(lightgbm.LGBMRegressor())
    assert takes_codes(xgboost.XGBClassifier())
    assert not takes_codes(Ridge())


@pytest.mark.parametrize("name", ["numbers, LightGBM", "numbers, XGBoost"])
def test_gain_is_that_of_the_bare_booster(rng, name):
    estimator, _ = BOOSTERS[name]
    X, y, _ = rows_of(rng, None)
    X[:, 3] = 1.0
    model = clone(estimator).fit(X, y)
    bare = model.booster_ if hasattr(model, "booster_") else model.get_booster()
    np.testing.assert_array_equal(total_gain(model), total_gain(bare))
    assert total_gain(model)[3] == 0.0 < total_gain(model)[0]
    assert total_gain(Ridge()) is None


@pytest.mark.parametrize("way", ["force_col_wise", "force_row_wise"])
def test_a_way_to_build_histograms_that_was_asked_for_is_kept(rng, way):
    X, y, _ = rows_of(rng, None)
    params = BinnedLearner(lightgbm.LGBMRegressor(**LIGHT, **{way: True}), X, y, np.ones(N), None, 0.0).params
    assert params[way]
    assert ("force_col_wise" in params) != ("force_row_wise" in params)
