"""Laws of tree attention: one weight per tree and query, those of the plain ensemble all one."""

import pickle
import sys

import lightgbm
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import Lasso, Ridge
from sklearn.model_selection import GroupKFold
from skops import io as skops_io

from heedful import LocalTrees, TreeAttentionRegressor, local_lasso
from heedful._flow.kinds import Run
from heedful._flow.out_of_fold import predict_out_of_fold
from heedful.similarity import CallableSimilarity, ForestProximity, TeacherSimilarity

GRADIENT = GradientBoostingRegressor(n_estimators=9, random_state=0)
FOREST = RandomForestRegressor(9, max_depth=3, random_state=0)
LIGHT = lightgbm.LGBMRegressor(n_estimators=9, num_leaves=4, n_jobs=1, verbose=-1)
ENSEMBLES = pytest.mark.parametrize("ensemble", [GRADIENT, FOREST, LIGHT])


def all_alike(query, train):
    return np.zeros((len(query), len(train)))


def nearness(query, train):
    return -((query[:, None] - train) ** 2).sum(axis=2)


ALIKE, NEAR = CallableSimilarity(all_alike), CallableSimilarity(nearness)


def make(estimator=None, **settings):
    asked = {"similarity": ForestProximity(20), "random_state": 0} | settings
    local = LocalTrees(**{name: asked.pop(name) for name in ("alpha_ratio", "penalty", "shrink_to") if name in asked})
    return TreeAttentionRegressor(estimator, local=local, **asked)


@pytest.fixture
def table(rng):
    X = rng.normal(size=(90, 4)).round(2)
    y = 10.0 + np.where(X[:, 0] > 0, 3.0, -2.0) * X[:, 1] + 0.3 * rng.normal(size=90)
    return X, y, rng.normal(size=(9, 4))


@pytest.mark.one_value
@ENSEMBLES
def test_equal_weights_and_no_columns_add_the_mean_residual(table, rng, ensemble):
    X, y, X_new = table
    weight = rng.uniform(1.0, 2.0, size=90)
    model = make(ensemble, similarity=ALIKE, temperature=1.0, mixing=1.0, alpha_ratio=np.inf).fit(X, y, weight)
    left = np.average(y - model.baseline_.predict(X), weights=weight)
    np.testing.assert_allclose(model.predict(X_new), model.baseline_.predict(X_new) + left, atol=1e-8)


def test_infinite_penalty_adds_the_weighted_mean_residual(table):
    X, y, X_new = table
    model = make(GRADIENT, temperature=0.1, mixing=1.0, alpha_ratio=np.inf).fit(X, y)
    left = model.attention(X_new) @ (y - model.baseline_.predict(X))
    np.testing.assert_allclose(model.predict(X_new), model.baseline_.predict(X_new) + left, atol=1e-8)


def outputs(booster, X):
    """Return what each tree adds."""
    return booster.learning_rate * np.column_stack([tree.predict(X) for (tree,) in booster.estimators_])


def test_the_trees_are_the_columns_of_a_local_lasso_on_what_is_left(table):
    X, y, X_new = table
    model = make(GRADIENT, similarity=NEAR, temperature=1.0, mixing=1.0, alpha_ratio=0.1).fit(X, y)
    trees, new_trees = (outputs(model.baseline_, rows) for rows in (X, X_new))
    left, unit = y - model.baseline_.predict(X), trees.std(axis=0)
    # the smallest penalty that changes no tree's weight for all rows together
    largest = np.abs((trees - trees.mean(axis=0)).T @ (left - left.mean()) / unit).max() / 90
    fits = local_lasso(trees, left, model.attention(X_new), alpha=0.1 * largest)
    local = model.local_models(X_new)
    np.testing.assert_allclose(local.coef, 1.0 + fits.coef_, atol=1e-5)
    expected = model.baseline_.predict(X_new) + fits.intercept_ + (fits.coef_ * new_trees).sum(axis=1)
    np.testing.assert_allclose(local.prediction, expected, atol=1e-6)


def judge(penalty, model, X, y, shrink_to, ratio):
    """Return scikit-learn's model of what the trees say, to be fitted under the weights of a query, and its columns."""
    trees = outputs(model.baseline_, X)
    unit = trees.std(axis=0)
    left = y - shrink_to * model.baseline_.predict(X)
    if penalty == "ridge":
        return Ridge(ratio * trees.shape[1], solver="cholesky"), unit, left
    largest = np.abs((trees - trees.mean(axis=0)).T @ (left - left.mean()) / unit).max() / len(y)
    return Lasso(ratio * largest, tol=1e-13, max_iter=100_000), unit, left


