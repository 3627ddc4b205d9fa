"""Drift against a reference: tests keep their level whatever the model, and name what moved."""

import lightgbm
import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from heedful import DriftCorrector
from heedful.estimators._drift_tests import _separation, _solve_ridge


def draw(rng, n_rows, rows=0.0, relation=0.0):
    X = rng.normal(size=(n_rows, 4))
    X[:, 1] += rows
    return X, X[:, 0] + X[:, 1] ** 2 + relation * X[:, 2] + rng.normal(size=n_rows)


def report(rng, model, n_rows=150, reference=True, **moves):
    known = draw(rng, n_rows)
    corrector = DriftCorrector(model, random_state=0).fit(*draw(rng, n_rows, **moves))
    return corrector.drift_report(reference=known if reference else None)


@pytest.fixture
def line(rng):
    """A model that misses the square of a column."""
    return LinearRegression().fit(*draw(rng, 200))


def test_a_model_that_fits_badly_can_be_improved_anywhere_and_nothing_moved(rng, line):
    found = report(rng, line, 300)
    assert found.finding == "improvable anywhere"
    assert found.verdict.startswith("Nothing moved")


@pytest.mark.more
def test_rows_that_move_to_where_the_model_fits_badly_are_no_relation_that_moved(line):
    found = [report(np.random.default_rng(seed), line, 300, rows=1.0) for seed in range(4)]
    assert [part.finding for part in found] == ["rows moved"] * 4
    assert {part.columns.index[0] for part in found} == {"x1"}


def test_a_relation_that_moved_is_named_with_the_effect_before_and_after(rng, line):
    found = report(rng, line, 300, relation=1.5)
    assert found.finding == "relation moved"
    first = found.columns.iloc[0]
    assert first.name == "x2"
    assert abs(first["effect_before"]) < 4 * first["standard_error"]
    assert abs(first["effect_after"] - 1.5) < 4 * first["standard_error"]
    assert first["change"] == pytest.approx(first["effect_after"] - first["effect_before"])


def test_a_level_that_moved_is_a_relation_that_moved(rng, line):
    X, y = draw(rng, 200)
    found = DriftCorrector(line, random_state=0).fit(X, y + 2.0).drift_report(reference=draw(rng, 200))
    assert found.finding == "relation moved"
    assert "the response less the prediction is" in found.verdict


def test_without_a_reference_nothing_is_said_to_have_moved(rng, line):
    found = report(rng, line, reference=False, relation=3.0)
    assert found.finding == "not known"
    assert list(found.tests.index) == ["recent rows improvable"]
    assert found.tests["p"].iloc[0] < 1e-3
    assert found.columns.empty


def test_a_reference_changes_no_prediction(rng, line):
    (X, y), known = draw(rng, 100), draw(rng, 100)
    corrector = DriftCorrector(line, random_state=0).fit(X, y)
    before = corrector.predict(known[0])
    told, plain = corrector.drift_report(reference=known), corrector.drift_report()
    np.testing.assert_array_equal(corrector.predict(known[0]), before)
    pd.testing.assert_frame_equal(told.rows, plain.rows)
    pd.testing.assert_frame_equal(told.queries, plain.queries)


def test_the_order_of_rows_does_not_matter(rng, line):
    (X, y), (known, truth) = draw(rng, 90), draw(rng, 110)
    turn, back = rng.permutation(90), rng.permutation(110)
    first = DriftCorrector(line, random_state=0).fit(X, y).drift_report(reference=(known, truth))
    again = (
        DriftCorrector(line, random_state=0).fit(X[turn], y[turn]).drift_report(reference=(known[back], truth[back]))
    )
    pd.testing.assert_frame_equal(first.tests, again.tests)
    pd.testing.assert_frame_equal(first.columns, again.columns)


def test_rows_of_the_reference_without_weight_are_none(rng, line):
    (X, y), (known, truth) = draw(rng, 90), draw(rng, 110)
    weight = np.repeat([1.0, 0.0], [70, 40])
    corrector = DriftCorrector(line, random_state=0).fit(X, y)
    weighed = corrector.drift_report(reference=(known, truth, weight))
    fewer = corrector.drift_report(reference=(known[:70], truth[:70], 3 * weight[:70]))
    pd.testing.assert_frame_equal(weighed.tests, fewer.tests)
    assert weighed.summary["value"]["reference rows"] == 70


@pytest.mark.more
def test_a_large_reference_does_not_make_recent_rows_rare(rng, line):
    X, y = draw(rng, 100, relation=2.0)
    found = DriftCorrector(line, random_state=0).fit(X, y).drift_report(reference=draw(rng, 3000))
    assert found.finding == "relation moved"


