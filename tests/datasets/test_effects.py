"""Simulated treatments: their formulas, and what was drawn from them."""

import math

import numpy as np
import pytest

from heedful.datasets import make_effects

SETUPS = ("A", "B", "C", "D", "groups")


def truth_of(setup, x, group):
    """Return baseline, propensity and effect of one row, as the paper writes them."""
    x1, x2, x3, x4, x5, x6 = x
    if setup == "A":
        wave = math.sin(math.pi * x1 * x2)
        return wave + 2 * (x3 - 0.5) ** 2 + x4 + 0.5 * x5, max(0.1, min(wave, 0.9)), (x1 + x2) / 2
    if setup == "B":
        return max(x1 + x2, x3, 0) + max(x4 + x5, 0), 0.5, x1 + math.log(1 + math.exp(x2))
    if setup == "C":
        return 2 * math.log(1 + math.exp(x1 + x2 + x3)), 1 / (1 + math.exp(x2 + x3)), 1.0
    if setup == "D":
        treated, untreated = max(x1 + x2 + x3, 0), max(x4 + x5, 0)
        return (treated + untreated) / 2, 1 / (1 + math.exp(-x1) + math.exp(-x2)), treated - untreated
    effect = 1 + x4 + x5 / 2 if group == 0 else -1 - x4 + x6 / 2
    return x1 + max(x2 + x4, 0), 1 / (1 + math.exp(-x5 / 2)), effect


@pytest.mark.parametrize("setup", SETUPS)
def test_truths_follow_their_formulas(setup):
    sim = make_effects(setup, 50, random_state=0)
    for i in range(50):
        expected = truth_of(setup, sim.X[i].tolist(), sim.group[i])
        assert (sim.baseline[i], sim.propensity[i], sim.effect[i]) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("setup", SETUPS)
def test_draws_follow_the_truth(setup):
    sim = make_effects(setup, 20_000, noise=0.5, random_state=1)
    left = sim.y - sim.baseline - (sim.treatment - 0.5) * sim.effect
    assert left.mean() == pytest.approx(0, abs=0.02)
    assert left.std() == pytest.approx(0.5, rel=0.03)
    for part in (sim.propensity < 0.5, sim.propensity >= 0.5):
        chance = sim.propensity[part]
        assert abs(sim.treatment[part].sum() - chance.sum()) < 4 * np.sqrt((chance * (1 - chance)).sum()) + 1e-9
    assert np.corrcoef(left, sim.treatment)[0, 1] == pytest.approx(0, abs=0.04)


def test_rows_are_uniform_in_setup_a_and_normal_elsewhere():
    assert 0 < make_effects("A", 2000, random_state=0).X.min() < make_effects("A", 2000, random_state=0).X.max() < 1
    assert make_effects("B", 20_000, random_state=0).X.std(axis=0) == pytest.approx(np.ones(6), rel=0.03)


def test_the_minority_of_groups_is_shifted():
    sim = make_effects("groups", 1000, random_state=0)
    assert sim.group.sum() == 300
    gap = sim.X[sim.group == 1].mean(axis=0) - sim.X[sim.group == 0].mean(axis=0)
    assert gap == pytest.approx([2, 2, 2, 0, 0, 0], abs=0.3)
    assert not make_effects("A", 1000, random_state=0).group.any()


def test_no_noise_gives_the_expected_outcome():
    sim = make_effects("D", 50, noise=0, random_state=0)
    np.testing.assert_array_equal(sim.y, sim.baseline + (sim.treatment - 0.5) * sim.effect)


def test_the_same_seed_gives_the_same_rows():
    one, other = (make_effects("groups", 60, 8, random_state=3) for _ in range(2))
    for name, part in vars(one).items():
        np.testing.assert_array_equal(part, getattr(other, name))
    train, test = one.split(20)
    assert (train.X.shape, len(test.effect)) == ((20, 8), 40)


@pytest.mark.parametrize(
    ("how", "error"),
    [
        ({"setup": "E"}, "`setup` must be one of"),
        ({"n": 1}, "`n` must be"),
        ({"p": 4}, "`p` must be"),
        ({"noise": -1}, "`noise` must be"),
    ],
)
def test_settings_are_checked(how, error):
    with pytest.raises(ValueError, match=error):
        make_effects(**how)
    with pytest.raises(ValueError, match="`n_first` must be"):
        make_effects(n=5, random_state=0).split(5)
