"""Intervals around effects: a step of weighted least squares, and what attention is asked for."""

import numpy as np
import pytest
from scipy.special import ndtri
from sklearn.linear_model import LinearRegression

from heedful import AttentionEffect, LocalLasso
from heedful._effects.intervals import Steps
from heedful.datasets import make_effects
from heedful.similarity import ForestProximity

FEW = {"outcome": LinearRegression(), "propensity": 0.5, "similarity": ForestProximity(16), "random_state": 0}


def slow_step(x, residual, copies, weight, query):
    """Return the value at a query of a weighted ridge regression, solved for all coefficients, and its error."""
    weight = weight / weight.sum()
    mean = sum(weight[i] * x[i] for i in range(len(x)))
    unit = np.sqrt(sum(weight[i] * (x[i] - mean) ** 2 for i in range(len(x))))
    z = np.column_stack([np.ones(len(x)), (x - mean) / unit])
    at = np.append(1.0, (query - mean) / unit)
    ridge = np.diag(np.append(0.0, np.full(x.shape[1], x.shape[1] * (weight**2 / copies).sum())))
    inverse = np.linalg.inv(z.T @ np.diag(weight) @ z + ridge)
    say = at @ inverse @ z.T @ np.diag(weight)
    meat = np.diag(residual**2 / copies)
    return say @ residual, np.sqrt(say @ meat @ say)


def test_a_step_is_a_weighted_ridge_regression_with_a_sandwich_error(rng):
    x, residual = rng.normal(size=(40, 3)), rng.normal(size=40)
    copies, weight, query = rng.integers(1, 4, 40).astype(float), rng.random(40), rng.normal(size=3)
    found = Steps(x, residual, copies, 1.0).step(weight, query)
    assert found == pytest.approx(slow_step(x, residual, copies, weight, query), rel=1e-9)


def test_the_reach_has_the_step_and_its_noise(rng):
    x, residual = rng.normal(size=(40, 2)), rng.normal(size=40)
    steps = Steps(x, residual, np.ones(40), 1.5)
    weight, query = rng.random((3, 40)), rng.normal(size=(3, 2))
    for reach, pair in zip(steps.reach(weight, query), zip(weight, query, strict=True), strict=True):
        off, noise = steps.step(*pair)
        assert reach == pytest.approx(np.sqrt(off**2 + (1.5 * noise) ** 2))


def test_rows_without_a_residual_and_constant_columns_are_left_out(rng):
    x, residual, weight = rng.normal(size=(40, 2)), rng.normal(size=40), rng.random(40)
    residual[:5] = np.nan
    known = Steps(x[5:], residual[5:], np.ones(35), 1.0).step(weight[5:], x[0])
    assert Steps(x, residual, np.ones(40), 1.0).step(weight, x[0]) == pytest.approx(known)
    wide = np.column_stack([x, np.full(40, 3.0)])
    found = Steps(wide[5:], residual[5:], np.ones(35), 1.0).step(weight[5:], np.append(x[0], 7.0))
    assert found == pytest.approx(known)


def test_a_row_that_stands_for_two_is_the_row_twice(rng):
    x, residual, weight = rng.normal(size=(20, 2)), rng.normal(size=20), rng.random(20)
    copies = np.where(np.arange(20) < 6, 2.0, 1.0)
    again = np.repeat(np.arange(20), copies.astype(int))
    whole = Steps(x, residual, copies, 1.0).step(weight, x[0])
    parts = Steps(x[again], residual[again], np.ones(26), 1.0).step((weight / copies)[again], x[0])
    assert whole == pytest.approx(parts)


@pytest.fixture(scope="module")
def rows():
    return make_effects("B", 300, random_state=5).split(220)


@pytest.fixture(scope="module")
def model(rows):
    train, _ = rows
    return AttentionEffect(**FEW).fit(train.X, train.y, train.treatment)