def test_classes_and_levels_have_their_tests(rng):
    X = pd.DataFrame({"dose": rng.normal(size=900), "site": rng.choice(["a", "b", "c"], 900)})
    y = np.where(rng.random(900) < 1 / (1 + np.exp(-2 * X["dose"])), "yes", "no")
    encoder = make_column_transformer((OneHotEncoder(), ["site"]), remainder="passthrough")
    model = make_pipeline(encoder, LogisticRegression()).fit(X[:300], y[:300])
    X.loc[600:, "site"] = rng.choice(["a", "b", "c"], 300, p=[0.8, 0.1, 0.1])
    found = DriftCorrector(model, random_state=0).fit(X[600:], y[600:]).drift_report(reference=(X[300:600], y[300:600]))
    assert found.finding == "rows moved"
    assert "site" in found.columns.index[0]
    turned = np.where(X["site"][600:] == "a", np.where(y[600:] == "yes", "no", "yes"), y[600:])
    found = DriftCorrector(model, random_state=0).fit(X[600:], turned).drift_report(reference=(X[300:600], y[300:600]))
    assert found.finding == "relation moved"


@pytest.mark.parametrize(
    ("bad", "error", "words"),
    [
        (lambda X, y: X, TypeError, r"tuple \(X, y\) or \(X, y, sample_weight\)"),
        (lambda X, y: (X,), TypeError, "got tuple"),
        (lambda X, y: (X, y[:-1]), ValueError, "inconsistent numbers of samples"),
        (lambda X, y: (X[:39], y[:39]), ValueError, "at least 40 rows with a positive weight, got 39"),
        (lambda X, y: (X, y, np.eye(len(y))[0]), ValueError, "at least 40 rows with a positive weight, got 1"),
        (lambda X, y: (X[:, :2], y), ValueError, "columns|features"),
        (lambda X, y: (X, None), ValueError, "y is None"),
    ],
)
def test_bad_references_are_refused(rng, line, bad, error, words):
    corrector = DriftCorrector(line, random_state=0).fit(*draw(rng, 60))
    with pytest.raises(error, match=words):
        corrector.drift_report(reference=bad(*draw(rng, 60)))


def test_the_recent_rows_are_no_reference(rng, line):
    recent = draw(rng, 60)
    with pytest.raises(ValueError, match="got the recent rows themselves"):
        DriftCorrector(line, random_state=0).fit(*recent).drift_report(reference=recent)


def test_training_rows_of_an_overfitted_model_are_warned_of(rng):
    trained = draw(rng, 200)
    settings = {"n_estimators": 200, "min_child_samples": 2, "verbose": -1, "n_jobs": 1}
    model = lightgbm.LGBMRegressor(**settings).fit(*trained)
    corrector = DriftCorrector(model, random_state=0).fit(*draw(rng, 200))
    with pytest.warns(UserWarning, match="If the model was trained on these rows, they are no reference"):
        corrector.drift_report(reference=trained)
    corrector.drift_report(reference=draw(rng, 200))


def test_windows_of_time_ask_for_no_times_of_the_reference(rng, line):
    X, y = draw(rng, 80)
    days = pd.date_range("2026-01-01", periods=80)
    found = (
        DriftCorrector(line, window="60D", random_state=0).fit(X, y, time=days).drift_report(reference=draw(rng, 60))
    )
    assert found.summary["value"][["recent rows", "reference rows"]].tolist() == [60, 60]


def test_few_recent_rows_are_not_tested(rng, line):
    X, y = draw(rng, 39)
    found = DriftCorrector(line, random_state=0).fit(X, y).drift_report(reference=draw(rng, 60))
    assert found.tests.empty
    assert found.finding == "not known"


def test_separation_is_the_distance_of_kolmogorov_and_smirnov():
    values, recent = np.array([1.0, 1.0, 2.0, 3.0, 3.0]), np.array([True, False, False, True, True])
    assert _separation(values, np.ones(5), recent) == pytest.approx(2 / 3)
    assert _separation(values, np.array([2.0, 1.0, 1.0, 1.0, 1.0]), recent) == pytest.approx(1 / 2)
    assert _separation(np.ones(5), np.ones(5), recent) == pytest.approx(0.0)


def test_slopes_are_those_of_weighted_least_squares(rng):
    X, weight = rng.normal(size=(50, 3)), rng.random(50)
    y = rng.normal(size=50)
    expected = LinearRegression().fit(X, y, sample_weight=weight).coef_
    np.testing.assert_allclose(_solve_ridge(X, weight, 1e-9) @ y, expected, rtol=1e-6)
