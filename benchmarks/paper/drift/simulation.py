"""Section 8 of the paper: covariates drift from one distribution to another while the response stays the same."""

import numpy as np

from heedful.datasets import Simulation

N_NONZERO, SIZE = 20, 2.0
DRIFTING, DRIFT = slice(5, 10), 2.0


def make_drift(
    n: int = 300,
    *,
    share_b: float,
    sigma: float = 36.0,
    p: int = 50,
    coef: np.ndarray | None = None,
    random_state: int | np.random.Generator | None = None,
) -> Simulation:
    """Simulate one time point of a covariate shift.

    Rows come from distribution A (standard normal) or, with the probability ``share_b``, from B (features 6-10 have
    mean 2). In both y = x' beta + x_1^2 - x_3^2 + (x_4 + x_5)^2 + noise; beta has 20 entries of +2 or -2 at random
    features. Pass ``components`` of the first time point as ``coef`` to the later ones.

    The variance of the signal is 92 in distribution A. So ``sigma=36`` as printed drowns it (ratio 0.07), while a
    variance of 36, that is ``sigma=6``, gives the 2.5 of the paper's other simulations.

    ``latent`` is 0 for A and 1 for B; ``coef`` is the linear part, the same in every row; ``signal`` has all terms.
    """
    rng = np.random.default_rng(random_state)
    components = draw_coef(p, rng) if coef is None else coef
    group = (rng.random(n) < share_b).astype(np.int64)
    X = rng.normal(size=(n, p))
    X[:, DRIFTING] += DRIFT * group[:, None]
    signal = X @ components[0] + X[:, 0] ** 2 - X[:, 2] ** 2 + (X[:, 3] + X[:, 4]) ** 2
    y = signal + sigma * rng.normal(size=n)
    return Simulation(X, y, np.tile(components, (n, 1)), group, signal, components, sigma)


def draw_coef(p: int, rng: np.random.Generator) -> np.ndarray:
    """Return coefficients (1, p): +2 or -2 at 20 random features."""
    coef = np.zeros((1, p))
    coef[0, rng.choice(p, N_NONZERO, replace=False)] = SIZE * rng.choice([-1.0, 1.0], N_NONZERO)
    return coef
