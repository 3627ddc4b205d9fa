"""Treatments with known effects: the four setups of Nie and Wager, and hidden groups with different effects."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from heedful._checks import check_choice, check_count
from heedful.datasets._arguments import check_noise
from heedful.datasets._truth import DrawnRows

FEWEST_COLUMNS = {"A": 5, "B": 5, "C": 3, "D": 5, "groups": 6}
# Groups: share of the minority, and what is added to its first three features.
MINORITY, SHIFT, N_MARKERS = 0.3, 2.0, 3


@dataclass(frozen=True, eq=False)
class Effects(DrawnRows):
    """Simulated rows with a treatment, and the true model.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Features.
    y : ndarray of shape (n,)
        Outcome: ``baseline + (treatment - 0.5) * effect`` plus normal noise.
    treatment : ndarray of shape (n,)
        1 for treated rows, 0 for the others.
    effect : ndarray of shape (n,)
        True effect of the treatment on each row.
    propensity : ndarray of shape (n,)
        True probability of each row to be treated.
    baseline : ndarray of shape (n,)
        Mean of the expected outcomes with and without treatment.
    group : ndarray of shape (n,)
        0, or 1 in the minority of setup "groups"; methods are not meant to see it.

    Examples
    --------
    >>> from heedful.datasets import make_effects
    >>> train, test = make_effects("B", 600, random_state=0).split()
    >>> len(train.y), len(test.y)
    (300, 300)
    """

    X: np.ndarray
    y: np.ndarray
    treatment: np.ndarray
    effect: np.ndarray
    propensity: np.ndarray
    baseline: np.ndarray
    group: np.ndarray


class _Truth(NamedTuple):
    """Baseline, propensity and effect of rows."""

    baseline: np.ndarray
    propensity: np.ndarray
    effect: np.ndarray


def make_effects(
    setup: str = "A", n: int = 500, p: int = 6, *, noise: float = 1.0, random_state: Any = None
) -> Effects:
    """Simulate a treatment whose effect differs from row to row.

    Parameters
    ----------
    setup : {"A", "B", "C", "D", "groups"}, default="A"
        "A": complex propensity and baseline, simple effect. "B": randomised trial. "C": simple propensity, complex
        baseline, constant effect. "D": unrelated outcome models of treated and control rows. "groups": a hidden
        minority whose effect is another linear function.
    n : int, default=500
        Number of rows.
    p : int, default=6
        Number of features; those that the setup does not use are noise. "C" needs three, "groups" six, the others five.
    noise : float, default=1.0
        Standard deviation of the noise.
    random_state : int, Generator or None, default=None
        Seed, or the numpy generator to draw from.

    Returns
    -------
    Effects
        Rows, outcomes and treatments, and the true model.

    Notes
    -----
    Setups A to D are those of section 4.1 of the paper below. In "groups" 30 % of the rows, the minority, have 2 added
    to features 1 to 3; effects are 1 + x4 + x5 / 2 in the majority and -1 - x4 + x6 / 2 in the minority, the baseline
    is x1 + max(x2 + x4, 0), and the log-odds of treatment are x5 / 2.

    References
    ----------
    Nie, Wager, "Quasi-oracle estimation of heterogeneous treatment effects", Biometrika 108 (2021).

    Examples
    --------
    >>> sim = make_effects("C", 1000, random_state=0)
    >>> sim.X.shape, set(sim.effect.tolist())
    ((1000, 6), {1.0})
    """
    setup = check_choice("setup", setup, tuple(FEWEST_COLUMNS))
    n = check_count("n", n, 2, "Two rows are the fewest.")
    p = check_count("p", p, FEWEST_COLUMNS[setup], f"Setup {setup!r} names so many features.")
    noise, rng = check_noise(noise), np.random.default_rng(random_state)
    group = np.zeros(n, np.int64)
    X = rng.random((n, p)) if setup == "A" else rng.normal(size=(n, p))
    if setup == "groups":
        group = (rng.permutation(n) < round(MINORITY * n)).astype(np.int64)
        X[:, :N_MARKERS] += SHIFT * group[:, None]
        truth = _groups(X, group)
    else:
        truth = SETUPS[setup](X)
    treatment = (rng.random(n) < truth.propensity).astype(np.int64)
    y = truth.baseline + (treatment - 0.5) * truth.effect + noise * rng.normal(size=n)
    return Effects(X, y, treatment, truth.effect, truth.propensity, truth.baseline, group)


def _setup_a(X: np.ndarray) -> _Truth:
    x1, x2, x3, x4, x5 = X.T[:5]
    wave = np.sin(np.pi * x1 * x2)
    return _Truth(wave + 2 * (x3 - 0.5) ** 2 + x4 + 0.5 * x5, np.clip(wave, 0.1, 0.9), (x1 + x2) / 2)


def _setup_b(X: np.ndarray) -> _Truth:
    x1, x2, x3, x4, x5 = X.T[:5]
    baseline = np.maximum.reduce([x1 + x2, x3, np.zeros(len(X))]) + np.maximum(x4 + x5, 0)
    return _Truth(baseline, np.full(len(X), 0.5), x1 + np.logaddexp(0, x2))


def _setup_c(X: np.ndarray) -> _Truth:
    x1, x2, x3 = X.T[:3]
    return _Truth(2 * np.logaddexp(0, x1 + x2 + x3), 1 / (1 + np.exp(x2 + x3)), np.ones(len(X)))


def _setup_d(X: np.ndarray) -> _Truth:
    x1, x2, x3, x4, x5 = X.T[:5]
    treated, untreated = np.maximum(x1 + x2 + x3, 0), np.maximum(x4 + x5, 0)
    return _Truth((treated + untreated) / 2, 1 / (1 + np.exp(-x1) + np.exp(-x2)), treated - untreated)


def _groups(X: np.ndarray, group: np.ndarray) -> _Truth:
    x1, x2, _, x4, x5, x6 = X.T[:6]
    effect = np.where(group == 0, 1 + x4 + x5 / 2, -1 - x4 + x6 / 2)
    return _Truth(x1 + np.maximum(x2 + x4, 0), 1 / (1 + np.exp(-x5 / 2)), effect)


SETUPS: dict[str, Callable[[np.ndarray], _Truth]] = {"A": _setup_a, "B": _setup_b, "C": _setup_c, "D": _setup_d}
