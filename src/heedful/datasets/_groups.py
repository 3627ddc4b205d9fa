"""Hidden groups with their own coefficients: the paper's third simulation, and the mixture of its appendix A."""

from typing import Any

import numpy as np

from heedful._checks import check_count, check_number
from heedful.datasets._arguments import (
    LARGEST,
    check_noise,
    check_shift,
    check_sizes,
    check_snr,
)
from heedful.datasets._truth import Simulation, blend

# Setting 3: features 1-4 matter to the majority, 5-8 to the minority, and 10 others are disturbed.
N_OWN, N_DISTURBED = 4, 10
# Mixture: features whose means tell the groups apart, with the same coefficient in both.
N_MARKERS = 2


def make_subgroups(
    n: int = 300,
    p: int = 30,
    *,
    shift: float = 2.0,
    minority: float = 0.2,
    snr: float = 2.5,
    random_state: Any = None,
) -> Simulation:
    """Simulate a hidden minority with its own model (the paper's setting 3).

    The groups differ in the mean of eight features; half of all rows, whatever their group, differ in ten noise
    features as well.

    Parameters
    ----------
    n : int, default=300
        Number of rows. Coefficients and shifted features are random: for training and test rows from the same model,
        simulate both at once and ``split()``.
    p : int, default=30
        Number of features, at least 18: eight with coefficients and ten shifted.
    shift : float, default=2.0
        Shift of features 1-8 in the minority.
    minority : float, default=0.2
        Share of rows in the minority, between 0 and 1; rounded to whole rows.
    snr : float, default=2.5
        Signal-to-noise ratio; variance of the signal over the drawn rows, divided by that of the noise.
    random_state : int, Generator or None, default=None
        Seed, or the numpy generator to draw from.

    Returns
    -------
    Simulation
        ``latent`` is 0 in the majority and 1 in the minority; ``components`` are their coefficients.

    Notes
    -----
    The paper adds "random shifts drawn from N(0, 1) to 10 randomly selected noise features" of a random half of the
    rows. Here these are ten shifts, one per feature without a coefficient, the same for all rows of that half. That
    half is then a group in covariate space that is unrelated to the response. (A new shift for every row would only
    widen those features.)

    References
    ----------
    Craig, Tibshirani, "Supervised learning pays attention", section 3.2.

    Examples
    --------
    >>> sim = make_subgroups(random_state=0)
    >>> int(sim.latent.sum())
    60
    >>> (sim.components[:, :10] != 0).astype(int)
    array([[1, 1, 1, 1, 0, 0, 0, 0, 0, 0],
           [0, 0, 0, 0, 1, 1, 1, 1, 0, 0]])
    """
    n, p = check_sizes(n, p, 2 * N_OWN + N_DISTURBED, "Eight features carry coefficients and ten are disturbed.")
    shift, snr = check_shift(shift), check_snr(snr)
    minority = check_number("minority", minority, 0.0, 1.0, hint="The paper takes 0.2.")
    rng = np.random.default_rng(random_state)
    group = _random_rows(n, minority, rng).astype(np.int64)
    components = np.zeros((2, p))
    components[0, :N_OWN], components[1, N_OWN : 2 * N_OWN] = rng.normal(size=(2, N_OWN))
    X = rng.normal(size=(n, p))
    X[:, : 2 * N_OWN] += shift * group[:, None]
    _disturb(X, rng)
    return blend(X, np.eye(2)[group], components, group, rng, snr=snr)


