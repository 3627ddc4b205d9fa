"""Laws of the attention lasso for survival: each holds for the whole estimator."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from tests.estimators.settings import with_local
from tests.fits import fitted
from tests.reference.survival import concordance as by_pairs

from heedful import AttentionCox, local_lasso
from heedful._responses import concordance
from heedful.datasets import make_survival
from heedful.similarity import GaussianSimilarity, default_forests

FORESTS = default_forests(40)


def small(**settings):
    """Return a model of times without a smooth model, unless it is asked for: it takes a good part of a fit."""
    settings = {"smooth": False} | settings
    return AttentionCox(**{"similarity": FORESTS, "random_state": 0} | with_local(settings))


@pytest.fixture
def table():
    train, test = make_survival(200, 6, random_state=0).split(150)
    return train.X, train.y, test.X


@pytest.mark.long
@pytest.mark.more
def test_concordance_rises_where_groups_have_opposite_effects():
    gains = []
    for seed in range(3):
        train, test = make_survival(600, 10, random_state=seed).split()
        fits = [
            AttentionCox(similarity=default_forests(200), random_state=0, **how).fit(train.X, train.y)
            for how in ({}, {"mixing": 0.0})
        ]
        gains.append(fits[0].score(test.X, test.y) - fits[1].score(test.X, test.y))
    assert min(gains) > 0.03


def test_concordance_equals_the_loop_over_pairs(rng):
    event, time = rng.random(40) < 0.6, rng.integers(1, 15, 40).astype(float)
    risk = rng.integers(0, 5, 40).astype(float)
    assert concordance(event, time, risk, np.ones(40)) == pytest.approx(by_pairs(event, time, risk, np.ones(40)))


def test_mixing_zero_is_the_baseline_to_the_last_bit(table):
    X, y, X_new = table
    model = fitted(small(mixing=0.0), X, y)
    np.testing.assert_array_equal(model.predict(X_new), model.baseline_.predict(X_new))


def test_exact_heads_are_weighted_cox_lassos_up_to_their_level(table):
    X, y, X_new = table
    settings = {"heads": "single", "temperature": 0.3, "alpha_ratio": 1.0, "mixing": 1.0, "alpha": 0.02, "exact": True}
    model = small(similarity=FORESTS[0], **settings).fit(X, y)
    fits = local_lasso(X, y, model.attention(X_new), alpha=0.02, family="cox")
    np.testing.assert_allclose(model.local_models(X_new).lasso_coef, fits.coef_, atol=1e-5)


def test_the_level_makes_expected_events_those_observed(table):
    X, y, X_new = table
    settings = {"heads": "single", "temperature": 0.3, "alpha_ratio": 1.0, "mixing": 1.0, "exact": True}
    model = small(similarity=FORESTS[0], **settings).fit(X, y)
    local, weight = model.local_models(X_new), model.attention(X_new).toarray()
    order = np.argsort(y["time"], kind="stable")
    link = model.baseline_.predict(X)
    risk = np.flip(np.cumsum(np.flip(np.exp(link)[order])))
    hazard = np.empty(150)
    hazard[order] = np.cumsum(y["event"][order] / risk)
    at_rows = local.lasso_intercept.to_numpy()[:, None] + local.lasso_coef.to_numpy() @ X.T
    expected, events = (weight * np.exp(at_rows) * hazard).sum(axis=1), weight @ y["event"]
    np.testing.assert_allclose(expected, events, rtol=0.05)


def test_one_step_is_close_to_convergence_when_attention_is_mild(table):
    X, y, X_new = table
    settings = {"temperature": 1.0, "alpha_ratio": 1.0, "mixing": 1.0, "alpha": 0.02, "shapes": False}
    step, exact = (small(exact=exact, **settings).fit(X, y).predict(X_new) for exact in (False, True))
    base = small(mixing=0.0, alpha=0.02).fit(X, y).predict(X_new)
    assert np.abs(step - exact).mean() < 0.5 * np.abs(base - exact).mean()


@pytest.mark.more
def test_only_the_order_of_times_matters(table):
    X, y, X_new = table
    other = y.copy()
    other["time"] = y["time"] ** 3 + 5
    one, two = (small(smooth=True).fit(X, times).predict(X_new) for times in (y, other))
    np.testing.assert_allclose(one, two, atol=1e-9)


def test_a_frame_and_a_structured_array_say_the_same(table):
    X, y, X_new = table
    frame = pd.DataFrame({"time": y["time"], "event": y["event"]})
    np.testing.assert_array_equal(small().fit(X, frame).predict(X_new), fitted(small(), X, y).predict(X_new))


def test_weight_two_equals_the_row_twice_and_weight_zero_none(table):
    X, y, X_new = table
    weight = np.where(np.arange(150) < 20, 2.0, np.where(np.arange(150) > 140, 0.0, 1.0))
    rows = np.repeat(np.arange(150), weight.astype(int))
    model = small(smooth=True)
    weighted, repeated = clone(model).fit(X, y, sample_weight=weight), clone(model).fit(X[rows], y[rows])
    np.testing.assert_allclose(weighted.predict(X_new), repeated.predict(X_new), atol=1e-9)


@pytest.mark.more
@pytest.mark.parametrize(
    "settings", [{"smooth": True}, {"exact": True}, {"mixing": "adaptive"}, {"cv": 3}, {"heads": "single"}]
)
def test_results_do_not_depend_on_the_number_of_threads(table, settings):
    X, y, X_new = table
    one, two = (small(n_jobs=jobs, **settings).fit(X, y).predict(X_new) for jobs in (1, 2))
    np.testing.assert_array_equal(one, two)
    assert np.isfinite(one).all()


def test_survival_falls_from_one_and_is_lower_for_higher_hazards(table):
    X, y, X_new = table
    model = fitted(small(), X, y)
    curves = model.predict_survival_function(X_new)
    assert list(curves.columns) == sorted(set(y["time"][y["event"]]))
    assert (np.diff(curves.to_numpy(), axis=1) <= 0).all()
    assert (model.predict_survival_function(X_new, times=[0.0]).to_numpy() == 1).all()
    middle = curves.to_numpy()[:, curves.shape[1] // 2]
    assert np.corrcoef(model.predict(X_new), middle)[0, 1] < -0.8


def test_without_heads_survival_is_breslows_estimator(table):
    X, y, X_new = table
    model = fitted(small(mixing=0.0), X, y)
    link = model.baseline_.predict(X)
    times = np.quantile(y["time"], [0.2, 0.6])
    events = [y["time"][y["event"] & (y["time"] <= s)] for s in times]
    hazard = [sum(1 / np.exp(link)[y["time"] >= t].sum() for t in before) for before in events]
    expected = np.exp(-np.outer(np.exp(model.baseline_.predict(X_new)), hazard))
    np.testing.assert_allclose(model.predict_survival_function(X_new, times), expected, rtol=1e-8)


def survival_by_loop(X, y, weight, x, coef, times):
    """Return Breslow's survival curve of a query under its own weights and coefficients, event by event."""
    risk = np.exp((X - x) @ coef)
    curve = []
    for until in times:
        hazard = 0.0
        for i in np.flatnonzero(y["event"] & (y["time"] <= until)):
            hazard += weight[i] / (weight * risk)[y["time"] >= y["time"][i]].sum()
        curve.append(np.exp(-hazard))
    return curve


