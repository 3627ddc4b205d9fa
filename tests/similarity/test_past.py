"""Attention to the past: what came later has no say."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import TimeSeriesSplit

from heedful import AttentionLasso, AttentionRegressor, LocalLasso, LocalLearner
from heedful.attention._weighting import Weighting, weigh
from heedful.similarity import ForestProximity, GaussianSimilarity, PastSimilarity, default_forests

INNER = {"forest": ForestProximity(20, random_state=0), "gaussian": GaussianSimilarity()}


def series(rng, n=80):
    X = np.column_stack([np.arange(n, dtype=float), rng.normal(size=(n, 2))])
    return X, X[:, 1] * np.sign(X[:, 2]) + 0.1 * rng.normal(size=n)


@pytest.mark.one_value
@pytest.mark.parametrize("name", INNER)
def test_rows_that_are_not_earlier_have_no_weight(rng, name):
    X, y = series(rng)
    past = PastSimilarity(INNER[name], time=0).fit(X, y)
    rows = past.score_rows(X[[30, 31, 79]])
    for kind in [Weighting("softmax", 0.1), *map(Weighting, past.weightings)]:
        excess, background = weigh(rows, kind, np.ones(80))
        np.testing.assert_array_equal(background, 0.0)
        dense = excess.toarray()
        for query, weight in zip([30, 31, 79], dense, strict=True):
            assert (weight[query:] == 0).all()
            np.testing.assert_allclose(weight[:query].sum(), 1.0)


@pytest.mark.one_value
@pytest.mark.parametrize("name", INNER)
def test_earlier_rows_are_scored_as_without_the_mask(rng, name):
    X, y = series(rng)
    past = PastSimilarity(INNER[name], time=0).fit(X, y)
    plain = clone(INNER[name]).fit(X[:, 1:], y)
    expected = np.asarray(plain.scores(X[[50], 1:]).todense() if name == "forest" else plain.scores(X[[50], 1:]))
    np.testing.assert_array_equal(past.scores(X[[50]])[0, :50], expected[0, :50])
    assert (past.scores(X[[50]])[0, 50:] == -np.inf).all()


def test_training_rows_look_back_too(rng):
    X, y = series(rng)
    past = PastSimilarity(INNER["forest"], time=0).fit(X, y)
    scores = past.train_rows(np.arange(80)).score.reshape(80, 80)
    assert (scores[np.triu_indices(80)] == -np.inf).all()
    assert np.isfinite(scores[np.tril_indices(80, -1)]).all()


def test_some_training_rows_look_back_as_all_of_them_do(rng):
    X, y = series(rng)
    past = PastSimilarity(INNER["gaussian"], time=0).fit(X[rng.permutation(80)], y)
    every = past.train_rows(np.arange(80)).score.reshape(80, 80)
    some = np.array([70, 3, 41])
    np.testing.assert_array_equal(past.train_rows(some).score.reshape(3, 80), every[some])


def test_rows_of_the_same_time_do_not_see_each_other(rng):
    X, y = series(rng)
    X[:, 0] //= 4
    past = PastSimilarity(INNER["gaussian"], time=0).fit(X, y)
    np.testing.assert_array_equal(past.scores(X) > -np.inf, X[:, 0] < X[:, [0]])


def test_weights_reach_the_similarity_inside(rng):
    X, y = series(rng)
    weight = rng.uniform(0.1, 3.0, 80)
    past = PastSimilarity(INNER["gaussian"], time=0).fit(X, y, weight)
    plain = clone(INNER["gaussian"]).fit(X[:, 1:], y, weight)
    np.testing.assert_array_equal(past.scores(X[[79]])[0, :79], plain.scores(X[[79], 1:])[0, :79])


@pytest.mark.one_value
@pytest.mark.parametrize("cv", ["oob", TimeSeriesSplit(3)])
def test_later_rows_do_not_change_a_local_model(rng, cv):
    X, y = series(rng)
    frame = pd.DataFrame(X, columns=["day", "a", "b"])
    how = {"heads": "single", "temperature": 0.5, "alpha": 0.05, "mixing": 1.0, "cv": cv}
    how |= {"local": LocalLasso(alpha_ratio=1.0), "features": {"model": ["a", "b"]}}
    model = AttentionLasso(similarity=PastSimilarity(GaussianSimilarity(), "day"), **how)
    other = np.where(np.arange(80) < 50, y, -5.0 * y)
    queries = frame.iloc[:50].assign(day=lambda part: part["day"] + 0.5)
    weights = [clone(model).fit(frame, z).attention(queries).toarray() for z in (y, other)]
    np.testing.assert_allclose(*weights, atol=1e-12)
    assert (weights[0][10, 11:] == 0).all()


def test_every_estimator_takes_it_by_name_of_the_column(rng):
    X, y = series(rng)
    frame = pd.DataFrame(X, columns=["day", "a", "b"])
    for model in (AttentionLasso(), AttentionRegressor(local=LocalLearner(tuning_rows=10))):
        model.set_params(
            similarity=PastSimilarity(ForestProximity(20), "day"), features={"model": ["a", "b"]}, random_state=0
        )
        attention = model.fit(frame, y).attention(frame.iloc[[40]]).toarray()
        assert (attention[0, 40:] == 0).all() or model.mixing_ == 0
        assert model.similarity_[0].label == "past(forest(sqrt))"


def test_it_is_fitted_to_what_the_other_similarity_asks_for(rng):
    X, y = series(rng)
    frame = pd.DataFrame(X, columns=["day", "a", "b"])
    forest, own = ForestProximity(20, target="residual", random_state=0), ["a", "b"]
    past = AttentionLasso(similarity=PastSimilarity(forest, "day"), features={"model": own}, random_state=0)
    plain = AttentionLasso(similarity=forest, features={"similarity": own, "model": own}, random_state=0)
    past, plain = past.fit(frame, y), plain.fit(frame, y)
    assert past.similarity_[0].target == "residual"
    inner, other = (part.scores(X[:, 1:]).toarray() for part in (past.similarity_[0].similarity_, plain.similarity_[0]))
    np.testing.assert_array_equal(inner, other)


@pytest.mark.one_value
@pytest.mark.parametrize("similarity", ["forest", GaussianSimilarity(), ForestProximity()])
def test_it_is_fitted_to_the_response_unless_told_otherwise(similarity):
    assert PastSimilarity(similarity, time=0).target == "response"


def test_the_default_forests_may_look_back_too(rng):
    X, y = series(rng)
    model = AttentionLasso(similarity=PastSimilarity("forest", 0), random_state=0).fit(X, y)
    names = [f"past({forest.label})" for forest in default_forests()]
    assert [entry.label for entry in model.similarity_] == names
    assert np.isfinite(model.predict(X)).all()


def test_a_query_before_everything_attends_to_all_rows_alike(rng):
    X, y = series(rng)
    past = PastSimilarity(INNER["gaussian"], time=0).fit(X, y)
    excess, background = weigh(past.score_rows(X[[0]]), Weighting("softmax", 0.1), np.ones(80))
    np.testing.assert_allclose(excess.toarray()[0] + background[0] / 80, 1 / 80)


def test_a_column_that_is_not_there_is_named(rng):
    X, y = series(rng)
    frame = pd.DataFrame(X, columns=["day", "a", "b"])
    with pytest.raises(ValueError, match="`time` names 'hour', which the similarity does not see"):
        AttentionLasso(similarity=PastSimilarity("forest", "hour")).fit(frame, y)


def test_a_missing_time_is_an_error_in_training_rows(rng):
    X, y = series(rng)
    X[3, 0] = np.nan
    with pytest.raises(ValueError, match="`time` must be known"):
        PastSimilarity(GaussianSimilarity(), time=0).fit(X, y)
