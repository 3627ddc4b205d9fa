"""Laws of leaf attention: each holds for the whole estimator, around any ensemble."""

import importlib
import pickle
import sys

import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from sklearn.base import clone
from sklearn.ensemble import (
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.model_selection import GroupKFold
from sklearn.neighbors import KNeighborsRegressor
from skops import io as skops_io
from threadpoolctl import threadpool_limits

from heedful import LeafAttentionClassifier, LeafAttentionRegressor
from heedful._flow.kinds import Run
from heedful._flow.out_of_fold import predict_out_of_fold
from heedful.similarity import CallableSimilarity, ForestProximity, TeacherSimilarity

TASKS = pytest.mark.parametrize("task", ["numbers", "two classes", "three classes"])
READINGS = pytest.mark.parametrize("leaf_value", ["responses", "residuals"])
BOOST = {"n_estimators": 9, "n_jobs": 1}


@pytest.fixture(autouse=True)
def one_thread():
    # histogram boosting on a busy machine: threads that wait for each other take seconds
    with threadpool_limits(1):
        yield


def all_alike(query, train):
    return np.zeros((len(query), len(train)))


def nearness(query, train):
    return -((query[:, None] - train) ** 2).sum(axis=2)


EQUAL = {"similarity": CallableSimilarity(all_alike), "temperature": 1.0, "mixing": 1.0}


def make(task="numbers", estimator=None, **settings):
    kind = LeafAttentionRegressor if task == "numbers" else LeafAttentionClassifier
    return kind(estimator, **{"similarity": ForestProximity(20), "random_state": 0} | settings)


def forest(task="numbers", **settings):
    kind = RandomForestRegressor if task == "numbers" else RandomForestClassifier
    return kind(**{"n_estimators": 10, "min_samples_leaf": 3, "random_state": 0} | settings)


def light(task="numbers"):
    kind = lightgbm.LGBMRegressor if task == "numbers" else lightgbm.LGBMClassifier
    return kind(num_leaves=4, verbose=-1, **BOOST)


def table_of(rng, task="numbers", n=90):
    X = rng.normal(size=(n, 4)).round(2)
    y = 10.0 + np.where(X[:, 0] > 0, 3.0, -2.0) * X[:, 1] + 0.3 * rng.normal(size=n)
    cuts = {"numbers": None, "two classes": [0.5], "three classes": [0.3, 0.6]}[task]
    if cuts is not None:
        y = np.array(["c", "a", "b"])[np.digitize(y, np.quantile(y, cuts))]
    return X, y, rng.normal(size=(9, 4))


def said(model, X):
    """Return numbers, or the probabilities of classes."""
    return model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)


@pytest.mark.one_value
@TASKS
@pytest.mark.parametrize("fitted", [False, True])
def test_equal_weights_give_a_forest_without_bootstrap(rng, task, fitted):
    X, y, X_new = table_of(rng, task)
    trees = forest(task, bootstrap=False, max_features=2)
    expected = said(clone(trees).fit(X, y), X_new)
    model = make(task, trees.fit(X, y) if fitted else trees, **EQUAL).fit(X, y)
    np.testing.assert_allclose(said(model, X_new), expected, atol=1e-10)


def test_equal_weights_give_extra_trees(rng):
    X, y, X_new = table_of(rng)
    trees = ExtraTreesRegressor(10, min_samples_leaf=3, random_state=0).fit(X, y)
    model = make(estimator=trees, **EQUAL).fit(X, y)
    np.testing.assert_allclose(model.predict(X_new), trees.predict(X_new), atol=1e-10)


def catboost(kind, **settings):
    package = importlib.import_module("catboost")
    return getattr(package, kind)(9, depth=3, verbose=0, thread_count=1, allow_writing_files=False, **settings)


BOOSTERS = {
    "LightGBM": ("numbers", light),
    "gradient boosting": ("numbers", lambda: GradientBoostingRegressor(n_estimators=9, random_state=0)),
    "histogram boosting": ("numbers", lambda: HistGradientBoostingRegressor(max_iter=9)),
    "XGBoost": ("numbers", lambda: xgboost.XGBRegressor(max_depth=3, **BOOST)),
    "CatBoost": ("numbers", lambda: catboost("CatBoostRegressor")),
    "XGBoost, two classes": ("two classes", lambda: xgboost.XGBClassifier(max_depth=3, **BOOST)),
    "LightGBM, two classes": ("two classes", lambda: light("classes")),
    "LightGBM, three classes": ("three classes", lambda: light("classes")),
    "gradient boosting, three classes": (
        "three classes",
        lambda: GradientBoostingClassifier(n_estimators=9, random_state=0),
    ),
    "histogram boosting, two classes": ("two classes", lambda: HistGradientBoostingClassifier(max_iter=9)),
}


