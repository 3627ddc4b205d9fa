import copy
import importlib
import pickle

import numpy as np
import pytest
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression

from heedful._ensembles import is_ensemble, is_fitted, read_ensemble

BOOSTERS = ["gradient", "histogram", "lightgbm", "xgboost", "catboost"]
RESPONSES = ["numbers", "two", "three"]


def table(rng, response="numbers", missing=True):
    X = rng.normal(size=(150, 4))
    y = 3 + 2 * X[:, 0] * X[:, 1] + rng.normal(size=150)
    if missing:
        X[rng.uniform(size=X.shape) < 0.2] = np.nan
    return X, {"numbers": y, "two": (y > 3).astype(int), "three": np.digitize(y, [2, 4])}[response]


def booster(package, response="numbers"):
    """Return an unfitted booster of a package."""
    labels = response != "numbers"
    if package == "gradient":
        return (GradientBoostingClassifier if labels else GradientBoostingRegressor)(n_estimators=8)
    if package == "histogram":
        return (HistGradientBoostingClassifier if labels else HistGradientBoostingRegressor)(max_iter=8)
    module = importlib.import_module(package)
    if package == "lightgbm":
        kind = module.LGBMClassifier if labels else module.LGBMRegressor
        return kind(n_estimators=8, min_child_samples=5, verbose=-1, n_jobs=1)
    if package == "xgboost":
        return (module.XGBClassifier if labels else module.XGBRegressor)(n_estimators=8, n_jobs=1)
    kind = module.CatBoostClassifier if labels else module.CatBoostRegressor
    return kind(iterations=8, depth=3, verbose=0, allow_writing_files=False, thread_count=1)


def own_raw(package, model, X):
    """Return the raw scores (n_rows, n_outputs) by the package itself."""
    how = {"lightgbm": {"raw_score": True}, "xgboost": {"output_margin": True}}
    if package == "catboost":
        raw = model.predict(X, prediction_type="RawFormulaVal")
    elif package in how:
        raw = model.predict(X, **how[package])
    else:
        raw = getattr(model, "decision_function", model.predict)(X)
    return raw.reshape(X.shape[0], -1)


def fitted(rng, package, response="numbers"):
    X, y = table(rng, response, missing=package != "gradient")
    return booster(package, response).fit(X, y), X


@pytest.mark.parametrize("response", RESPONSES)
@pytest.mark.parametrize("package", BOOSTERS)
def test_leaf_values_add_up_to_the_boosters_own_raw_scores(rng, package, response):
    model, X = fitted(rng, package, response)
    ensemble = read_ensemble(model)
    raw = ensemble.raw(ensemble.leaves(X))
    np.testing.assert_allclose(raw, own_raw(package, model, X), rtol=1e-5, atol=1e-5)
    assert raw.shape[1] == ensemble.start.size == (3 if response == "three" else 1)
    assert ensemble.boosted


@pytest.mark.parametrize("package", ["gradient", "histogram", "lightgbm", "catboost"])
def test_boosters_in_double_precision_are_met_to_the_last_digits(rng, package):
    model, X = fitted(rng, package)
    ensemble = read_ensemble(model)
    np.testing.assert_allclose(ensemble.raw(ensemble.leaves(X)), own_raw(package, model, X), rtol=1e-12)


@pytest.mark.parametrize("kind", [RandomForestRegressor, ExtraTreesRegressor])
def test_leaf_values_average_to_the_forests_prediction(rng, kind):
    X, y = table(rng)
    model = kind(7, min_samples_leaf=3, random_state=0).fit(X, y)
    ensemble = read_ensemble(model)
    np.testing.assert_allclose(ensemble.raw(ensemble.leaves(X))[:, 0], model.predict(X), rtol=1e-12)
    assert not ensemble.boosted
    assert ensemble.loss == "squared"


@pytest.mark.parametrize("kind", [RandomForestClassifier, ExtraTreesClassifier])
def test_classification_forests_have_leaves_but_no_values(rng, kind):
    X, y = table(rng, "three")
    model = kind(7, min_samples_leaf=3, random_state=0).fit(X, y)
    ensemble = read_ensemble(model)
    leaves = ensemble.leaves(X)
    for one, other in zip(leaves, model.apply(X).T, strict=True):
        np.testing.assert_array_equal(one[:, None] == one, other[:, None] == other)
    with pytest.raises(ValueError, match="classification forest has no raw scores"):
        ensemble.raw(leaves)


