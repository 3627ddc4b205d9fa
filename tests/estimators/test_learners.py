"""Laws of attention with any learner: each holds for the whole estimator, similarity and tuning included."""

import pickle
import sys

import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import GroupKFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeRegressor
from skops import io as skops_io

from heedful import AttentionClassifier, AttentionLasso, AttentionLassoClassifier, AttentionRegressor, LocalLearner
from heedful._flow.kinds import Run
from heedful._flow.out_of_fold import predict_out_of_fold
from heedful.similarity import BoostedProximity, CallableSimilarity, ForestProximity, TeacherSimilarity

FOREST = ForestProximity(20)
BOOST = {"n_estimators": 10, "n_jobs": 1}
TASKS = pytest.mark.parametrize("task", ["numbers", "two classes", "three classes"])


def all_alike(query, train):
    return np.zeros((len(query), len(train)))


def nearness(query, train):
    return -((query[:, None] - train) ** 2).sum(axis=2)


EQUAL = {"similarity": CallableSimilarity(all_alike), "temperature": 1.0, "mixing": 1.0, "trim_weight": 0}
NEAR = {"similarity": CallableSimilarity(nearness), "temperature": 1.0}


def make(task="numbers", estimator=None, **settings):
    kind = AttentionRegressor if task == "numbers" else AttentionClassifier
    asked = {"similarity": FOREST, "tuning_rows": 20, "random_state": 0} | settings
    local = LocalLearner(**{name: asked.pop(name) for name in ("tuning_rows", "trim_weight") if name in asked})
    return kind(estimator, local=local, **asked)


def light(task="numbers", **settings):
    kind = lightgbm.LGBMRegressor if task == "numbers" else lightgbm.LGBMClassifier
    return kind(**BOOST | {"num_leaves": 4, "min_child_samples": 5, "verbose": -1} | settings)


def linear(task="numbers"):
    return Ridge() if task == "numbers" else LogisticRegression()


def respond(task, signal):
    """Return numbers, or labels whose order is not that of the numbers."""
    cuts = {"numbers": None, "two classes": [0.5], "three classes": [0.3, 0.6]}[task]
    if cuts is None:
        return signal
    return np.array(["c", "a", "b"])[np.digitize(signal, np.quantile(signal, cuts))]


def table_of(rng, task="numbers", n=80):
    X = rng.normal(size=(n, 4)).round(2)
    signal = np.where(X[:, 0] > 0, 3.0, -2.0) * X[:, 1] + X[:, 2] + 0.3 * rng.normal(size=n)
    return X, respond(task, signal), rng.normal(size=(9, 4))


def frame_of(rng, task="numbers", n=80):
    X, _, _ = table_of(rng, n=n)
    table = pd.DataFrame(X, columns=list("abcd"))
    table["kind"] = rng.choice(["u", "v"], size=n)
    table["place"] = pd.Categorical(rng.choice(["here", "there"], size=n))
    y = np.where(table["kind"] == "u", 2.0, -2.0) * table["a"] + (table["place"] == "here") + 0.2 * table["b"]
    return table, respond(task, y.to_numpy())


def said(model, X):
    """Return numbers, or the probabilities of classes."""
    return model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)


PLAIN = [
    ("numbers", Ridge()),
    ("numbers", light()),
    ("numbers", xgboost.XGBRegressor(max_depth=3, **BOOST)),
    ("numbers", DecisionTreeRegressor(max_depth=4, random_state=0)),
    ("numbers", make_pipeline(StandardScaler(), Ridge())),
    ("two classes", LogisticRegression()),
    ("two classes", light("two classes")),
    ("three classes", LogisticRegression()),
    ("three classes", light("three classes")),
]


@pytest.mark.one_value
@pytest.mark.parametrize(("task", "learner"), PLAIN)
def test_equal_attention_gives_back_the_plain_learner(rng, task, learner):
    X, y, X_new = table_of(rng, task)
    found = said(make(task, learner, **EQUAL).fit(X, y), X_new)
    np.testing.assert_allclose(found, said(clone(learner).fit(X, y), X_new), rtol=0, atol=1e-14)


@pytest.mark.one_value
@TASKS
def test_equal_attention_gives_back_the_default_learner(rng, task):
    X, y, X_new = table_of(rng, task)
    model = make(task, **EQUAL).fit(X, y)
    np.testing.assert_array_equal(said(model, X_new), said(model.baseline_, X_new))


