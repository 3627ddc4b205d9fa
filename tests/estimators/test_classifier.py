"""Laws of the attention lasso for classes: each holds for the whole estimator."""

import logging

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestRegressor
from sklearn.metrics import log_loss
from tests.estimators.settings import with_local
from tests.fits import fitted

from heedful import AttentionLassoClassifier, local_lasso
from heedful._responses import Classification
from heedful.similarity import GaussianSimilarity, RidgeSimilarity, default_forests

FORESTS = default_forests(40)


def small(**settings):
    """Return a classifier without a smooth model, unless it is asked for: it takes half of a fit."""
    settings = {"smooth": False} | settings
    return AttentionLassoClassifier(**{"similarity": FORESTS, "random_state": 0} | with_local(settings))


def draw(rng, n=160, n_classes=2):
    """Return rows whose classes depend on the product of two columns, so that no linear model finds them."""
    X = rng.normal(size=(n, 4)).round(2)
    level = X[:, 0] * X[:, 1] + 0.5 * X[:, 2] + 0.3 * rng.normal(size=n)
    return X, np.searchsorted(np.quantile(level, np.arange(1, n_classes) / n_classes), level)


@pytest.fixture(params=[2, 3], ids=["two classes", "three classes"])
def table(rng, request):
    X, y = draw(rng, n_classes=request.param)
    return X, y, rng.normal(size=(25, 4))


@pytest.mark.more
def test_local_models_beat_the_baseline_where_coefficients_change(rng):
    X, y = draw(rng, 600)
    model = AttentionLassoClassifier(random_state=0).fit(X[:300], y[:300])
    ours, base = (log_loss(y[300:], m.predict_proba(X[300:])) for m in (model, model.baseline_))
    assert ours < 0.7 * base


@pytest.mark.one_value
def test_mixing_zero_is_the_baseline_to_the_last_bit(table):
    X, y, X_new = table
    model = small(mixing=0.0).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X_new), model.baseline_.predict_proba(X_new))


@pytest.mark.one_value
def test_a_huge_temperature_gives_the_baselines_own_fit(table):
    X, y, X_new = table
    settings = {"temperature": 1e12, "alpha_ratio": 1.0, "mixing": 1.0}
    for exact in (False, True):
        model = small(exact=exact, **settings).fit(X, y)
        np.testing.assert_allclose(model.predict_proba(X_new), model.baseline_.predict_proba(X_new), atol=1e-5)


@pytest.mark.one_value
def test_exact_heads_are_weighted_logistic_lassos(table):
    X, y, X_new = table
    settings = {"heads": "single", "temperature": 0.3, "alpha_ratio": 1.0, "mixing": 1.0, "alpha": 0.03, "exact": True}
    model = small(similarity=FORESTS[0], **settings).fit(X, y)
    fits = local_lasso(X, y, model.attention(X_new), alpha=0.03, family="multinomial")
    link = fits.intercept_ + np.einsum("qkj,qj->qk", fits.coef_, X_new)
    expected = np.exp(link) / np.exp(link).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X_new), expected, atol=1e-5)


@pytest.mark.one_value
def test_one_step_is_close_to_convergence_when_attention_is_mild(table):
    X, y, X_new = table
    settings = {"temperature": 1.0, "alpha_ratio": 1.0, "mixing": 1.0, "alpha": 0.03}
    step, exact = (small(exact=exact, **settings).fit(X, y).predict_proba(X_new) for exact in (False, True))
    base = small(mixing=0.0, alpha=0.03).fit(X, y).predict_proba(X_new)
    assert np.abs(step - exact).max() < 0.25 * np.abs(base - exact).max()


@pytest.mark.one_value
def test_an_infinite_penalty_gives_the_share_of_each_class_among_attended_rows(table):
    X, y, X_new = table
    model = small(heads="single", similarity=FORESTS[0], temperature=0.2, alpha_ratio=np.inf, mixing=1.0).fit(X, y)
    share = model.attention(X_new) @ (y[:, None] == model.classes_)
    overall = np.mean(y[:, None] == model.classes_, axis=0)
    np.testing.assert_allclose(model.predict_proba(X_new), 0.99 * share + 0.01 * overall, atol=1e-9)


@pytest.mark.one_value
def test_the_link_of_local_models_is_that_of_the_prediction(table):
    X, y, X_new = table
    model = small(temperature=0.2, mixing=0.7).fit(X, y)
    local = model.local_models(X_new)
    n_outputs = 1 if model.classes_.size == 2 else model.classes_.size
    coef = local.lasso_coef.to_numpy().reshape(25, n_outputs, 4)
    curves = local.shape.to_numpy().reshape(25, n_outputs, 4).sum(axis=2)
    link = (
        local.lasso_intercept.to_numpy().reshape(25, -1)
        + curves
        + np.einsum("qkj,qj->qk", coef, local.lasso_design.to_numpy())
    )
    np.testing.assert_allclose(link, local.link.to_numpy().reshape(25, -1), atol=1e-9)
    np.testing.assert_allclose(link, model.decision_function(X_new).reshape(25, -1), atol=1e-9)
    base = local.baseline_coef.to_numpy().reshape(1, n_outputs, 4)
    blend = 0.3 * base + 0.7 * local.local_coef.to_numpy().reshape(25, n_outputs, 4)
    np.testing.assert_allclose(coef, blend, atol=1e-12)