@pytest.mark.parametrize("response", RESPONSES)
@pytest.mark.parametrize("package", BOOSTERS)
def test_a_leaf_has_one_number_in_the_whole_ensemble(rng, package, response):
    model, X = fitted(rng, package, response)
    ensemble = read_ensemble(model)
    leaves = ensemble.leaves(X)
    assert leaves.shape == (ensemble.n_trees, 150)
    assert leaves.dtype == np.int32
    assert leaves.flags.c_contiguous
    assert leaves.min() >= 0
    assert leaves.max() < ensemble.n_leaves == ensemble.value.size
    parts = [set(tree) for tree in leaves]
    assert len(set().union(*parts)) == sum(len(part) for part in parts)


@pytest.mark.parametrize("package", BOOSTERS)
def test_trees_of_classes_take_turns(rng, package):
    ensemble = read_ensemble(fitted(rng, package, "three")[0])
    np.testing.assert_array_equal(ensemble.output, np.tile([0, 1, 2], 8))


@pytest.mark.parametrize("response", RESPONSES)
@pytest.mark.parametrize("package", BOOSTERS)
def test_the_usual_losses_are_known(rng, package, response):
    expected = "squared" if response == "numbers" else "log"
    assert read_ensemble(fitted(rng, package, response)[0]).loss == expected


@pytest.mark.parametrize(
    ("package", "setting"),
    [
        ("gradient", {"loss": "huber"}),
        ("histogram", {"loss": "absolute_error"}),
        ("lightgbm", {"objective": "l1"}),
        ("xgboost", {"objective": "reg:pseudohubererror"}),
        ("xgboost", {"objective": lambda truth, guess: (guess - truth, np.ones_like(guess))}),
        ("catboost", {"loss_function": "MAE"}),
    ],
)
def test_any_other_loss_is_other_and_adds_up_too(rng, package, setting):
    X, y = table(rng, missing=package != "gradient")
    model = booster(package).set_params(**setting).fit(X, y)
    ensemble = read_ensemble(model)
    assert ensemble.loss == "other"
    np.testing.assert_allclose(ensemble.raw(ensemble.leaves(X)), own_raw(package, model, X), rtol=1e-5, atol=1e-5)


def test_a_squared_loss_of_roots_is_other(rng):
    X, y = table(rng)
    assert read_ensemble(booster("lightgbm").set_params(reg_sqrt=True).fit(X, y)).loss == "other"


@pytest.mark.parametrize("package", ["lightgbm", "xgboost"])
def test_a_bare_booster_is_read_as_its_estimator(rng, package):
    model, X = fitted(rng, package)
    bare = model.booster_ if package == "lightgbm" else model.get_booster()
    one, other = read_ensemble(model), read_ensemble(bare)
    np.testing.assert_array_equal(one.leaves(X), other.leaves(X))
    np.testing.assert_array_equal(one.value, other.value)


def stopped_early(package, X, y):
    """Return a booster that chose the number of its rounds on held-out rows."""
    model, (train, held) = booster(package), (slice(0, 100), slice(100, None))
    if package == "histogram":
        return model.set_params(max_iter=60, early_stopping=True, n_iter_no_change=3).fit(X, y)
    if package == "catboost":
        model.set_params(iterations=200, learning_rate=0.5, early_stopping_rounds=3)
        return model.fit(X[train], y[train], eval_set=(X[held], y[held]))
    if package == "lightgbm":
        model.set_params(n_estimators=200, early_stopping_round=3)
        return model.fit(X[train], y[train], eval_X=X[held], eval_y=y[held])
    model.set_params(n_estimators=200, early_stopping_rounds=3)
    return model.fit(X[train], y[train], eval_set=[(X[held], y[held])], verbose=False)


