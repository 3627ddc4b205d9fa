import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import TimeSeriesSplit

from heedful import AttentionLasso
from heedful.context import lag_features
from heedful.datasets import make_regimes
from heedful.similarity import ForestProximity

NOW = ["dial", "x2", "x3", "x4"]


def turned(dial):
    """Return the steps of the dial, each taken the short way round."""
    return (np.diff(dial) + 1) % 2 - 1


def test_rows_follow_the_model_of_their_regime(rng):
    sim = make_regimes(200, 7, random_state=rng)
    np.testing.assert_array_equal(sim.coef, sim.components[sim.latent])
    np.testing.assert_allclose(sim.signal, (sim.X * sim.coef).sum(axis=1))
    np.testing.assert_array_equal(sim.components[0] == -sim.components[1], [True, True, True, False, True, True, True])


def test_a_regime_lasts_one_over_switch_rows_on_average(rng):
    sim = make_regimes(20_000, switch=0.05, random_state=rng)
    assert np.mean(np.diff(sim.latent) != 0) == pytest.approx(0.05, abs=0.01)
    assert sim.latent.mean() == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize("switch", [0, 1])
def test_regimes_never_or_always_change_at_the_ends(switch, rng):
    assert set(np.abs(np.diff(make_regimes(50, switch=switch, random_state=rng).latent))) == {switch}


def test_a_row_alone_does_not_tell_the_regime(rng):
    sim = make_regimes(50_000, random_state=rng)
    for regime in (0, 1):
        rows = sim.X[sim.latent == regime]
        np.testing.assert_allclose(rows.mean(axis=0), [0, 1, 1, 0], atol=0.05)
        np.testing.assert_allclose(np.quantile(rows[:, 0], [0.1, 0.5, 0.9]), [-0.8, 0.0, 0.8], atol=0.05)


@pytest.mark.parametrize("memory", [1, 4])
def test_that_many_steps_of_the_dial_tell_the_regime(memory, rng):
    sim = make_regimes(20_000, memory=memory, switch=0, random_state=rng)
    steps = np.lib.stride_tricks.sliding_window_view(turned(sim.X[:, 0]), memory).sum(axis=1)
    assert np.mean((steps > 0) == sim.latent[0]) == pytest.approx(0.977, abs=0.01)


def test_noise_is_the_standard_deviation_of_the_noise(rng):
    sim = make_regimes(20_000, noise=2.0, random_state=rng)
    assert (sim.y - sim.signal).std() == pytest.approx(2.0, rel=0.05)


def test_the_same_seed_gives_the_same_series():
    first, second = (make_regimes(20, random_state=5) for _ in range(2))
    np.testing.assert_array_equal(first.X, second.X)
    np.testing.assert_array_equal(first.y, second.y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"p": 3}, "`p` must be >= 4"),
        ({"switch": 1.5}, "`switch` must be >= 0 and <= 1"),
        ({"memory": 0}, "`memory` must be >= 1"),
        ({"memory": 2.5}, "`memory` must be a whole number"),
        ({"noise": -1}, "`noise` must be >= 0"),
    ],
)
def test_bad_arguments_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        make_regimes(**options)


def gain(frame, y, seen):
    """Return by how much attention to the columns ``seen`` lowers the lasso's error on the last 30 % of the rows."""
    first = int(0.7 * len(frame))
    forest = ForestProximity(50, random_state=0)
    options = {"features": {"similarity": seen, "model": NOW}, "cv": TimeSeriesSplit(5), "random_state": 0}
    model = AttentionLasso(similarity=forest, **options).fit(frame[:first], y[:first])
    test, y_test = frame[first:], y[first:]
    lasso = np.mean((y_test - model.baseline_.predict(test[NOW])) ** 2)
    return 1 - np.mean((y_test - model.predict(test)) ** 2) / lasso


@pytest.mark.more
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_attention_gains_with_the_past_in_sight_and_not_without(seed):
    sim = make_regimes(random_state=seed)
    frame = lag_features(pd.DataFrame(sim.X, columns=NOW), "dial", 4, differences=True)
    y = sim.y[frame.index]
    assert gain(frame, y, None) > 0.35
    assert abs(gain(frame, y, NOW)) < 0.05
