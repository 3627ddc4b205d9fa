"""The whole flow with one head and weights of any size, held against loops over rows."""

import numpy as np
import pytest

from heedful import AttentionLasso, LocalLasso
from heedful.similarity import ForestProximity
from reference.flow import Flow

SEED, TEMPERATURE = 3, 0.2


def forest():
    return ForestProximity(25, min_samples_split=10)


def fitted(rows, weight, mixing):
    local = LocalLasso(alpha_ratio=1.0, max_extrapolation=None)
    how = {"similarity": forest(), "temperature": TEMPERATURE, "local": local, "mixing": mixing, "random_state": SEED}
    return AttentionLasso(heads="single", **how).fit(*rows, sample_weight=weight)


@pytest.fixture(scope="module")
def flow():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(66, 3))
    y = X[:, 0] * np.where(X[:, 1] > 0, 1.0, -0.5) + rng.normal(size=66)
    weight = rng.uniform(0.2, 3.0, 66)
    return Flow(X, y, weight, forest(), TEMPERATURE, SEED), (X, y), weight, rng.normal(size=(12, 3))


@pytest.fixture(scope="module")
def plain(flow):
    return fitted(*flow[1:3], "auto")


def test_the_case_has_something_to_tell(flow):
    slow = flow[0]
    assert 0.1 < slow.guard < 0.95
    assert 0.1 < slow.overall < 0.95
    assert slow.predict(flow[3], adaptive=True)[1].std() > 1e-3


def test_penalty_and_baseline_are_those_of_weighted_folds(flow, plain):
    slow = flow[0]
    assert plain.alpha_ == pytest.approx(slow.alpha, rel=1e-9)
    np.testing.assert_allclose(plain.baseline_.coef_, slow.base[1], atol=1e-6)
    assert plain.baseline_.intercept_ == pytest.approx(slow.base[0], abs=1e-6)


def test_share_and_guard_are_chosen_by_weighted_errors_of_rows_left_out(flow, plain):
    slow = flow[0]
    assert plain.guard_ == pytest.approx(slow.guard, abs=1e-5)
    assert plain.mixing_ == pytest.approx(slow.mixing, abs=1e-5)


def test_predictions_are_blends_of_weighted_lassos(flow, plain):
    slow, X = flow[0], flow[3]
    np.testing.assert_allclose(plain.predict(X), slow.predict(X)[0], atol=1e-5)


def test_each_query_has_the_mixing_of_its_rows_under_the_guard(flow):
    slow, rows, weight, X = flow
    model = fitted(rows, weight, "adaptive")
    value, mixing = slow.predict(X, adaptive=True)
    np.testing.assert_allclose(model.explain(X).mixing, mixing, atol=1e-5)
    np.testing.assert_allclose(model.predict(X), value, atol=1e-5)
    left_out = slow.adapt(slow.left_out)
    blend = (1 - left_out) * slow.baseline + left_out * slow.heads
    np.testing.assert_allclose(model._model.residuals.residual, slow.y - blend, atol=1e-5)


def test_intervals_rank_rows_by_scores_that_left_them_out(flow, plain):
    slow, fit = flow[0], plain._model
    np.testing.assert_allclose(fit.attend_left_out(np.arange(66)).toarray(), slow.left_out, atol=1e-9)
    np.testing.assert_allclose(fit.residuals.residual, slow.y - slow.blend, atol=1e-5)


def test_errors_of_unseen_rows_are_weighted_means(flow, plain):
    slow, share = flow[0], flow[0].weight / flow[0].weight.sum()
    unseen = plain._model.unseen
    assert unseen["baseline"] == pytest.approx(share @ (slow.y - slow.baseline) ** 2, rel=1e-5)
    assert unseen["attention"] == pytest.approx(share @ (slow.y - slow.blend) ** 2, rel=1e-5)