@pytest.mark.parametrize("package", ["histogram", "lightgbm", "xgboost", "catboost"])
def test_early_stopping_leaves_the_best_iteration(rng, package):
    X, y = table(rng)
    model = stopped_early(package, X, y)
    ensemble = read_ensemble(model)
    assert ensemble.n_trees < 60
    for read in (ensemble, copy.deepcopy(ensemble)):
        np.testing.assert_allclose(read.raw(read.leaves(X)), own_raw(package, model, X), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("package", BOOSTERS)
def test_a_read_ensemble_can_be_copied_and_pickled(rng, package):
    model, X = fitted(rng, package)
    ensemble = read_ensemble(model)
    for other in (copy.deepcopy(ensemble), pickle.loads(pickle.dumps(ensemble))):
        np.testing.assert_array_equal(other.leaves(X), ensemble.leaves(X))
        np.testing.assert_array_equal(other.start, ensemble.start)


def test_lightgbm_as_a_random_forest_averages(rng):
    X, y = table(rng)
    model = booster("lightgbm").set_params(boosting_type="rf", subsample=0.6, subsample_freq=1).fit(X, y)
    ensemble = read_ensemble(model)
    assert not ensemble.boosted
    np.testing.assert_allclose(ensemble.raw(ensemble.leaves(X))[:, 0], model.predict(X), rtol=1e-12)


def test_parallel_trees_of_xgboost_add_up(rng):
    (X, y), xgboost = table(rng, "three"), importlib.import_module("xgboost")
    model = xgboost.XGBClassifier(n_estimators=3, num_parallel_tree=2, subsample=0.7, n_jobs=1).fit(X, y)
    ensemble = read_ensemble(model)
    assert ensemble.n_trees == 18
    np.testing.assert_allclose(ensemble.raw(ensemble.leaves(X)), own_raw("xgboost", model, X), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("package", ["gradient", "histogram", "lightgbm", "xgboost"])
def test_a_booster_without_splits_is_a_constant(rng, package):
    X, y = np.ones((150, 4)), rng.normal(size=150)
    model = booster(package).fit(X, y + 3)
    ensemble = read_ensemble(model)
    assert ensemble.n_leaves == ensemble.n_trees
    np.testing.assert_allclose(ensemble.raw(ensemble.leaves(X)), own_raw(package, model, X), rtol=1e-5)


@pytest.mark.parametrize(
    ("package", "setting", "message"),
    [
        ("gradient", {"init": LinearRegression()}, "must start from a constant"),
        ("histogram", {"categorical_features": [0]}, "categorical features cannot be read"),
        ("lightgbm", {"linear_tree": True}, "linear_tree=True cannot be read"),
        ("xgboost", {"booster": "dart"}, "must have booster='gbtree'"),
        ("xgboost", {"booster": "gblinear"}, "must have booster='gbtree'"),
    ],
)
def test_what_has_no_plain_leaves_is_refused(rng, package, setting, message):
    X, y = table(rng, missing=False)
    X[:, 0] = X[:, 0] > 0
    model = booster(package).set_params(**setting).fit(X, y)
    with pytest.raises(ValueError, match=message):
        read_ensemble(model)


def test_forests_of_several_responses_are_refused(rng):
    X, y = table(rng)
    model = RandomForestRegressor(3).fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="must have one response, got 2"):
        read_ensemble(model)


@pytest.mark.parametrize("package", BOOSTERS)
def test_an_unfitted_booster_is_an_ensemble_that_cannot_be_read(package):
    model = booster(package)
    assert is_ensemble(model)
    assert not is_fitted(model)
    with pytest.raises(NotFittedError, match="is not fitted"):
        read_ensemble(model)


@pytest.mark.parametrize("package", ["lightgbm", "xgboost"])
def test_a_bare_booster_is_fitted(rng, package):
    model, _ = fitted(rng, package)
    bare = model.booster_ if package == "lightgbm" else model.get_booster()
    assert is_ensemble(bare)
    assert is_fitted(bare)
    assert is_fitted(model)


@pytest.mark.parametrize("bad", [LinearRegression(), RandomForestRegressor, None, "forest"])
def test_anything_else_is_no_ensemble(bad):
    assert not is_ensemble(bad)

    with pytest.raises(TypeError, match="tree ensemble must be a random forest, extra trees or gradient boosting"):
        read_ensemble(bad)


def test_rows_with_the_wrong_number_of_columns_are_refused(rng):
    model, X = fitted(rng, "histogram")
    with pytest.raises(ValueError, match="`X` must have 4 columns"):
        read_ensemble(model).leaves(X[:, :3])


@pytest.mark.parametrize(("name", "value"), [("left", 0), ("right", 10**6), ("feature_idx", 7)])
def test_trees_of_histograms_that_lead_nowhere_are_refused(rng, name, value):
    X = rng.normal(size=(80, 3))
    ensemble = read_ensemble(HistGradientBoostingRegressor(max_iter=3).fit(X, X[:, 0]))
    ensemble.check_loaded()
    ensemble.trees[0] = ensemble.trees[0].copy()
    ensemble.trees[0][name][0] = value
    with pytest.raises(ValueError, match=r"\w"):
        ensemble.check_loaded()
