"""What is asked of a learner, sample weights taken and heeded, and what it tells of the columns."""

import lightgbm
import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import ExtraTreesRegressor, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import Lasso, LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from heedful._solver.contract import check_takes_weights, check_uses_weights, fit_weighted, importance_of


class Deaf(RegressorMixin, BaseEstimator):
    """Takes sample weights and ignores them."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        self.inner_ = ExtraTreesRegressor(5, random_state=self.random_state).fit(X, y)
        return self

    def predict(self, X):
        return self.inner_.predict(X)


def rows_of(rng, n=60):
    """Return a table, a response of numbers and one of classes that a tree can tell apart without error."""
    X = rng.normal(size=(n, 3))
    return X, X[:, 0] + rng.normal(size=n), (X[:, 0] > 0).astype(int)


@pytest.mark.parametrize(
    "estimator",
    [
        KNeighborsRegressor(),
        make_pipeline(StandardScaler(), KNeighborsRegressor()),
        Pipeline([("last", "passthrough")]),
    ],
)
def test_a_learner_without_sample_weight_is_a_type_error(estimator):
    with pytest.raises(TypeError, match="`estimator` must take `sample_weight` in `fit`, got"):
        check_takes_weights(estimator)


def test_pipelines_in_pipelines_hand_the_weights_to_the_last_step(rng):
    X, y, _ = rows_of(rng)
    weight = rng.uniform(size=y.size)
    nested = make_pipeline(FunctionTransformer(), make_pipeline(FunctionTransformer(), Ridge()))
    check_takes_weights(nested)
    found = fit_weighted(nested, X, y, weight).predict(X)
    np.testing.assert_array_equal(found, Ridge().fit(X, y, sample_weight=weight).predict(X))


NUMBERS = [
    DummyRegressor(), Ridge(), Lasso(0.1), SVR(), DecisionTreeRegressor(), ExtraTreesRegressor(5),
    lightgbm.LGBMRegressor(n_jobs=1, verbose=-1), make_pipeline(StandardScaler(), DecisionTreeRegressor()),
]  # fmt: skip
CLASSES = [
    LogisticRegression(), GaussianNB(), DecisionTreeClassifier(), RandomForestClassifier(5), SVC(),
    HistGradientBoostingClassifier(max_iter=5), lightgbm.LGBMClassifier(n_jobs=1, verbose=-1),
]  # fmt: skip


@pytest.mark.parametrize("n", [10, 60])
@pytest.mark.parametrize("estimator", NUMBERS, ids=lambda estimator: type(estimator).__name__)
def test_honest_regressors_pass(rng, estimator, n):
    X, y, _ = rows_of(rng, n)
    check_uses_weights(estimator, X, y)


@pytest.mark.parametrize("n", [10, 60])
@pytest.mark.parametrize("estimator", CLASSES, ids=lambda estimator: type(estimator).__name__)
def test_honest_classifiers_pass_even_if_no_row_is_hard(rng, estimator, n):
    X, _, y = rows_of(rng, n)
    check_uses_weights(estimator, X, y)


@pytest.mark.parametrize("estimator", [Deaf(), make_pipeline(StandardScaler(), Deaf())])
def test_a_learner_that_ignores_its_weights_is_refused(rng, estimator):
    X, y, _ = rows_of(rng)
    with pytest.raises(ValueError, match="`estimator` must use `sample_weight`, got"):
        check_uses_weights(estimator, X, y)


def test_a_constant_response_says_nothing_about_weights(rng):
    check_uses_weights(Deaf(), rng.normal(size=(20, 2)), np.ones(20))


def test_a_probe_that_cannot_be_fitted_lets_the_real_fit_speak(rng):
    check_uses_weights(Ridge(), np.full((20, 2), np.nan), rng.normal(size=20))


def test_coefficients_count_in_units_of_their_columns(rng):
    X, y, _ = rows_of(rng)
    plain = importance_of(Ridge(1e-9).fit(X, y), X)
    scale = np.array([1.0, 100.0, 0.01])
    np.testing.assert_allclose(importance_of(Ridge(1e-9).fit(X * scale, y), X * scale), plain, rtol=1e-5)
    np.testing.assert_allclose(plain.sum(), 1.0)


def test_importances_are_those_of_the_learner(rng):
    X, y, _ = rows_of(rng)
    tree = DecisionTreeRegressor(max_depth=3).fit(X, y)
    np.testing.assert_allclose(importance_of(tree, X), tree.feature_importances_)


def test_coefficients_are_summed_over_classes(rng):
    X, y, _ = rows_of(rng)
    model = LogisticRegression().fit(X, np.digitize(y, [-0.5, 0.5]))
    size = np.abs(model.coef_).sum(axis=0) * X.std(axis=0)
    np.testing.assert_allclose(importance_of(model, X), size / size.sum())


def test_a_pipeline_tells_what_its_last_step_does(rng):
    X, y, _ = rows_of(rng)
    model = make_pipeline(StandardScaler(), Ridge()).fit(X, y)
    expected = np.abs(model[-1].coef_) / np.abs(model[-1].coef_).sum()
    np.testing.assert_allclose(importance_of(model, X), expected)


def test_columns_that_a_pipeline_moves_are_found_by_name(rng):
    X, y, _ = rows_of(rng)
    table = pd.DataFrame(X, columns=list("abc"))
    moved = ColumnTransformer([("last", MinMaxScaler(), ["c"]), ("first", StandardScaler(), ["b", "a"])])
    found = importance_of(make_pipeline(moved, DecisionTreeRegressor(max_depth=2)).fit(table, y), table)
    np.testing.assert_allclose(found, importance_of(DecisionTreeRegressor(max_depth=2).fit(X, y), X))


@pytest.mark.parametrize("steps", [PCA(), FunctionTransformer(np.flip, kw_args={"axis": 1})])
def test_columns_of_other_names_tell_nothing(rng, steps):
    X, y, _ = rows_of(rng)
    np.testing.assert_array_equal(importance_of(make_pipeline(steps, Ridge()).fit(X, y), X), 0.0)


@pytest.mark.parametrize("estimator", [DummyRegressor(), Lasso(1e3), SVR()])
def test_a_learner_that_uses_or_tells_no_column_has_zeros(rng, estimator):
    X, y, _ = rows_of(rng)
    np.testing.assert_array_equal(importance_of(estimator.fit(X, y), X), np.zeros(3))