@pytest.mark.one_value
@pytest.mark.parametrize("labels", [("b", "a", "c"), (1, 2, 5), (True, False)])
def test_xgboost_takes_labels_of_any_kind(rng, labels):
    X, y, X_new = table_of(rng)
    codes = np.digitize(y, np.quantile(y, np.arange(1, len(labels)) / len(labels)))
    model = make("classes", xgboost.XGBClassifier(max_depth=3, **BOOST)).fit(X, np.array(labels)[codes])
    np.testing.assert_array_equal(model.classes_, np.sort(labels))
    np.testing.assert_allclose(model.predict_proba(X_new).sum(axis=1), 1.0, rtol=1e-6)


@pytest.mark.one_value
@TASKS
def test_mixing_zero_is_the_plain_learner_to_the_last_bit(rng, task):
    X, y, X_new = table_of(rng, task)
    model = make(task, mixing=0).fit(X, y)
    np.testing.assert_array_equal(said(model, X_new), said(model.baseline_, X_new))


@pytest.mark.more
def test_local_learners_beat_the_plain_one_when_slopes_differ_by_group(rng):
    X = rng.normal(size=(600, 3))
    y = np.where(X[:, 0] > 0, 3.0, -3.0) * X[:, 1] + 0.3 * rng.normal(size=600)
    model = make(estimator=Ridge(), similarity=ForestProximity(50), tuning_rows=100).fit(X[:400], y[:400])
    assert model.score(X[400:], y[400:]) > 0.5 > model.baseline_.score(X[400:], y[400:])


def test_a_local_model_is_the_learner_under_the_querys_weights(rng):
    X, y, X_new = table_of(rng)
    model = make(estimator=Ridge(), temperature=0.1, mixing=1.0, trim_weight=0).fit(X, y)
    weights = model.attention(X_new).toarray() * len(y)
    expected = [Ridge().fit(X, y, row).predict(query[None])[0] for row, query in zip(weights, X_new, strict=True)]
    np.testing.assert_allclose(model.predict(X_new), expected, rtol=1e-10)


def test_the_less_is_left_out_the_less_it_changes(rng):
    X, y, X_new = table_of(rng, n=400)
    every, *others = (
        make(estimator=Ridge(), **NEAR, mixing=1.0, trim_weight=share).fit(X, y).predict(X_new)
        for share in (0.0, 1e-9, 1e-3, 0.3)
    )
    change = [np.abs(other - every).mean() for other in others]
    assert change[0] <= change[1] <= change[2]
    assert change[0] < 1e-6 < change[2]


@pytest.mark.one_value
@pytest.mark.parametrize("learner", [Ridge(), DecisionTreeRegressor(max_depth=3, random_state=0), light()])
def test_a_rows_own_response_has_no_say_in_its_unseen_values(rng, learner):
    X, y, _ = table_of(rng)
    # the largest response comes last among the distinct rows, before and after
    other = np.where(y == y.max(), y + 1000.0, y)
    models = [make(estimator=learner, tuning_rows=None, mixing=0.5, **NEAR).fit(X, z) for z in (y, other)]
    (heads, base), (other_heads, other_base) = (predict_out_of_fold(model._model, True, Run())[:2] for model in models)
    np.testing.assert_allclose(other_heads[-1], heads[-1], atol=1e-9)
    np.testing.assert_allclose(other_base[-1], base[-1], atol=1e-9)
    assert np.abs(other_base[:-1] - base[:-1]).max() > 1


@pytest.mark.one_value
@TASKS
@pytest.mark.parametrize("cv", [3, GroupKFold(3)])
def test_folds_tune_too(rng, task, cv):
    X, y, X_new = table_of(rng, task)
    groups = None if cv == 3 else np.arange(80) % 8
    model = make(task, linear(task), cv=cv).fit(X, y, groups=groups)
    assert np.isfinite(model.heads_["error"]).all()
    assert np.isfinite(said(model, X_new)).all()


