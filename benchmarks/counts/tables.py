"""Tables of counts and costs: simulated claims with hidden groups, and visits to doctors that people have made."""

from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd

from heedful.datasets import make_claims

# Claims per year: so many that a thousand policies have something to say.
FREQUENCY = 1.0
POISSON, TWEEDIE, GAMMA = 1.0, 1.5, 2.0
KINDS = {"frequency": POISSON, "severity": GAMMA, "pure premium": TWEEDIE}


class Rows(NamedTuple):
    """Rows, their counts or costs, their exposures, and their true means where these are known."""

    X: pd.DataFrame
    y: np.ndarray
    exposure: np.ndarray
    truth: np.ndarray | None = None


class Draw(NamedTuple):
    """Training rows, rows left out, and the power of the mean that the variance grows with."""

    train: Rows
    test: Rows
    power: float


def draw_claims(kind: str, n_train: int, n_test: int, seed: int) -> Draw:
    """Return simulated policies: how often they claim, what a claim costs, or what a year costs."""
    parts = []
    for sim in make_claims(n_train + n_test, frequency=FREQUENCY, random_state=seed).split(n_train):
        X = sim.X.astype({"region": "category"})
        if kind == "frequency":
            rows = Rows(X, sim.counts.astype(np.float64), sim.exposure, sim.exposure * sim.rate)
        elif kind == "severity":
            some = sim.counts > 0
            counts = sim.counts[some].astype(np.float64)
            rows = Rows(X[some], sim.costs[some], counts, counts * sim.severity[some])
        else:
            rows = Rows(X, sim.costs, sim.exposure, sim.exposure * sim.rate * sim.severity)
        parts.append(rows)
    return Draw(*parts, KINDS[kind])


@cache
def read_visits() -> pd.DataFrame:
    """Return the RAND health insurance experiment as statsmodels has it: one row for a person and year."""
    from statsmodels.datasets import randhie  # noqa: PLC0415 - may be missing

    return randhie.load_pandas().data.astype(np.float64)


def draw_visits(n_train: int, n_test: int, apart: bool, seed: int) -> Draw:
    """Return visits to doctors in a year; ``apart`` keeps rows that are alike in all columns on one side."""
    data = read_visits().sample(frac=1.0, random_state=seed)
    X, y = data.drop(columns="mdvis"), data["mdvis"].to_numpy()
    chosen = np.arange(n_train), np.arange(n_train, n_train + n_test)
    if apart:
        same = X.groupby(list(X)).ngroup().to_numpy()
        left_out = np.random.default_rng(seed).permutation(same.max() + 1) % 2 == 1
        chosen = np.flatnonzero(~left_out[same])[:n_train], np.flatnonzero(left_out[same])[:n_test]
    train, test = (Rows(X.iloc[rows], y[rows], np.ones(rows.size)) for rows in chosen)
    return Draw(train, test, POISSON)
