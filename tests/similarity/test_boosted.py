import copy
import importlib
import pickle
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesRegressor, GradientBoostingClassifier, GradientBoostingRegressor
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression

from heedful import AttentionLasso
from heedful._ensembles import read_ensemble
from heedful.similarity import BoostedProximity
from reference.forest import shared_leaves

N_TRAIN = 60


def table(rng):
    X = rng.normal(size=(N_TRAIN, 3))
    return X, X[:, 0] * X[:, 1] + 0.1 * rng.normal(size=N_TRAIN)


def template(**settings):
    return GradientBoostingRegressor(**{"n_estimators": 6, "max_depth": 2, "random_state": 0} | settings)


def dense(rows):
    return rows.score.reshape(-1, N_TRAIN)


def lightgbm():
    return importlib.import_module("lightgbm")


def test_scores_equal_the_double_loop_over_leaves(rng):
    (X, y), queries = table(rng), rng.normal(size=(4, 3))
    proximity = BoostedProximity(template(), random_state=0).fit(X, y)
    model = proximity.estimator_
    expected = shared_leaves(model.apply(queries).T, model.apply(X).T)
    np.testing.assert_allclose(proximity.scores(queries), expected, atol=1e-15)


def test_training_rows_are_scored_by_boosters_that_never_saw_them(rng):
    X, y = table(rng)
    proximity = BoostedProximity(template(), cv=3, random_state=0).fit(X, y)
    found = dense(proximity.train_rows(np.arange(N_TRAIN)))
    for k in range(3):
        held = np.flatnonzero(proximity._fold == k)
        leaves = template().fit(np.delete(X, held, axis=0), np.delete(y, held)).apply(X).T
        expected = shared_leaves(leaves[:, held], leaves)
        expected[np.arange(held.size), held] = -np.inf
        np.testing.assert_allclose(found[held], expected, atol=1e-15)


def test_a_response_does_not_change_the_scores_of_its_own_row(rng):
    X, y = table(rng)
    other = y.copy()
    other[7] += 100
    one, two = (BoostedProximity(template(), random_state=0).fit(X, z).train_rows(np.array([7])) for z in (y, other))
    np.testing.assert_array_equal(dense(one), dense(two))


def test_some_training_rows_are_scored_as_all_of_them_are(rng):
    proximity = BoostedProximity(template(), random_state=0).fit(*table(rng))
    some, every = proximity.train_rows(np.array([8, 2, 40])), proximity.train_rows(np.arange(N_TRAIN))
    np.testing.assert_array_equal(dense(some), dense(every)[[8, 2, 40]])


def test_a_training_row_is_never_scored_against_itself(rng):
    proximity = BoostedProximity(template(), random_state=0).fit(*table(rng))
    scores = dense(proximity.train_rows(np.arange(N_TRAIN)))
    assert (scores.diagonal() == -np.inf).all()
    np.testing.assert_array_equal(proximity.oob_scores(), np.where(scores == -np.inf, 0.0, scores))


def test_folds_share_the_rows_and_spread_the_labels(rng):
    X, _ = table(rng)
    proximity = BoostedProximity(GradientBoostingClassifier(n_estimators=2), cv=4, random_state=0)
    fold = proximity.fit(X, np.repeat(["a", "b", "c"], 20))._fold
    np.testing.assert_array_equal(np.bincount(fold, weights=np.arange(N_TRAIN) < 20), 5)
    np.testing.assert_array_equal(np.bincount(fold), 15)


def test_a_label_of_one_row_is_no_obstacle(rng):
    (X, _), labels = table(rng), np.array(["a"] * 59 + ["b"])
    lightgbm()
    rows = BoostedProximity(random_state=0).fit(X, labels).train_rows(np.arange(N_TRAIN))
    assert rows.indptr.size == N_TRAIN + 1


@pytest.mark.one_value
@pytest.mark.parametrize("package", ["lightgbm", "xgboost", "catboost"])
@pytest.mark.parametrize("labels", [False, True])
def test_boosters_of_other_packages_serve_as_templates(rng, package, labels):
    (X, y), module = table(rng), importlib.import_module(package)
    X[rng.uniform(size=X.shape) < 0.1] = np.nan
    quiet = {"catboost": {"verbose": 0, "allow_writing_files": False}, "lightgbm": {"verbose": -1}}.get(package, {})
    prefix = {"lightgbm": "LGBM", "xgboost": "XGB", "catboost": "CatBoost"}[package]
    model = getattr(module, prefix + ("Classifier" if labels else "Regressor"))(n_estimators=4, **quiet)
    proximity = BoostedProximity(model, random_state=0).fit(X, np.where(y > 0, "a", "b") if labels else y)
    leaves = read_ensemble(proximity.estimator_).leaves(X)
    np.testing.assert_allclose(proximity.scores(X), shared_leaves(leaves, leaves), atol=1e-15)


def test_a_forest_serves_too(rng):
    X, y = table(rng)
    proximity = BoostedProximity(ExtraTreesRegressor(5, random_state=0), random_state=0).fit(X, y)
    leaves = proximity.estimator_.apply(X).T
    np.testing.assert_allclose(proximity.scores(X), shared_leaves(leaves, leaves), atol=1e-15)


def test_a_fitted_booster_is_taken_as_it_is(rng):
    X, y = table(rng)
    one, other = (BoostedProximity(m, random_state=0) for m in (template(), template().fit(X, y)))
    assert (one.keeps_rows, other.keeps_rows) == (False, True)
    assert other.fit(X, y).estimator_ is other.estimator
    np.testing.assert_array_equal(one.fit(X, y).scores(X), other.scores(X))
    np.testing.assert_array_equal(one.oob_scores(), other.oob_scores())