@pytest.mark.one_value
@pytest.mark.parametrize("name", BOOSTERS)
def test_equal_weights_on_residuals_give_back_the_booster(rng, name):
    task, grow = BOOSTERS[name]
    X, y, X_new = table_of(rng, task)
    model = make(task, grow(), leaf_value="residuals", **EQUAL).fit(X, y)
    codes = y if task == "numbers" else np.unique(y, return_inverse=True)[1]
    np.testing.assert_allclose(said(model, X_new), said(grow().fit(X, codes), X_new), rtol=1e-6)


@pytest.mark.one_value
@pytest.mark.parametrize("name", BOOSTERS)
@READINGS
def test_every_booster_can_be_tuned(rng, name, leaf_value):
    task, grow = BOOSTERS[name]
    X, y, X_new = table_of(rng, task)
    model = make(task, grow(), leaf_value=leaf_value, temperature=[3.0, 0.3], cv=3).fit(X, y)
    assert np.isfinite(model.heads_["error"]).all()
    assert np.isfinite(said(model, X_new)).all()


def test_weighed_leaves_beat_a_coarse_forest(rng):
    X, y, _ = table_of(rng, n=300)
    coarse = forest(min_samples_leaf=20).fit(X[:200], y[:200])
    model = make(estimator=coarse).fit(X[:200], y[:200])
    assert model.score(X[200:], y[200:]) > coarse.score(X[200:], y[200:])


@pytest.mark.one_value
@TASKS
@pytest.mark.parametrize("estimator", [None, "forest"])
def test_mixing_zero_is_the_ensemble_to_the_last_bit(rng, task, estimator):
    X, y, X_new = table_of(rng, task)
    model = make(task, estimator and forest(task), mixing=0).fit(X, y)
    np.testing.assert_array_equal(said(model, X_new), said(model.baseline_, X_new))


@pytest.mark.one_value
@TASKS
def test_a_fitted_ensemble_is_taken_as_it_is(rng, task):
    X, y, X_new = table_of(rng, task)
    given = forest(task).fit(X, y)
    before = said(given, X_new)
    model = make(task, given).fit(X, y)
    said(model, X_new)
    assert model.baseline_ is given
    np.testing.assert_array_equal(said(given, X_new), before)


@pytest.mark.one_value
@READINGS
def test_a_rows_own_response_has_no_say_in_its_unseen_values(rng, leaf_value):
    X, y, _ = table_of(rng)
    # the largest response comes last among the distinct rows, before and after
    other = np.where(y == y.max(), y + 1000.0, y)
    booster = GradientBoostingRegressor(n_estimators=9, random_state=0)
    how = {"leaf_value": leaf_value, "similarity": CallableSimilarity(nearness), "temperature": [1.0, 0.1]}
    models = [make(estimator=booster, **how).fit(X, z) for z in (y, other)]
    (heads, base), (other_heads, other_base) = (predict_out_of_fold(model._model, True, Run())[:2] for model in models)
    np.testing.assert_allclose(other_heads[-1], heads[-1], atol=1e-9)
    np.testing.assert_allclose(other_base[-1], base[-1], atol=1e-9)
    assert np.abs(other_heads[:-1] - heads[:-1]).max() > 1


@pytest.mark.one_value
@TASKS
@pytest.mark.parametrize("cv", [3, GroupKFold(3)])
def test_folds_tune_too(rng, task, cv):
    X, y, X_new = table_of(rng, task)
    model = make(task, forest(task), cv=cv).fit(X, y, groups=None if cv == 3 else np.arange(90) % 9)
    assert np.isfinite(model.heads_["error"]).all()
    assert np.isfinite(said(model, X_new)).all()


@pytest.mark.more
@TASKS
def test_any_number_of_jobs_gives_the_same_bits(rng, task):
    X, y, X_new = table_of(rng, task)
    one, two = (said(make(task, forest(task), n_jobs=n_jobs).fit(X, y), X_new) for n_jobs in (None, 2))
    np.testing.assert_array_equal(one, two)


@pytest.mark.one_value
@TASKS
def test_the_same_seed_gives_the_same_and_the_order_of_rows_is_irrelevant(rng, task):
    X, y, X_new = table_of(rng, task)
    parts = (slice(None), slice(None), rng.permutation(len(y)))
    one, again, other = (said(make(task, light(task)).fit(X[rows], y[rows]), X_new) for rows in parts)
    np.testing.assert_array_equal(one, again)
    np.testing.assert_allclose(one, other, rtol=1e-10)


@pytest.mark.one_value
@TASKS
def test_a_row_of_weight_two_is_the_row_twice_and_one_of_weight_zero_is_none(rng, task):
    X, y, X_new = table_of(rng, task)
    times = np.tile([1, 2, 0], 30)
    weighted = make(task).fit(X, y, sample_weight=times.astype(float))
    repeated = make(task).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(said(weighted, X_new), said(repeated, X_new), rtol=1e-10)
    pd.testing.assert_frame_equal(weighted.heads_, repeated.heads_)


