import numpy as np
import pytest

from heedful.datasets import make_mixture, make_subgroups


def test_the_minority_has_its_exact_share(rng):
    assert make_subgroups(300, random_state=rng).latent.sum() == 60
    assert make_subgroups(200, minority=0.35, random_state=rng).latent.sum() == 70


def test_each_subgroup_uses_its_own_four_features(rng):
    sim = make_subgroups(random_state=rng)
    assert (sim.coef[sim.latent == 0, :4] != 0).all()
    assert not sim.coef[sim.latent == 0, 4:].any()
    assert (sim.coef[sim.latent == 1, 4:8] != 0).all()
    assert not np.delete(sim.coef[sim.latent == 1], np.s_[4:8], axis=1).any()


def test_subgroup_coefficients_are_standard_normal():
    drawn = [make_subgroups(2, 18, random_state=seed).components for seed in range(500)]
    values = np.concatenate([c[c != 0] for c in drawn])
    assert values.size == 500 * 8
    assert values.mean() == pytest.approx(0.0, abs=0.06)
    assert values.std() == pytest.approx(1.0, abs=0.05)


def test_shift_moves_features_1_to_8_of_the_minority_only():
    still, moved = (make_subgroups(100, shift=shift, random_state=2) for shift in (0.0, 2.0))
    expected = np.zeros((100, 30))
    expected[still.latent == 1, :8] = 2.0
    np.testing.assert_allclose(moved.X - still.X, expected, atol=1e-12)


def spurious_shifts(monkeypatch):
    """Return what the spurious heterogeneity adds to 100 rows."""
    disturbed = make_subgroups(100, random_state=4).X
    monkeypatch.setattr("heedful.datasets._groups._disturb", lambda *_: None)
    added = disturbed - make_subgroups(100, random_state=4).X
    return np.where(np.abs(added) > 1e-12, added, 0.0)


def test_spurious_shifts_touch_ten_noise_features_of_half_the_rows(monkeypatch):
    touched = spurious_shifts(monkeypatch) != 0
    assert touched.any(axis=0).sum() == 10
    assert not touched[:, :8].any()
    assert touched.any(axis=1).sum() == 50


def test_spurious_shifts_are_the_same_in_every_touched_row(monkeypatch):
    added = spurious_shifts(monkeypatch)
    rows = added[added.any(axis=1)]
    np.testing.assert_allclose(rows, np.tile(rows[0], (50, 1)), atol=1e-12)


def test_subgroups_meet_the_asked_signal_to_noise_ratio(rng):
    sim = make_subgroups(4000, snr=2.5, random_state=rng)
    assert sim.signal.var() / (sim.y - sim.signal).var() == pytest.approx(2.5, rel=0.1)


def test_mixture_groups_have_opposite_means_and_equal_second_moments(rng):
    sim = make_mixture(40_000, 4, sparsity=3, separation=2.0, weights=(0.7, 0.3), random_state=rng)
    first, second = (sim.X[sim.latent == k] for k in (0, 1))
    np.testing.assert_allclose(first.mean(axis=0), [np.sqrt(0.5), np.sqrt(0.5), 0, 0], atol=0.04)
    np.testing.assert_allclose(first.mean(axis=0), -second.mean(axis=0), atol=0.05)
    np.testing.assert_allclose(first.T @ first / len(first), second.T @ second / len(second), atol=0.08)


def test_mixture_weights_are_the_shares_of_the_groups(rng):
    sim = make_mixture(20_000, 3, sparsity=3, weights=(0.8, 0.2), random_state=rng)
    assert sim.latent.mean() == pytest.approx(0.2, abs=0.01)


def test_mixture_coefficients_are_sparse_and_share_the_markers(rng):
    sim = make_mixture(10, 20, sparsity=5, random_state=rng)
    np.testing.assert_array_equal((sim.components != 0).sum(axis=1), 5)
    np.testing.assert_array_equal(sim.components[:, :2], 1.0)
    np.testing.assert_array_equal(sim.coef, sim.components[sim.latent])


def test_mixture_noise_has_the_asked_standard_deviation(rng):
    sim = make_mixture(20_000, 5, sparsity=3, noise=0.3, random_state=rng)
    assert (sim.y - sim.signal).std() == pytest.approx(0.3, rel=0.05)
    assert make_mixture(10, noise=0, random_state=rng).noise == 0


def test_coef_gives_new_mixture_rows_with_the_same_truth(rng):
    first = make_mixture(50, 8, random_state=rng)
    second = make_mixture(50, 8, coef=first.components, random_state=rng)
    np.testing.assert_array_equal(first.components, second.components)
    assert not np.allclose(first.X, second.X)


@pytest.mark.parametrize("make", [make_subgroups, make_mixture])
def test_the_same_seed_gives_the_same_rows(make):
    np.testing.assert_array_equal(make(20, random_state=5).y, make(20, random_state=5).y)


@pytest.mark.parametrize(
    ("make", "options", "error", "message"),
    [
        (make_subgroups, {"p": 17}, ValueError, "`p` must be >= 18"),
        (make_subgroups, {"minority": 20}, ValueError, "`minority`.*got 20.*0.2"),
        (make_mixture, {"weights": (1, 1)}, ValueError, "`weights` must hold 2 shares"),
        (make_mixture, {"weights": (0.2, 0.3, 0.5)}, ValueError, "`weights` must hold 2 shares"),
        (make_mixture, {"weights": "half"}, ValueError, "could not convert"),
        (make_mixture, {"separation": -1}, ValueError, "`separation` must be >= 0"),
        (make_mixture, {"sparsity": 2}, ValueError, "`sparsity` must be >= 3 and <= 30, got 2"),
        (make_mixture, {"sparsity": 31}, ValueError, "`sparsity` must be >= 3 and <= 30, got 31"),
        (make_mixture, {"noise": -0.1}, ValueError, "`noise` must be >= 0"),
        (
            make_mixture,
            {"coef": np.ones((2, 29))},
            ValueError,
            r"finite numbers of shape \(2, 30\), got shape",
        ),
        (make_mixture, {"coef": np.full((2, 30), np.nan)}, ValueError, "`coef` must hold finite numbers"),
    ],
)
def test_bad_arguments_are_named(make, options, error, message):
    with pytest.raises(error, match=message):
        make(**options)