@pytest.mark.one_value
@pytest.mark.parametrize("shrink_to", [0, 1])
@pytest.mark.parametrize("penalty", ["lasso", "ridge"])
def test_weights_of_trees_are_those_of_scikit_learn_on_their_predictions(table, penalty, shrink_to):
    X, y, X_new = table
    how = {"similarity": NEAR, "temperature": 1.0, "mixing": 1.0, "alpha_ratio": 0.03}
    model = make(GRADIENT, penalty=penalty, shrink_to=shrink_to, **how).fit(X, y)
    theirs, unit, left = judge(penalty, model, X, y, shrink_to, 0.03)
    trees, new_trees = (outputs(model.baseline_, rows) / unit for rows in (X, X_new))
    local = model.local_models(X_new)
    for q, weight in enumerate(model.attention(X_new).toarray()):
        fit = theirs.fit(trees, left, sample_weight=weight)
        np.testing.assert_allclose(local.coef.iloc[q], shrink_to + fit.coef_ / unit, atol=1e-6)
        said = fit.predict(new_trees[[q]]) + shrink_to * model.baseline_.predict(X_new[[q]])
        assert local.prediction.iloc[q] == pytest.approx(said.item(), abs=1e-6)


@pytest.mark.one_value
@pytest.mark.parametrize("penalty", ["lasso", "ridge"])
def test_weights_that_shrink_to_none_leave_the_weighted_mean(table, penalty):
    X, y, X_new = table
    how = {"temperature": 0.1, "mixing": 1.0, "alpha_ratio": np.inf, "shrink_to": 0}
    model = make(GRADIENT, penalty=penalty, **how).fit(X, y)
    np.testing.assert_allclose(model.predict(X_new), model.attention(X_new) @ y, atol=1e-8)
    assert (model.local_models(X_new).coef == 0).all(axis=None)


@pytest.mark.one_value
@pytest.mark.parametrize("settings", [{"penalty": "ridge"}, {"penalty": "ridge", "shrink_to": 0}, {"shrink_to": 0}])
def test_every_penalty_and_end_is_tuned_and_reproduces_its_prediction(table, settings):
    X, y, X_new = table
    model = make(FOREST, **settings).fit(X, y)
    local = model.local_models(X_new)
    assert np.isfinite(model.heads_["error"]).all()
    np.testing.assert_allclose(
        local.intercept + (local.coef * local.design).sum(axis=1), model.predict(X_new), atol=1e-9
    )
    np.testing.assert_allclose(local.baseline_coef, 1.0)


def test_a_ridge_of_more_trees_than_rows_is_that_of_scikit_learn(table):
    X, y, X_new = table
    many = GradientBoostingRegressor(n_estimators=60, random_state=0)
    how = {"similarity": NEAR, "temperature": 1.0, "mixing": 1.0, "alpha_ratio": 0.01}
    model = make(many, penalty="ridge", shrink_to=0, **how).fit(X[:30], y[:30])
    theirs, unit, left = judge("ridge", model, X[:30], y[:30], 0, 0.01)
    weight = model.attention(X_new[:1]).toarray()[0]
    fit = theirs.fit(outputs(model.baseline_, X[:30]) / unit, left, sample_weight=weight)
    np.testing.assert_allclose(model.local_models(X_new[:1]).coef.iloc[0], fit.coef_ / unit, atol=1e-6)


@pytest.mark.one_value
@ENSEMBLES
@pytest.mark.parametrize("settings", [{}, {"mixing": 0.5}, {"mixing": 1.0, "temperature": 0.1, "alpha_ratio": 0.01}])
def test_intercept_and_tree_weights_reproduce_the_prediction(table, ensemble, settings):
    X, y, X_new = table
    model = make(ensemble, **settings).fit(X, y)
    local = model.local_models(X_new)
    np.testing.assert_allclose(local.intercept + (local.coef * local.design).sum(axis=1), local.link, atol=1e-10)
    np.testing.assert_allclose(local.link, model.predict(X_new), atol=1e-10)
    plain = local.baseline_intercept + (local.design * local.baseline_coef).sum(axis=1)
    np.testing.assert_allclose(plain, model.baseline_.predict(X_new), atol=1e-10)
    assert list(local.coef) == [f"tree {t + 1}" for t in range(9)]


@pytest.mark.one_value
@pytest.mark.parametrize("ensemble", [None, GRADIENT, FOREST])
def test_mixing_zero_is_the_ensemble_to_the_last_bit(table, ensemble):
    X, y, X_new = table
    model = make(ensemble, mixing=0).fit(X, y)
    np.testing.assert_array_equal(model.predict(X_new), model.baseline_.predict(X_new))
    assert (model.local_models(X_new).coef == 1).all(axis=None)


def test_a_fitted_ensemble_is_taken_as_it_is(table):
    X, y, X_new = table
    given = clone(FOREST).fit(X, y)
    before = given.predict(X_new)
    model = make(given).fit(X, y)
    model.predict(X_new)
    assert model.baseline_ is given
    np.testing.assert_array_equal(given.predict(X_new), before)


