"""The guard: heads are used only as far as their gain over the baseline is more than noise."""

from collections.abc import Callable

import numpy as np

from heedful.baseline import random_splits
from heedful.heads._shares import Outside, best_mixing

PARTS = 10


def cross_fit(outside: Outside, fit: Callable[[Outside], np.ndarray], seed: np.random.RandomState) -> np.ndarray:
    """Return the blend's values of rows whose shares were fitted on other rows."""
    blend = np.empty(outside.weight.size)
    for split in random_splits(outside.weight.size, PARTS, seed):
        share = fit(outside.part(split.train))
        blend[split.test] = blended(outside.part(split.test), share)
    return blend


def blended(outside: Outside, share: np.ndarray) -> np.ndarray:
    """Return the blend of heads and baseline."""
    used = share > 0
    return (1 - share.sum()) * outside.baseline + outside.heads[:, used] @ share[used]


def trust(outside: Outside, blend: np.ndarray) -> float:
    """Return how far to go from the baseline to the blend, between 0 and 1.

    As far as would have been best for rows that had no say in the shares, times a factor: with t the mean gain per
    row of doing so, in standard errors, the factor is 0 up to t = 1 and 1 from t = 2 on.
    """
    best = float(best_mixing(outside, blend[:, None])[0])
    there = outside.baseline + best * (blend - outside.baseline)
    gain = outside.family.losses(outside.baseline).value - outside.family.losses(there).value
    weight = outside.weight / outside.weight.sum()
    mean = float(weight @ gain)
    error = float(np.sqrt((weight**2) @ (gain - mean) ** 2))
    return best * (float(np.clip(mean / error - 1.0, 0.0, 1.0)) if error > 0 else float(mean > 0))