@pytest.mark.one_value
@pytest.mark.parametrize("cv", ["oob", 3])
@pytest.mark.parametrize(("tuning_rows", "n_tried"), [(10, 10), (500, 80), (None, 80)])
def test_heads_are_tried_on_as_many_rows_as_asked_for(rng, cv, tuning_rows, n_tried):
    X, y, _ = table_of(rng)
    model = make(estimator=Ridge(), cv=cv, tuning_rows=tuning_rows, temperature=0.1).fit(X, y)
    heads = predict_out_of_fold(model._model, cv == "oob", Run()).heads
    assert len(heads) == n_tried
    assert np.isfinite(heads).all()


@pytest.mark.more
@TASKS
def test_any_number_of_jobs_gives_the_same_bits(rng, task):
    X, y, X_new = table_of(rng, task)
    one, two, three = (said(make(task, light(task), n_jobs=n_jobs).fit(X, y), X_new) for n_jobs in (None, 2, 3))
    np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(one, three)


@pytest.mark.one_value
@TASKS
def test_the_same_seed_gives_the_same_and_the_order_of_rows_is_irrelevant(rng, task):
    X, y, X_new = table_of(rng, task)
    parts = (slice(None), slice(None), rng.permutation(len(y)))
    one, again, other = (said(make(task, light(task)).fit(X[rows], y[rows]), X_new) for rows in parts)
    np.testing.assert_array_equal(one, again)
    np.testing.assert_allclose(one, other, rtol=1e-10)


@pytest.mark.more
@TASKS
def test_a_row_of_weight_two_is_the_row_twice_and_one_of_weight_zero_is_none(rng, task):
    X, y, X_new = table_of(rng, task, n=90)
    times = np.tile([1, 2, 0], 30)
    weighted = make(task).fit(X, y, sample_weight=times.astype(float))
    repeated = make(task).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(said(weighted, X_new), said(repeated, X_new), rtol=1e-10)
    pd.testing.assert_frame_equal(weighted.heads_, repeated.heads_)


@pytest.mark.one_value
@TASKS
@pytest.mark.parametrize("mixing", [0.5, "adaptive"])
def test_clones_and_pickles_predict_the_same(rng, task, mixing):
    X, y, X_new = table_of(rng, task)
    model = make(task, light(task), mixing=mixing).fit(X, y)
    before = said(model, X_new)
    np.testing.assert_array_equal(said(pickle.loads(pickle.dumps(model)), X_new), before)
    np.testing.assert_array_equal(said(clone(model).fit(X, y), X_new), before)


def by_name(task):
    return make_pipeline(
        make_column_transformer((OneHotEncoder(), ["kind", "place"]), remainder=StandardScaler()), linear(task)
    )


def by_dtype(task):
    numbers, texts = make_column_selector(dtype_include="number"), make_column_selector(dtype_exclude="number")
    return make_pipeline(make_column_transformer((StandardScaler(), numbers), (OneHotEncoder(), texts)), linear(task))


@pytest.mark.one_value
@TASKS
@pytest.mark.parametrize("encode", [by_name, by_dtype])
def test_a_pipeline_gets_the_frame_as_it_was_given(rng, task, encode):
    X, y = frame_of(rng, task)
    plain = make(task, encode(task), **EQUAL).fit(X[:75], y[:75])
    expected = encode(task).fit(X[:75], y[:75])
    np.testing.assert_allclose(said(plain, X[75:]), said(expected, X[75:]), atol=1e-12)
    tuned = make(task, encode(task), temperature=[1.0, 0.1], tuning_rows=10).fit(X[:75], y[:75])
    assert np.isfinite(said(tuned, X[75:])).all()
    assert np.isfinite(tuned.heads_["error"]).all()


def test_model_features_reach_a_pipeline_by_name(rng):
    X, y = frame_of(rng)
    model = make(estimator=by_dtype("numbers"), features={"model": ["a", "kind", "place"]}, mixing=0.0).fit(X, y)
    np.testing.assert_array_equal(model.baseline_.feature_names_in_, ["a", "kind", "place"])
    assert list(model.local_models(X[:3]).coef) == ["a", "kind", "place"]


@pytest.mark.one_value
@TASKS
def test_text_and_missing_cells_suit_the_default_learner(rng, task):
    X, y = frame_of(rng, task)
    X.loc[::7, "a"], X.loc[::11, "kind"] = np.nan, None
    model = make(task).fit(X[:60], y[:60])
    assert np.isfinite(said(model, X[60:])).all()
    never = X[60:].assign(kind="never seen")
    with pytest.warns(UserWarning, match="Column 'kind': 20 of 20 cells hold levels that were not seen"):
        found = said(model, never)
    np.testing.assert_array_equal(found, said(model, never.assign(kind=None)))


