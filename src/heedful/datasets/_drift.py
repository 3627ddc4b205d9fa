"""Section 8 of the paper: covariates drift from one distribution to another while the response stays the same."""

from typing import Any

import numpy as np

from heedful._checks import check_number
from heedful.datasets._arguments import LARGEST, check_components, check_seed, check_sizes
from heedful.datasets._truth import Simulation

N_NONZERO, SIZE = 20, 2.0
DRIFTING, DRIFT = slice(5, 10), 2.0


def make_drift(
    n: int = 300,
    *,
    share_b: float,
    sigma: float = 36.0,
    p: int = 50,
    coef: Any = None,
    random_state: Any = None,
) -> Simulation:
    """Simulate one time point of a covariate shift (section 8).

    Rows come from distribution A (standard normal) or B (features 6-10 have mean 2). The response depends on the
    features in the same way in both.

    Parameters
    ----------
    n : int, default=300
        Rows.
    share_b : float
        Probability of B: 0.1 at training, 0.9 for adaptation and 0.95 at prediction in the paper.
    sigma : float, default=36.0
        Standard deviation of the noise, as printed; see Notes before using it.
    p : int, default=50
        Features, at least 20.
    coef : array-like of shape (p,) or (1, p), default=None
        Linear coefficients. Pass ``components`` of the first time point to the later ones; None draws new ones.
    random_state : int, Generator or None, default=None
        Seed, or the numpy generator to draw from. Give each time point its own.

    Returns
    -------
    Simulation
        ``latent`` is 0 for A and 1 for B; ``coef`` is the linear part, the same in every row; ``signal`` has all terms.

    Notes
    -----
    y = x' beta + x_1^2 - x_3^2 + (x_4 + x_5)^2 + noise; beta has 20 entries of +2 or -2 at random features. The
    variance of the signal is 92 in distribution A. So ``sigma=36`` as printed drowns it (ratio 0.07), while a variance
    of 36, that is ``sigma=6``, gives the 2.5 of the paper's other simulations.

    References
    ----------
    Craig, Tibshirani, "Supervised learning pays attention", section 8.

    Examples
    --------
    >>> before = make_drift(300, share_b=0.1, random_state=0)
    >>> after = make_drift(200, share_b=0.95, coef=before.components, random_state=1)
    >>> bool((before.components == after.components).all())
    True
    >>> [round(float(sim.X[:, 5:10].mean())) for sim in (before, after)]
    [0, 2]
    """
    n, p = check_sizes(n, p, N_NONZERO, "20 of them have a coefficient.")
    share_b = check_number("share_b", share_b, 0.0, 1.0, hint="The paper takes 0.1, 0.9 and 0.95.")
    sigma = check_number("sigma", sigma, 0.0, LARGEST, hint="0 gives no noise.")
    components = None if coef is None else check_components(coef, 1, p)
    rng = check_seed(random_state)
    if components is None:
        components = _draw_coef(p, rng)
    group = (rng.random(n) < share_b).astype(np.int64)
    X = rng.normal(size=(n, p))
    X[:, DRIFTING] += DRIFT * group[:, None]
    signal = X @ components[0] + X[:, 0] ** 2 - X[:, 2] ** 2 + (X[:, 3] + X[:, 4]) ** 2
    y = signal + sigma * rng.normal(size=n)
    return Simulation(X, y, np.tile(components, (n, 1)), group, signal, components, sigma)


def _draw_coef(p: int, rng: np.random.Generator) -> np.ndarray:
    """Return coefficients (1, p): +2 or -2 at 20 random features."""
    coef = np.zeros((1, p))
    coef[0, rng.choice(p, N_NONZERO, replace=False)] = SIZE * rng.choice([-1.0, 1.0], N_NONZERO)
    return coef
