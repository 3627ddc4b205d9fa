"""The law of kinds: a column that comes as another kind than in ``fit`` is refused, whatever is asked of a model."""

import datetime as dt
from decimal import Decimal
from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier

from heedful import (
    AttentionClassifier,
    AttentionCox,
    AttentionLasso,
    AttentionLassoClassifier,
    AttentionRegressor,
    DriftCorrector,
    LeafAttentionClassifier,
    LeafAttentionRegressor,
    LocalLearner,
    TreeAttentionRegressor,
)
from heedful._flow import parts
from heedful.similarity import ForestProximity, GaussianSimilarity

LAW = settings(deadline=None, max_examples=25, derandomize=True)
N_ROWS = 24
FAST = {"similarity": ForestProximity(3), "temperature": 1.0, "random_state": 0}
FOREST = RandomForestRegressor(3, random_state=0)
MODELS = {
    "numbers": AttentionLasso(**FAST),
    "classes": AttentionLassoClassifier(**FAST),
    "survival": AttentionCox(**FAST),
    "booster": AttentionRegressor(local=LocalLearner(tuning_rows=10), **FAST),
    "learner": AttentionClassifier(
        DecisionTreeClassifier(max_depth=2, random_state=0), local=LocalLearner(tuning_rows=10), **FAST
    ),
    "leaves": LeafAttentionRegressor(FOREST, **FAST),
    "leaves of classes": LeafAttentionClassifier(RandomForestClassifier(3, random_state=0), **FAST),
    "trees": TreeAttentionRegressor(FOREST, **FAST),
    "drift": DriftCorrector(FOREST, temperature=1.0, random_state=0),
    "drift by distance": DriftCorrector(FOREST, similarity=GaussianSimilarity(), temperature=1.0, random_state=0),
}
CELLS = {
    "numbers": lambda i: Decimal(int(i)),
    "booleans": lambda i: bool(i % 2),
    "dates": lambda i: dt.date(2024, 1, 1 + i),
    "durations": lambda i: dt.timedelta(days=int(i)),
    "times of day": dt.time,
    "text": lambda i: f"level {i}",
    "bytes": lambda i: bytes([i]),
}
ASKED = ["predict", "predict_proba", "predict_interval", "attention", "local_models", "explain", "drift_report"]


def table(kind):
    """Return a column of numbers, and one of a kind with a gap."""
    made = [None] + [CELLS[kind](number % 5) for number in range(1, N_ROWS)]
    return pd.DataFrame({"a": np.sin(np.arange(N_ROWS)), "b": pd.Series(made, dtype=object)})


@cache
def fitted(name, kind):
    X, y = table(kind), np.cos(np.arange(N_ROWS))
    if name.startswith("drift"):
        X = X.assign(b=np.arange(N_ROWS) % 5.0)
        return clone(MODELS[name]).set_params(estimator=clone(FOREST).fit(X, y)).fit(X, y + 1)
    if name == "survival":
        y = pd.DataFrame({"event": y > -0.5, "time": 2 + y})
    return clone(MODELS[name]).fit(X, y > 0 if name in ("classes", "learner", "leaves of classes") else y)


@pytest.mark.one_value
@pytest.mark.parametrize("name", MODELS)
@LAW
@given(data=st.data())
def test_a_change_of_kind_is_refused(name, data):
    # forests and trees of others take numbers and nothing else
    first = data.draw(
        st.sampled_from(list(CELLS) if name in ("numbers", "classes", "survival", "booster") else ["numbers"])
    )
    then = data.draw(st.sampled_from([kind for kind in CELLS if kind != first]))
    model = fitted(name, first)
    ask = data.draw(st.sampled_from([ask for ask in ASKED if hasattr(model, ask)]))
    with pytest.raises(ValueError, match=f"Column 'b' held {first} in `fit`, now it holds {then}"):
        getattr(model, ask)(table(then))


# learners and served models of others take the table as it is given, and have their own mind about it
@pytest.mark.one_value
@pytest.mark.parametrize("name", [name for name in MODELS if name != "learner" and not name.startswith("drift")])
def test_missing_cells_and_another_holder_of_the_same_cells_are_no_change(name):
    model, X = fitted(name, "numbers"), table("numbers")
    expected = model.predict(X)
    for other in (
        X.astype({"b": float}),
        pl.DataFrame(X.astype({"b": float}).to_dict("list")),
        pa.Table.from_pandas(X),
    ):
        np.testing.assert_array_equal(model.predict(other), expected)
    gaps = [X.assign(b=gap) for gap in (None, np.nan, pd.NaT, pd.Series(pd.NA, X.index, dtype="string"))]
    for other in gaps[1:]:
        np.testing.assert_array_equal(model.predict(other), model.predict(gaps[0]))


