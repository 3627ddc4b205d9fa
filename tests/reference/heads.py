"""What made-up heads say of rows they did not see, for each family."""

import numpy as np

from heedful._flow.shares import OutOfFold
from reference.rows import classes_of, numbers_of, survival_of

LOSSES = ("squares", "log", "survival")


def made_up_heads(rng, loss, n=60, n_heads=5, gain=0.5, weight=None):
    """Return heads that know something of what happened (``gain``) and a baseline that knows nothing."""
    weight, noise = np.ones(n) if weight is None else weight, rng.normal(size=(n, n_heads))
    if loss == "squares":
        y = rng.normal(size=n)
        return OutOfFold(gain * y[:, None] + noise, np.zeros(n), numbers_of(y), weight)
    if loss == "log":
        chance = 1 / (1 + np.exp(-2.0 * gain - noise))
        return OutOfFold(chance, np.full(n, 0.5), classes_of(rng.integers(0, 2, size=n), 2), weight)
    event, time = (rng.uniform(size=n) < 0.7).astype(float), rng.exponential(size=n)
    family = survival_of(event, time).anchored(np.zeros((n, 1)), weight)
    return OutOfFold(gain * (event - family.hazard)[:, None] + noise, np.zeros(n), family, weight)


def of_all_rows(tried, n):
    """Return predictions of numbered rows as those of all rows, NaN for the others."""
    number, values = tried
    every = np.full((n, *values.shape[1:]), np.nan)
    every[number] = values
    return every