@pytest.mark.more
@pytest.mark.parametrize("as_frame", [False, True])
def test_skops_keeps_models_to_the_bit(rng, as_frame):
    X, y = frame_of(rng) if as_frame else table_of(rng)[:2]
    estimator = by_name("numbers") if as_frame else Ridge()
    model = make(estimator=estimator, temperature=[1.0, 0.1], tuning_rows=10).fit(X[:75], y[:75])
    data = skops_io.dumps(model)
    again = skops_io.loads(data, trusted=skops_io.get_untrusted_types(data=data))
    np.testing.assert_array_equal(again.predict(X[75:]), model.predict(X[75:]))
    pd.testing.assert_frame_equal(again.heads_, model.heads_)


@pytest.mark.one_value
@TASKS
@pytest.mark.parametrize("learner", [linear, light, lambda task: None])
def test_importances_of_a_query_sum_to_one_or_are_zero(rng, task, learner):
    X, y, X_new = table_of(rng, task)
    local = make(task, learner(task), temperature=0.1, mixing=0.6).fit(X, y).local_models(X_new)
    assert local.local_coef.shape == local.coef.shape == (9, 4)
    total = local.local_coef.sum(axis=1)
    assert (np.isclose(total, 1.0) | (total == 0)).all()
    np.testing.assert_allclose(local.baseline_coef.sum(), 1.0)
    np.testing.assert_allclose(local.coef, 0.4 * local.baseline_coef + 0.6 * local.local_coef)
    assert local.intercept.isna().all(axis=None)


@pytest.mark.one_value
@pytest.mark.parametrize(("task", "learner"), PLAIN)
def test_kept_models_are_one_per_query_and_say_the_local_part(rng, task, learner):
    X, y, X_new = table_of(rng, task)
    model = make(task, learner, temperature=1.0, mixing=1.0).fit(X, y)
    local = model.local_models(X_new, keep_models=True)
    assert len(local.models) == 9
    chance = [local_chance(kept, query[None]) for kept, query in zip(local.models, X_new, strict=True)]
    shown = local.prediction if task != "three classes" else local.prediction.to_numpy()
    np.testing.assert_allclose(np.array(chance).reshape(shown.shape), shown, rtol=1e-6)
    assert model.local_models(X_new).models == []


def local_chance(kept, query):
    """Return what a kept learner says: of two classes the second, of more all of them."""
    if isinstance(kept, xgboost.Booster):
        return kept.inplace_predict(query)[0]
    if not hasattr(kept, "predict_proba"):
        return kept.predict(query)[0]
    chance = kept.predict_proba(query)[0]
    return chance[1] if chance.size == 2 else chance


def test_local_boosters_have_the_rounds_of_the_baseline(rng):
    X, y, X_new = table_of(rng)
    model = make(temperature=0.5, mixing=0.5).fit(X, y)
    rounds = {booster.current_iteration() for booster in model.local_models(X_new, keep_models=True).models}
    assert rounds == {model.baseline_.n_estimators}
    assert model.baseline_.n_estimators <= 100


