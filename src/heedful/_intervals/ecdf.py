"""Values of the training rows in order: how much attention lies below a value, and below which value so much lies."""

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from heedful import _kernels
from heedful.attention._attention import Attention


class WeightedECDF:
    """One value per training row (``values``, ascending) with the sample weights of the rows."""

    def __init__(self, values: np.ndarray, sample_weight: np.ndarray):
        order = np.argsort(values, kind="stable")
        self.values, self.sample_weight = values[order], sample_weight
        self._below = np.append(0.0, np.cumsum(sample_weight[order]))
        self._place = np.empty(values.size, np.int64)
        self._place[order] = np.arange(values.size)

    def weight_below(self, attention: Attention, value: np.ndarray) -> np.ndarray:
        """Return the weight that each query gives to rows with a smaller value than its own ``value`` (n_query,)."""
        place, bumps = np.searchsorted(self.values, value), attention.bumps()
        smaller = self._place[bumps.indices] < np.repeat(place, np.diff(bumps.indptr))
        return attention._sum(np.where(smaller, bumps.data, 0.0)) + attention.background * self._below[place]

    def prior_below(self, value: np.ndarray) -> np.ndarray:
        """Return the sample weight of rows with a smaller value."""
        return self._below[np.searchsorted(self.values, value)]

    def quantile(self, attention: Attention, level: float) -> np.ndarray:
        """Return for each query the largest value below which lies no more than ``level`` of its weight."""
        return self.quantiles(attention, [level])[0]

    def quantiles(self, attention: Attention, levels: Sequence[float]) -> list[np.ndarray]:
        """Return the quantiles of several levels."""
        bumps = attention.bumps()
        rows = sparse.csr_array((bumps.data, self._place[bumps.indices], bumps.indptr), shape=attention.shape)
        # there and back puts the places of a row in order, faster than sorting them
        rows = rows.tocsc().tocsr()
        parts = (rows.indptr, rows.indices.astype(np.int64), rows.data, attention.background)
        return [self.values[_kernels.quantile_rows(*parts, self._below[:-1], float(level))] for level in levels]

    def plain_quantile(self, level: float) -> float:
        """Return the same for a query whose weights are the sample weights."""
        place = np.searchsorted(self._below[:-1], level * self._below[-1], side="right") - 1
        return float(self.values[place])
