"""Simulated rows together with their true model."""

from dataclasses import dataclass, fields, replace
from typing import ClassVar, Self

import numpy as np

from heedful._checks import check_count


@dataclass(frozen=True, eq=False)
class DrawnRows:
    """Rows of a simulation with their true model, which can be split in two."""

    # fields that do not have one entry per row
    _shared: ClassVar[tuple[str, ...]] = ()

    def split(self, n_first: int | None = None) -> tuple[Self, Self]:
        """Return the first rows and the others; both have the same true model.

        Parameters
        ----------
        n_first : int, default=None
            Number of rows in the first part; None means half.

        Returns
        -------
        tuple of two parts
            Rows to train on and rows to test on, both of the class of the whole.
        """
        parts = {field.name: getattr(self, field.name) for field in fields(self)}
        n = len(parts["X"])
        first = n // 2 if n_first is None else check_count("n_first", n_first, 1, "Leave rows for both.", most=n - 1)
        shared = {name: parts.pop(name) for name in self._shared}
        one, other = ({name: part[rows] for name, part in parts.items()} for rows in (slice(first), slice(first, n)))
        return type(self)(**one, **shared), type(self)(**other, **shared)


@dataclass(frozen=True, eq=False)
class Simulation(DrawnRows):
    """Simulated rows and their true model.

    ``coef`` blends ``components`` row by row, so fitted local coefficients can be compared with true ones.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Features.
    y : ndarray of shape (n,)
        Response: ``signal`` plus normal noise, or events and times in a structured array (:func:`make_survival`).
    coef : ndarray of shape (n, p)
        True coefficients of each row.
    latent : ndarray of shape (n,)
        Position of each row (float), or the number of its group (int); methods are not meant to see it.
    signal : ndarray of shape (n,)
        Response without noise; log relative hazard if the response is a time.
    components : ndarray of shape (n_components, p)
        Coefficient vectors of the groups, or of the ends of the gradient.
    noise : float
        Standard deviation of the noise, on the scale of ``signal``.

    Examples
    --------
    >>> from heedful.datasets import make_subgroups
    >>> train, test = make_subgroups(600, random_state=0).split()
    >>> train.X.shape, test.X.shape, train.noise == test.noise
    ((300, 30), (300, 30), True)
    """

    _shared = ("components", "noise")

    X: np.ndarray
    y: np.ndarray
    coef: np.ndarray
    latent: np.ndarray
    signal: np.ndarray
    components: np.ndarray
    noise: float


def blend(
    X: np.ndarray,
    membership: np.ndarray,
    components: np.ndarray,
    latent: np.ndarray,
    rng: np.random.Generator,
    *,
    snr: float | None = None,
    noise: float = 0.0,
) -> Simulation:
    """Respond with coefficients ``membership @ components``; ``snr``, if given, decides the noise."""
    coef = membership @ components
    signal = np.einsum("ij,ij->i", X, coef)
    if snr is not None:
        noise = float(np.sqrt(signal.var() / snr))
    return Simulation(X, signal + noise * rng.normal(size=signal.size), coef, latent, signal, components, noise)


def pad(vectors: list[list[float]], p: int) -> np.ndarray:
    """Return coefficient vectors of length ``p``, zero after the given entries."""
    given = np.array(vectors, dtype=np.float64)
    return np.pad(given, ((0, 0), (0, p - given.shape[1])))


def scale_truth(sim: Simulation, noise: float) -> Simulation:
    """Return a simulation with its truth multiplied so that its noise becomes ``noise``; the response stays."""
    factor = noise / sim.noise
    scaled = {"coef": factor * sim.coef, "signal": factor * sim.signal, "components": factor * sim.components}
    return replace(sim, **scaled, noise=noise)
