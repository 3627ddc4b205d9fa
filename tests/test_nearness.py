"""Simulations in which relations move: hours of a bike rental, and coefficients that turn."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.nearness.simulations import HOURS, make_hourly, make_moving


def test_rows_are_the_hours_of_days():
    X = make_hourly(9, start="2024-03-01", random_state=0).X
    assert len(X) == 9 * 24
    assert (X["time"].diff().dropna() == pd.Timedelta(hours=1)).all()
    np.testing.assert_array_equal(X["hour"], X["time"].dt.hour)
    np.testing.assert_array_equal(X["free"] == 1, X["time"].dt.day_name().isin(["Saturday", "Sunday"]))


def test_a_degree_multiplies_the_mean_by_what_the_season_says():
    winter, summer = (make_hourly(2, start=day, random_state=0) for day in ("2023-01-15", "2023-07-16"))
    assert winter.season[0] == pytest.approx(1.0)
    assert summer.season[0] == pytest.approx(-1.0, abs=1e-3)
    for sim in (winter, summer):
        weather = 0.1 * sim.X["degrees"] - 0.2 * sim.X["wind"]
        rest = np.log(sim.mean) - sim.season * weather + 0.5 * sim.X["rain"]
        same = sim.X.assign(rest=rest).groupby(["hour", "free"])["rest"]
        assert (same.max() - same.min()).max() < 1e-9


def test_counts_are_about_their_mean():
    sim = make_hourly(200, random_state=0)
    assert (sim.y / sim.mean).mean() == pytest.approx(1.0, abs=0.02)


def test_without_seasons_the_weather_is_the_same_and_its_effect_stays():
    moving, still = (make_hourly(60, kind=kind, random_state=3) for kind in ("seasons", "none"))
    pd.testing.assert_frame_equal(moving.X, still.X)
    assert np.ptp(still.season) == 0
    assert np.ptp(moving.season) > 0.5


def test_hours_are_split_with_their_truth():
    train, test = make_hourly(6, random_state=0).split(4 * HOURS)
    assert (len(train.X), len(test.mean)) == (96, 48)


@pytest.mark.parametrize(("over", "n_places"), [("time", 1), ("place", 2)])
def test_the_signal_is_that_of_each_rows_coefficients(over, n_places):
    sim = make_moving(60, 8, over=over, random_state=0)
    np.testing.assert_allclose(sim.signal, (sim.X * sim.coef).sum(axis=1))
    assert sim.X.shape == (60, 8 + n_places)
    assert not sim.coef[:, :n_places].any()
    assert not sim.coef[:, n_places + 4 :].any()


def test_coefficients_turn_round_with_time():
    sim = make_moving(101, turns=0.5, random_state=0)
    np.testing.assert_allclose(sim.coef[[0, 50, 100], 1:3], [[1, 0], [0, 1], [-1, 0]], atol=1e-12)
    np.testing.assert_allclose(np.hypot(sim.coef[:, 1], sim.coef[:, 2]), 1.0)


@pytest.mark.parametrize("over", ["time", "place"])
def test_without_turns_the_groups_have_the_coefficients_of_the_components(over):
    still, moving = (make_moving(80, over=over, turns=turns, random_state=1) for turns in (0.0, 1.0))
    np.testing.assert_array_equal(still.X, moving.X)
    np.testing.assert_allclose(still.y - still.signal, moving.y - moving.signal)
    group = (still.X[:, -2] > 0).astype(int)
    np.testing.assert_array_equal(still.coef, still.components[group])
