"""The law of units: neither the unit nor the origin of a column changes what is predicted."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from heedful import AttentionLasso, AttentionLassoClassifier, LocalLasso
from heedful.similarity import ForestProximity, GaussianSimilarity, RidgeSimilarity

LAW = settings(deadline=None, max_examples=15, derandomize=True)
MODELS = {
    "forest": AttentionLasso(similarity=ForestProximity(5), temperature=1.0, random_state=0),
    "gaussian": AttentionLasso(similarity=GaussianSimilarity(), temperature=1.0, random_state=0),
    # under large penalties heads are the same, and rounding says which of them has the share
    "ridge": AttentionLasso(
        similarity=RidgeSimilarity(), temperature=1.0, local=LocalLasso(alpha_ratio=[1.0, 0.3]), random_state=0
    ),
    "classes": AttentionLassoClassifier(similarity=ForestProximity(5), temperature=1.0, random_state=0),
}
ROWS = np.random.default_rng(0).normal(size=(50, 3))
NUMBERS = np.where(ROWS[:, 0] > 0, 3.0, -3.0) * ROWS[:, 1] + ROWS[:, 2]
# from about 1e-300 to 1e300; their product with a number is exact
POWERS = st.lists(st.integers(-996, 996), min_size=3, max_size=3)


def predictions(name, X):
    model = MODELS[name].fit(X, NUMBERS > 0 if name == "classes" else NUMBERS)
    return model.predict_proba(X)[:, 1] if name == "classes" else model.predict(X)


@cache
def plain(name):
    return predictions(name, ROWS)


@pytest.mark.one_value
@pytest.mark.parametrize("name", MODELS)
@LAW
@given(powers=POWERS)
def test_the_unit_of_a_column_changes_no_prediction(name, powers):
    np.testing.assert_array_equal(predictions(name, ROWS * 2.0 ** np.array(powers)), plain(name))


@pytest.mark.one_value
@pytest.mark.parametrize("name", MODELS)
def test_the_origin_of_a_column_changes_no_prediction(name):
    np.testing.assert_allclose(predictions(name, ROWS + 1e8), plain(name), atol=1e-6)


@pytest.mark.one_value
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("unit", [1e-310, 5e-324])
def test_columns_of_the_smallest_numbers_leave_predictions_finite(name, unit):
    assert np.isfinite(predictions(name, ROWS * unit)).all()
    found = predictions(name, ROWS * [unit, 1.0, 1.0])
    assert np.isfinite(found).all()
    assert np.corrcoef(found, NUMBERS)[0, 1] > 0.3


def test_coefficients_per_deviation_have_no_unit():
    units = 2.0 ** np.array([-990, 0, 990])
    found = [MODELS["forest"].fit(X, NUMBERS).explain(X).scaled_coef() for X in (ROWS, ROWS * units)]
    np.testing.assert_allclose(found[1], found[0], rtol=1e-9)


@pytest.mark.one_value
@pytest.mark.parametrize("start", ["2026-01-01", "9999-12-30", "0001-01-02"])
def test_times_a_minute_apart_are_told_apart(start):
    times = np.datetime64(start, "us") + np.arange(50) * np.timedelta64(1, "m")
    late = np.arange(50) >= 25
    model = AttentionLasso(similarity=ForestProximity(20, min_samples_split=2), temperature=1.0, random_state=0)
    said = model.fit(pd.DataFrame({"when": times}), np.where(late, 5.0, -5.0)).predict(pd.DataFrame({"when": times}))
    assert ((said > 0) == late).all()
    minutes = model.fit(pd.DataFrame({"when": np.arange(50.0)}), np.where(late, 5.0, -5.0))
    np.testing.assert_allclose(said, minutes.predict(pd.DataFrame({"when": np.arange(50.0)})), atol=1e-4)