def make_mixture(
    n: int = 300,
    p: int = 30,
    *,
    weights: Any = (0.5, 0.5),
    separation: float = 3.0,
    sparsity: int = 6,
    noise: float = 1.0,
    coef: Any = None,
    random_state: Any = None,
) -> Simulation:
    """Simulate two linear models with separated means (appendix A).

    Two marker features distinguish the groups. They have the same coefficient in both groups, so a pooled ridge
    regression finds them and ridge attention can separate the groups (the appendix's ridge-weighted separability).

    Parameters
    ----------
    n : int, default=300
        Number of rows.
    p : int, default=30
        Number of features, at least 3.
    weights : array-like of shape (2,), default=(0.5, 0.5)
        Probability of each group.
    separation : float, default=3.0
        Euclidean distance between the means of the groups, along the markers; 0 makes them inseparable.
    sparsity : int, default=6
        Non-zero coefficients of each group, markers included: from 3 to ``p``.
    noise : float, default=1.0
        Standard deviation of the noise.
    coef : array-like of shape (2, p), default=None
        Coefficients of both groups, instead of random ones; ``components`` of an earlier simulation gives new rows
        with the same truth. ``sparsity`` is then not used.
    random_state : int, Generator or None, default=None
        Seed, or the numpy generator to draw from.

    Returns
    -------
    Simulation
        ``latent`` is the group, 0 or 1; ``components`` are the coefficients of both.

    Notes
    -----
    x given group k is normal with identity covariance and mean +mu (group 0) or -mu (group 1). Covariances are equal,
    and so are the second moments E[x x' | k] = I + mu mu', which is what the appendix calls Sigma_k. Coefficients are
    1 on the markers; each group has ``sparsity - 2`` others, at random features, drawn from N(0, 1).

    References
    ----------
    Craig, Tibshirani, "Supervised learning pays attention", appendix A.

    Examples
    --------
    >>> train = make_mixture(400, 10, random_state=0)
    >>> test = make_mixture(100, 10, coef=train.components, random_state=1)
    >>> bool((train.components == test.components).all())
    True
    >>> (train.components != 0).sum(axis=1)
    array([6, 6])
    """
    n, p = check_sizes(n, p, N_MARKERS + 1, "Two markers and one feature that differs are the fewest.")
    shares = np.asarray(weights, dtype=np.float64)
    if shares.shape != (2,) or not (shares > 0).all() or not np.isclose(shares.sum(), 1.0):
        raise ValueError(f"`weights` must hold 2 shares > 0 that sum to 1, got {weights!r}. Try (0.5, 0.5).")
    separation = check_number("separation", separation, 0.0, LARGEST, hint="Try a value near 3.")
    noise = check_noise(noise)
    if coef is None:
        sparsity = check_count("sparsity", sparsity, N_MARKERS + 1, "Two of them are markers.", most=p)
    else:
        coef = np.asarray(coef, dtype=np.float64)
        if coef.shape != (2, p) or not np.isfinite(coef).all():
            raise ValueError(
                f"`coef` must hold finite numbers of shape {(2, p)}, got shape {coef.shape}. "
                "Pass `components` of a simulation with the same `p`."
            )
    rng = np.random.default_rng(random_state)
    components = _draw_components(p, sparsity, rng) if coef is None else coef
    group = (rng.random(n) >= shares[0]).astype(np.int64)
    X = rng.normal(size=(n, p))
    X[:, :N_MARKERS] += np.where(group == 0, 0.5, -0.5)[:, None] * separation / np.sqrt(N_MARKERS)
    return blend(X, np.eye(2)[group], components, group, rng, noise=noise)


def _draw_components(p: int, sparsity: int, rng: np.random.Generator) -> np.ndarray:
    """Return coefficients (2, p): 1 on the markers, normal on random other features of each group."""
    components = np.zeros((2, p))
    components[:, :N_MARKERS] = 1.0
    n_chosen = sparsity - N_MARKERS
    for vector in components:
        chosen = rng.choice(np.arange(N_MARKERS, p), n_chosen, replace=False)
        vector[chosen] = rng.normal(size=n_chosen)
    return components


def _disturb(X: np.ndarray, rng: np.random.Generator) -> None:
    """Add one random shift to each of ten noise features, in half of the rows."""
    features = rng.choice(np.arange(2 * N_OWN, X.shape[1]), N_DISTURBED, replace=False)
    rows = np.flatnonzero(_random_rows(X.shape[0], 0.5, rng))
    X[np.ix_(rows, features)] += rng.normal(size=N_DISTURBED)


def _random_rows(n: int, share: float, rng: np.random.Generator) -> np.ndarray:
    """Return a mask of a random ``share`` of the rows."""
    return rng.permutation(n) < round(share * n)
