"""Relations that move: coefficients that turn in time or on a map, and weather whose effect follows the seasons."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from heedful.datasets import Simulation
from heedful.datasets._truth import DrawnRows

HOURS, YEAR = 24, 365.25
# Columns that say when or where a row is.
PLACES = {"time": 1, "place": 2}
# Log of the mean number of rentals in an hour at its lowest, and what the hours of a working and a free day add: peaks
# by their middle, width and height.
LEVEL = 3.0
WORK = ((8.0, 1.5, 2.2), (17.5, 2.0, 2.6), (13.0, 4.0, 1.4))
FREE = ((14.0, 4.0, 2.6),)
# Effects of a degree and of a metre per second of wind: what midwinter adds to them and midsummer takes; of rain.
DEGREE, WIND, RAIN = 0.1, -0.2, -0.5
# Shape of the gamma variable that makes counts vary more than Poisson ones do.
SHAPE = 20.0
# Chance that it rains in a quarter of a day.
RAINS = 0.15


def make_moving(
    n: int = 500, p: int = 6, *, over: str = "time", turns: float = 1.0, noise: float = 0.5, random_state: int
) -> Simulation:
    """Simulate rows whose coefficients turn with time or over a map.

    Time goes from 0 to 1 by equal steps, places are uniform in the unit square. The angle is ``2 pi turns`` times the
    time, or times the mean of the two coordinates. Features z are normal. Features 1 and 2 have the cosine and the sine
    of the angle as coefficients, feature 3 has 1, and feature 4 has 1 where feature 5 is positive and -1 elsewhere. So
    neither a similarity of the features nor nearness is enough alone.

    ``X`` has one column of time or two of places, then ``p`` features. ``latent`` is the angle; ``components`` are the
    coefficients of the two groups where they have not turned. The same seed gives the same rows and noise for all
    ``turns``.
    """
    n_places = PLACES[over]
    rng = np.random.default_rng(random_state)
    places = np.linspace(0.0, 1.0, n)[:, None] if n_places == 1 else rng.uniform(size=(n, 2))
    features = rng.normal(size=(n, p))
    angle = 2.0 * np.pi * turns * places.mean(axis=1)
    coef = np.zeros((n, n_places + p))
    coef[:, n_places : n_places + 3] = np.column_stack([np.cos(angle), np.sin(angle), np.ones(n)])
    coef[:, n_places + 3] = np.where(features[:, 4] > 0, 1.0, -1.0)
    X = np.hstack([places, features])
    signal = np.einsum("ij,ij->i", X, coef)
    components = np.zeros((2, n_places + p))
    components[:, n_places : n_places + 4] = [[1.0, 0.0, 1.0, -1.0], [1.0, 0.0, 1.0, 1.0]]
    return Simulation(X, signal + noise * rng.normal(size=n), coef, angle, signal, components, noise)


@dataclass(frozen=True, eq=False)
class Hourly(DrawnRows):
    """Simulated hours, rentals, their true mean, and the season: 1 in midwinter, -1 in midsummer."""

    X: pd.DataFrame
    y: np.ndarray
    mean: np.ndarray
    season: np.ndarray


def make_hourly(
    n_days: int = 60, *, start: str = "2024-02-01", kind: str = "seasons", random_state: int | None = None
) -> Hourly:
    """Simulate the bikes rented in each hour of some weeks.

    Working days have peaks in the morning and in the afternoon, free days one around noon. Warm hours bring more people
    in winter and fewer in summer, and wind the other way round: what the weather does moves with the season, which is
    no column. With the kind "none" it stays what it is on the first day, under the same weather.

    Rentals are Poisson, given a mean that a gamma variable of mean 1 and shape 20 multiplies. The logarithm of the mean
    is 3, plus peaks by hour and kind of day, plus ``cos(2 pi (day of the year - 15) / 365.25)`` times 0.1 per degree
    less 0.2 per metre per second of wind, less 0.5 in rain. Degrees and wind follow autoregressions over days.
    """
    rng = np.random.default_rng(random_state)
    time = pd.date_range(start, periods=HOURS * n_days, freq="h")
    hour, free = time.hour.to_numpy(), np.asarray(time.day_of_week >= 5)
    degrees = np.repeat(draw_weather(n_days, 4.0, rng), HOURS) - 3.0 * np.cos(2 * np.pi * (hour - 3) / HOURS)
    degrees = np.round(degrees + rng.normal(size=hour.size), 1)
    wind = np.round(np.repeat(draw_weather(n_days, 1.5, rng), HOURS) + rng.normal(size=hour.size), 1)
    rain = np.repeat(rng.random(4 * n_days) < RAINS, HOURS // 4)
    day = np.full(hour.size, time[0].day_of_year) if kind == "none" else time.day_of_year.to_numpy()
    season = np.cos(2 * np.pi * (day - 15) / YEAR)
    pattern = np.where(free, highest_peak(hour, FREE), highest_peak(hour, WORK))
    mean = np.exp(LEVEL + pattern + season * (DEGREE * degrees + WIND * wind) + RAIN * rain)
    weather = {"degrees": degrees, "wind": wind, "rain": rain.astype(int)}
    X = pd.DataFrame({"time": time, "hour": hour, "free": free.astype(int), **weather})
    return Hourly(X, rng.poisson(mean * rng.gamma(SHAPE, 1.0 / SHAPE, hour.size)), mean, season)


def draw_weather(n_days: int, step: float, rng: np.random.Generator) -> np.ndarray:
    """Return how far each day is above the mean of its season."""
    steps, weather = rng.normal(scale=step, size=n_days), np.zeros(n_days)
    for day in range(n_days):
        weather[day] = 0.7 * weather[day - 1] * (day > 0) + steps[day]
    return weather


def highest_peak(hour: np.ndarray, peaks: tuple[tuple[float, float, float], ...]) -> np.ndarray:
    """Return the highest of some peaks at each hour."""
    return np.max([height * np.exp(-0.5 * ((hour - middle) / width) ** 2) for middle, width, height in peaks], axis=0)