class Deaf(RegressorMixin, BaseEstimator):
    """A learner that takes weights and does not heed them."""

    def fit(self, _, y, sample_weight=None):
        self.mean_ = np.mean(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


@pytest.mark.parametrize(
    ("task", "learner", "error", "words"),
    [
        ("numbers", KNeighborsRegressor(), TypeError, "must take `sample_weight` in `fit`, got KNeighborsRegressor"),
        ("numbers", make_pipeline(StandardScaler(), KNeighborsRegressor()), TypeError, "must take `sample_weight`"),
        ("numbers", Deaf(), ValueError, "must use `sample_weight`, got Deaf"),
        ("two classes", RidgeClassifier(), TypeError, "must have `predict_proba`, got RidgeClassifier"),
        ("three classes", LinearSVC(), TypeError, "must have `predict_proba`, got LinearSVC"),
        ("two classes", Ridge(), TypeError, r"must .*got Ridge\(\)"),
        ("numbers", LogisticRegression(), TypeError, "must .*got LogisticRegression"),
    ],
)
def test_a_learner_that_cannot_do_is_refused(rng, task, learner, error, words):
    X, y, _ = table_of(rng, task)
    with pytest.raises(error, match=f"`estimator` {words}"):
        make(task, learner).fit(X, y)


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"tuning_rows": 9}, ValueError, "`tuning_rows` must be >= 10, got 9. None tries heads on all rows"),
        ({"tuning_rows": "many"}, TypeError, "`tuning_rows` must be a number, got 'many'"),
        ({"trim_weight": -0.1}, ValueError, "`trim_weight` must be >= 0 and <= 0.5, got -0.1. 0 keeps all rows"),
        ({"trim_weight": 0.6}, ValueError, "`trim_weight` must be >= 0 and <= 0.5, got 0.6"),
        ({"temperature": 0}, ValueError, "`temperature`"),
        ({"mixing": 2}, ValueError, "`mixing`"),
    ],
)
def test_a_value_out_of_range_is_named_with_the_remedy(rng, settings, error, words):
    X, y, _ = table_of(rng)
    with pytest.raises(error, match=words):
        make(estimator=Ridge(), **settings).fit(X, y)


@TASKS
def test_without_lightgbm_the_default_names_the_extra(rng, monkeypatch, task):
    X, y, _ = table_of(rng, task)
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(ImportError, match=r"`estimator=None` needs lightgbm.*pip install 'heedful\[lightgbm\]'"):
        make(task).fit(X, y)


SCORERS = [TeacherSimilarity(light(), cv=3), BoostedProximity(light(), cv=3)]


@pytest.mark.one_value
@pytest.mark.parametrize("cv", ["oob", 3])
@pytest.mark.parametrize("similarity", SCORERS)
@pytest.mark.parametrize("model", [AttentionLasso(), AttentionRegressor(Ridge(), local=LocalLearner(tuning_rows=20))])
def test_boosters_say_who_is_alike(rng, model, similarity, cv):
    X, _, X_new = table_of(rng)
    y = 5.0 * (X[:, 0] > 0) + X[:, 1]
    model = clone(model).set_params(similarity=similarity, cv=cv, random_state=0).fit(X, y)
    assert model.heads_["error"].min() < 0.5 * np.var(y)
    assert np.isfinite(model.predict(X_new)).all()


@pytest.mark.more
@pytest.mark.parametrize("cv", ["oob", 3])
@pytest.mark.parametrize("kind", [TeacherSimilarity, BoostedProximity])
def test_boosters_say_who_is_alike_among_classes(rng, kind, cv):
    X, _, X_new = table_of(rng)
    y = respond("three classes", 5.0 * (X[:, 0] > 0) + X[:, 1])
    similarity = kind(light("three classes"), cv=3)
    model = AttentionLassoClassifier(similarity=similarity, cv=cv, random_state=0).fit(X, y)
    assert model.heads_["error"].min() < 0.5 * np.log(3)
    np.testing.assert_allclose(model.predict_proba(X_new).sum(axis=1), 1.0)


@pytest.mark.parametrize("task", ["numbers", "two classes"])
def test_an_anchor_is_refused(rng, task):
    X, y, _ = table_of(rng, task)
    with pytest.raises(ValueError, match="`similarity` must have anchor=False here"):
        make(task, linear(task), similarity=TeacherSimilarity(anchor=True)).fit(X, y)


@pytest.mark.one_value
@pytest.mark.parametrize("learner", [None, LogisticRegression()], ids=["LightGBM", "logistic"])
def test_a_fold_whose_training_part_has_one_class_is_sure_of_it(rng, learner):
    X, y = rng.normal(size=(60, 2)), np.repeat(["a", "b", "b"], 20)
    order = np.arange(60)
    folds = [(order[:20], order[20:]), (order[10:], order[:10])]
    model = AttentionClassifier(learner, similarity=ForestProximity(8), cv=folds, random_state=0)
    model.set_params(local=LocalLearner(tuning_rows=20))
    fitted = model.fit(X, y)._model
    left_out = fitted.models.left_out(fitted.problem, False, Run())
    # rows of b are left out once, by the fold that has seen nothing but a
    np.testing.assert_array_equal(left_out[fitted.rows.y == 1], [[1.0, 0.0]] * 40)
    assert np.isfinite(model.predict_proba(X)).all()
