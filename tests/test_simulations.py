"""Simulations of studies: settings 1, 2 and 4 of the paper, and two classes."""

import numpy as np
import pytest
from scipy.special import expit

from benchmarks.simulations import (
    make_binary,
    make_continuous,
    make_high_dimensional,
    make_soft_clusters,
    soft_membership,
)
from heedful.datasets import make_subgroups

MAKERS = [make_continuous, make_high_dimensional, make_soft_clusters]
N_SHIFTED = {make_continuous: 4, make_high_dimensional: 6, make_soft_clusters: 4}


@pytest.mark.parametrize("make", MAKERS)
def test_shapes_follow_n_and_p(make, rng):
    sim = make(50, 12, random_state=rng)
    assert sim.X.shape == sim.coef.shape == (50, 12)
    assert sim.y.shape == sim.latent.shape == sim.signal.shape == (50,)
    assert sim.components.shape[1] == 12


@pytest.mark.parametrize(("make", "p"), [(make_continuous, 30), (make_high_dimensional, 100), (make_soft_clusters, 30)])
def test_the_defaults_are_the_papers_sizes(make, p, rng):
    assert make(random_state=rng).X.shape == (300, p)


@pytest.mark.parametrize("make", MAKERS)
def test_the_signal_is_each_row_times_its_own_coefficients(make, rng):
    sim = make(random_state=rng)
    np.testing.assert_allclose(sim.signal, (sim.X * sim.coef).sum(axis=1), atol=1e-12)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("snr", [0.5, 2.5, 10.0])
def test_the_asked_signal_to_noise_ratio_is_met(make, snr, rng):
    sim = make(4000, snr=snr, random_state=rng)
    assert sim.signal.var() / sim.noise**2 == pytest.approx(snr)
    assert sim.signal.var() / (sim.y - sim.signal).var() == pytest.approx(snr, rel=0.1)


@pytest.mark.parametrize("make", MAKERS)
def test_shift_moves_only_the_stated_features_by_the_position(make):
    still, moved = (make(40, 10, shift=shift, random_state=3) for shift in (0.0, 1.5))
    expected = np.zeros((40, 10))
    expected[:, : N_SHIFTED[make]] = 1.5 * still.latent[:, None]
    np.testing.assert_allclose(moved.X - still.X, expected, atol=1e-12)


@pytest.mark.parametrize("make", MAKERS)
def test_noise_features_have_no_coefficient(make, rng):
    assert not make(random_state=rng).coef[:, 6:].any()


@pytest.mark.parametrize("make", MAKERS)
def test_the_same_seed_gives_the_same_rows(make):
    first, second, other = (make(20, random_state=seed) for seed in (5, 5, 6))
    np.testing.assert_array_equal(first.y, second.y)
    assert not np.allclose(first.y, other.y)


def test_continuous_coefficients_are_linear_in_the_position(rng):
    sim = make_continuous(random_state=rng)
    assert (np.abs(sim.latent) <= 1).all()
    np.testing.assert_allclose(sim.coef[:, :4], np.tile((0.5 + 2.5 * sim.latent)[:, None], 4))


def test_continuous_ends_follow_the_printed_formula(rng):
    sim = make_continuous(20_000, 4, random_state=rng)
    np.testing.assert_allclose(sim.coef[np.argmin(sim.latent)], -2.0, atol=0.01)
    np.testing.assert_allclose(sim.coef[np.argmax(sim.latent)], 3.0, atol=0.01)


def test_high_dimensional_ends_are_its_components(rng):
    sim = make_high_dimensional(20_000, 6, random_state=rng)
    np.testing.assert_allclose(sim.coef[np.argmax(sim.latent)], [3, 2, 1, 0, 0, 0], atol=0.01)
    np.testing.assert_allclose(sim.coef[np.argmin(sim.latent)], [-1, 0, 1, 2, 3, 2], atol=0.01)