def test_two_classes_treated_alike_are_the_binary_model(rng, monkeypatch):
    X, y = draw(rng)
    X_new = rng.normal(size=(25, 4))
    # without scores, of which two outputs have each twice
    how = {"mixing": 1.0, "temperature": 0.2, "alpha": 0.03, "alpha_ratio": [1.0, 3.0], "shapes": False}
    binary = small(similarity=FORESTS[:4], **how).fit(X, y)
    alike = classmethod(lambda cls, y, class_weight: cls(np.unique(y), class_weight, symmetric=True))
    monkeypatch.setattr(Classification, "learn", alike)
    both = small(similarity=FORESTS[:4], **how).fit(X, y)
    np.testing.assert_allclose(both.predict_proba(X_new), binary.predict_proba(X_new), atol=1e-6)
    halves = both.baseline_.coef_[1] - both.baseline_.coef_[0]
    np.testing.assert_allclose(halves, binary.baseline_.coef_[0], atol=1e-6)


@pytest.mark.one_value
def test_labels_may_be_text_and_only_their_names_matter(table):
    X, y, X_new = table
    names = np.array(["ant", "bee", "cat"])[: y.max() + 1]
    plain, named = fitted(small(), X, y), small().fit(X, names[y])
    np.testing.assert_array_equal(named.predict_proba(X_new), plain.predict_proba(X_new))
    np.testing.assert_array_equal(named.predict(X_new), names[plain.predict(X_new)])


@pytest.mark.more
def test_weight_two_equals_the_row_twice_and_weight_zero_none(table):
    X, y, X_new = table
    weight = np.where(np.arange(y.size) < 20, 2.0, np.where(np.arange(y.size) > 150, 0.0, 1.0))
    rows = np.repeat(np.arange(y.size), weight.astype(int))
    model = small(smooth=True)
    weighted, repeated = clone(model).fit(X, y, sample_weight=weight), clone(model).fit(X[rows], y[rows])
    np.testing.assert_allclose(weighted.predict_proba(X_new), repeated.predict_proba(X_new), atol=1e-9)


@pytest.mark.one_value
def test_class_weights_multiply_sample_weights(table):
    X, y, X_new = table
    weight = np.where(y == 1, 3.0, 1.0)
    by_class, by_row = small(class_weight={1: 3.0}).fit(X, y), small().fit(X, y, sample_weight=weight)
    np.testing.assert_array_equal(by_class.predict_proba(X_new), by_row.predict_proba(X_new))
    share = small(class_weight={1: 100.0}).fit(X, y).predict_proba(X_new)[:, 1].mean()
    assert share > by_class.predict_proba(X_new)[:, 1].mean()


@pytest.mark.one_value
@pytest.mark.parametrize("settings", [{"smooth": True}, {"exact": True}, {"mixing": "adaptive"}, {"cv": 3}])
def test_results_do_not_depend_on_the_number_of_threads(table, settings):
    X, y, X_new = table
    one, two = (small(n_jobs=jobs, **settings).fit(X, y).predict_proba(X_new) for jobs in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_probabilities_are_never_0_or_1_and_sum_to_one(rng):
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] > 0).astype(int)
    for settings in ({}, {"exact": True, "mixing": 1.0}, {"mixing": 1.0, "alpha_ratio": np.inf}):
        chance = small(**settings).fit(X, y).predict_proba(10 * rng.normal(size=(40, 2)))
        assert ((chance > 0) & (chance < 1)).all()
        np.testing.assert_allclose(chance.sum(axis=1), 1.0)


@pytest.mark.one_value
@pytest.mark.parametrize("similarity", [RidgeSimilarity(), GaussianSimilarity(), RandomForestRegressor(20)])
def test_any_similarity_serves_classes(table, similarity):
    X, y, X_new = table
    model = small(similarity=similarity, mixing=0.5).fit(X, y)
    assert model.predict_proba(X_new).shape == (25, y.max() + 1)


@pytest.mark.one_value
def test_heads_report_log_losses(table):
    X, y, _ = table
    model = fitted(small(), X, y)
    uniform = np.log(y.max() + 1)
    assert 0.1 * uniform < model.heads_["error"].min() < uniform


def test_frames_with_text_and_missing_cells_are_read(rng):
    frame = pd.DataFrame({"a": rng.normal(size=80), "kind": rng.choice(["u", "v"], 80)})
    y = np.where((frame["kind"] == "u") == (frame["a"] > 0), "yes", "no")
    frame.loc[3, "a"] = np.nan
    local = small().fit(frame, y).local_models(frame)
    assert list(local.lasso_coef.columns) == ["a", "kind=u", "kind=v"]


def test_a_class_of_one_row_is_fitted_and_said(rng, caplog):
    X, y = draw(rng, 60)
    y = np.where(np.arange(60) == 7, 2, y)
    with caplog.at_level(logging.WARNING, logger="heedful"):
        model = small().fit(X, y)
    assert "single row of class 2" in caplog.text.replace("np.int64(2)", "2")
    assert model.predict_proba(X).shape == (60, 3)


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (np.zeros(20), "at least 2 classes, got one class"),
        (np.where(np.arange(20) == 3, np.nan, 1.0), "NaN"),
        (np.linspace(0, 1, 20), "Unknown label type"),
        (np.array(["a", None] * 10, dtype=object), "missing labels"),
        (np.zeros(19), "at least 2 classes|inconsistent"),
    ],
)
def test_bad_labels_are_one_clear_error(rng, y, words):
    with pytest.raises(ValueError, match=words):
        small().fit(rng.normal(size=(20, 2)), y)


def test_weights_that_leave_one_class_are_an_error(rng):
    X, y = draw(rng, 40)
    with pytest.raises(ValueError, match="rows of one class only"):
        small().fit(X, y, sample_weight=(y == 1).astype(float))


def test_labels_that_were_not_in_the_training_rows_are_an_error_in_score(rng):
    X, y = draw(rng, 60)
    with pytest.raises(ValueError, match=r"labels that the model knows, \[0, 1\], got 7\."):
        small().fit(X, y).score(X, np.full(60, 7))