def test_intervals_are_around_effects_and_grow_with_coverage(model, rows):
    _, test = rows
    narrow, wide = model.effect_interval(test.X, 0.5), model.effect_interval(test.X, 0.95)
    np.testing.assert_allclose(wide.mean(axis=1), model.effect(test.X))
    assert (wide[:, 0] < narrow[:, 0]).all()
    assert (narrow[:, 1] < wide[:, 1]).all()
    np.testing.assert_allclose(model.effect_interval(test.X[:3]), model.effect_interval(test.X)[:3])


def test_intervals_hold_true_effects_on_the_mean_of_draws():
    held = []
    for seed in range(3, 7):
        train, test = make_effects("B", 300, random_state=seed).split(220)
        low, high = AttentionEffect(**FEW).fit(train.X, train.y, train.treatment).effect_interval(test.X, 0.95).T
        held.append(((low < test.effect) & (test.effect < high)).mean())
    assert np.mean(held) > 0.9


def test_the_noise_of_intervals_reaches_as_far_as_that_of_a_normal_estimate(model, rows):
    """Of the squared half width all but the noise is the same at every coverage."""
    _, test = rows
    half, most, nearly_all = (
        np.diff(model.effect_interval(test.X[:20], coverage))[:, 0] ** 2 / 4 for coverage in (0.5, 0.8, 0.95)
    )
    z = ndtri([0.75, 0.9, 0.975]) ** 2
    np.testing.assert_allclose((nearly_all - half) / (most - half), (z[2] - z[0]) / (z[1] - z[0]))


def test_an_interval_is_the_step_at_its_query_under_its_attention(rows, rng):
    """Rows count by their share of the mean weight, rows of no weight not at all."""
    train, test = rows
    weight = rng.permutation(np.r_[np.zeros(60), rng.uniform(0.5, 3.0, 160)])
    model = AttentionEffect("single", mixing=[0.5, 0.7], **FEW)
    model.fit(train.X, train.y, train.treatment, sample_weight=weight)
    there = weight > 0
    pseudo = (train.y - model.expected_outcome_) / (train.treatment - 0.5)
    residual, copies = (pseudo - model.unseen_effect_)[there], (weight / weight[there].mean())[there]
    attention = model.attention(test.X[:5]).toarray()[:, there]
    found = np.diff(model.effect_interval(test.X[:5], 0.9))[:, 0] / 2
    for reach, own, query in zip(found, attention, test.X[:5], strict=True):
        off, noise = slow_step(train.X[there], residual, copies, own, query)
        assert reach == pytest.approx(np.hypot(off, ndtri(0.95) * noise), rel=1e-6)


def test_where_no_head_is_in_use_the_best_one_is_asked(rng):
    X = rng.normal(size=(200, 3))
    y, treatment = rng.normal(size=200), rng.integers(0, 2, 200)
    model = AttentionEffect(**FEW | {"mixing": "auto"}).fit(X, y, treatment)
    fitted = model._model
    fitted.tuned = fitted.tuned._replace(share=np.zeros_like(fitted.tuned.share))
    assert model.mixing_ == 0
    alike = model.attention(X[:4]).n_eff
    seen = fitted.summarise(X[:4], lambda _, found: found.attention.n_eff, 0, model._run, attends=True)
    assert (seen < 0.9 * alike).all()
    assert np.isfinite(model.effect_interval(X[:4])).all()


def test_outcomes_in_other_units_have_intervals_in_these(model, rows):
    train, test = rows
    other = AttentionEffect(**FEW).fit(train.X, 10 * train.y, train.treatment)
    np.testing.assert_allclose(other.effect_interval(test.X), 10 * model.effect_interval(test.X), rtol=1e-5, atol=1e-5)


def test_intervals_need_rows_that_were_left_out(rows):
    train, test = rows
    how = FEW | {"mixing": 0.5, "temperature": 1.0, "local": LocalLasso(alpha_ratio=1.0)}
    model = AttentionEffect("single", **how).fit(train.X, train.y, train.treatment)
    with pytest.raises(ValueError, match="`effect_interval` needs effects of left-out rows"):
        model.effect_interval(test.X)
    with pytest.raises(ValueError, match="`coverage` must be > 0 and < 1"):
        model.effect_interval(test.X, 1.0)