@pytest.mark.one_value
@TASKS
def test_clones_pickles_and_skops_files_predict_the_same(rng, task):
    X, y, X_new = table_of(rng, task)
    model = make(task, forest(task)).fit(X, y)
    before, data = said(model, X_new), skops_io.dumps(model)
    again = skops_io.loads(data, trusted=skops_io.get_untrusted_types(data=data))
    for other in (pickle.loads(pickle.dumps(model)), again, clone(model).fit(X, y)):
        np.testing.assert_array_equal(said(other, X_new), before)


@pytest.mark.one_value
@TASKS
def test_text_and_missing_cells_suit_the_default_ensemble(rng, task):
    X, y, _ = table_of(rng, task)
    table = pd.DataFrame(X, columns=list("abcd")).assign(kind=np.where(X[:, 0] > 0, "u", "v"))
    table.loc[::7, "a"], table.loc[::11, "kind"] = np.nan, None
    model = make(task).fit(table[:80], y[:80])
    assert np.isfinite(said(model, table[80:])).all()


@pytest.mark.one_value
@TASKS
def test_every_query_has_the_importances_of_the_ensemble(rng, task):
    X, y, X_new = table_of(rng, task)
    model = make(task, forest(task), temperature=0.1, mixing=0.5).fit(X, y)
    local = model.local_models(X_new)
    np.testing.assert_allclose(local.coef, np.tile(model.baseline_.feature_importances_, (9, 1)))
    assert not local.slopes
    assert local.models == []


def test_an_ensemble_fitted_on_other_columns_is_refused(rng):
    X, y, _ = table_of(rng)
    with pytest.raises(ValueError, match=r"`estimator` was fitted on 2 columns, got 4\. Give it the same table"):
        make(estimator=forest().fit(X[:, :2], y)).fit(X, y)


def test_text_is_refused_beside_a_fitted_ensemble(rng):
    X, y, _ = table_of(rng)
    table = pd.DataFrame(X, columns=list("abcd"))
    with pytest.raises(ValueError, match="`X` must be numeric if `estimator` is already fitted"):
        make(estimator=forest().fit(table, y)).fit(table.assign(d=np.where(X[:, 3] > 0, "u", "v")), y)


def test_a_fitted_ensemble_of_other_labels_is_refused(rng):
    X, y, _ = table_of(rng, "two classes")
    given = forest("two classes").fit(X, np.where(y == "a", "yes", "no"))
    with pytest.raises(ValueError, match=r"`estimator` must know the labels \['a', 'c'\] of `y`"):
        make("two classes", given).fit(X, y)


def test_an_estimator_without_trees_is_refused(rng):
    X, y, _ = table_of(rng)
    with pytest.raises(TypeError, match=r"`estimator` must be a random forest, .* got KNeighborsRegressor"):
        make(estimator=KNeighborsRegressor()).fit(X, y)


@pytest.mark.parametrize(("task", "estimator"), [("two classes", forest()), ("numbers", forest("two classes"))])
def test_an_ensemble_for_another_kind_of_response_is_refused(rng, task, estimator):
    X, y, _ = table_of(rng, task)
    with pytest.raises(TypeError, match=r"`estimator` must be a (regressor|classifier)"):
        make(task, estimator).fit(X, y)


def test_a_bare_booster_is_taken_where_nothing_is_tuned_and_else_refused(rng):
    X, y, X_new = table_of(rng)
    bare = light().fit(X, y).booster_
    fixed = make(estimator=bare, temperature=0.1, mixing=0.0).fit(X, y)
    np.testing.assert_array_equal(fixed.predict(X_new), bare.predict(X_new))
    with pytest.raises(TypeError, match=r"`estimator` .*LGBMRegressor"):
        make(estimator=bare).fit(X, y)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"leaf_value": "tea leaves"}, "`leaf_value` must be one of 'responses', 'residuals', got 'tea leaves'"),
        (
            {"leaf_value": "residuals"},
            "`leaf_value='residuals'` needs a booster fitted with squared loss, got a forest",
        ),
        ({"similarity": TeacherSimilarity(anchor=True)}, "`similarity` must have anchor=False here"),
    ],
)
def test_a_wrong_value_is_named_with_the_remedy(rng, settings, words):
    X, y, _ = table_of(rng)
    with pytest.raises(ValueError, match=words):
        make(estimator=forest(), **settings).fit(X, y)


def test_weights_must_leave_rows_of_every_class(rng):
    X, y, _ = table_of(rng, "three classes")
    with pytest.raises(ValueError, match="`sample_weight` must leave rows of every class"):
        make("three classes", forest("three classes")).fit(X, y, sample_weight=(y != "a").astype(float))


@TASKS
def test_without_lightgbm_the_default_names_the_extra(rng, monkeypatch, task):
    X, y, _ = table_of(rng, task)
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(ImportError, match=r"`estimator=None` needs lightgbm.*pip install 'heedful\[lightgbm\]'"):
        make(task).fit(X, y)
