"""Daily rows whose relation between features and response drifts in a part of the feature space."""

from typing import Any

import numpy as np

from heedful._checks import check_choice, check_count
from heedful.datasets._arguments import check_noise
from heedful.datasets._truth import Simulation, blend, pad

# Features 1-2 mark the segment and have effects of their own; the effect of feature 3 turns round there.
EFFECTS = [[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, -1.0, 1.0]]
MARKERS, TURNED = slice(0, 2), 2
# The mean of feature 3, by which the turn moves the mean response of the segment as well.
SHIFT = 1.0
KINDS = ("gradual", "sudden", "none")


def make_stream(
    n_days: int = 60,
    rows_per_day: int = 25,
    p: int = 6,
    *,
    kind: str = "gradual",
    change_day: int | None = None,
    noise: float = 1.0,
    random_state: Any = None,
) -> Simulation:
    """Simulate days of rows whose response drifts in a hidden segment.

    The features have the same distribution on all days. In the segment, where features 1 and 2 are both positive (a
    quarter of the rows), the effect of feature 3 changes from 1 to -1; elsewhere nothing changes.

    Parameters
    ----------
    n_days : int, default=60
        Number of days, at least 2; rows are in order of days.
    rows_per_day : int, default=25
        Rows per day.
    p : int, default=6
        Number of features, at least 4; all after the fourth are noise.
    kind : "gradual", "sudden" or "none", default="gradual"
        How the effect changes: by equal steps from ``change_day`` to the last day, at once on ``change_day``, or never.
    change_day : int, default=None
        First day with a changed effect, from 1 to ``n_days - 1``; days count from 0. None is ``n_days // 2``.
    noise : float, default=1.0
        Standard deviation of the noise of the response.
    random_state : int, Generator or None, default=None
        Seed, or the numpy generator to draw from. The same seed gives the same features and noise for every ``kind``.

    Returns
    -------
    Simulation
        ``latent`` is the day of each row, ``components`` are the coefficients before the change and, in the segment,
        after it. ``split(20 * rows_per_day)`` returns the first 20 days and the later ones.

    Notes
    -----
    Features are normal with variance 1, mean 1 in feature 3 and 0 in the rest. y = x' beta + noise, with beta
    (1, 1, 1, 1) outside the segment and (1, 1, 1 - 2 s, 1) in it; s goes from 0 before ``change_day`` to 1. So the mean
    response of the segment falls by 2, and by more where feature 3 is large.

    Examples
    --------
    >>> sim = make_stream(kind="sudden", change_day=40, random_state=0)
    >>> before, after = sim.split(40 * 25)
    >>> int(after.latent[0]), int(after.latent[-1])
    (40, 59)
    >>> np.unique(before.coef[:, 2]), np.unique(after.coef[:, 2])
    (array([1.]), array([-1.,  1.]))
    """
    n_days = check_count("n_days", n_days, 2, "One day before the change and one after it are the fewest.")
    rows_per_day = check_count("rows_per_day", rows_per_day, 1, "One row a day is the fewest.")
    p = check_count("p", p, len(EFFECTS[0]), "Two of them mark the segment, and all four have effects.")
    kind = check_choice("kind", kind, KINDS)
    if change_day is None:
        change_day = n_days // 2
    change_day = check_count("change_day", change_day, 1, "Days count from 0.", most=n_days - 1)
    noise, rng = check_noise(noise), np.random.default_rng(random_state)
    day = np.repeat(np.arange(n_days), rows_per_day)
    X = rng.normal(size=(day.size, p))
    X[:, TURNED] += SHIFT
    turned = _turn(kind, n_days, change_day)[day] * (X[:, MARKERS] > 0).all(axis=1)
    return blend(X, np.column_stack([1.0 - turned, turned]), pad(EFFECTS, p), day, rng, noise=noise)


def _turn(kind: str, n_days: int, change_day: int) -> np.ndarray:
    """Return how far the effect has turned on each day, from 0 to 1."""
    if kind == "none":
        return np.zeros(n_days)
    n_steps = n_days - change_day if kind == "gradual" else 1
    return np.clip((np.arange(n_days) - change_day + 1) / n_steps, 0.0, 1.0)
