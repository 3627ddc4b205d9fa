"""The guard: the blend is shrunk toward the global model unless rows that were not used for the shares support it."""

from collections.abc import Callable

import numpy as np

from heedful._flow.shares import OutOfFold
from heedful._folds import by_group, group_splits, random_splits

ROUNDS = 5
# Mean gains, in standard errors, at which the blend is not believed at all, and believed in full; where responses are
# mostly noise, there must be some gain before it is believed.
NOTHING, ALL = -1.0, 3.0
NOTHING_OF_NOISE = 0.5
# So many of all rows might as well have been of another class: a mistake that is rarer has not been seen yet.
UNSEEN_MISTAKES = 1.0


def cross_fit(
    oof: OutOfFold, fit: Callable[[OutOfFold], np.ndarray], seed: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray]:
    """Fit shares to random halves; return their mean, and the blend's values of rows by the halves without them.

    A mean over halves is steadier than one fit to all rows. Groups of rows stay together.
    """
    n_rows = oof.weight.size
    shares, blend = [], np.zeros(n_rows)
    for _ in range(ROUNDS):
        halves = random_splits(n_rows, 2, seed) if oof.groups is None else group_splits(oof.groups, 2, seed)
        for train, test in halves:
            shares.append(fit(oof.part(train)))
            blend[test] += blended(oof.part(test), shares[-1]) / ROUNDS
    return np.mean(shares, axis=0), blend


def blended(oof: OutOfFold, share: np.ndarray) -> np.ndarray:
    used = share > 0
    return (1 - share.sum()) * oof.baseline + oof.heads[:, used] @ share[used]


def heads_alone(oof: OutOfFold, share: np.ndarray) -> np.ndarray:
    """Return the blend of the heads without the baseline."""
    return blended(oof._replace(baseline=np.zeros(oof.baseline.size)), share / share.sum())


def guard_factor(oof: OutOfFold, blend: np.ndarray) -> float:
    """Return how far to go from the baseline to the blend, between 0 and 1.

    With t the mean gain per row in standard errors, on rows not used for the shares: nothing up to t = -1 (0.5
    if the response is mostly noise, as pseudo-outcomes of effects), all from t = 3 on. A few rows that make the gain
    make its error too. How often that is right: benchmarks/guard.
    """
    mean, error = mean_gain(oof, blend)
    if error == 0:
        return float(mean > 0)
    nothing = NOTHING_OF_NOISE if oof.family.noisy else NOTHING
    return float(np.clip((mean / error - nothing) / (ALL - nothing), 0.0, 1.0))


def mean_gain(oof: OutOfFold, blend: np.ndarray, *, reported: bool = False) -> tuple[float, float]:
    """Return the mean gain per row of the blend over the baseline, and its standard error; or that of reported losses.

    A blend that is surer of classes gains a little on almost every row, and loses much on a few: among few rows there
    may be none of these. So each row of a class counts, for its chance to be such a one, as if it had been of another.
    Rows of a group count as one: their gains are not independent.
    """
    family = oof.family
    weight = oof.weight / oof.weight.sum()
    baseline_loss, blend_loss = (
        family.reported(values) if reported else family.losses(values).value for values in (oof.baseline, blend)
    )
    gain = baseline_loss - blend_loss
    before, after = family.losses_of_others(oof.baseline), family.losses_of_others(blend)
    if before is None or after is None:
        return mean_and_error(gain[:, None], np.ones(1), weight, oof.groups)
    # the sum of squares of weights is one over the effective number of rows, or groups
    mass = by_group(weight, oof.groups)
    chance = min(UNSEEN_MISTAKES * float(mass @ mass), 0.5)
    outcomes = np.column_stack([gain, before - after])
    return mean_and_error(outcomes, np.array([1 - chance, chance]), weight, oof.groups)


def mean_and_error(
    outcomes: np.ndarray, chance: np.ndarray, weight: np.ndarray, groups: np.ndarray | None = None
) -> tuple[float, float]:
    """Return the mean of rows whose outcomes (n_rows, n_outcomes) have these chances, and its standard error.

    Rows of a group have the same outcome.
    """
    mean = float(weight @ outcomes @ chance)
    away = by_group(weight[:, None] * (outcomes - mean), groups)
    return mean, float(np.sqrt((away**2).sum(axis=0) @ chance))