@pytest.mark.one_value
@pytest.mark.parametrize(
    "settings",
    [{}, {"mixing": 0.4}, {"mixing": "adaptive"}, {"mixing": 1.0, "heads": "single"}, {"exact": True, "mixing": 0.3}],
)
def test_with_heads_survival_is_breslows_estimator_under_blended_weights(table, rng, settings):
    X, y, X_new = table
    y = y.copy()
    y["time"] = np.ceil(8 * y["time"])
    weight, X_new = rng.uniform(0.2, 3.0, size=150), X_new[:5]
    model = small(shapes=False, max_extrapolation=None, **settings).fit(X, y, sample_weight=weight)
    local, attention = model.local_models(X_new), model.attention(X_new).toarray()
    mixing = local.mixing.to_numpy()[:, None]
    assert (mixing > 0.05).all()
    blended = mixing * attention + (1 - mixing) * weight / weight.sum()
    times = np.quantile(y["time"], [0.1, 0.4, 0.8])
    expected = [
        survival_by_loop(X, y, *parts, times) for parts in zip(blended, X_new, local.lasso_coef.to_numpy(), strict=True)
    ]
    np.testing.assert_allclose(model.predict_survival_function(X_new, times), expected, rtol=1e-8)


def test_any_similarity_serves_survival(table):
    X, y, X_new = table
    model = small(similarity=GaussianSimilarity(), mixing=0.5).fit(X, y)
    assert np.isfinite(model.predict(X_new)).all()


@pytest.mark.more
def test_it_can_be_cloned_and_is_not_fitted_twice(table):
    X, y, X_new = table
    model = small().fit(X, y)
    np.testing.assert_array_equal(clone(model).fit(X, y).predict(X_new), model.predict(X_new))


@pytest.mark.parametrize(
    ("event", "time", "words"),
    [
        ([True, False, True], [1.0, 0.0, 2.0], "times > 0, got 1"),
        ([True, False, True], [1.0, -3.0, 2.0], "the smallest is -3"),
        ([False, False, False], [1.0, 2.0, 3.0], "at least one event"),
        ([True, False, True], [1.0, np.nan, 2.0], "finite numbers without NaN"),
        ([2, 0, 1], [1.0, 2.0, 3.0], "True and False"),
    ],
)
def test_bad_responses_are_one_clear_error(event, time, words):
    with pytest.raises(ValueError, match=words):
        small().fit(np.arange(6.0).reshape(3, 2), pd.DataFrame({"event": event, "time": time}))


def test_a_response_of_one_column_is_an_error(table):
    with pytest.raises(
        ValueError, match="structured array, a frame or an array with two columns, first event, then time"
    ):
        small().fit(table[0], table[1]["time"])


def test_times_must_be_finite_and_not_negative(table):
    X, y, X_new = table
    with pytest.raises(ValueError, match="`times` must be finite"):
        fitted(small(mixing=0.0), X, y).predict_survival_function(X_new, times=[-1.0])


def test_a_row_that_is_far_from_all_others_breaks_nothing(table):
    X, y, X_new = table
    X = X.copy()
    X[3, 0] = 1e4
    assert np.isfinite(small().fit(X, y).predict(X_new)).all()


@pytest.mark.more
@pytest.mark.parametrize("seed", [1, 3])
def test_a_wild_step_of_one_head_does_not_cost_the_others_their_trust(seed):
    train, test = make_survival(600, 10, random_state=2).split()
    model = AttentionCox(random_state=seed).fit(train.X, train.y)
    assert model.guard_ == 1.0
    models = model.local_models(test.X)
    away = (models.prediction - models.baseline_prediction).abs()
    assert away.max() <= np.log(100.0) + 1e-9
