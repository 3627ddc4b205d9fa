"""A series whose coefficients depend on a hidden regime that only the past of a row reveals."""

from typing import Any

import numpy as np

from heedful._checks import check_count, check_number
from heedful.datasets._arguments import check_noise, check_sizes
from heedful.datasets._truth import Simulation, blend, pad

# Feature 1 is the dial; features 2-3 act in opposite directions in the two regimes, feature 4 alike.
EFFECTS = [[0.0, 1.0, 1.0, 1.0], [0.0, -1.0, -1.0, 1.0]]
DIAL, OPPOSED = 0, slice(1, 3)
# What a step adds to the dial, which runs from -1 to 1 and starts again; the mean of features 2-3.
TURN, SHIFT = 0.1, 1.0


def make_regimes(
    n: int = 400,
    p: int = 4,
    *,
    switch: float = 0.03,
    memory: int = 3,
    noise: float = 0.5,
    random_state: Any = None,
) -> Simulation:
    """Simulate a series with two regimes that only its recent past reveals.

    Feature 1 is a dial that turns upwards in one regime and downwards in the other. Its position is
    independent of the regime, its direction is not. Rows are in order of time.

    Parameters
    ----------
    n : int, default=400
        Number of rows. ``split(280)`` returns the first 280 rows and the later ones.
    p : int, default=4
        Number of features, at least 4; all after the fourth are noise.
    switch : float, default=0.03
        Probability that the regime changes before a row.
    memory : int, default=3
        Number of steps of the dial that reveal the regime: the sign of their sum is right with probability 0.98 if the
        regime did not change. With larger values a single step is less informative.
    noise : float, default=0.5
        Standard deviation of the noise of the response.
    random_state : int, Generator or None, default=None
        Seed, or the numpy generator to draw from.

    Returns
    -------
    Simulation
        ``latent`` is the regime: 0 while the dial turns downwards, 1 upwards; ``components`` are the coefficients.

    Notes
    -----
    The dial starts at random in (-1, 1), each step adds -0.1 or 0.1 by regime and normal noise of standard deviation
    0.05 sqrt(``memory``), and what passes 1 comes back at -1. So it is uniform and independent of all regimes. Other
    features are normal with variance 1, mean 1 in features 2-3 and 0 in the rest. y = x' beta_k + noise in regime k,
    with beta (0, 1, 1, 1) in regime 0 and (0, -1, -1, 1) in regime 1. The means of features 2-3 give the regimes
    different mean responses, which is how a forest finds them.

    Examples
    --------
    >>> sim = make_regimes(random_state=0)
    >>> int((np.diff(sim.latent) != 0).sum())
    12
    >>> train, test = sim.split(280)
    >>> train.y.size, test.y.size
    (280, 120)
    """
    n, p = check_sizes(n, p, len(EFFECTS[0]), "One of them is the dial, and three have effects.")
    switch = check_number("switch", switch, 0.0, 1.0, hint="Its inverse is the mean length of a regime.")
    memory = check_count("memory", memory, 1, "1 makes a single step tell the regime.")
    noise, rng = check_noise(noise), np.random.default_rng(random_state)
    regime = np.cumsum(rng.random(n) < np.append(0.5, np.full(n - 1, switch))) % 2
    X = rng.normal(size=(n, p))
    X[:, OPPOSED] += SHIFT
    X[:, DIAL] = _turn(regime, 0.5 * TURN * np.sqrt(memory), rng)
    return blend(X, np.eye(2)[regime], pad(EFFECTS, p), regime, rng, noise=noise)


def _turn(regime: np.ndarray, spread: float, rng: np.random.Generator) -> np.ndarray:
    """Return the stand of the dial at each row."""
    steps = np.where(regime == 1, TURN, -TURN) + spread * rng.normal(size=regime.size)
    return (rng.uniform(0.0, 2.0) + np.cumsum(steps)) % 2.0 - 1.0
