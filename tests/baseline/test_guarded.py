"""A lasso whose slopes are taken back if they hardly pay."""

import numpy as np
import pytest

from heedful._folds import random_splits
from heedful._responses import Effect, Regression
from heedful.baseline import GlobalModel
from heedful.baseline._guarded import slope_guard


@pytest.fixture
def table(rng):
    X = rng.normal(size=(120, 4))
    weight = rng.uniform(0.2, 2.0, 120)
    return X, 0.5 * X[:, 0] + rng.normal(size=120) + 3.0, weight


def fit_kind(X, y, weight, splits, response, groups=None, **how):
    encoded = np.column_stack([y, np.abs(y)]) if response.noisy else y
    return GlobalModel(response, **how)._fit_encoded(X, response, encoded, weight, splits, row_groups=groups)


def fit_both(table, n_folds=5):
    X, y, weight = table
    splits = random_splits(120, n_folds, 0)
    return [fit_kind(X, y, weight, splits, kind, alpha=0.01) for kind in (Regression(), Effect())]


def test_slopes_are_multiplied_and_the_mean_stays(table):
    X, y, weight = table
    plain, guarded = fit_both(table)
    assert 0.05 < guarded._guard.share < 0.95
    np.testing.assert_allclose(guarded.coef_, guarded._guard.share * plain.coef_, rtol=1e-12)
    mean = np.average(y, weights=weight)
    np.testing.assert_allclose(guarded.predict(X), mean + guarded._guard.share * (plain.predict(X) - mean), rtol=1e-9)
    np.testing.assert_allclose(np.average(guarded.predict(X), weights=weight), mean, rtol=1e-9)


def test_left_out_rows_are_predicted_by_the_shrunk_models_of_the_others(table):
    _, y, weight = table
    plain, guarded = fit_both(table)
    left_out = [model.predict_left_out()[:, 0] for model in (plain, guarded)]
    for i in (0, 7, 50):
        rest = np.delete(np.arange(120), i)
        mean = np.average(y[rest], weights=weight[rest])
        assert left_out[1][i] == pytest.approx(mean + guarded._guard.share * (left_out[0][i] - mean), rel=1e-9)
    for train, test in guarded.fit_.splits:
        mean = np.average(y[train], weights=weight[train])
        expected = mean + guarded._guard.share * (plain.fold_prediction_[test] - mean)
        np.testing.assert_allclose(guarded.fold_prediction_[test], expected, rtol=1e-9)


def test_the_models_of_the_folds_are_shrunk_around_their_own_means(table):
    _, guarded = fit_both(table)
    fit = guarded.fit_
    x = fit.scale.rows(table[0])
    for model, (_, test) in zip(fit.folds, fit.splits, strict=True):
        np.testing.assert_allclose(model.link(x[test]), fit.fold_link[test], atol=1e-9)
    np.testing.assert_allclose(
        fit.scale.y_center + fit.scale.y_unit * fit.model.link(x)[:, 0], guarded.predict(table[0]), rtol=1e-9
    )


def test_the_guard_follows_the_gain_in_standard_errors(rng):
    y, weight = rng.normal(size=400), rng.uniform(0.5, 1.5, 400)
    flat, sloped = np.zeros(400), 0.1 * y + 0.3 * rng.normal(size=400)
    gain = y**2 - (y - sloped) ** 2
    share = weight / weight.sum()
    mean = share @ gain
    t = mean / np.sqrt(np.sum(share**2 * (gain - mean) ** 2))
    assert 0 < t < 3
    assert slope_guard(y, sloped, flat, weight) == pytest.approx(t / 3)
    assert slope_guard(y, -y, flat, weight) == 0.0
    assert slope_guard(y, y, flat, weight) == 1.0
    assert slope_guard(y, flat, flat, weight) == 0.0  # nothing gained, nothing lost


def test_clear_slopes_are_kept(rng):
    X = rng.normal(size=(200, 3))
    y = 2 * X[:, 0] + rng.normal(size=200)
    splits = random_splits(200, 10, 0)
    plain, guarded = (fit_kind(X, y, np.ones(200), splits, kind) for kind in (Regression(), Effect()))
    assert guarded._guard.share == 1.0
    np.testing.assert_allclose(guarded.coef_, plain.coef_)
    np.testing.assert_allclose(guarded.fold_prediction_, plain.fold_prediction_)


def test_rows_of_a_group_that_are_equal_count_as_one_row(rng):
    y, sloped, flat, weight = rng.normal(size=(4, 50)) * [[1.0], [0.3], [0.0], [1.0]]
    sloped, weight = sloped + 0.1 * y, np.abs(weight)
    alone = slope_guard(y, sloped, flat, weight)
    often = np.repeat(np.arange(50), 4)
    assert 0 < alone < 1
    assert slope_guard(y[often], sloped[often], flat[often], weight[often], often) == pytest.approx(alone)
    assert slope_guard(y[often], sloped[often], flat[often], weight[often]) > alone


def test_groups_of_a_fit_reach_the_slopes(table):
    X, y, weight = table
    often = np.repeat(np.arange(120), 4)
    splits = [
        type(split)(*(np.flatnonzero(np.isin(often, part)) for part in split)) for split in random_splits(120, 5, 0)
    ]
    model = fit_kind(X[often], y[often], weight[often], splits, Effect(), often, alpha=0.01)
    assert model._guard.share == pytest.approx(fit_both(table)[1]._guard.share, abs=1e-6)
