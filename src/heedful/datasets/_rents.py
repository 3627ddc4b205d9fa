"""Rents of flats, with interactions: the sign of the effect of a floor depends on the lift."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from heedful._checks import check_count
from heedful.datasets._arguments import check_noise
from heedful.datasets._truth import DrawnRows

PER_METRE = {"centre": 15, "north": 10, "south": 12}
PER_FLOOR = {"yes": 30, "no": -30}
LEVEL, PER_YEAR = 150, -3


@dataclass(frozen=True, eq=False)
class Rents(DrawnRows):
    """Simulated flats, their rents and the true model.

    Parameters
    ----------
    X : DataFrame
        Area in square metres, age in years, district, floor, and whether there is a lift.
    y : Series
        Monthly rent in euros.
    signal : Series
        Rent without noise.

    Examples
    --------
    >>> from heedful.datasets import make_rents
    >>> train, test = make_rents(800, random_state=0).split(600)
    >>> len(train.X), test.X.index[0]
    (600, 600)
    """

    X: pd.DataFrame
    y: pd.Series
    signal: pd.Series


def make_rents(n: int = 800, *, noise: float = 40.0, random_state: Any = None) -> Rents:
    """Simulate rents of flats.

    A square metre costs 15, 10 or 12 euros (centre, north, south), each year of age subtracts 3, and each floor adds
    30 with a lift and subtracts 30 without.

    Parameters
    ----------
    n : int, default=800
        Number of flats.
    noise : float, default=40.0
        Standard deviation of the noise, in euros.
    random_state : int, Generator or None, default=None
        Seed, or the numpy generator to draw from.

    Returns
    -------
    Rents
        Flats and rents, and the true model.

    Examples
    --------
    >>> rents = make_rents(800, random_state=0)
    >>> rents.X.loc[[623]]
         area  age district  floor lift
    623    65   37    north      4   no
    >>> float(rents.signal[623])
    569.0
    """
    n = check_count("n", n, 2, "Two flats are the fewest.")
    noise = check_noise(noise)
    rng = np.random.default_rng(random_state)
    X = pd.DataFrame(
        {
            "area": rng.integers(30, 121, n),
            "age": rng.integers(0, 81, n),
            "district": rng.choice(list(PER_METRE), n),
            "floor": rng.integers(0, 7, n),
            "lift": rng.choice(list(PER_FLOOR), n),
        }
    )
    per_metre, per_floor = X["district"].map(PER_METRE), X["lift"].map(PER_FLOOR)
    signal = (LEVEL + per_metre * X["area"] + PER_YEAR * X["age"] + per_floor * X["floor"]).astype(float)
    return Rents(X, (signal + noise * rng.normal(size=n)).rename("rent"), signal.rename("rent"))
