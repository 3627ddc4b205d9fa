"""Values of pandas and settings of scikit-learn in a model: read back as they were, or refused when it is saved."""

import datetime as dt
import decimal
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, RepeatedKFold, TimeSeriesSplit
from sklearn.tree import DecisionTreeRegressor

import heedful
from heedful.saving._scalars import Scalar, parts_of
from heedful.similarity import ForestProximity, GaussianSimilarity, RidgeSimilarity

ROWS = 24
DAYS = pd.date_range("2024-03-20", periods=ROWS, freq="D")
BERLIN = DAYS.tz_localize("Europe/Berlin")
LEVELS = {
    "moments": DAYS,
    "moments of a zone": BERLIN,
    "months": DAYS.to_period("M"),
    "lengths of time": pd.to_timedelta(np.arange(ROWS) % 3, unit="D"),
    "days": pd.Index([day.date() for day in DAYS]),
    "decimals": pd.Index([decimal.Decimal(i % 3) for i in range(ROWS)]),
    "intervals": pd.IntervalIndex(pd.cut(np.arange(ROWS), 3)),
    "intervals of moments": pd.IntervalIndex(pd.cut(DAYS, 3)),
}


def rows():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(ROWS, 2)), columns=["a", "b"])
    return table, table["a"].to_numpy()


def again(model):
    file = io.BytesIO()
    heedful.save_model(model, file)
    return heedful.load_model(file, trusted=["sklearn.tree._tree.Tree"])


def small(**settings):
    return heedful.AttentionLasso(similarity=ForestProximity(4), random_state=0, **settings)


@pytest.mark.each_value
@pytest.mark.parametrize("kind", LEVELS)
@pytest.mark.parametrize("where", ["index", "category", "cells"])
def test_labels_and_levels_of_any_kind_come_back(kind, where):
    X, y = rows()
    values = LEVELS[kind]
    if where == "index":
        X = X.set_index(values)
    else:
        X = X.assign(k=pd.Categorical(values) if where == "category" else values)
    model = small().fit(X, y)
    loaded = again(model)
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    expected = model.explain(X[:2]).top_rows()
    pd.testing.assert_frame_equal(loaded.explain(X[:2]).top_rows(), expected, check_dtype=False)


@pytest.mark.one_value
@pytest.mark.parametrize("window", [pd.Timedelta("20D"), dt.timedelta(days=20), "20D", 12])
def test_a_window_of_any_kind_comes_back(window):
    X, y = rows()
    model = heedful.DriftCorrector(RandomForestRegressor(4, random_state=0).fit(X, y), window=window, random_state=0)
    loaded = again(model.fit(X, y + 1, time=DAYS))
    assert loaded.window == window
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


@pytest.mark.one_value
@pytest.mark.parametrize("cv", [KFold(3), TimeSeriesSplit(3), RepeatedKFold(n_splits=3, n_repeats=2, random_state=0)])
def test_folds_of_scikit_learn_need_not_be_named(cv):
    X, y = rows()
    model = heedful.AttentionLasso(heads="single", similarity=ForestProximity(4), cv=cv, random_state=0).fit(X, y)
    np.testing.assert_array_equal(again(model).predict(X), model.predict(X))


@pytest.mark.parametrize("path", [True, False])
def test_what_cannot_be_read_back_is_refused_when_it_is_saved(tmp_path, path):
    X, y = rows()
    model = heedful.AttentionLasso(similarity=lambda a, b: -np.abs(a[:, None] - b).sum(axis=2)).fit(X, y)
    (tmp_path / "m").write_bytes(b"old")
    file = tmp_path / "m" if path else io.BytesIO()
    with pytest.raises(ValueError, match=r"cannot be saved, as it could not be read back: .*<lambda>"):
        heedful.save_model(model, file)
    assert (tmp_path / "m").read_bytes() == b"old"
    assert path or not file.getvalue()


moments = st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2200, 1, 1))
zones = st.sampled_from([None, "UTC", "Europe/Berlin", "America/New_York", "UTC+02:00"])
units = st.sampled_from(["s", "ms", "us", "ns"])
stamps = st.builds(
    lambda at, zone, unit: pd.Timestamp(at).as_unit(unit).tz_localize("UTC").tz_convert(zone), moments, zones, units
)
lengths = st.builds(lambda n, unit: pd.Timedelta(n, "s").as_unit(unit), st.integers(-(10**8), 10**8), units)
periods = st.builds(lambda n, unit: pd.Period(ordinal=n, freq=unit), st.integers(-500, 9000), st.sampled_from("DMYh"))
plain = st.floats(-1e6, 1e6)
intervals = st.builds(
    lambda a, b, side: pd.Interval(min(a, b), max(a, b), side), plain, plain, st.sampled_from(["left", "right", "both"])
)


@settings(deadline=None, max_examples=60, derandomize=True)
@given(st.one_of(stamps, lengths, periods, intervals, st.sampled_from([pd.NaT, pd.NA])))
def test_a_value_made_from_its_parts_is_the_same(value):
    made = Scalar(*parts_of(value))
    assert type(made) is type(value)
    assert made is value or (made == value and str(made) == str(value))
    assert getattr(made, "unit", None) == getattr(value, "unit", None)


