"""Points that do not cover each other."""

from typing import Any

import numpy as np


def swarm(positions: Any, half: float, n_bins: int = 90) -> np.ndarray:
    """Return how far to move points sideways, at most ``half``, so that those at one place stand side by side."""
    positions = np.asarray(positions, dtype=np.float64)
    if positions.size == 0:
        return positions
    bins = np.floor(n_bins * (positions - positions.min()) / (np.ptp(positions) or 1.0))
    order = np.argsort(bins, kind="stable")
    _, start, count = np.unique(bins[order], return_index=True, return_counts=True)
    rank = np.arange(positions.size) - np.repeat(start, count)
    steps = np.empty(positions.size)
    steps[order] = (rank + 1) // 2 * np.where(rank % 2, 1.0, -1.0)
    return steps * half / max(np.abs(steps).max(), 5.0)
