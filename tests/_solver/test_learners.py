"""One learner per query: which rows it sees, under which weights, and what it gives."""

import copy
from concurrent.futures import ThreadPoolExecutor

import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from heedful._blocks import one_blas_thread
from heedful._solver.contract import fit_weighted
from heedful._solver.learners import FEWEST, heavy_rows, make_learner

N = 400
BOOST = {"n_estimators": 10, "n_jobs": 1}
ENCODED = make_column_transformer((OneHotEncoder(), ["kind"]), remainder=StandardScaler())
LEARNERS = {
    "ridge": (Ridge(), None),
    "tree": (DecisionTreeRegressor(min_samples_leaf=5, random_state=0), None),
    "pipeline": (make_pipeline(StandardScaler(), Ridge()), None),
    "frame": (make_pipeline(ENCODED, Ridge()), None),
    "frame of classes": (make_pipeline(ENCODED, LogisticRegression()), 3),
    "logistic": (LogisticRegression(), 3),
    "LightGBM": (lightgbm.LGBMRegressor(verbose=-1, **BOOST), None),
    "LightGBM, two classes": (lightgbm.LGBMClassifier(verbose=-1, **BOOST), 2),
    "LightGBM, three classes": (lightgbm.LGBMClassifier(verbose=-1, **BOOST), 3),
    "XGBoost": (xgboost.XGBRegressor(**BOOST), None),
    "XGBoost in a pipeline": (make_pipeline(StandardScaler(), xgboost.XGBClassifier(**BOOST)), 3),
}
every_learner = pytest.mark.parametrize("name", LEARNERS)


def rows_of(rng, name, n=N):
    """Return a table, a response, sample weights of mean one, and a query."""
    _, n_classes = LEARNERS[name]
    table = rng.normal(size=(n + 1, 3))
    y = table[:, 0] + rng.normal(size=n + 1)
    if n_classes is not None:
        y = np.argsort(np.argsort(y)) * n_classes // (n + 1)
    if name.startswith("frame"):
        table = pd.DataFrame(table, columns=list("abc")).assign(kind=np.where(table[:, 1] > 0, "u", "v"))
    weight = rng.uniform(0.5, 2.0, size=n)
    return table[:n], y[:n], weight / weight.mean(), table[n:]


def learner_of(name, table, y, weight, trim_weight=0.0):
    """Return the learner of that name."""
    estimator, n_classes = LEARNERS[name]
    return make_learner(estimator, table, y, weight, n_classes=n_classes, trim_weight=trim_weight)


def plain_value(name, table, y, weight, query):
    """Return what the learner's own fit predicts."""
    estimator, n_classes = LEARNERS[name]
    model = fit_weighted(clone(estimator), table, y, weight)
    return model.predict(query) if n_classes is None else model.predict_proba(query)[0]


@pytest.mark.one_value
@every_learner
@pytest.mark.parametrize("trim_weight", [0.0, 0.01])
def test_equal_attention_gives_back_the_plain_learner(rng, name, trim_weight):
    table, y, weight, query = rows_of(rng, name)
    found = learner_of(name, table, y, weight, trim_weight).refit(weight / weight.sum(), query)
    np.testing.assert_allclose(found.value, plain_value(name, table, y, weight, query), rtol=1e-9)


@every_learner
def test_the_scale_of_the_weights_does_not_matter(rng, name):
    table, y, weight, query = rows_of(rng, name)
    learner, attention = learner_of(name, table, y, weight), rng.dirichlet(np.ones(N))
    first, second = (learner.refit(attention * scale, query).value for scale in (1.0, 1024.0))
    np.testing.assert_array_equal(first, second)


@every_learner
def test_values_and_importances_have_their_shapes_and_sums(rng, name):
    table, y, weight, query = rows_of(rng, name)
    learner = learner_of(name, table, y, weight)
    found = learner.refit(rng.dirichlet(np.ones(N)), query)
    assert found.value.shape == (learner.n_classes or 1,)
    assert found.importance.shape == (learner.n_features,) == (table.shape[1],)
    np.testing.assert_allclose(found.importance.sum(), 0.0 if name.startswith("frame") else 1.0)
    if (learner.n_classes or 1) > 1:
        np.testing.assert_allclose(found.value.sum(), 1.0, rtol=1e-6)


@every_learner
def test_a_fit_sees_only_the_heavy_rows(rng, name):
    table, y, weight, query = rows_of(rng, name)
    attention = np.where(np.arange(N) % 3 == 0, rng.uniform(1.0, 2.0, size=N), 1e-9)
    rows = heavy_rows(attention, 0.01)
    scaled = attention[rows] * (weight.sum() / attention[rows].sum())
    found = learner_of(name, table, y, weight, 0.01).refit(attention, query)
    part = table.iloc[rows] if isinstance(table, pd.DataFrame) else table[rows]
    np.testing.assert_allclose(found.value, plain_value(name, part, y[rows], scaled, query), rtol=1e-9)


@pytest.mark.one_value
@every_learner
def test_threads_do_not_disturb_each_other(rng, name):
    table, y, weight, query = rows_of(rng, name)
    learner, attention = learner_of(name, table, y, weight), rng.dirichlet(np.ones(N), size=12)
    with one_blas_thread(), ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda row: learner.refit(row, query).value, attention))
        expected = [learner.refit(row, query).value for row in attention]
    np.testing.assert_array_equal(found, expected)


