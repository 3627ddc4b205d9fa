"""The guard: heads are used only as far as rows that had no say in their shares do not speak against them."""

from collections.abc import Callable

import numpy as np

from heedful._tuning.shares import OutOfFold
from heedful.baseline._folds import random_splits

ROUNDS = 5
# Mean gains, in standard errors, at which the blend is not believed at all, and believed in full.
NOTHING, ALL = -1.0, 3.0


def cross_fit(
    oof: OutOfFold, fit: Callable[[OutOfFold], np.ndarray], seed: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray]:
    """Fit shares to random halves; return their mean, and the blend's values of rows by the halves without them.

    A mean over halves is steadier than one fit to all rows.
    """
    n_rows = oof.weight.size
    shares, blend = [], np.zeros(n_rows)
    for _ in range(ROUNDS):
        for train, test in random_splits(n_rows, 2, seed):
            shares.append(fit(oof.part(train)))
            blend[test] += blended(oof.part(test), shares[-1]) / ROUNDS
    return np.mean(shares, axis=0), blend


def blended(oof: OutOfFold, share: np.ndarray) -> np.ndarray:
    """Return the blend of heads and baseline."""
    used = share > 0
    return (1 - share.sum()) * oof.baseline + oof.heads[:, used] @ share[used]


def heads_alone(oof: OutOfFold, share: np.ndarray) -> np.ndarray:
    """Return the blend of the heads without the baseline."""
    return blended(oof._replace(baseline=np.zeros(oof.baseline.size)), share / share.sum())


def guard_factor(oof: OutOfFold, blend: np.ndarray) -> float:
    """Return how far to go from the baseline to the blend, between 0 and 1.

    With t the mean gain per row in standard errors, for rows that had no say in the shares: nothing up to t = -1, all
    from t = 3 on. A few rows that make the gain make its error too. How often that is right: benchmarks/guard.
    """
    gain = oof.family.losses(oof.baseline).value - oof.family.losses(blend).value
    weight = oof.weight / oof.weight.sum()
    mean = float(weight @ gain)
    error = float(np.sqrt((weight**2) @ (gain - mean) ** 2))
    if error == 0:
        return float(mean > 0)
    return float(np.clip((mean / error - NOTHING) / (ALL - NOTHING), 0.0, 1.0))
