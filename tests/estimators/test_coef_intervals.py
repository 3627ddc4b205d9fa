"""Laws of intervals of coefficients, for every estimator with linear models."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

from heedful import AttentionCox, AttentionLasso, AttentionLassoClassifier, LocalLasso, TreeAttentionRegressor
from heedful._explaining import debiased
from heedful.similarity import ForestProximity
from reference.coefficients import line_intervals


def same_side(query, train):
    """Score rows 1 whose first column has the sign of the query's."""
    return np.equal.outer(query[:, 0] > 0, train[:, 0] > 0).astype(float)


SINGLE = {"heads": "single", "similarity": ForestProximity(40), "random_state": 0}
MANY = {"similarity": ForestProximity(40), "local": LocalLasso(smooth=False), "random_state": 0}


def table(rng, n=150):
    X = rng.normal(size=(n, 4))
    y = np.where(X[:, 0] > 0, 3.0, -1.0) * X[:, 1] + X[:, 2] + 0.5 * rng.normal(size=n)
    return X, y


def wide(found, name):
    """Return a column with a row for each query."""
    return found[name].to_numpy().reshape(-1, found.index.unique("feature").size)


@pytest.mark.one_value
@pytest.mark.parametrize("how", [SINGLE, MANY])
def test_results_do_not_depend_on_other_queries_or_threads(rng, how):
    X, y = table(rng)
    new = rng.normal(size=(12, 4))
    model = AttentionLasso(**how).fit(X, y)
    together = model.coef_intervals(new)
    alone = pd.concat([model.coef_intervals(new[[i]]) for i in range(12)])
    np.testing.assert_array_equal(together, alone)
    np.testing.assert_array_equal(together, model.set_params(n_jobs=2).coef_intervals(new))


@pytest.mark.one_value
@pytest.mark.parametrize("how", [SINGLE, MANY])
def test_coefficients_are_those_of_the_local_models(rng, how):
    X, y = table(rng)
    model = AttentionLasso(**how).fit(X, y)
    found = model.coef_intervals(X[:5])
    np.testing.assert_allclose(wide(found, "coef"), model.local_models(X[:5]).lasso_coef, rtol=1e-9)


def test_units_change_slopes_and_ends_but_no_frequency(rng):
    X, y = table(rng)
    new, unit = rng.normal(size=(6, 4)), np.array([8.0, 0.25, 1.0, 2.0])
    plain = AttentionLasso(**SINGLE).fit(X, y).coef_intervals(new)
    other = AttentionLasso(**SINGLE).fit(X * unit, 4.0 * y).coef_intervals(new * unit)
    slopes = ["coef", "estimate", "low", "high"]
    expected = plain[slopes].to_numpy() * np.tile(4.0 / unit, 6)[:, None]
    np.testing.assert_allclose(other[slopes], expected, rtol=1e-7, atol=1e-9)
    np.testing.assert_array_equal(other["frequency"], plain["frequency"])


def test_without_attention_the_estimate_is_that_of_least_squares(rng):
    X, y = table(rng)
    found = AttentionLasso(mixing=0, **MANY).fit(X, y).coef_intervals(X[:2])
    slope = LinearRegression().fit(X, y).coef_
    np.testing.assert_allclose(wide(found, "estimate"), np.tile(slope, (2, 1)), rtol=1e-2)
    assert found["high"].gt(found["low"]).all()


def test_intervals_are_those_of_least_squares_under_sharp_attention_and_curves_take_no_part(rng, monkeypatch):
    monkeypatch.setattr(debiased, "RIDGE", 1e-12)
    X, y = table(rng, 200)
    model = AttentionLasso(**MANY).fit(X, y)
    assert model._model.models.shapes is not None
    new = rng.normal(size=(3, 4))
    found, attention = model.coef_intervals(new, coverage=0.8), model.attention(new).toarray()
    for q in range(3):
        slope, width = line_intervals(X, y, attention[q], np.ones(200), 0.8)
        np.testing.assert_allclose(found.loc[q, "estimate"], slope, rtol=0.01)
        np.testing.assert_allclose((found.high - found.low).loc[q] / 2, width, rtol=0.01)