@pytest.mark.one_value
@pytest.mark.parametrize("kind", ["numbers", "dates", "durations", "times of day"])
def test_what_can_be_measured_is_learned_from_as_floats_are(kind):
    """A line in a column of any such kind is found, beyond the cells that were seen too."""
    number = np.arange(60) % 20
    X = pd.DataFrame({"b": pd.Series([CELLS[kind](int(i)) for i in number], dtype=object)})
    plain = pd.DataFrame({"b": number * 1.0})
    one, other = (AttentionLasso(**FAST).fit(part[number < 15], number[number < 15]) for part in (X, plain))
    np.testing.assert_allclose(one.predict(X), other.predict(plain), atol=1e-4)
    assert one.score(X, number) > 0.95


@pytest.mark.one_value
@pytest.mark.parametrize("name", [name for name in MODELS if not name.startswith("drift")])
def test_booleans_are_refused_where_an_array_had_numbers(name):
    y = np.cos(np.arange(N_ROWS))
    y = y > 0 if name in ("classes", "learner", "leaves of classes") else y
    y = pd.DataFrame({"event": y > -0.5, "time": 2 + y}) if name == "survival" else y
    X = np.column_stack([np.sin(np.arange(N_ROWS)), np.arange(N_ROWS) % 2])
    model = clone(MODELS[name]).fit(X, y)
    with pytest.raises(ValueError, match="Column 'x0' held numbers in `fit`, now it holds booleans: True"):
        model.predict(X > -2)


def test_text_that_looks_like_numbers_is_named_in_fit():
    X = table("text").assign(b=[str(number) for number in range(N_ROWS - 1)] + ["?"])
    with pytest.warns(
        UserWarning, match=r"Column 'b' is read as categories, but 23 of 24 cells look like numbers.*'\?'"
    ):
        AttentionLasso(**FAST).fit(X, np.arange(N_ROWS))


def test_ids_are_named_in_fit():
    X = table("text").assign(b=[f"row {number}" for number in range(N_ROWS)])
    with pytest.warns(
        UserWarning, match="Column 'b' is read as categories, but 24 of 24 cells are distinct, as ids are"
    ):
        AttentionLasso(**FAST).fit(X, np.arange(N_ROWS))


def test_levels_that_were_never_seen_are_named_once_however_many_parts(monkeypatch):
    monkeypatch.setattr(parts, "BUDGET", 1)
    model = fitted("numbers", "text")
    X = pd.concat([table("text").assign(b="LEVEL 1")] * 3)
    with pytest.warns(UserWarning, match="Column 'b': 72 of 72 cells hold levels.* not seen in `fit`") as said:
        model.predict(X)
    assert len(said) == 1


@pytest.mark.one_value
@pytest.mark.parametrize(
    ("columns", "names"),
    [
        ({"a": [1, "1"] * 12}, ["a=1", "a='1'"]),
        ({"a": ["(missing)", None, "x"] * 8}, ["a=(missing)", "a='(missing)'", "a=x"]),
        ({"a": ["x", "y"] * 12, "a=x": np.arange(24.0)}, ["a='x'", "a=y", "a=x"]),
    ],
)
def test_levels_and_columns_that_are_called_alike_are_kept_apart(columns, names):
    X = pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in columns.items()})
    X = X.assign(a=X["a"].astype("category"))
    # rows that are all the same are one row: the response tells them apart
    y = np.array([cell == X["a"][0] for cell in X["a"]]) + 0.01 * np.sin(np.arange(N_ROWS))
    model = AttentionLasso(**FAST).fit(X, y)
    local = model.local_models(X)
    assert list(local.lasso_coef) == list(local.lasso_design) == names
    assert model.score(X, y) > 0.9
    assert model.explain(X).top_features(1)["feature"].isin(list(X)).all()


def test_cells_of_lists_are_refused_by_the_name_of_their_column():
    for make in (pd.DataFrame, pl.DataFrame, pa.table):
        with pytest.raises(TypeError, match="Column 'b' must hold numbers, dates, text or categories, got a cell of"):
            AttentionLasso(**FAST).fit(make({"a": [1.0, 2.0, 3.0], "b": [[1], [2, 3], [4]]}), [1.0, 2.0, 3.0])