# What is made of heads, a similarity, folds and rows, for each estimator.
MAKERS = {
    "AttentionLasso": lambda heads, how, cv, *_: heedful.AttentionLasso(
        heads=heads, similarity=how, cv=cv, random_state=0
    ),
    "AttentionLassoClassifier": lambda heads, how, cv, *_: heedful.AttentionLassoClassifier(
        heads=heads, similarity=how, cv=cv, random_state=0
    ),
    "AttentionCox": lambda heads, how, cv, *_: heedful.AttentionCox(heads=heads, similarity=how, cv=cv, random_state=0),
    "AttentionGLM": lambda heads, how, cv, *_: heedful.AttentionGLM(heads=heads, similarity=how, cv=cv, random_state=0),
    "AttentionEffect": lambda heads, how, *_: heedful.AttentionEffect(
        heads=heads, similarity=how, propensity=0.5, cv=3, random_state=0
    ),
    "AttentionRegressor": lambda _, how, cv, *__: heedful.AttentionRegressor(
        DecisionTreeRegressor(max_depth=2, random_state=0),
        similarity=how,
        cv=cv,
        local=heedful.LocalLearner(tuning_rows=10),
        random_state=0,
    ),
    "AttentionClassifier": lambda _, how, cv, *__: heedful.AttentionClassifier(
        LogisticRegression(), similarity=how, cv=cv, local=heedful.LocalLearner(tuning_rows=10), random_state=0
    ),
    "LeafAttentionRegressor": lambda _, how, cv, *__: heedful.LeafAttentionRegressor(
        RandomForestRegressor(4, random_state=0), similarity=how, cv=cv, random_state=0
    ),
    "LeafAttentionClassifier": lambda _, how, cv, *__: heedful.LeafAttentionClassifier(
        RandomForestClassifier(4, random_state=0), similarity=how, cv=cv, random_state=0
    ),
    "TreeAttentionRegressor": lambda _, how, cv, *__: heedful.TreeAttentionRegressor(
        GradientBoostingRegressor(n_estimators=4, random_state=0), similarity=how, cv=cv, random_state=0
    ),
    "DriftCorrector": lambda _, how, __, X, y: heedful.DriftCorrector(
        RandomForestRegressor(4, random_state=0).fit(X, y), similarity=how, random_state=0
    ),
    "ProtoClust": lambda _, how, *__: heedful.ProtoClust(
        3, metric=(lambda a, b: np.abs(a - b).sum()) if callable(how) else "euclidean"
    ),
}
CLASSES = ("AttentionLassoClassifier", "AttentionClassifier", "LeafAttentionClassifier")
# A learner of scikit-learn, a model that was fitted elsewhere, and distances take numbers only.
PLAIN = ("AttentionRegressor", "AttentionClassifier", "DriftCorrector", "ProtoClust")


def respond(name, y):
    """Return the response that an estimator learns: numbers, classes or survival."""
    if name == "AttentionCox":
        return np.column_stack([y > -1, np.exp(y)])
    if name == "AttentionGLM":
        return np.exp(y)
    return y > 0 if name in CLASSES else y


def more_of(name):
    """Return what an estimator is told beside rows and response."""
    return {"treatment": np.arange(ROWS) % 2} if name == "AttentionEffect" else {}


def test_every_public_estimator_has_a_maker():
    assert set(MAKERS) == {name for name in heedful.__all__ if hasattr(getattr(heedful, name), "fit")}


@pytest.mark.more
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", MAKERS)
@settings(deadline=None, max_examples=4, derandomize=True, suppress_health_check=list(HealthCheck))
@given(
    similarity=st.sampled_from([ForestProximity(3), GaussianSimilarity(), RidgeSimilarity()]),
    labels=st.sampled_from([None, *LEVELS]),
    heads=st.sampled_from(["single", "multi"]),
    cv=st.sampled_from([3, KFold(3)]),
)
def test_a_model_predicts_the_same_from_its_file(name, similarity, labels, heads, cv):
    X, y = rows()
    model = MAKERS[name](heads, similarity, cv, X, y)
    if labels is not None:
        X = X.set_index(LEVELS[labels]) if name in PLAIN else X.assign(k=pd.Categorical(LEVELS[labels]))
    loaded = again(model.fit(X, respond(name, y), **more_of(name)))
    for said in ("predict", "predict_proba"):
        if hasattr(model, said):
            np.testing.assert_array_equal(getattr(loaded, said)(X), getattr(model, said)(X))


@pytest.mark.one_value
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", MAKERS)
def test_a_model_with_a_function_that_has_no_name_is_refused_when_it_is_saved(name):
    X, y = rows()
    model = MAKERS[name]("single", lambda a, b: -np.abs(a[:, None] - b).sum(axis=2), 3, X, y)
    model.fit(X, respond(name, y), **more_of(name))
    with pytest.raises(ValueError, match="cannot be saved"):
        again(model)
