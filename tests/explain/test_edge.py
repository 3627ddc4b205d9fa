"""Contributions of queries beyond what the fast way was checked on: asked of the model, or called approximate."""

import numpy as np
import pandas as pd
import pytest

from heedful import AttentionLasso, AttentionRegressor, LocalLearner
from heedful._explaining import value_function as attribution
from heedful._explaining.explanation import worst_of
from heedful._flow.kinds import Run
from heedful.report._collect import collect
from heedful.similarity import ForestProximity


@pytest.fixture(scope="module")
def made():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(120, 4)), columns=list("abcd"))
    y = np.where(X["a"] > 0, 2.0, -1.0) * X["b"] + 0.2 * rng.normal(size=120)
    return AttentionLasso(similarity=ForestProximity(20), random_state=0).fit(X[:90], y[:90]), X[90:]


@pytest.fixture
def never(monkeypatch):
    """Take every query for one beyond all that is known."""
    monkeypatch.setattr(attribution, "FAR", 0.0)
    monkeypatch.setattr(attribution, "LEAST_LEFT", 0.0)


def test_queries_like_the_rows_that_trees_were_checked_on_are_not_asked_about(made, monkeypatch):
    model, X = made
    monkeypatch.setattr(attribution, "FAR", np.inf)
    e = model.explain(X)
    assert e.contributions_checked.all()
    assert e.contributions_checked.index.equals(X.index)
    assert "approximate" not in repr(e)


@pytest.mark.more
@pytest.mark.usefixtures("never")
def test_a_few_queries_beyond_are_asked_of_the_model_and_the_others_are_said_to_be_approximate(made):
    model, X = made
    e, asked = model.explain(X), model.explain(X, method="shapley")
    assert "approximate" not in repr(e)
    found, exact = e.contributions().to_numpy(), asked.contributions().to_numpy()
    same = np.isclose(found, exact, rtol=1e-9, atol=1e-12).all(axis=1)
    assert same.sum() == 2
    np.testing.assert_array_equal(e.contributions_checked, same)
    assert asked.contributions_checked.all()
    np.testing.assert_allclose(e.base_value + found.sum(axis=1), e.prediction, atol=1e-9)
    assert "approximate for 28 queries" in repr(e)
    assert collect(e, None, None)["drivers"]["rough"] == np.flatnonzero(~same).tolist()


@pytest.mark.usefixtures("never")
def test_of_any_learner_nothing_more_is_asked(made, monkeypatch):
    _, X = made
    monkeypatch.setattr(attribution, "SLOW_MIXED", 60)
    model = AttentionRegressor(random_state=0, local=LocalLearner(tuning_rows=20), mixing=0.5).fit(X, X["a"] * X["b"])
    assert not model.explain(X[:3] + 0.1).contributions_checked.any()


def test_the_farthest_are_asked_about_and_few_of_many():
    far = np.array([0.5, 3.0, 1.0, 9.0, 2.0] * 20)
    assert worst_of(far, 10).tolist() == [3, 8, 13, 18, 23]
    assert worst_of(far, 3).tolist() == [3, 8, 13]
    assert worst_of(far[:1], 10).size == 0
    assert worst_of(far, 0).size == 0
    assert worst_of(np.full(1000, 2.0), 10).size == 10


def test_what_trees_usually_miss_is_measured_on_mixed_rows_that_they_were_not_fitted_to(made):
    function = attribution.value_function_of(made[0]._model, Run())
    weight = function.fitted.rows.weight
    n_columns = function.compared.rows.codes.shape[1]
    seen, new = (attribution.mix_rows(weight, n_columns, 50, seed) for seed in (0, 1))
    assert not np.array_equal(seen, new)
    inside = function.missed_of(function.compared.rows, attribution.mix_rows(weight, n_columns, 400))
    assert function.usually_missed[0] > np.sqrt((inside**2).mean())
