"""Car policies with exposures, claim counts and costs, in two hidden groups."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from heedful._checks import check_count, check_number
from heedful.datasets._arguments import LARGEST
from heedful.datasets._truth import DrawnRows

REGIONS, SHARES, BY_REGION = ("city", "town", "country"), (0.4, 0.35, 0.25), (0.4, 0.0, -0.4)
# Effects on the log rate, and on the log cost of a claim, per unit of a column, in private and in business use.
RATE = {"driver_age": (-0.02, 0.04), "power": (0.006, -0.006), "car_age": (0.03, 0.03)}
COST = {"driver_age": (0.0, 0.0), "power": (0.008, -0.006), "car_age": (-0.04, -0.04)}
# Business use: driven far, in a car that is not old.
FAR, OLD = 18.0, 8.0
MEAN_COST, COST_SHAPE = 1500.0, 2.0


@dataclass(frozen=True, eq=False)
class Claims(DrawnRows):
    """Simulated policies, their claims and the true model.

    Parameters
    ----------
    X : DataFrame
        Driver's age, power of the car in kilowatts, age of the car, thousands of kilometres a year, and region.
    exposure : ndarray of shape (n,)
        Years in force, above 0 and up to 1.
    counts : ndarray of shape (n,)
        Number of claims in these years.
    costs : ndarray of shape (n,)
        Total cost of these claims; 0 without a claim.
    rate, severity : ndarray of shape (n,)
        True number of claims per year, and true mean cost of a claim.
    group : ndarray of shape (n,)
        0 for private, 1 for business use; methods are not meant to see it.

    Examples
    --------
    >>> from heedful.datasets import make_claims
    >>> train, test = make_claims(600, random_state=0).split()
    >>> len(train.X), len(test.X)
    (300, 300)
    """

    X: pd.DataFrame
    exposure: np.ndarray
    counts: np.ndarray
    costs: np.ndarray
    rate: np.ndarray
    severity: np.ndarray
    group: np.ndarray


def make_claims(n: int = 1000, *, frequency: float = 0.3, random_state: Any = None) -> Claims:
    """Simulate claims of car policies, in private and in business use.

    In private use older drivers claim less and power raises rate and cost; in business use older drivers claim more
    and power lowers both. The use is not a column: cars with high mileage that are not old are in business use.

    Parameters
    ----------
    n : int, default=1000
        Number of policies.
    frequency : float, default=0.3
        Mean of the true number of claims per year.
    random_state : int, Generator or None, default=None
        Seed, or the numpy generator to draw from.

    Returns
    -------
    Claims
        Policies with exposures, counts and costs, and the true model.

    Notes
    -----
    Counts are Poisson with mean ``exposure * rate``; a claim's cost is Gamma with mean ``severity`` and shape 2.

    Examples
    --------
    >>> sim = make_claims(5000, random_state=0)
    >>> sim.X.columns.tolist()
    ['driver_age', 'power', 'car_age', 'mileage', 'region']
    >>> round(float(sim.counts.sum() / sim.exposure.sum()), 2), round(float((sim.counts == 0).mean()), 2)
    (0.3, 0.85)
    """
    n = check_count("n", n, 2, "Two policies are the fewest.")
    hint = "0.3 is three claims in ten years."
    frequency = check_number("frequency", frequency, 0.0, LARGEST, open_low=True, hint=hint)
    rng = np.random.default_rng(random_state)
    X = pd.DataFrame(
        {
            "driver_age": rng.integers(18, 81, n),
            "power": np.round(40 + rng.gamma(4.0, 15.0, n)),
            "car_age": rng.integers(0, 16, n),
            "mileage": np.round(rng.gamma(4.0, 4.0, n), 1),
            "region": rng.choice(REGIONS, n, p=SHARES),
        }
    )
    group = ((X["mileage"] > FAR) & (X["car_age"] < OLD)).to_numpy().astype(np.int64)
    place = X["region"].map(dict(zip(REGIONS, BY_REGION, strict=True))).to_numpy()
    rate = np.exp(_effects(X, RATE, group) + place)
    rate *= frequency / rate.mean()
    severity = np.exp(_effects(X, COST, group))
    severity *= MEAN_COST / severity.mean()
    exposure = np.round(rng.uniform(0.1, 1.0, n), 2)
    counts = rng.poisson(exposure * rate)
    # the sum of Gamma costs of equal mean is one Gamma of more shape
    costs = rng.gamma(COST_SHAPE * np.maximum(counts, 1), severity / COST_SHAPE) * (counts > 0)
    return Claims(X, exposure, counts, np.round(costs, 2), rate, severity, group)


def _effects(X: pd.DataFrame, effects: dict[str, tuple[float, float]], group: np.ndarray) -> np.ndarray:
    """Return what columns add to a logarithm, each from its middle."""
    return sum(
        (np.take(slopes, group) * (X[name] - X[name].median()).to_numpy() for name, slopes in effects.items()),
        np.zeros(len(X)),
    )
