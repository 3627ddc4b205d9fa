"""Rows in time or on a map whose coefficients turn as one goes along."""

from typing import Any

import numpy as np

from heedful._checks import check_choice, check_number
from heedful.datasets._arguments import LARGEST, check_seed, check_sizes
from heedful.datasets._truth import Simulation

# Columns that say when or where a row is.
PLACES = {"time": 1, "place": 2}
# After these: two features whose effects turn, one whose effect stays, one whose sign follows the sign of the next.
N_EFFECTS = 5


def make_moving(
    n: int = 500,
    p: int = 6,
    *,
    over: str = "time",
    turns: float = 1.0,
    noise: float = 0.5,
    random_state: Any = None,
) -> Simulation:
    """Simulate rows whose coefficients turn with time or over a map.

    Which coefficients a row has depends on when or where it is and on a hidden group, so that neither a similarity of
    the features nor nearness is enough alone.

    Parameters
    ----------
    n : int, default=500
        Rows; of time they are in its order.
    p : int, default=6
        Features after those that say when or where, at least 5; all after the fifth are noise.
    over : "time" or "place", default="time"
        Whether the first column is a time, or the first two are a place.
    turns : float, default=1.0
        How often the coefficients turn round from one end to the other; 0 makes the same relation hold everywhere.
    noise : float, default=0.5
        Standard deviation of the noise of the response.
    random_state : int, Generator or None, default=None
        Seed, or the numpy generator to draw from. The same seed gives the same rows and noise for every ``turns``.

    Returns
    -------
    Simulation
        ``latent`` is the angle that the coefficients have turned by; ``components`` are those of the two groups where
        they have not turned.

    Notes
    -----
    Time goes from 0 to 1 by equal steps, places are uniform in the unit square. The angle is ``2 pi turns`` times the
    time, or times the mean of the two coordinates. Features z are normal. Features 1 and 2 have the cosine and the sine
    of the angle as coefficients, feature 3 has 1, and feature 4 has 1 where feature 5 is positive and -1 elsewhere.

    Examples
    --------
    >>> sim = make_moving(5, over="time", random_state=0)
    >>> sim.X.shape, sim.X[:, 0]
    ((5, 7), array([0.  , 0.25, 0.5 , 0.75, 1.  ]))
    >>> sim.coef[:, 1:4].round(1) + 0.0
    array([[ 1.,  0.,  1.],
           [ 0.,  1.,  1.],
           [-1.,  0.,  1.],
           [ 0., -1.,  1.],
           [ 1.,  0.,  1.]])
    """
    n, p = check_sizes(n, p, N_EFFECTS, "Four of them have effects, and one tells the groups apart.")
    n_places = PLACES[check_choice("over", over, tuple(PLACES))]
    turns = check_number("turns", turns, 0.0, LARGEST, hint="0 makes the same relation hold everywhere.")
    noise = check_number("noise", noise, 0.0, LARGEST, hint="0 gives no noise.")
    rng = check_seed(random_state)
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
