"""Rounds of boosted stumps for many models at once: bins tallied, the best cut of each model, its step added.

A series is one output of one model. All series share the rows; those that a model may not see have no weight in it.
``slopes`` (n_rows, 2 * n_series) holds for each row minus the gradient of its loss, times its weight, and after these
the hessians, times its weight: the series lie side by side, so that a row is added to a bin in a few instructions.
"""

from typing import NamedTuple

import numpy as np

from heedful._kernels._jit import one_row, writing_rows
from heedful._kernels.arrays import copy_matrix, fill_row
from heedful._kernels.shapes import MISSING
from heedful._kernels.splits import LEAST_PART

# A later cut must be better by this part: equal ones, with sums in another order, must not depend on the last digit.
TIE = 1e-9
# Where a code goes; codes of which a model has no row, if their place in the order does not tell, get no step.
NOWHERE, LEFT, RIGHT = 0, 1, 2


class Cut(NamedTuple):
    """The best cut of a column: gain, how many bins go left, if missing cells do, sums of the left part and of all.

    ``n_bins`` hold weight; ``right`` is the first code on the right of a cut of numbers.
    """

    gain: float
    n_left: int
    missing_left: int
    slope_left: float
    hessian_left: float
    slope: float
    hessian: float
    n_bins: int
    right: int


@one_row
def scan_column(tally, k, n_bins, category, sign, chance, rule, order):
    """Return the best cut of a column for one series.

    ``order`` gets the bins that hold weight, sorted, with missing cells as one of the levels of a category but not
    among numbers. With ``sign`` 1 or -1 steps must go up or down with numbers.
    """
    n_series, size = tally.shape[1] // 2, 0
    slope, hessian = 0.0, 0.0
    for b in range(n_bins + 1):
        code = b if b < n_bins else MISSING
        if tally[code, n_series + k] <= 0.0:
            continue
        slope += tally[code, k]
        hessian += tally[code, n_series + k]
        if code == MISSING and not category:
            continue
        at = size
        while category and at > 0:
            other = order[at - 1]
            if tally[other, k] * tally[code, n_series + k] <= tally[code, k] * tally[other, n_series + k]:
                break
            order[at] = other
            at -= 1
        order[at] = code
        size += 1
    ridge, least = rule.ridge, rule.min_hessian
    alone = 0.0 if category else tally[MISSING, n_series + k]
    uncut = slope * slope / (hessian + ridge)
    left, weight = 0.0, 0.0
    best, n_left, missing_left, slope_left, hessian_left = 0.0, 0, 0, 0.0, 0.0
    for at in range(size if alone > 0.0 else size - 1):
        left += tally[order[at], k]
        weight += tally[order[at], n_series + k]
        for lost in range(2 if alone > 0.0 and at < size - 1 else 1):
            near = left + tally[MISSING, k] if lost else left
            curve = weight + alone if lost else weight
            if curve < least or hessian - curve < least:
                continue
            rest = slope - near
            rise = rest / (hessian - curve + ridge) - near / (curve + ridge)
            if sign * rise < 0.0 and at < size - 1:
                continue
            gain = near * near / (curve + ridge) + rest * rest / (hessian - curve + ridge) - uncut
            if gain > best * (1.0 + TIE):
                best, n_left, missing_left, slope_left, hessian_left = gain, at + 1, lost, near, curve
    if category and size > 2:
        best = max(best - chance * (size - 2), LEAST_PART * best)
    right = MISSING
    if not category and best > 0.0 and n_left < size:
        right = middle(order[n_left - 1], order[n_left])
    return Cut(best, n_left, missing_left, slope_left, hessian_left, slope, hessian, size, right)


@one_row
def middle(last, after):
    """Return the first code on the right of a cut between two bins that hold weight: empty ones go to the nearer."""
    return ((last + after) >> 1) + 1


@one_row
def weigh_cuts(hessians, inverses, rule):
    """Write 1 / (hessian + ridge) of both sides of a cut after each bin of numbers; 0 where a side has too little."""
    n_bins, n_series = hessians.shape
    for k in range(n_series):
        hessian, left = 0.0, 0.0
        for b in range(n_bins):
            hessian += hessians[b, k]
        for b in range(n_bins):
            left += hessians[b, k]
            enough = left >= rule.min_hessian and hessian - left >= rule.min_hessian
            inverses[b, 0, k] = 1.0 / (left + rule.ridge) if enough else 0.0
            inverses[b, 1, k] = 1.0 / (hessian - left + rule.ridge) if enough else 0.0


@one_row
def scan_numbers(tally, n_bins, sign, hessians, inverses, rule, running):
    """Write the best cut of a column of numbers without missing cells, for all series side by side.

    With ``sign`` 1 or -1 steps must go up or down.
    """
    slope, left, uncut, best, place = running[0], running[1], running[2], running[3], running[4]
    n_series = slope.size
    for r in range(5):
        fill_row(0.0, running[r])
    for b in range(n_bins):
        for k in range(n_series):
            slope[k] += tally[b, k]
            uncut[k] += hessians[b, k]
    for k in range(n_series):
        uncut[k] = slope[k] * slope[k] / (uncut[k] + rule.ridge)
    for b in range(n_bins - 1):
        at = float(b)
        for k in range(n_series):
            left[k] += tally[b, k]
            rest = slope[k] - left[k]
            low, high = left[k] * inverses[b, 0, k], rest * inverses[b, 1, k]
            gain = left[k] * low + rest * high - uncut[k]
            better = gain > best[k] * (1.0 + TIE) and sign * (high - low) >= 0.0
            best[k] = gain if better else best[k]
            place[k] = at if better else place[k]


