"""Tables at the edge of what can be learned from still give a sensible model."""

import numpy as np
import pytest

from heedful import AttentionLasso, LocalLasso
from heedful.similarity import default_forests

FORESTS = default_forests(80)
MODEL = AttentionLasso(similarity=FORESTS, random_state=0)


@pytest.mark.one_value
@pytest.mark.parametrize("settings", [{}, {"heads": "single"}, {"mixing": "adaptive"}, {"mixing": 1.0}, {"cv": 2}])
@pytest.mark.parametrize("constant", [0.0, 1e9])
def test_a_constant_response_is_predicted(rng, settings, constant):
    X = rng.normal(size=(15, 2))
    model = AttentionLasso(similarity=FORESTS, random_state=0, **settings).fit(X, np.full(15, constant))
    np.testing.assert_allclose(model.predict(X), constant)
    np.testing.assert_allclose(model.attention(X).toarray().sum(axis=1), 1.0)


def test_two_rows_are_enough():
    model = MODEL.fit([[0.0], [1.0]], [0.0, 1.0])
    assert ((model.predict([[0.0], [0.5], [1.0]]) >= 0) & (model.predict([[0.0], [0.5], [1.0]]) <= 1)).all()


def test_one_feature_is_enough(rng):
    x = rng.uniform(-3, 3, size=(200, 1))
    model = MODEL.fit(x, np.abs(x[:, 0]))
    assert model.score(x, np.abs(x[:, 0])) > 0.9


def test_rows_that_are_all_the_same_give_their_mean():
    X = np.ones((10, 3))
    np.testing.assert_allclose(MODEL.fit(X, np.arange(10.0)).predict(X), 4.5, atol=1.5)
    np.testing.assert_allclose(MODEL.fit(X, np.full(10, 2.0)).predict(X), 2.0)


def test_constant_columns_get_no_coefficient(rng):
    X = np.column_stack([rng.normal(size=50), np.full(50, 3.0), np.zeros(50)])
    local = MODEL.fit(X, np.sign(X[:, 0]) + X[:, 0]).local_models(X)
    assert (local.lasso_coef.iloc[:, 1:] == 0).all().all()


def test_duplicated_rows_do_not_leak_into_their_own_out_of_bag_prediction(rng):
    X, y = rng.normal(size=(60, 3)), rng.normal(size=60)
    once, thrice = MODEL.fit(X, y).heads_, MODEL.fit(np.tile(X, (3, 1)), np.tile(y, 3)).heads_
    np.testing.assert_allclose(once["error"], thrice["error"], rtol=1e-9)


def test_more_columns_than_rows_work(rng):
    X = rng.normal(size=(30, 60))
    y = np.where(X[:, 0] > 0, 2.0, -2.0) * X[:, 1]
    model = MODEL.fit(X, y)
    assert np.isfinite(model.predict(rng.normal(size=(10, 60)))).all()


@pytest.mark.one_value
@pytest.mark.parametrize("temperature", [1e-3, 1e6])
def test_any_temperature_is_stable(rng, temperature):
    X, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    settings = {"temperature": temperature, "mixing": 1.0, "local": LocalLasso(alpha_ratio=1.0)}
    model = AttentionLasso(similarity=FORESTS, random_state=0, **settings).fit(X, y)
    assert np.isfinite(model.predict(X)).all()


def test_huge_and_tiny_units_change_nothing(rng):
    X, y = rng.normal(size=(60, 3)), rng.normal(size=60)
    plain, scaled = MODEL.fit(X, y).predict(X), MODEL.fit(X * 2.0**30, y * 2.0**-30).predict(X * 2.0**30)
    np.testing.assert_allclose(plain, scaled * 2.0**30, atol=1e-6)
