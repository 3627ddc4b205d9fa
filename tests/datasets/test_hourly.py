import numpy as np
import pandas as pd
import pytest

from heedful.datasets import make_hourly


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


def test_days_are_split_whole():
    train, test = make_hourly(6, random_state=0).split(4)
    assert (len(train.X), len(test.X)) == (96, 48)
    with pytest.raises(ValueError, match="`n_days` must be"):
        make_hourly(6).split(6)
    with pytest.raises(ValueError, match="`kind` must be"):
        make_hourly(6, kind="weeks")
