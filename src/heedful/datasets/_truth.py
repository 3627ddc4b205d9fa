"""Simulated rows together with the truth behind them."""

from typing import NamedTuple

import numpy as np

from heedful._checks import check_count


class Simulation(NamedTuple):
    """Hold simulated rows and the truth that generated them.

    ``coef`` blends ``components`` row by row, so that a fitted local coefficient vector has a true one to be held
    against.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Features.
    y : ndarray of shape (n,)
        Response: ``signal`` plus normal noise, a class (:func:`make_binary`), or events and times in a structured
        array (:func:`make_survival`).
    coef : ndarray of shape (n, p)
        True coefficients of each row.
    latent : ndarray of shape (n,)
        Position of each row (float), or the number of its group (int); methods are not meant to see it.
    signal : ndarray of shape (n,)
        Response without noise; log odds or log relative hazard if the response is not a number.
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

    X: np.ndarray
    y: np.ndarray
    coef: np.ndarray
    latent: np.ndarray
    signal: np.ndarray
    components: np.ndarray
    noise: float

    def split(self, n_first: int | None = None) -> tuple["Simulation", "Simulation"]:
        """Return the first rows and the rest; both share the same truth.

        Parameters
        ----------
        n_first : int, default=None
            Number of rows in the first part; None means half.

        Returns
        -------
        first, rest : Simulation
            The two parts.
        """
        n = self.y.size
        first = n // 2 if n_first is None else check_count("n_first", n_first, 1, "Leave rows for both.", most=n - 1)
        return self._rows(slice(0, first)), self._rows(slice(first, n))

    def _rows(self, part: slice) -> "Simulation":
        X, y, coef, latent, signal = (values[part] for values in self[:5])
        return Simulation(X, y, coef, latent, signal, self.components, self.noise)


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
