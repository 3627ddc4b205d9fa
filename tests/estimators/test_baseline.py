"""The model for all rows takes the tables of the estimator that it belongs to, and stays what it is."""

import pickle
from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestRegressor

from heedful import (
    AttentionClassifier,
    AttentionCox,
    AttentionGLM,
    AttentionLasso,
    AttentionLassoClassifier,
    AttentionRegressor,
    LeafAttentionRegressor,
    LocalLearner,
    TreeAttentionRegressor,
)
from heedful.baseline import LassoBaseline
from heedful.similarity import ForestProximity

N_ROWS = 60
FAST = {"similarity": ForestProximity(3), "temperature": 1.0, "random_state": 0}
MODELS = {
    "numbers": AttentionLasso(mixing=0.5, **FAST),
    "classes": AttentionLassoClassifier(mixing=0.5, **FAST),
    "survival": AttentionCox(mixing=0.5, **FAST),
    "counts": AttentionGLM(mixing=0.5, **FAST),
    "booster": AttentionRegressor(local=LocalLearner(tuning_rows=10), **FAST),
    "boosted classes": AttentionClassifier(local=LocalLearner(tuning_rows=10), **FAST),
    "leaves": LeafAttentionRegressor(RandomForestRegressor(3, random_state=0), **FAST),
    "trees": TreeAttentionRegressor(RandomForestRegressor(3, random_state=0), **FAST),
}


def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=N_ROWS), "kind": rng.choice(["u", "v", "w"], N_ROWS)})
    X["when"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 90, N_ROWS), unit="D")
    X.loc[3, ["a", "kind"]] = np.nan, None
    return X, X["a"].fillna(0.0) + 2.0 * (X["kind"] == "u") + 0.1 * rng.normal(size=N_ROWS)


@cache
def fitted(name):
    X, y = table()
    if name == "survival":
        y = pd.DataFrame({"event": True, "time": np.exp(-y)})
    if name == "counts":
        y = np.floor(np.exp(y))
    y = pd.Series(np.where(y > 1, "high", "low")) if "classes" in name else y
    return clone(MODELS[name]).fit(X, y), X, y


@pytest.mark.one_value
@pytest.mark.parametrize("name", MODELS)
def test_the_model_for_all_rows_takes_the_table_as_it_is(name):
    model, X, y = fitted(name)
    alone, e = model.baseline_, model.explain(X)
    found = alone.predict_proba(X)[:, 1] if "classes" in name else alone.predict(X)
    if e.curves is None:
        np.testing.assert_allclose(found, e.baseline_prediction, rtol=1e-12)
    np.testing.assert_array_equal(alone.predict(pl.DataFrame(X)), alone.predict(X))
    assert alone.score(X, y) == pytest.approx(clone_without_heads(model).score(X, y), abs=1e-12)
    assert type(alone) is type(model._model.models.baseline)


def clone_without_heads(model):
    """Return the estimator with nothing but its global model in use."""
    other = pickle.loads(pickle.dumps(model))
    tuned = other._model.tuned
    other._model.tuned = tuned._replace(share=0.0 * tuned.share, additive=0.0)
    return other


def test_the_lasso_for_all_rows_is_that_of_the_design_too():
    model, X, _ = fitted("numbers")
    alone, design = model.baseline_, model.local_models(X).lasso_design
    expected = alone.intercept_ + design.to_numpy() @ alone.coef_
    for rows in (X, design):
        np.testing.assert_allclose(alone.predict(rows), expected, rtol=1e-12)
    assert alone.alpha_ == model.alpha_
    assert isinstance(alone, LassoBaseline)
    assert isinstance(clone(alone), LassoBaseline)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(alone)).predict(X), alone.predict(X))
    with pytest.raises(ValueError, match="feature names"):
        alone.predict(X[["a"]])


def test_exposures_reach_the_model_for_all_rows():
    model, X, _ = fitted("counts")
    alone, twice = model.baseline_, np.full(N_ROWS, 2.0)
    np.testing.assert_allclose(alone.predict(X, exposure=twice), 2 * alone.predict(X))
    np.testing.assert_allclose(alone.predict(X), np.exp(np.log(alone.predict(X, offset=np.log(twice))) - np.log(2)))