def test_a_clone_of_a_fitted_booster_is_a_template(rng):
    assert not clone(BoostedProximity(template().fit(*table(rng)))).keeps_rows


def test_a_bare_booster_scores_new_rows_only(rng):
    X, y = table(rng)
    model = lightgbm().LGBMRegressor(n_estimators=4, verbose=-1).fit(X, y)
    bare, whole = (BoostedProximity(m, random_state=0).fit(X, y) for m in (model.booster_, model))
    np.testing.assert_array_equal(bare.scores(X), whole.scores(X))
    with pytest.raises(ValueError, match="needs an estimator that can be fitted on folds, got a bare Booster"):
        bare.train_rows(np.arange(3))


def test_the_default_is_lightgbm_with_300_rounds_of_8_leaves(rng):
    X, y = rng.normal(size=(200, 3)), rng.normal(size=200)
    model = BoostedProximity(random_state=0).fit(X, y).estimator_
    assert isinstance(model, lightgbm().LGBMRegressor)
    ensemble = read_ensemble(model)
    assert (ensemble.n_trees, ensemble.n_leaves / ensemble.n_trees) == (300, pytest.approx(8, abs=1))
    assert model.n_jobs == 1


@pytest.mark.one_value
@pytest.mark.parametrize(
    ("task", "labels", "kind"),
    [
        ("auto", False, "LGBMRegressor"),
        ("regression", False, "LGBMRegressor"),
        ("classification", False, "LGBMClassifier"),
        ("auto", True, "LGBMClassifier"),
    ],
)
def test_the_task_decides_the_booster(rng, task, labels, kind):
    lightgbm()
    (X, y), names = table(rng), np.array(["no", "yes"])
    codes = (y > 0).astype(int)
    model = BoostedProximity(task=task, random_state=0).fit(X, names[codes] if labels else codes).estimator_
    assert type(model).__name__ == kind


@pytest.mark.more
def test_a_seed_repeats_the_scores_on_any_number_of_threads(rng):
    lightgbm()
    X, y = table(rng)
    one, two = (BoostedProximity(random_state=1, n_jobs=n_jobs).fit(X, y).oob_scores() for n_jobs in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_rows_without_weight_do_not_shape_the_trees(rng):
    (X, y), weight = table(rng), np.r_[np.ones(40), np.zeros(20)]
    other = np.r_[y[:40], rng.normal(size=20)]
    one, two = (BoostedProximity(template(), random_state=0).fit(X, z, weight) for z in (y, other))
    np.testing.assert_array_equal(one.scores(X), two.scores(X))
    # nor those of the folds
    np.testing.assert_array_equal(one.oob_scores(), two.oob_scores())


def test_equal_sample_weights_are_no_weights(rng):
    X, y = table(rng)
    plain, weighted = (BoostedProximity(template(), random_state=1).fit(X, y, w) for w in (None, np.full(60, 2.5)))
    np.testing.assert_array_equal(plain.oob_scores(), weighted.oob_scores())


def test_a_fitted_proximity_can_be_copied_and_pickled(rng):
    X, y = table(rng)
    lightgbm()
    proximity = BoostedProximity(random_state=0).fit(X, y)
    for other in (copy.deepcopy(proximity), pickle.loads(pickle.dumps(proximity))):
        np.testing.assert_array_equal(other.scores(X), proximity.scores(X))
        np.testing.assert_array_equal(other.oob_scores(), proximity.oob_scores())


def test_a_query_takes_no_more_memory_than_promised(rng):
    X, y = table(rng)
    proximity = BoostedProximity(template(), random_state=0).fit(X, y)
    rows = proximity.score_rows(X)
    used = (rows.score.nbytes + rows.indices.nbytes) / N_TRAIN
    assert used <= proximity.bytes_per_query == 24 * N_TRAIN


def test_without_lightgbm_the_error_names_the_extra(rng, monkeypatch):
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(ImportError, match=r"`similarity='boosted'` needs lightgbm.*pip install 'heedful\[lightgbm\]'"):
        BoostedProximity().fit(*table(rng))


@pytest.mark.parametrize("bad", [LinearRegression(), "lightgbm", 3])
def test_what_is_no_ensemble_is_refused(rng, bad):
    with pytest.raises(TypeError, match="`estimator` must be a random forest, extra trees or gradient boosting"):
        BoostedProximity(bad).fit(*table(rng))


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"cv": 1}, "`cv` must be >= 2"), ({"task": "ranking"}, "`task` must be one of")],
)
def test_bad_settings_are_refused(rng, settings, message):
    with pytest.raises(ValueError, match=message):
        BoostedProximity(template(), **settings).fit(*table(rng))


def test_rows_with_the_wrong_number_of_columns_are_refused(rng):
    with pytest.raises(ValueError, match="feature"):
        BoostedProximity(template(), random_state=0).fit(*table(rng)).scores(rng.normal(size=(2, 1)))


def test_asking_before_fitting_is_an_error():
    for ask in (lambda: BoostedProximity().scores([[1.0]]), BoostedProximity().oob_scores):
        with pytest.raises(NotFittedError):
            ask()


def test_a_bare_booster_that_has_seen_all_rows_does_not_tune_on_folds(rng):
    X, y = table(rng)
    booster = importlib.import_module("lightgbm").LGBMRegressor(n_estimators=3, verbose=-1).fit(X, y).booster_
    with pytest.raises(ValueError, match="which has seen all rows"):
        AttentionLasso(similarity=booster, cv=3).fit(X, y)
