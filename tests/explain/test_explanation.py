"""Laws of explanations, for every kind of response."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss

from heedful import AttentionLasso


def columns(values):
    """Return one row per query, one column per output."""
    return np.asarray(values).reshape(len(values), -1)


@pytest.mark.one_value
def test_coefficients_reproduce_the_prediction(every):
    model, X, e = every
    slope = e.lasso_coef.to_numpy().reshape(len(X), -1, len(e.lasso_features))
    curves = e.shape.to_numpy().reshape(slope.shape).sum(axis=2)
    link = columns(e.lasso_intercept) + np.einsum("qkj,qj->qk", slope, e.lasso_design.to_numpy()) + curves
    np.testing.assert_allclose(link, columns(e.link), atol=1e-8)
    if hasattr(model, "predict_proba"):
        chance = model.predict_proba(X)
        np.testing.assert_allclose(columns(e.prediction), chance if e.outputs else chance[:, 1:], atol=1e-8)
        np.testing.assert_allclose(link, model.decision_function(X).reshape(link.shape), atol=1e-8)
    else:
        np.testing.assert_allclose(link[:, 0], model.predict(X), atol=1e-8)


@pytest.mark.one_value
def test_small_models_reproduce_the_prediction(every):
    _, X, e = every
    slope, terms = (part.to_numpy().reshape(len(X), -1, len(e.features)) for part in (e.coef, e.terms))
    assert (slope != 0).any(axis=1).sum(axis=1).max() <= 5
    from_zero = columns(e.intercept) + np.einsum("qkj,qj->qk", slope, e.design.to_numpy())
    for link in (columns(e.start) + terms.sum(axis=2), from_zero):
        np.testing.assert_allclose(link, columns(e.link), rtol=1e-8, atol=1e-8)


def test_coefficients_are_blended_by_the_mixing(every):
    _, _, e = every
    blend = np.outer(1 - e.mixing, e.baseline_coef) + e.mixing.to_numpy()[:, None] * e.local_coef.to_numpy()
    np.testing.assert_allclose(e.lasso_coef, blend, atol=1e-10)


@pytest.mark.one_value
def test_tables_are_indexed_like_the_queries(every):
    _, X, e = every
    index = X.index if isinstance(X, pd.DataFrame) else pd.RangeIndex(len(X))
    small = (e.intercept, e.coef, e.design, e.start, e.terms, e.reference, e.fidelity, e.effect)
    lasso = (e.lasso_intercept, e.lasso_coef, e.lasso_design, e.local_coef, e.mixing)
    for values in (e.prediction, e.link, *small, *lasso, e.n_eff, e.mean, e.loss, e.y):
        assert values.index.equals(index)


def test_categories_keep_their_own_names(regression):
    _, _, e = regression
    assert e.lasso_features == ["a", "b", "c", "d", "kind=u", "kind=v"]
    assert e.features == list(e.effect) == ["a", "b", "c", "d", "kind"]


@pytest.mark.one_value
def test_top_features_are_the_largest_contributions_in_order(every):
    _, X, e = every
    top, parts = e.top_features(3), e.contributions()
    first = top.xs(1, level="rank")
    np.testing.assert_allclose(first["contribution"].abs(), parts.abs().max(axis=1))
    size = top["contribution"].abs().to_numpy().reshape(len(X), 3)
    assert (np.diff(size, axis=1) <= 0).all()
    np.testing.assert_allclose(top["contribution"], top["attention"] + top["model"])


def test_more_features_than_there_are_give_all_of_them(regression):
    _, X, e = regression
    assert len(e.top_features(99)) == len(X) * 5


def test_top_rows_are_the_largest_weights_with_what_happened(regression):
    model, X, e = regression
    weights = model.attention(X).toarray()
    top = e.top_rows(4)
    np.testing.assert_allclose(top["weight"].to_numpy().reshape(-1, 4), -np.sort(-weights, axis=1)[:, :4])
    expected = model._model.rows.response.loc[top["row"], "yield"]
    np.testing.assert_array_equal(top["yield"], expected)


def test_rows_without_a_stored_weight_fill_up_what_is_missing(regression):
    _, X, e = regression
    assert len(e.top_rows(60)) == len(X) * 60
    assert not e.top_rows(60).reset_index().duplicated(["query", "row"]).any()


def test_survival_rows_show_event_and_time(survival):
    _, _, e = survival
    assert list(e.top_rows(1).columns) == ["row", "weight", "event", "time"]


def test_losses_are_those_of_both_predictions(regression, binary):
    model, X, e = regression
    np.testing.assert_allclose(e.loss, (e.y["yield"] - model.predict(X)) ** 2)
    base = model.baseline_.predict(X)
    np.testing.assert_allclose(e.baseline_loss, (e.y["yield"] - base) ** 2)
    model, X, e = binary
    assert e.loss.mean() == pytest.approx(log_loss(e.y.iloc[:, 0], model.predict_proba(X)))


def test_without_a_response_there_are_no_losses(regression):
    model, X, _ = regression
    e = model.explain(X)
    assert e.y is None
    assert e.loss is None


@pytest.mark.one_value
def test_n_eff_is_that_of_the_attention(every):
    model, X, e = every
    np.testing.assert_allclose(e.n_eff, 1 / (model.attention(X).toarray() ** 2).sum(axis=1))


def test_the_number_of_nonzero_slopes_counts_columns(every):
    _, X, e = every
    used = e.coef.to_numpy().reshape(len(X), -1, len(e.features)) != 0
    np.testing.assert_array_equal(e.n_nonzero, used.any(axis=1).sum(axis=1))


def test_a_baseline_alone_can_be_explained(rng):
    X = rng.normal(size=(40, 3))
    e = AttentionLasso(mixing=0.0, random_state=0).fit(X, X[:, 0]).explain(X)
    np.testing.assert_allclose(e.n_eff, 40)
    np.testing.assert_allclose(e.mean, np.tile(X.mean(axis=0), (40, 1)), atol=1e-12)


def test_an_unknown_output_is_named_with_the_classes(classes, regression):
    with pytest.raises(ValueError, match=r"`output` must be one of the classes .*'low', 'mid', 'top'.*got 'huge'"):
        classes[2].contributions("huge")
    with pytest.raises(ValueError, match="`output` must be None"):
        regression[2].contributions("low")


@pytest.mark.parametrize("k", [0, -1])
def test_at_least_one_must_be_asked_for(regression, k):
    with pytest.raises(ValueError, match="`k` must be >= 1"):
        regression[2].top_rows(k)


def test_a_response_of_another_length_is_an_error(regression):
    model, X, _ = regression
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.explain(X, np.zeros(3))
