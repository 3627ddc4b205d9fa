"""At mixing 0 one model predicts: nothing that is shown comes through attention."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from tests.report.cases import make_explanation

from heedful import (
    AttentionCox,
    AttentionGLM,
    AttentionLasso,
    AttentionLassoClassifier,
    AttentionRegressor,
    LeafAttentionRegressor,
    LocalLasso,
    LocalLearner,
    plot,
)
from heedful.explain._rows import top_of
from heedful.report._collect import collect
from heedful.similarity import ForestProximity

ESTIMATORS = {
    "numbers": AttentionLasso,
    "two": AttentionLassoClassifier,
    "three": AttentionLassoClassifier,
    "counts": AttentionGLM,
    "survival": AttentionCox,
}
N_TRAIN = 90


def make_table(n_rows=130):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n_rows, 3)), columns=list("abc"), index=[f"r{i}" for i in range(n_rows)])
    X["kind"] = rng.choice(list("uvw"), n_rows)
    return X, (np.sin(2 * X["a"]) + 0.5 * X["b"] + (X["kind"] == "u") + 0.3 * rng.normal(size=n_rows)).to_numpy()


def respond(kind, signal):
    if kind == "numbers":
        return signal
    if kind == "survival":
        return np.column_stack([np.arange(signal.size) % 3 > 0, np.exp(-signal)])
    if kind == "counts":
        return np.random.default_rng(1).poisson(np.exp(signal))
    return pd.qcut(signal, 2 if kind == "two" else 3, labels=False).astype(str)


@cache
def fit_alone(kind, additive=None, context=False):
    """Return a model of mixing 0 and rows to explain; with a share of curves where one is given."""
    X, signal = make_table()
    y = respond(kind, signal)
    how = {"similarity": ForestProximity(10), "random_state": 0}
    how |= {"features": {"model": ["a", "kind"]}} if context else {}
    if additive is None:
        return ESTIMATORS[kind](mixing=0.0, **how).fit(X[:N_TRAIN], y[:N_TRAIN]), X[N_TRAIN:], y[N_TRAIN:]
    model = ESTIMATORS[kind](local=LocalLasso(shapes=True), **how).fit(X[:N_TRAIN], y[:N_TRAIN])
    tuned = model._model.tuned
    model._model.tuned = tuned._replace(share=np.zeros(tuned.share.size), additive=additive)
    return model, X[N_TRAIN:], y[N_TRAIN:]


SHARES = (None, 0.6, 1.0)
# each kind with one share, the others in the second tier
PAIRS = [
    pytest.param((kind, share), marks=() if j == i % len(SHARES) else pytest.mark.more, id=str((kind, share)))
    for i, kind in enumerate(ESTIMATORS)
    for j, share in enumerate(SHARES)
]


@pytest.fixture(scope="module", params=PAIRS)
def alone(request):
    kind, additive = request.param
    model, X, y = fit_alone(kind, additive)
    assert model.mixing_ == 0
    return model.explain(X, y)


@pytest.mark.one_value
def test_without_attention_there_is_one_model_and_nothing_comes_through_attention(alone):
    assert alone.alone
    assert len(alone.clusters().table) == 1
    assert (alone.clusters().labels == 1).all()
    for output in [None, *(alone.outputs or [])]:
        assert not alone.contributions(output, part="attention").to_numpy().any()
        assert not alone.importance(output)["attention"].any()
        assert not alone.top_features(2, output)["attention"].any()
        total = alone.contributions(output)
        model, levels = (alone.contributions(output, "model", levels=flag) for flag in (False, True))
        np.testing.assert_array_equal(model, total)
        summed = levels.T.groupby(alone.sources.to_numpy()).sum().T[total.columns]
        np.testing.assert_allclose(summed, total, atol=1e-12)


@pytest.mark.one_value
def test_without_attention_no_rows_are_listed_and_all_count(alone):
    n_columns = alone.train.shape[1]
    assert (alone.n_eff == N_TRAIN).all()
    assert alone.top_rows(3).shape == (0, 2 + n_columns)
    assert list(alone.top_rows(3))[:2] == ["row", "weight"]
    assert alone.top_rows(3, values=True).shape == (0, 2 + n_columns + 4)
    assert alone.attended().shape == (0, 5)
    assert alone.attended().index.names == ["query", "rank"]
    assert "all: the global model predicts alone" in repr(alone)


@pytest.mark.one_value
def test_the_page_of_one_model_lists_no_rows_and_no_part_through_attention(alone):
    data = collect(alone, None, None)
    assert data["attended"]["k"] == 0
    assert data["attended"]["row"] == []
    assert data["compared"] is None
    assert "attention" not in data["drivers"]
    assert all("attention" not in bars for bars in data["whole"]["bars"])
    assert [card["note"] for card in data["cards"] if card["name"] == "mixing"] == ["the global model predicts alone"]
    assert "effective sample size" not in [card["name"] for card in data["cards"]]


@pytest.mark.more
def test_columns_of_the_similarity_alone_add_nothing_without_attention():
    model, X, y = fit_alone("three", 0.5, context=True)
    e = model.explain(X, y)
    assert not e.contributions()[["b", "c"]].to_numpy().any()
    assert e.contributions()["a"].any()
    assert e.top_context(2).empty


@pytest.mark.one_value
@pytest.mark.parametrize("mixing", [0.0, 0.6])
def test_linear_predictors_of_classes_sum_to_zero_wherever_they_are_shown(mixing):
    X, signal = make_table()
    y = respond("three", signal)
    model = AttentionLassoClassifier(mixing=mixing, similarity=ForestProximity(10), random_state=0)
    model.fit(X[:N_TRAIN], y[:N_TRAIN])
    e, local = model.explain(X[N_TRAIN:]), model.local_models(X[N_TRAIN:])
    for table in (e.link, e.intercept, local.intercept, local.local_intercept):
        np.testing.assert_allclose(table.sum(axis=1), 0, atol=1e-9)
    for table in (e.coef, e.local_coef, local.coef, local.local_coef, local.shape, local.local_shape, local.multiple):
        np.testing.assert_allclose(table.T.groupby(level=-1).sum(), 0, atol=1e-9)
    assert abs(local.baseline_intercept.sum()) < 1e-9
    assert abs(np.sum(e.base_value)) < 1e-9
    np.testing.assert_allclose(e.baseline_coef.groupby(level=-1).sum(), 0, atol=1e-9)
    whole = sum(e.contributions(output).to_numpy() for output in e.outputs)
    np.testing.assert_allclose(whole, 0, atol=1e-6 * np.abs(e.contributions()).max().max())
    told = model.coef_intervals(X[N_TRAIN : N_TRAIN + 2])
    np.testing.assert_allclose(told["coef"].groupby(["query", "feature"]).sum(), 0, atol=1e-9)


def test_the_intercept_of_classes_is_the_same_for_all_rows_of_one_model():
    model, X, y = fit_alone("three")
    intercept = model.explain(X, y).lasso_intercept
    np.testing.assert_allclose(intercept, intercept.iloc[[0]].to_numpy().repeat(len(X), axis=0), atol=1e-9)


@pytest.mark.one_value
@pytest.mark.parametrize("estimator", [LeafAttentionRegressor, AttentionRegressor])
def test_other_models_of_mixing_0_list_no_rows_and_are_one_cluster(estimator):
    X, y = make_table()
    how = {} if estimator is LeafAttentionRegressor else {"local": LocalLearner(tuning_rows=20)}
    X = X.drop(columns="kind")
    e = estimator(mixing=0.0, random_state=0, **how).fit(X[:N_TRAIN], y[:N_TRAIN]).explain(X[N_TRAIN:])
    assert e.top_rows().empty
    assert len(e.clusters().table) == 1
    assert (e.n_eff == N_TRAIN).all()


def test_rows_listed_are_those_of_the_largest_weights_stored_or_not():
    e = make_explanation(n_query=6)
    weights = e.attention.weights
    # a stored row may have less than the background has
    weights.data[weights.indptr[2] : weights.indptr[3]] *= 1e-6
    for q in range(6):
        dense = e.attention.row(q)
        rows, found = top_of(e.attention, q, 9)
        np.testing.assert_array_equal(rows, np.lexsort((np.arange(dense.size), -np.round(dense, 14)))[:9])
        np.testing.assert_array_equal(found, dense[rows])


def test_weights_that_differ_by_rounding_are_in_the_order_of_the_rows():
    e = make_explanation(n_query=2)
    weights = e.attention.weights
    own = slice(*weights.indptr[:2])
    weights.data[own] = 0.01 * (1 + 1e-15 * np.arange(weights.data[own].size))
    stored = np.sort(weights.indices[own])
    assert top_of(e.attention, 0, 4)[0].tolist() == stored[:4].tolist()


def test_the_page_says_when_all_weights_are_equal():
    e = make_explanation(n_query=5)
    even = e.attention.evened(np.array([1.0, 0.0, 1.0, 1.0, 0.0]))
    told = collect(type(e)(**{**vars(e), "attention": even}), None, None)["attended"]
    assert told["equal"] == [False, True, False, False, True]
    assert told["k"] == 8


def test_curves_are_shown_as_they_enter_the_model_for_all_rows():
    for kind in ("numbers", "three"):
        model, X, _ = fit_alone(kind, 0.6)
        e = model.explain(X)
        for name, pieces in e.curves.groupby("feature"):
            parts = [part for _, part in pieces.groupby("class", sort=False)] if e.outputs else [pieces]
            alone = np.column_stack([part["curve"] for part in parts])
            alone = alone - alone.mean(axis=1, keepdims=True) if e.outputs else alone
            shown = np.column_stack([part["effect"] for part in parts])
            np.testing.assert_allclose(shown, 0.6 * alone, atol=1e-12, err_msg=name)
    model._model.tuned = model._model.tuned._replace(additive=0.0)
    assert model.explain(X).curves is None


def test_effects_drawn_of_one_model_are_those_of_its_predictions():
    model, X, _ = fit_alone("numbers", 0.6)
    e = model.explain(X)
    drawn = plot.local_effects(e, "a").collections[0].get_offsets()[:, 1]
    ends = e.effects().xs("a", level="feature")
    low, high = (model.predict(X.assign(a=ends[side].astype(float).to_numpy())) for side in ("from", "to"))
    apart = (ends["to"] - ends["from"]).astype(float).to_numpy()
    np.testing.assert_allclose(drawn, (high - low) / apart, atol=1e-9)
