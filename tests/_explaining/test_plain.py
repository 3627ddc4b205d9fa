"""Small models in plain values predict as the small models themselves, at the query and around it."""

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


@pytest.mark.one_value
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


def test_around_a_query_numbers_count_by_their_slope_and_other_cells_by_being_as_they_were(table):
    X, link = table
    models = fit("regression", X[:100], link[:100]).local_models(X[:40], max_terms=7)
    told = models.to_dict()
    for q in np.flatnonzero(X["size"][:40].notna())[:5]:
        row, here = as_row(X.iloc[q]), models.prediction.iloc[q]

        def moved(q=q, row=row, **cells):
            return predict_plain(told, q, row | cells)

        coef, reference = models.coef.iloc[q], models.reference.iloc[q]
        assert moved(far=row["far"] + 2) == pytest.approx(here + 2 * coef["far"], abs=1e-10)
        days = (reference["built"].to_pydatetime() - EPOCH) / dt.timedelta(days=1)
        assert moved(built=days) == pytest.approx(here - models.terms["built"].iloc[q], abs=1e-9)
        assert moved(size=None) == pytest.approx(here - models.terms["size"].iloc[q], abs=1e-9)
        assert moved(town=reference["town"]) == pytest.approx(here - coef["town"], abs=1e-10)
    (q, *_) = np.flatnonzero(X["size"][:40].isna())
    row = as_row(X.iloc[q]) | {"size": models.reference["size"].iloc[q]}
    expected = models.prediction.iloc[q] - models.terms["size"].iloc[q]
    assert predict_plain(told, q, row) == pytest.approx(expected, abs=1e-10)


def test_terms_are_those_of_the_small_model(table):
    X, link = table
    models = fit("multiclass", X[:100], link[:100]).local_models(X[130:], max_terms=3)
    told = models.to_dict()
    assert told["format"] == 2
    for model, (_, coef) in zip(told["models"], models.coef.iterrows(), strict=True):
        for equation in model["equations"]:
            found = {term["column"]: term["coef"] for term in equation["terms"]}
            assert found == coef[equation["output"]].loc[lambda part: part != 0].to_dict()
            assert len(found) <= 3


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
    with pytest.raises(ValueError, match=r"small models.*save_model"):
        model.local_models(X[:2]).to_dict()
