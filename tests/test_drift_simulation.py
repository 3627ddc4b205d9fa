"""The covariate shift of section 8 of the paper."""

import numpy as np
import pytest

from benchmarks.paper.drift.simulation import make_drift


def test_twenty_of_fifty_coefficients_are_plus_or_minus_two(rng):
    coef = make_drift(share_b=0.1, random_state=rng).components[0]
    assert coef.shape == (50,)
    np.testing.assert_array_equal(np.sort(np.abs(coef)), np.repeat([0.0, 2.0], [30, 20]))
    assert 0 < (coef > 0).sum() < 20


def test_only_features_6_to_10_drift(rng):
    sim = make_drift(20_000, share_b=1.0, random_state=rng)
    np.testing.assert_allclose(sim.X.mean(axis=0), np.repeat([0.0, 2.0, 0.0], [5, 5, 40]), atol=0.04)


def test_share_b_is_the_share_of_drifted_rows(rng):
    sim = make_drift(20_000, share_b=0.9, random_state=rng)
    assert sim.latent.mean() == pytest.approx(0.9, abs=0.01)
    assert sim.X[sim.latent == 0, 5:10].mean() == pytest.approx(0.0, abs=0.05)


def test_the_signal_has_the_printed_curved_terms(rng):
    sim = make_drift(100, share_b=0.5, random_state=rng)
    x1, x3, x4, x5 = sim.X[:, [0, 2, 3, 4]].T
    linear = (sim.X * sim.coef).sum(axis=1)
    np.testing.assert_allclose(sim.signal - linear, x1**2 - x3**2 + (x4 + x5) ** 2, atol=1e-10)


def test_the_response_depends_on_the_features_alike_at_every_time(rng):
    before = make_drift(100, share_b=0.1, random_state=rng)
    after = make_drift(100, share_b=0.9, coef=before.components, random_state=rng)
    np.testing.assert_array_equal(before.components, after.components)
    np.testing.assert_array_equal(before.coef, after.coef)
    assert not np.allclose(before.X, after.X)


def test_sigma_is_the_standard_deviation_of_the_noise(rng):
    sim = make_drift(20_000, share_b=0.1, random_state=rng)
    assert (sim.y - sim.signal).std() == pytest.approx(36.0, rel=0.05)


def test_a_noise_variance_of_36_gives_the_papers_usual_ratio(rng):
    ratios = [make_drift(5000, share_b=0.0, sigma=6.0, random_state=rng).signal.var() / 36 for _ in range(5)]
    assert np.mean(ratios) == pytest.approx(2.5, rel=0.1)


def test_the_same_seed_gives_the_same_rows():
    first, second = (make_drift(20, share_b=0.5, random_state=5) for _ in range(2))
    np.testing.assert_array_equal(first.y, second.y)
