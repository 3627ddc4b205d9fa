"""Classes that no row of weight has, no event, counts of 0: what Newton steps would push away for ever."""

import numpy as np

from heedful._kernels._jit import one_row
from heedful._kernels.arrays import fill_row
from heedful._kernels.shapes import BINOMIAL, COX, MULTINOMIAL, POWER

# A class with less of the weight than this is not there.
ABSENT = 1e-9


@one_row
def shares_row(kind, state, share):
    """Write the weight of each class (of the events, for survival); return the effective number of rows."""
    squares = 0.0
    fill_row(0.0, share)
    for i in range(state.value.size):
        squares += state.weight[i] * state.weight[i]
        if kind == MULTINOMIAL:
            share[int(state.value[i])] += state.weight[i]
        else:
            share[0] += state.weight[i] * state.value[i]
    return 1.0 / squares


@one_row
def settle_pure_row(kind, share, n_eff, intercept, coef):
    """Fit what has no finite optimum: all rows of one class, or no event. Return whether that was so.

    A class that was not seen in ``n`` rows gets the probability 1 / (2 (n + 1)).
    """
    unseen = 0.5 / (n_eff + 1.0)
    if kind == BINOMIAL and (share[0] < ABSENT or share[0] > 1.0 - ABSENT):
        intercept[0] = np.log(unseen / (1.0 - unseen)) if share[0] < 0.5 else np.log((1.0 - unseen) / unseen)
    elif kind == COX and share[0] < ABSENT:
        intercept[0] = 0.0
    else:
        return False
    fill_row(0.0, coef[0])
    return True


@one_row
def unseen_rates(table, outcome):
    """Return the mean of counts or costs, the log of their rate, and the share of rows above 0, in the whole table."""
    power, mean, seen, expected, above = outcome.power, 0.0, 0.0, 0.0, 0.0
    if outcome.kind == POWER:
        for i in range(table.prior.size):
            share, offset = table.prior[i] / table.total, outcome.offset[i] if outcome.offset.size > 0 else 0.0
            mean += share * outcome.value[i]
            seen += share * outcome.value[i] * np.exp((1.0 - power) * offset)
            expected += share * np.exp((2.0 - power) * offset)
            above += share if outcome.value[i] > 0.0 else 0.0
        seen = np.log(max(seen, 1e-300)) - np.log(expected)
    return mean, seen, above


@one_row
def settle_zeros_row(state, unseen, intercept, coef):
    """Fit counts or costs of 0 in all rows, which have no finite optimum. Return whether that was so.

    Where ``n`` rows like those of the table would have had ``m`` above 0, their rate is the table's over 1 + 2 m: as if
    half a row had been.
    """
    mean, squares = 0.0, 0.0
    for i in range(state.value.size):
        mean += state.weight[i] * state.value[i]
        squares += state.weight[i] * state.weight[i]
    if mean > ABSENT * unseen[0]:
        return False
    intercept[0] = unseen[1] - np.log1p(2.0 * unseen[2] / squares)
    fill_row(0.0, coef[0])
    return True


@one_row
def settle_absent_row(state, shares, n_eff, n_features, packed, intercept, coef):
    """Give classes that no attended row has a small probability: together that of one unseen class.

    ``shares`` holds the weight of each class, and room for as many numbers.
    """
    n_absent, top = 0, -np.inf
    share, level = shares[0], shares[1]
    for k in range(share.size):
        level[k] = intercept[k]
        for i in range(state.weight.size):
            for j in range(n_features):
                level[k] += state.weight[i] * packed[i, j] * coef[k, j]
        if share[k] < ABSENT:
            n_absent += 1
        else:
            top = max(top, level[k])
    if n_absent == 0:
        return
    total = 0.0
    for k in range(share.size):
        if share[k] >= ABSENT:
            total += np.exp(level[k] - top)
    unseen = 0.5 / (n_eff + 1.0)
    for k in range(share.size):
        if share[k] < ABSENT:
            intercept[k] = top + np.log(total * unseen / (1.0 - unseen) / n_absent)
            fill_row(0.0, coef[k])
