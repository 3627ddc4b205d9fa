"""Who is alike by default: rows in the same leaves of the model, and of a forest on what it leaves unexplained."""

import lightgbm
import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import LinearRegression

from heedful import DriftCorrector
from heedful.similarity import ForestProximity
from reference.proximity_sums import softmax_sums


@pytest.fixture
def rows(rng):
    """Return rows to train on, recent and new ones; the response has moved where the second column is positive."""
    X = rng.normal(size=(450, 3))
    y = X[:, 0] + 0.1 * rng.normal(size=450)
    y[150:] += 2.0 * (X[150:, 1] > 0)
    return [(X[part], y[part]) for part in (slice(150), slice(150, 300), slice(300, None))]


@pytest.fixture
def model(rows):
    return GradientBoostingRegressor(n_estimators=10, random_state=0).fit(*rows[0])


def test_nothing_said_blends_the_model_s_leaves_with_a_forest(rows, model):
    default = DriftCorrector(model, random_state=0).fit(*rows[1])
    said = DriftCorrector(model, similarity=["leaves", ForestProximity(200)], random_state=0).fit(*rows[1])
    pd.testing.assert_frame_equal(default.heads_, said.heads_)
    assert set(default.heads_["similarity"]) == {"leaves", "forest(sqrt)"}
    np.testing.assert_array_equal(default.predict(rows[2][0]), said.predict(rows[2][0]))


@pytest.mark.one_value
@pytest.mark.parametrize("n_noise", [0, 60])
def test_left_out_rows_choose_between_leaves_and_forest(rng, n_noise):
    X = rng.normal(size=(2100, 2 + n_noise))
    model = lightgbm.LGBMRegressor(n_estimators=30, verbose=-1, n_jobs=1).fit(X[:2000], np.sign(X[:2000, 0]))
    # among many other columns only the model knows where to look; else a forest finds a column new to the model
    moved = np.sign(X[2000:, 0]) + 2.0 * (X[2000:, 0 if n_noise else 1] > 0)
    share = DriftCorrector(model, random_state=0).fit(X[2000:], moved).heads_.groupby("similarity")["share"].sum()
    assert (share["leaves"] > share["forest(sqrt)"]) == (n_noise > 0)


@pytest.mark.more
def test_leaves_and_forest_are_blended_where_each_knows_something(rng):
    X = rng.normal(size=(2150, 22))
    y = np.sign(X[:, 0]) + np.sign(X[:, 2])
    model = lightgbm.LGBMRegressor(n_estimators=30, verbose=-1, n_jobs=1).fit(X[:2000], y[:2000])
    moved = y + 2.0 * (X[:, 0] > 0) * (X[:, 2] > 0) + (X[:, 1] > 0)
    share = (
        DriftCorrector(model, random_state=0).fit(X[2000:], moved[2000:]).heads_.groupby("similarity")["share"].sum()
    )
    assert share.min() > 0.1


def test_a_forest_that_was_handed_in_fitted_keeps_its_rows(rows, model):
    (X, y), new = rows[1], rows[2][0]
    residual = y - model.predict(X)
    forest = RandomForestRegressor(20, min_samples_leaf=5, random_state=0).fit(X, residual)
    leaves = [forest.apply(part) for part in (new, X)]
    sums = softmax_sums(*leaves, np.column_stack([np.ones(y.size), residual]), [0.1])[:, 0]
    got = DriftCorrector(model, similarity=forest, temperature=0.1, mixing=1.0, random_state=0).fit(X, y).predict(new)
    np.testing.assert_allclose(got, model.predict(new) + sums[:, 1] / sums[:, 0], rtol=1e-8)


def test_a_model_without_leaves_has_a_forest(rows):
    model = LinearRegression().fit(*rows[0])
    default = DriftCorrector(model, random_state=0).fit(*rows[1])
    said = DriftCorrector(model, similarity=ForestProximity(200), random_state=0).fit(*rows[1])
    np.testing.assert_array_equal(default.predict(rows[2][0]), said.predict(rows[2][0]))


def test_the_forest_is_grown_on_what_the_model_leaves_unexplained(rows, model):
    fitted = DriftCorrector(model, random_state=0).fit(*rows[1])
    assert fitted.similarity_[1].forest_.feature_importances_[1] > 0.7


def test_a_blend_finds_what_the_leaves_do_not_know(rows, model):
    X, y = rows[2]
    errors = [
        np.mean((DriftCorrector(model, similarity=who, random_state=0).fit(*rows[1]).predict(X) - y) ** 2)
        for who in ("leaves", None)
    ]
    assert errors[1] < 0.5 * errors[0]


def test_updates_keep_the_seed_of_the_fit(rows, model):
    (X, y), new = rows[1], rows[2][0]
    whole, other = (DriftCorrector(model, random_state=seed).fit(X, y).predict(new) for seed in (3, 4))
    assert not np.array_equal(whole, other)
    generator = np.random.RandomState(3)
    parts = DriftCorrector(model, random_state=generator).fit(X[:50], y[:50])
    generator.uniform(size=10)
    np.testing.assert_array_equal(parts.update(X[50:], y[50:]).predict(new), whole)


def test_none_takes_another_seed_in_each_fit(rows, model):
    first, second = (DriftCorrector(model, random_state=None).fit(*rows[1]).predict(rows[2][0]) for _ in range(2))
    assert not np.array_equal(first, second)


def test_of_equal_rows_each_is_left_out_alone(rows, model):
    X, y = np.repeat(rows[1][0][:6], 5, axis=0), np.repeat(rows[1][1][:6], 5)
    corrector = DriftCorrector(model, similarity="leaves", temperature=0.1, mixing=1.0, random_state=0)
    closed = corrector.fit(X, y).drift_report().rows["corrected"]
    brute = [corrector.fit(np.delete(X, i, 0), np.delete(y, i)).predict(X[i : i + 1])[0] for i in range(30)]
    np.testing.assert_allclose(closed, brute, atol=1e-10)


@pytest.mark.one_value
@pytest.mark.parametrize("n_rows", [2, 3, 7])
def test_very_few_rows_are_enough(rows, model, n_rows):
    corrector = DriftCorrector(model, random_state=0).fit(rows[1][0][:n_rows], rows[1][1][:n_rows])
    assert np.isfinite(corrector.predict(rows[2][0])).all()
    assert len(corrector.drift_report().rows) == n_rows
