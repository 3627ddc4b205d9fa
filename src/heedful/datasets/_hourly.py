"""Hours of a bike rental: a day's and a week's pattern, and weather whose effect moves with the seasons."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from heedful._checks import check_choice, check_count
from heedful.datasets._arguments import check_seed

HOURS, YEAR = 24, 365.25
# Log of the mean number of rentals in an hour at its lowest, and what the hours of a working and a free day add.
LEVEL = 3.0
WORK = ((8.0, 1.5, 2.2), (17.5, 2.0, 2.6), (13.0, 4.0, 1.4))
FREE = ((14.0, 4.0, 2.6),)
# Effects of a degree and of a metre per second of wind: what midwinter adds to them and midsummer takes; of rain.
DEGREE, WIND, RAIN = 0.1, -0.2, -0.5
# Shape of the gamma variable that makes counts vary more than Poisson ones do.
SHAPE = 20.0
# Chance that it rains in a quarter of a day.
RAINS = 0.15


class Hourly(NamedTuple):
    """Hold simulated hours and the truth behind them.

    Parameters
    ----------
    X : DataFrame
        Time, hour of the day, whether the day is free, degrees Celsius above the season's mean, wind in metres per
        second above its mean, and rain (0 or 1).
    y : ndarray of shape (n,)
        Bikes rented in the hour.
    mean : ndarray of shape (n,)
        The true mean of that number.
    season : ndarray of shape (n,)
        1 in midwinter, -1 in midsummer: what the effects of degrees and wind are multiplied by.

    Examples
    --------
    >>> from heedful.datasets import make_hourly
    >>> train, test = make_hourly(10, random_state=0).split(7)
    >>> len(train.X), len(test.X)
    (168, 72)
    """

    X: pd.DataFrame
    y: np.ndarray
    mean: np.ndarray
    season: np.ndarray

    def split(self, n_days: int) -> tuple["Hourly", "Hourly"]:
        """Return the first days and those that come after them.

        Parameters
        ----------
        n_days : int
            Days of the first part.

        Returns
        -------
        tuple of Hourly
            Training and test hours.
        """
        first = HOURS * check_count("n_days", n_days, 1, "Leave days for both.", most=len(self.X) // HOURS - 1)
        return Hourly(*(part[:first] for part in self)), Hourly(*(part[first:] for part in self))


def make_hourly(
    n_days: int = 60, *, start: str = "2024-02-01", kind: str = "seasons", random_state: Any = None
) -> Hourly:
    """Simulate the bikes rented in each hour of some weeks.

    Working days have peaks in the morning and in the afternoon, free days one around noon. Warm hours bring more people
    in winter and fewer in summer, and wind the other way round: what the weather does moves with the season, which is
    no column.

    Parameters
    ----------
    n_days : int, default=60
        Days, at least 2, of 24 rows each.
    start : str, default="2024-02-01"
        The first day.
    kind : "seasons" or "none", default="seasons"
        Whether the effects of the weather move, or stay what they are on the first day.
    random_state : int, Generator or None, default=None
        Seed, or the numpy generator to draw from. The same seed gives the same weather for both kinds.

    Returns
    -------
    Hourly
        Hours, rentals and the truth.

    Notes
    -----
    Rentals are Poisson, given a mean that a gamma variable of mean 1 and shape 20 multiplies. The logarithm of the mean
    is 3, plus bumps by hour and kind of day, plus ``cos(2 pi (day of the year - 15) / 365.25)`` times 0.1 per degree
    less 0.2 per metre per second of wind, less 0.5 in rain. Degrees and wind follow autoregressions over days.

    Examples
    --------
    >>> sim = make_hourly(150, random_state=0)
    >>> sim.X.columns.tolist()
    ['time', 'hour', 'free', 'degrees', 'wind', 'rain']
    >>> sim.season[[0, -1]].round(2)
    array([ 0.96, -0.96])
    """
    n_days = check_count("n_days", n_days, 2, "Two days are the fewest.")
    kind = check_choice("kind", kind, ("seasons", "none"))
    rng = check_seed(random_state)
    time = pd.date_range(start, periods=HOURS * n_days, freq="h")
    hour, free = time.hour.to_numpy(), np.asarray(time.day_of_week >= 5)
    degrees = np.repeat(_weather(n_days, 4.0, rng), HOURS) - 3.0 * np.cos(2 * np.pi * (hour - 3) / HOURS)
    degrees = np.round(degrees + rng.normal(size=hour.size), 1)
    wind = np.round(np.repeat(_weather(n_days, 1.5, rng), HOURS) + rng.normal(size=hour.size), 1)
    rain = np.repeat(rng.random(4 * n_days) < RAINS, HOURS // 4)
    day = np.full(hour.size, time[0].day_of_year) if kind == "none" else time.day_of_year.to_numpy()
    season = np.cos(2 * np.pi * (day - 15) / YEAR)
    pattern = np.where(free, _bumps(hour, FREE), _bumps(hour, WORK))
    mean = np.exp(LEVEL + pattern + season * (DEGREE * degrees + WIND * wind) + RAIN * rain)
    weather = {"degrees": degrees, "wind": wind, "rain": rain.astype(int)}
    X = pd.DataFrame({"time": time, "hour": hour, "free": free.astype(int), **weather})
    return Hourly(X, rng.poisson(mean * rng.gamma(SHAPE, 1.0 / SHAPE, hour.size)), mean, season)


def _weather(n_days: int, step: float, rng: np.random.Generator) -> np.ndarray:
    """Return how far each day is above the mean of its season."""
    steps, found = rng.normal(scale=step, size=n_days), np.zeros(n_days)
    for day in range(n_days):
        found[day] = 0.7 * found[day - 1] * (day > 0) + steps[day]
    return found


def _bumps(hour: np.ndarray, parts: tuple[tuple[float, float, float], ...]) -> np.ndarray:
    """Return the largest of some bumps, each with its middle, width and height."""
    return np.max([height * np.exp(-0.5 * ((hour - middle) / width) ** 2) for middle, width, height in parts], axis=0)