@one_row
def take_cut(tally, k, n_bins, hessians, running):
    """Return the best cut of a series among numbers as ``scan_column`` does."""
    last = np.int64(running[4, k])
    hessian, slope_left, hessian_left = 0.0, 0.0, 0.0
    for b in range(n_bins):
        hessian += hessians[b, k]
        if b <= last:
            slope_left += tally[b, k]
            hessian_left += hessians[b, k]
    after = last + 1
    while after < n_bins - 1 and hessians[after, k] <= 0.0:
        after += 1
    return Cut(running[3, k], last, 0, slope_left, hessian_left, running[0, k], hessian, n_bins, middle(last, after))


@one_row
def write_sides(lost, category, order, cut, side):
    """Write where each code goes; ``lost`` is the weight of missing cells."""
    for code in range(MISSING):
        side[code] = NOWHERE if category else LEFT if code < cut.right else RIGHT
    side[MISSING] = NOWHERE
    if category:
        for at in range(cut.n_bins):
            side[order[at]] = LEFT if at < cut.n_left else RIGHT
    elif lost > 0.0:
        side[MISSING] = LEFT if cut.missing_left else RIGHT


@one_row
def step_of(slope, hessian, rule):
    step = slope / (hessian + rule.ridge)
    return min(max(step, -rule.max_step), rule.max_step) * rule.learning_rate


@one_row
def tally_rows(codes, slopes, n_bins, n_tallied, tally):
    for b in range(n_bins + 1):
        code = b if b < n_bins else MISSING
        for k in range(n_tallied):
            tally[code, k] = 0.0
    for i in range(codes.size):
        code = codes[i]
        for k in range(n_tallied):
            tally[code, k] += slopes[i, k]


@one_row
def find_stumps(table, slopes, new_hessian, chance, rule, work, column, side, step):
    """Write the best stump of each series for the function below."""
    codes, categories, sizes, signs = table
    tally, order, best = work.tally, work.order, work.best
    n_series, first = column.size, 0
    fill_row(-1, column)
    fill_row(0.0, best)
    for j in range(codes.shape[0]):
        size, sign = sizes[j], signs[j]
        tally_rows(codes[j], slopes, size, 2 * n_series if new_hessian else n_series, tally)
        hessians, inverses = work.hessians[first : first + size + 1], work.inverses[first : first + size + 1]
        first += size + 1
        if new_hessian:
            for b in range(size + 1):
                code = b if b < size else MISSING
                for k in range(n_series):
                    hessians[b, k] = tally[code, n_series + k]
        plain = not categories[j]
        for k in range(n_series):
            plain = plain and hessians[size, k] <= 0.0
        if plain:
            if new_hessian:
                weigh_cuts(hessians, inverses, rule)
            scan_numbers(tally, size, sign, hessians, inverses, rule, work.running)
        elif not new_hessian:
            for b in range(size + 1):
                code = b if b < size else MISSING
                for k in range(n_series):
                    tally[code, n_series + k] = hessians[b, k]
        for k in range(n_series):
            if not plain:
                cut = scan_column(tally, k, size, categories[j], sign, chance[k], rule, order)
            elif work.running[3, k] > best[k] * (1.0 + TIE):
                cut = take_cut(tally, k, size, hessians, work.running)
            else:
                continue
            if cut.gain > best[k] * (1.0 + TIE):
                best[k] = cut.gain
                column[k] = j
                step[k, LEFT] = step_of(cut.slope_left, cut.hessian_left, rule)
                step[k, RIGHT] = step_of(cut.slope - cut.slope_left, cut.hessian - cut.hessian_left, rule)
                write_sides(hessians[size, k], categories[j], order, cut, side[k])


@one_row
def follow_squares(slopes, by_chance, chance):
    """Write what a level of a category gains by chance, for slopes and hessians of squared losses."""
    for k in range(chance.size):
        square, total = 0.0, 0.0
        for i in range(slopes.shape[0]):
            hessian = slopes[i, chance.size + k]
            if hessian > 0.0:
                square += slopes[i, k] * slopes[i, k] / hessian
                total += hessian
        chance[k] = by_chance * square / total


@writing_rows
def stump_rows(table, slopes, new_hessian, chance, rule, work, columns, sides, steps, link, links):
    """Add the best stump of each series to its ``link`` (n_rows, n_series), as many times as ``columns`` has room for.

    ``new_hessian`` tells whether hessians have changed; ``chance`` (n_series,) is what a level of a category gains by
    chance. A stump is its column (n_series,), -1 if there is none, the side (n_series, 256) of each code, and the step
    (n_series, 3) of each side. More than one round is for squared losses: a step moves their slopes by as much as their
    hessians say. ``links`` gets the ``link`` after each round, if it has room.
    """
    n_rows, n_series = link.shape
    for r in range(columns.shape[0]):
        column, side, step = columns[r], sides[r], steps[r]
        if r > 0:
            follow_squares(slopes, rule.by_chance, chance)
        find_stumps(table, slopes, new_hessian and r == 0, chance, rule, work, column, side, step)
        for k in range(n_series):
            if column[k] < 0:
                continue
            for i in range(n_rows):
                move = step[k, side[k, table.codes[column[k], i]]]
                link[i, k] += move
                slopes[i, k] -= slopes[i, n_series + k] * move
        if links.shape[0] > 0:
            copy_matrix(link, links[r])