@every_learner
def test_a_fit_does_not_depend_on_the_one_before(rng, name):
    table, y, _, query = rows_of(rng, name)
    equal = np.ones(N)
    used, fresh = (learner_of(name, table, y, equal) for _ in range(2))
    used.refit(rng.dirichlet(np.ones(N)), query)
    for found, expected in zip(used.refit(equal, query)[:2], fresh.refit(equal, query)[:2], strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", ["LightGBM", "XGBoost"])
def test_a_copy_of_the_model_predicts_what_it_did(rng, name):
    table, y, weight, query = rows_of(rng, name)
    learner = learner_of(name, table, y, weight)
    found = learner.refit(rng.dirichlet(np.ones(N)), query)
    learner.refit(rng.dirichlet(np.ones(N)), query)
    kept = copy.copy(found.model)
    np.testing.assert_array_equal(kept.predict(query), found.value)


@pytest.mark.parametrize("name", ["ridge", "tree", "pipeline"])
def test_a_row_without_weight_is_not_seen(rng, name):
    table, y, weight, query = rows_of(rng, name)
    attention = np.where(np.arange(N) == 5, 0.0, 1.0)
    value = learner_of(name, table, y, weight).refit(attention, query).value
    y[5] = table[5, 0] = 1e6
    np.testing.assert_array_equal(learner_of(name, table, y, weight).refit(attention, query).value, value)


def test_zero_keeps_every_row(rng):
    weight = np.where(rng.uniform(size=50) < 0.9, 0.0, 1.0)
    np.testing.assert_array_equal(heavy_rows(weight, 0.0), np.arange(50))


@pytest.mark.parametrize("trim_weight", [0.01, 0.1, 0.3])
def test_what_is_left_out_holds_no_more_than_the_share(rng, trim_weight):
    weight = rng.dirichlet(np.full(1000, 0.05))
    rows = heavy_rows(weight, trim_weight)
    assert FEWEST <= rows.size <= 500
    left_out = np.delete(weight, rows)
    assert left_out.sum() <= trim_weight
    assert left_out.max() < weight[rows].min()
    assert rows.size == FEWEST or left_out.sum() + weight[rows].min() > trim_weight


def test_rows_of_one_weight_stay_or_go_together():
    weight = np.repeat([1.0, 1e-4, 1e-6], [200, 300, 1000])
    np.testing.assert_array_equal(heavy_rows(weight, 1e-4), np.arange(500))
    np.testing.assert_array_equal(heavy_rows(weight, 1e-2), np.arange(200))


@pytest.mark.parametrize("n", [3, FEWEST, 40])
def test_all_stay_if_most_would(rng, n):
    np.testing.assert_array_equal(heavy_rows(rng.uniform(0.9, 1.0, size=n), 0.3), np.arange(n))


def test_the_order_of_rows_does_not_matter(rng):
    weight, order = rng.dirichlet(np.full(1000, 0.05)), rng.permutation(1000)
    np.testing.assert_array_equal(np.sort(order[heavy_rows(weight[order], 0.01)]), heavy_rows(weight, 0.01))


@pytest.mark.parametrize("name", ["logistic", "LightGBM, three classes", "frame of classes"])
def test_rows_of_one_class_give_it_probability_one(rng, name):
    table, y, weight, query = rows_of(rng, name)
    found = learner_of(name, table, y, weight, 0.01).refit(np.where(y == 1, 1.0, 0.0), query)
    np.testing.assert_array_equal(found.value, [0.0, 1.0, 0.0])
    np.testing.assert_array_equal(found.importance, 0.0)
    assert found.model is None


@pytest.mark.parametrize("name", ["logistic", "XGBoost in a pipeline"])
def test_a_class_that_is_left_out_has_little_probability(rng, name):
    table, y, weight, query = rows_of(rng, name)
    attention = np.where((y == 1) | (rng.uniform(size=N) < 0.4), 1e-6, 1.0)
    value = learner_of(name, table, y, weight, 0.01).refit(attention, query).value
    assert value[1] < 0.1
    np.testing.assert_allclose(value.sum(), 1.0, rtol=1e-6)


def test_a_class_that_no_row_has_keeps_its_place(rng):
    table, y, weight, query = rows_of(rng, "logistic")
    value = learner_of("logistic", table, np.minimum(y, 1) * 2, weight).refit(weight, query).value
    assert value[1] == 0.0


def test_classes_may_come_as_floats(rng):
    table, y, weight, query = rows_of(rng, "logistic")
    found = [
        learner_of("logistic", table, kind(y), weight).refit(weight, query).value for kind in (np.int64, np.float64)
    ]
    np.testing.assert_array_equal(*found)


def test_a_classifier_without_probabilities_is_a_type_error(rng):
    with pytest.raises(TypeError, match="`estimator` must have `predict_proba`, got LinearSVC"):
        make_learner(LinearSVC(), np.eye(4), np.arange(4) % 2, np.ones(4), n_classes=2, trim_weight=0.0)


@pytest.mark.parametrize("estimator", [DecisionTreeClassifier(), lightgbm.LGBMClassifier(verbose=-1)])
def test_training_rows_of_one_class_need_no_fit(rng, estimator):
    learner = make_learner(estimator, rng.normal(size=(20, 2)), np.ones(20), np.ones(20), n_classes=2, trim_weight=0.0)
    np.testing.assert_array_equal(learner.refit(np.ones(20), np.zeros((1, 2))).value, [0.0, 1.0])