def test_each_group_has_its_own_features(rng):
    X, y = table(rng, 300)
    how = SINGLE | {"similarity": same_side, "temperature": 0.1, "mixing": 1.0}
    found = AttentionLasso(**how).fit(X, y).coef_intervals([[1.0, 0, 0, 0], [-1.0, 0, 0, 0]])
    low, high, often = (wide(found, name) for name in ("low", "high", "frequency"))
    truth = np.array([[3.0, 1.0], [-1.0, 1.0]])
    assert ((low[:, 1:3] < truth) & (truth < high[:, 1:3])).all()
    assert (high - low < 0.5).all()
    assert (often[:, 1:3] == 1.0).all()


def test_a_row_of_weight_two_is_the_row_twice(rng):
    X, y = table(rng, 60)
    weight, new = rng.integers(1, 3, size=60), rng.normal(size=(4, 4))
    twice = np.repeat(np.arange(60), weight)
    once = AttentionLasso(**SINGLE).fit(X, y, sample_weight=weight).coef_intervals(new)
    often = AttentionLasso(**SINGLE).fit(X[twice], y[twice]).coef_intervals(new)
    np.testing.assert_allclose(once, often, rtol=1e-6, atol=1e-9)


def test_rows_and_features_keep_their_names_and_constant_ones_are_never_selected(rng):
    X, y = table(rng)
    frame = pd.DataFrame(X, columns=list("abcd")).assign(kind=np.resize(["one", "two", "three"], 150), same=1.0)
    found = AttentionLasso(**SINGLE).fit(frame, y).coef_intervals(frame[:3].set_axis(["u", "v", "w"]))
    assert found.index.names == ["query", "feature"]
    assert found.index.unique("query").tolist() == ["u", "v", "w"]
    assert set(found.index.unique("feature")) == {*"abcd", "kind=one", "kind=two", "kind=three", "same"}
    same = found.xs("same", level="feature")
    assert same["frequency"].eq(0).all()
    assert np.isinf(same["low"]).all()
    assert found["frequency"].between(0, 1).all()


@pytest.mark.more
def test_classes_and_survival_have_intervals_too(rng):
    X, y = table(rng, 300)
    query = rng.normal(size=(3, 4))
    two = AttentionLassoClassifier(**MANY).fit(X, y > 0).coef_intervals(query)
    three = AttentionLassoClassifier(**MANY).fit(X, np.digitize(y, [-1, 1])).coef_intervals(query)
    times = np.array([(True, np.exp(-value)) for value in y], dtype=[("event", bool), ("time", float)])
    hazard = AttentionCox(**MANY).fit(X, times).coef_intervals(query)
    assert three.index.names == ["query", "class", "feature"]
    assert len(three) == 3 * 3 * 4
    for found in (two, three, hazard):
        assert np.isfinite(found).all(axis=None)
        assert found["low"].le(found["estimate"]).all()
        assert found["estimate"].le(found["high"]).all()
    assert (wide(hazard, "estimate")[:, 2] > 0).all()
    assert (wide(two, "estimate")[:, 2] > 0).all()


@pytest.mark.parametrize(
    ("how", "message"),
    [({"coverage": 1.0}, "`coverage` must be"), ({"coverage": 0}, "`coverage` must be"), ({"n_draws": 0}, "`n_draws`")],
)
def test_bad_arguments_are_named(rng, how, message):
    model = AttentionLasso(**SINGLE).fit(*table(rng, 60))
    with pytest.raises(ValueError, match=message):
        model.coef_intervals(np.zeros((1, 4)), **how)


def test_models_without_slopes_have_none():
    assert not hasattr(TreeAttentionRegressor, "coef_intervals")
