"""Two features and two models: the paper's first figure."""

from typing import Any

import numpy as np

from heedful._checks import check_count, check_number
from heedful.datasets._arguments import LARGEST, check_seed
from heedful.datasets._truth import Simulation, blend

# Feature 1 acts alike in both halves; feature 2 in opposite directions.
EFFECTS = np.array([[1.0, 2.0], [1.0, -2.0]])


def make_toy(n: int = 200, *, noise: float = 0.3, random_state: Any = None) -> Simulation:
    """Simulate two features whose values decide the model (figure 1).

    Where feature 1 is negative, feature 2 raises the response; elsewhere it lowers it. One linear model averages the
    two slopes to about 0.

    Parameters
    ----------
    n : int, default=200
        Rows.
    noise : float, default=0.3
        Standard deviation of the noise of the response.
    random_state : int, Generator or None, default=None
        Seed, or the numpy generator to draw from.

    Returns
    -------
    Simulation
        ``latent`` is 0 where feature 1 is negative and 1 elsewhere; ``components`` are the coefficients there.

    Notes
    -----
    The paper shows a picture and gives no numbers: "a dataset with two features, where the true model depends on the
    values of the features". Read here as features uniform on (-1, 1), y = x1 + 2 x2 + noise for x1 < 0 and
    y = x1 - 2 x2 + noise elsewhere.

    References
    ----------
    Craig, Tibshirani, "Supervised learning pays attention", figure 1.

    Examples
    --------
    >>> sim = make_toy(random_state=0)
    >>> sim.components
    array([[ 1.,  2.],
           [ 1., -2.]])
    >>> bool(((sim.X[:, 0] >= 0) == sim.latent).all())
    True
    """
    n = check_count("n", n, 1, "200 rows show both halves.")
    noise = check_number("noise", noise, 0.0, LARGEST, hint="0 gives no noise.")
    rng = check_seed(random_state)
    X = rng.uniform(-1.0, 1.0, size=(n, 2))
    half = (X[:, 0] >= 0).astype(np.int64)
    return blend(X, np.eye(2)[half], EFFECTS, half, rng, noise=noise)
