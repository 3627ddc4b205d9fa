"""Censored times with a true log hazard."""

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit, ndtri

from heedful._checks import check_number
from heedful.datasets._arguments import LARGEST, check_shift, check_sizes, check_snr
from heedful.datasets._truth import Simulation, blend, pad, scale_truth

# Standard deviation of what a draw adds to a log hazard: the log of an exponential.
GUMBEL = float(np.pi / np.sqrt(6))
# Features 1-2 act in opposite directions, 3-4 alike; 5-6 decide the group and do nothing else.
EFFECTS = [[1.0, 1.0, 1.0, -1.0], [-1.0, -1.0, 1.0, -1.0]]
OPPOSED, MARKERS = slice(0, 2), slice(4, 6)
SURVIVAL = np.dtype([("event", "?"), ("time", "<f8")])
# Its exponential is still a finite float, and that of its negative still positive.
LARGEST_LOG = 700.0


def make_survival(
    n: int = 300,
    p: int = 30,
    *,
    shift: float = 1.0,
    minority: float = 0.4,
    snr: float = 2.5,
    shape: float = 1.5,
    censoring: float = 0.3,
    random_state: Any = None,
) -> Simulation:
    """Simulate right-censored times of two groups with opposite effects.

    Features 1-2 raise the hazard in one group and lower it in the other; 3-4 have the same effect in both. The group is
    a function of features 5-6, which have no effect of their own: a forest can find it, a linear Cox model cannot.

    Parameters
    ----------
    n : int, default=300
        Number of rows. Coefficients are scaled to the drawn rows, so ``split()`` them into training and test rows.
    p : int, default=30
        Number of features, at least 6; all after the sixth are noise.
    shift : float, default=1.0
        Shift of features 1-2 in every row. It makes the mean hazards of the groups differ; with 0 they are equal, and a
        forest hardly finds the groups.
    minority : float, default=0.4
        Probability of the second group, between 0 and 1.
    snr : float, default=2.5
        Variance of the log hazard over the drawn rows, divided by that of the log of an exponential variable.
    shape : float, default=1.5
        Shape of the Weibull times: the hazard rises with time above 1, falls below 1, and is constant at 1.
    censoring : float, default=0.3
        Share of rows expected to be censored, from 0 to 0.95.
    random_state : int, Generator or None, default=None
        Seed, or the numpy generator to draw from.

    Returns
    -------
    Simulation
        ``y`` has the fields ``event`` (False if censored) and ``time``, as in scikit-survival; ``signal`` is the
        true log relative hazard; ``latent`` is the group; ``noise`` belongs to the log hazard: pi / sqrt(6).

    Raises
    ------
    ValueError
        If a log time exceeds 700 in absolute value, so that the time is not a finite, positive number.

    Notes
    -----
    Group 1 has x_5 > c and x_6 > c, with c for the asked probability. The hazard at time t is
    shape t^(shape - 1) exp(x' beta_k), with beta proportional to (1, 1, 1, -1) in group 0 and (-1, -1, 1, -1) in
    group 1. Censoring times are independent of the row: Weibull with the same ``shape``, and a level h with
    mean(h / (h + exp(signal))) = ``censoring`` over the drawn rows.

    Examples
    --------
    >>> sim = make_survival(600, random_state=0)
    >>> sim.y.dtype.names, round(1 - float(sim.y["event"].mean()), 2)
    (('event', 'time'), 0.31)
    >>> np.sign(sim.components[:, :5])
    array([[ 1.,  1.,  1., -1.,  0.],
           [-1., -1.,  1., -1.,  0.]])
    >>> train, test = sim.split()
    """
    n, p = check_sizes(n, p, MARKERS.stop, "Four features have effects and two decide the group.")
    shift, snr = check_shift(shift), check_snr(snr)
    minority = check_number("minority", minority, 0.0, 1.0, hint="Try 0.4.")
    shape = check_number("shape", shape, 0.0, LARGEST, open_low=True, hint="1 is a hazard constant in time.")
    censoring = check_number("censoring", censoring, 0.0, 0.95, hint="0 shows every event.")
    rng = np.random.default_rng(random_state)
    X = rng.normal(size=(n, p))
    group = (X[:, MARKERS] > ndtri(1 - np.sqrt(minority))).all(axis=1).astype(np.int64)
    X[:, OPPOSED] += shift
    sim = scale_truth(blend(X, np.eye(2)[group], pad(EFFECTS, p), group, rng, snr=snr), GUMBEL)
    return replace(sim, y=_censored_times(sim.signal, shape, censoring, rng))


def _censored_times(log_hazard: np.ndarray, shape: float, censoring: float, rng: np.random.Generator) -> np.ndarray:
    """Return events and times: the earlier of two Weibull times of equal shape."""
    event_time, censor_time = np.log(rng.exponential(size=(2, log_hazard.size)))
    event_time = (event_time - log_hazard) / shape
    censor_time = (censor_time - _censoring_level(log_hazard, censoring)) / shape
    log_time = np.minimum(event_time, censor_time)
    if np.abs(log_time).max() > LARGEST_LOG:
        raise ValueError(
            f"Log times must be within {LARGEST_LOG:g} of 0, got {np.abs(log_time).max():.3g} with `shape`={shape!r}. "
            "Raise `shape`, or bring `shift` or `snr` nearer to 0."
        )
    y = np.empty(log_hazard.size, dtype=SURVIVAL)
    y["event"], y["time"] = event_time <= censor_time, np.exp(log_time)
    return y


def _censoring_level(log_hazard: np.ndarray, censoring: float) -> float:
    """Return the log hazard at which censoring comes first in a share ``censoring`` of the rows, on average."""
    if censoring == 0:
        return -np.inf

    def surplus(level: float) -> float:
        return float(expit(level - log_hazard).mean() - censoring)

    # A row alone has its share at log_hazard + logit(censoring); the 1 covers rounding.
    return float(brentq(surplus, log_hazard.min() + logit(censoring) - 1, log_hazard.max() + logit(censoring) + 1))
