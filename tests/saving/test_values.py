"""Values of pandas and settings of scikit-learn in a model: read back as they were, or refused when it is saved."""

import datetime as dt
import decimal
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestRegressor
from sklearn.model_selection import KFold, RepeatedKFold, TimeSeriesSplit

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
    return heedful.load_model(file)


def small(**settings):
    return heedful.AttentionLasso(similarity=ForestProximity(4), random_state=0, **settings)


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


@pytest.mark.parametrize("window", [pd.Timedelta("20D"), dt.timedelta(days=20), "20D", 12])
def test_a_window_of_any_kind_comes_back(window):
    X, y = rows()
    model = heedful.DriftCorrector(RandomForestRegressor(4, random_state=0).fit(X, y), window=window)
    loaded = again(model.fit(X, y + 1, time=DAYS))
    assert loaded.window == window
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


@pytest.mark.parametrize("cv", [KFold(3), TimeSeriesSplit(3), RepeatedKFold(n_splits=3, n_repeats=2, random_state=0)])
def test_folds_of_scikit_learn_need_not_be_named(cv):
    X, y = rows()
    model = heedful.AttentionLasso("single", similarity=ForestProximity(4), cv=cv, random_state=0).fit(X, y)
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


SIMILARITIES = st.sampled_from([ForestProximity(3), GaussianSimilarity(), RidgeSimilarity(), "lambda"])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@settings(deadline=None, max_examples=12, derandomize=True, suppress_health_check=list(HealthCheck))
@given(
    kind=st.sampled_from([heedful.AttentionLasso, heedful.AttentionLassoClassifier, heedful.AttentionCox]),
    similarity=SIMILARITIES,
    labels=st.sampled_from([None, *LEVELS]),
    heads=st.sampled_from(["single", "multi"]),
    cv=st.sampled_from([3, KFold(3)]),
)
def test_a_model_predicts_the_same_from_its_file_or_is_refused_when_it_is_saved(kind, similarity, labels, heads, cv):
    X, y = rows()
    X = X if labels is None else X.assign(k=pd.Categorical(LEVELS[labels]))
    how = (lambda a, b: -np.abs(a[:, None] - b).sum(axis=2)) if isinstance(similarity, str) else similarity
    model = kind(heads, similarity=how, cv=cv, random_state=0)
    response = {"AttentionLasso": y, "AttentionLassoClassifier": y > 0}.get(kind.__name__)
    model.fit(X, np.column_stack([y > -1, np.exp(y)]) if response is None else response)
    if isinstance(similarity, str):
        with pytest.raises(ValueError, match="cannot be saved"):
            again(model)
    else:
        np.testing.assert_array_equal(again(model).predict(X), model.predict(X))
