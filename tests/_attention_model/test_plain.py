"""Models of queries in plain values predict as the models themselves, at the query and around it."""

import datetime as dt
import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyRegressor

from heedful import (
    AttentionCox,
    AttentionEffect,
    AttentionGLM,
    AttentionLasso,
    AttentionLassoClassifier,
    LocalLasso,
    TreeAttentionRegressor,
)
from heedful.similarity import ForestProximity

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))
try:
    from portable import predict_plain
finally:
    sys.path.pop(0)

EPOCH = dt.datetime(1970, 1, 1)


def make_table(rng, n_rows):
    """Return a table with every kind of column, missing cells, rare levels, and a level that is not in all halves."""
    size = rng.normal(size=n_rows)
    town = rng.choice(["Aa", "Bb", "Cc", None], n_rows, p=[0.5, 0.3, 0.1, 0.1])
    town[-1] = "never seen"
    return pd.DataFrame(
        {
            "size": np.where(rng.random(n_rows) < 0.1, np.nan, size),
            "town": town,
            "code": [f"c{number}" for number in rng.integers(0, 80, n_rows)],
            "grade": pd.Categorical(rng.choice([1, 2, 3], n_rows), [3, 1, 2], ordered=True),
            "built": pd.Timestamp("2001-02-03 04:05") + pd.to_timedelta(rng.integers(0, 999, n_rows), unit="h"),
            "far": np.append(rng.normal(size=n_rows - 1), 50.0),
            "flag": rng.random(n_rows) < 0.5,
        }
    )


def as_row(cells):
    """Return a row as a client without pandas has it."""
    row = {name: None if pd.isna(cell) else cell for name, cell in cells.items()}
    row["built"] = (row["built"].to_pydatetime() - EPOCH) / dt.timedelta(days=1)
    return row


@pytest.fixture
def table(rng):
    X = make_table(rng, 150)
    link = X["size"].fillna(0) * np.where(X["town"] == "Aa", 2.0, -1.0) + np.abs(X["far"].clip(-3, 3)) + X["flag"]
    return X, link.to_numpy() + 0.1 * rng.normal(size=150)


def fit(task, X, link, **how):
    how = {"similarity": ForestProximity(10), "random_state": 0} | how
    if task == "regression":
        return AttentionLasso(**how).fit(X, link)
    if task == "survival":
        y = pd.DataFrame({"event": np.arange(len(link)) % 3 > 0, "time": np.exp(-link)})
        return AttentionCox(**how).fit(X, y)
    if task == "poisson":
        return AttentionGLM(family="poisson", **how).fit(
            X, np.round(np.exp(link / 2)), exposure=np.full(len(link), 2.0)
        )
    if task == "effect":
        treatment = np.arange(len(link)) % 2
        how["outcome"] = DummyRegressor()
        return AttentionEffect(propensity=0.5, **how).fit(X, (1 + 3 * treatment) * link, treatment)
    n_classes = 2 if task == "binary" else 3
    return AttentionLassoClassifier(**how).fit(
        X, pd.qcut(link, n_classes, labels=["a", "b", "c"][:n_classes]).astype(str)
    )


TASKS = ["regression", "binary", "multiclass", "survival", "poisson", "effect"]


def shown_prediction(models, q):
    return np.ravel(models.prediction.iloc[q])


@pytest.mark.parametrize("task", TASKS)
def test_a_function_of_plain_python_predicts_as_the_model_of_each_query(table, task):
    X, link = table
    models = fit(task, X[:100], link[:100]).local_models(X[130:])
    told = models.to_dict()
    assert told["task"] == task
    assert json.loads(json.dumps(told)) == told
    for q, (_, cells) in enumerate(X[130:].iterrows()):
        found = np.ravel(predict_plain(told, q, as_row(cells)))
        np.testing.assert_allclose(found, shown_prediction(models, q), rtol=1e-10, atol=1e-12)
        np.testing.assert_array_equal(np.ravel(told["models"][q]["prediction"]), shown_prediction(models, q))


@pytest.mark.parametrize("local", [LocalLasso(), LocalLasso(shapes=False), LocalLasso(max_extrapolation=None)])
def test_around_a_query_its_model_is_intercept_slopes_and_curves(table, local):
    X, link = table
    model = fit("regression", X[:100], link[:100], local=local)
    queries = X[99:]
    models, told = model.local_models(queries), model.local_models(queries[:1]).to_dict()
    parts = models.design.to_numpy() @ models.coef.iloc[0].to_numpy() + models.intercept.iloc[0]
    if local.shapes:
        fitted = model._fitted.models
        parts = parts + models.multiple.iloc[0] * fitted.shape_parts(fitted.rows.read(queries)).sum(axis=(1, 2))
        assert models.multiple.iloc[0] != 0
    found = [predict_plain(told, 0, as_row(cells)) for _, cells in queries.iterrows()]
    np.testing.assert_allclose(found, parts, rtol=1e-10, atol=1e-10)


def test_values_far_outside_the_training_range_are_pulled_back(table):
    X, link = table
    told = fit("regression", X[:100], link[:100]).local_models(X[:1]).to_dict()
    (far,) = (column for column in told["columns"] if column["name"] == "far")
    width = np.ptp(X["far"][:100])
    assert far["high"] == pytest.approx(X["far"][:100].max() + 0.5 * width)
    ends = [predict_plain(told, 0, as_row(X.iloc[0]) | {"far": value}) for value in (far["high"], 1e6)]
    assert ends[0] == ends[1]


def test_labels_that_json_does_not_have_are_text(rng):
    X = pd.DataFrame(
        {"when": pd.Categorical(pd.to_datetime(["2020-01-01", "2021-01-01"] * 20)), "x": rng.normal(size=40)}
    )
    X.index = pd.date_range("2024-01-01", periods=40)
    told = fit("regression", X, X["x"].to_numpy()).local_models(X[:1]).to_dict()
    assert told["columns"][0]["levels"] == ["2020-01-01 00:00:00", "2021-01-01 00:00:00"]
    assert told["models"][0]["query"] == "2024-01-01 00:00:00"


def test_models_that_are_not_linear_in_the_columns_are_refused(rng):
    X = rng.normal(size=(60, 2))
    from sklearn.ensemble import RandomForestRegressor

    model = TreeAttentionRegressor(RandomForestRegressor(5, random_state=0)).fit(X, X[:, 0])
    with pytest.raises(ValueError, match=r"linear in the columns.*save_model"):
        model.local_models(X[:2]).to_dict()