def test_soft_memberships_sum_to_one_and_mirror_at_the_middle():
    position = np.linspace(0, 1, 11)
    share = soft_membership(position)
    np.testing.assert_allclose(share.sum(axis=1), 1.0)
    np.testing.assert_allclose(share, share[::-1, ::-1])


def test_soft_clusters_lead_near_their_centres():
    np.testing.assert_array_equal(soft_membership(np.array([0.0, 0.5, 1.0])).argmax(axis=1), [0, 1, 2])


def test_soft_coefficients_at_the_middle_balance_the_outer_groups(rng):
    sim = make_soft_clusters(20_000, 4, random_state=rng)
    middle = sim.coef[np.argmin(np.abs(sim.latent - 0.5))]
    # normal densities 2 sd from the outer centres against 0 sd from the middle one
    outer = np.exp(-2.0)
    expected = (sim.components[1] + outer * (sim.components[0] + sim.components[2])) / (1 + 2 * outer)
    np.testing.assert_allclose(middle, expected, atol=0.01)


@pytest.mark.parametrize("snr", [0.5, 2.5, 10.0])
def test_the_log_odds_have_the_asked_signal_to_noise_ratio(snr, rng):
    sim = make_binary(snr=snr, random_state=rng)
    assert sim.signal.var() / sim.noise**2 == pytest.approx(snr)


def test_log_odds_are_each_row_times_the_coefficients_of_its_group(rng):
    sim = make_binary(random_state=rng)
    np.testing.assert_array_equal(sim.coef, sim.components[sim.latent])
    np.testing.assert_allclose(sim.signal, (sim.X * sim.coef).sum(axis=1), atol=1e-12)


def test_binary_rows_and_groups_are_those_of_the_subgroups():
    binary, linear = (make(50, shift=1.5, minority=0.3, random_state=4) for make in (make_binary, make_subgroups))
    np.testing.assert_array_equal(binary.X, linear.X)
    np.testing.assert_array_equal(binary.latent, linear.latent)


def test_binary_log_odds_are_the_scaled_mean_of_the_subgroups():
    binary, linear = (make(50, random_state=4) for make in (make_binary, make_subgroups))
    factor = binary.signal[0] / linear.signal[0]
    assert factor > 0
    np.testing.assert_allclose(binary.signal, factor * linear.signal)
    np.testing.assert_allclose(binary.components, factor * linear.components)


def test_classes_are_the_integers_0_and_1(rng):
    y = make_binary(random_state=rng).y
    assert y.dtype == np.int64
    np.testing.assert_array_equal(np.unique(y), [0, 1])


@pytest.mark.parametrize("group", [0, 1])
def test_the_signal_gives_the_probability_of_class_1_in_each_group(group, rng):
    sim = make_binary(100_000, 18, minority=0.5, random_state=rng)
    rows = sim.latent == group
    chance, y = expit(sim.signal[rows]), sim.y[rows]
    tenth = np.digitize(chance, np.linspace(0.1, 0.9, 9))
    for k in range(10):
        assert y[tenth == k].mean() == pytest.approx(chance[tenth == k].mean(), abs=0.03)


def test_more_signal_makes_the_classes_easier():
    chances = [expit(make_binary(2000, snr=snr, random_state=1).signal) for snr in (1.0, 5.0, 25.0)]
    easier = [np.minimum(chance, 1 - chance).mean() for chance in chances]
    assert easier == sorted(easier, reverse=True)


def test_binary_defaults_leave_a_log_loss_near_0_3_and_balanced_classes(rng):
    sims = [make_binary(1000, random_state=rng) for _ in range(60)]
    losses = [np.logaddexp(0, np.where(sim.y == 1, -sim.signal, sim.signal)).mean() for sim in sims]
    assert 0.25 < np.mean(losses) < 0.35
    assert np.mean([sim.y.mean() for sim in sims]) == pytest.approx(0.5, abs=0.05)