def test_a_rows_own_response_has_no_say_in_its_unseen_values(table):
    X, y, _ = table
    # the largest response comes last among the distinct rows, before and after
    other = np.where(y == y.max(), y + 1000.0, y)
    models = [make(GRADIENT, similarity=NEAR, temperature=[1.0, 0.1]).fit(X, z) for z in (y, other)]
    (heads, base), (other_heads, other_base) = (predict_out_of_fold(model._model, True, Run())[:2] for model in models)
    np.testing.assert_allclose(other_heads[-1], heads[-1], atol=1e-6)
    np.testing.assert_allclose(other_base[-1], base[-1], atol=1e-9)
    assert np.abs(other_heads[:-1] - heads[:-1]).max() > 1


@pytest.mark.one_value
@pytest.mark.parametrize("cv", [3, GroupKFold(3)])
def test_folds_tune_too(table, cv):
    X, y, X_new = table
    model = make(FOREST, cv=cv).fit(X, y, groups=None if cv == 3 else np.arange(90) % 9)
    assert np.isfinite(model.heads_["error"]).all()
    assert np.isfinite(model.predict(X_new)).all()


@pytest.mark.more
def test_any_number_of_jobs_gives_the_same_bits(table):
    X, y, X_new = table
    one, two = (make(FOREST, n_jobs=n_jobs).fit(X, y).predict(X_new) for n_jobs in (None, 2))
    np.testing.assert_array_equal(one, two)


def test_the_same_seed_gives_the_same_and_the_order_of_rows_is_irrelevant(table, rng):
    X, y, X_new = table
    parts = (slice(None), slice(None), rng.permutation(90))
    one, again, other = (make(LIGHT).fit(X[rows], y[rows]).predict(X_new) for rows in parts)
    np.testing.assert_array_equal(one, again)
    np.testing.assert_allclose(one, other, rtol=1e-10)


def test_a_row_of_weight_two_is_the_row_twice_and_one_of_weight_zero_is_none(table):
    X, y, X_new = table
    times = np.tile([1, 2, 0], 30)
    weighted = make().fit(X, y, sample_weight=times.astype(float))
    repeated = make().fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.predict(X_new), repeated.predict(X_new), rtol=1e-10)
    pd.testing.assert_frame_equal(weighted.heads_, repeated.heads_)


def test_clones_pickles_and_skops_files_predict_the_same(table):
    X, y, X_new = table
    model = make(FOREST).fit(X, y)
    before, data = model.predict(X_new), skops_io.dumps(model)
    again = skops_io.loads(data, trusted=skops_io.get_untrusted_types(data=data))
    for other in (pickle.loads(pickle.dumps(model)), again, clone(model).fit(X, y)):
        np.testing.assert_array_equal(other.predict(X_new), before)


def test_text_and_missing_cells_suit_the_default_ensemble(table):
    X, y, _ = table
    frame = pd.DataFrame(X, columns=list("abcd")).assign(kind=np.where(X[:, 0] > 0, "u", "v"))
    frame.loc[::7, "a"], frame.loc[::11, "kind"] = np.nan, None
    assert np.isfinite(make().fit(frame[:80], y[:80]).predict(frame[80:])).all()


@pytest.mark.parametrize(
    ("estimator", "settings", "error", "words"),
    [
        (Ridge(), {}, TypeError, "`estimator` must be a random forest, .* got Ridge"),
        (FOREST, {"alpha_ratio": 0.0}, ValueError, "`alpha_ratio`.*> 0, got 0.0. Smaller ones change more trees"),
        (FOREST, {"penalty": "net"}, ValueError, "`penalty` must be one of 'lasso', 'ridge', got 'net'"),
        (FOREST, {"shrink_to": 0.5}, ValueError, "`shrink_to` must be 1 or 0, got 0.5"),
        (FOREST, {"similarity": TeacherSimilarity(anchor=True)}, ValueError, "must have anchor=False here"),
    ],
)
def test_a_wrong_argument_is_named_with_the_remedy(table, estimator, settings, error, words):
    X, y, _ = table
    with pytest.raises(error, match=words):
        make(estimator, **settings).fit(X, y)


def test_an_ensemble_fitted_on_other_columns_is_refused(table):
    X, y, _ = table
    with pytest.raises(ValueError, match="`estimator` was fitted on 2 columns, got 4"):
        make(clone(FOREST).fit(X[:, :2], y)).fit(X, y)


def test_a_classification_ensemble_is_refused(table):
    X, y, _ = table
    with pytest.raises(TypeError, match="`estimator` must be a regressor"):
        make(RandomForestClassifier(5, random_state=0).fit(X, y > 10)).fit(X, y)


def test_trees_that_do_not_add_up_to_the_prediction_are_refused(table):
    X, y, _ = table
    counts = lightgbm.LGBMRegressor(objective="poisson", n_estimators=9, num_leaves=4, n_jobs=1, verbose=-1)
    with pytest.raises(ValueError, match=r"`estimator` must .*sum"):
        make(counts).fit(X, np.abs(y))


def test_without_lightgbm_the_default_names_the_extra(table, monkeypatch):
    X, y, _ = table
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(ImportError, match=r"`estimator=None` needs lightgbm.*pip install 'heedful\[lightgbm\]'"):
        make().fit(X, y)
