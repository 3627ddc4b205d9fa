"""Rounds of boosted stumps for many models at once: bins tallied, the best cut of each model, its step added.

A series is one output of one model. All series share the rows; those that a model may not see have no weight in it.
``pull`` (n_rows, 2 * n_series) holds for each row minus the slopes of its loss, times its weight, and after them its
curvatures, times its weight: the series lie side by side, so that a row is added to a bin in a few instructions.
"""

import numpy as np

from heedful._kernels._jit import one_row, writing_rows
from heedful._kernels.shapes import MISSING
from heedful._kernels.splits import LEAST_PART

# A later cut must be better by this part: equal ones, with sums in another order, must not depend on the last digit.
TIE = 1e-9
# Where a code goes; codes of which a model has no row, if their place in the order does not tell, get no step.
NOWHERE, LEFT, RIGHT = 0, 1, 2


@one_row
def scan_column(tally, k, n_bins, category, sign, chance, how, order, found):
    """Write the best cut of a column for one series: gain, how many bins go left, if missing ones do, and sums.

    ``found`` is (gain, bins left, missing left, slope left, curvature left, slope, curvature, bins, the first code on
    the right of a cut of numbers); ``order`` gets the bins that hold weight, sorted, with missing cells as one of the
    levels of a category but not among numbers. With ``sign`` 1 or -1 steps must go up or down with numbers.
    """
    n_series, size = tally.shape[1] // 2, 0
    slope, curve = 0.0, 0.0
    for b in range(n_bins + 1):
        code = b if b < n_bins else MISSING
        if tally[code, n_series + k] <= 0.0:
            continue
        slope += tally[code, k]
        curve += tally[code, n_series + k]
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
    ridge, least = how[0], how[1]
    alone = 0.0 if category else tally[MISSING, n_series + k]
    none = slope * slope / (curve + ridge)
    left, weight = 0.0, 0.0
    found[0] = 0.0
    for at in range(size if alone > 0.0 else size - 1):
        left += tally[order[at], k]
        weight += tally[order[at], n_series + k]
        for lost in range(2 if alone > 0.0 and at < size - 1 else 1):
            pull = left + tally[MISSING, k] if lost else left
            bend = weight + alone if lost else weight
            if bend < least or curve - bend < least:
                continue
            rest = slope - pull
            rise = rest / (curve - bend + ridge) - pull / (bend + ridge)
            if sign * rise < 0.0 and at < size - 1:
                continue
            gain = pull * pull / (bend + ridge) + rest * rest / (curve - bend + ridge) - none
            if gain > found[0] * (1.0 + TIE):
                found[0] = gain
                found[1] = at + 1
                found[2] = lost
                found[3] = pull
                found[4] = bend
    if category and size > 2:
        gain = LEAST_PART * found[0]
        found[0] -= chance * (size - 2)
        if found[0] < gain:
            found[0] = gain
    found[5] = slope
    found[6] = curve
    found[7] = size
    found[8] = MISSING
    n_left = np.int64(found[1])
    if not category and found[0] > 0.0 and n_left < size:
        found[8] = middle(order[n_left - 1], order[n_left])


@one_row
def middle(last, after):
    """Return the first code on the right of a cut between two bins that hold weight: empty ones go to the nearer."""
    return ((last + after) >> 1) + 1


@one_row
def weigh_cuts(bends, shares, how):
    """Write 1 / (curvature + ridge) of both sides of a cut after each bin of numbers; 0 where a side has too little."""
    n_bins, n_series = bends.shape
    for k in range(n_series):
        curve, left = 0.0, 0.0
        for b in range(n_bins):
            curve += bends[b, k]
        for b in range(n_bins):
            left += bends[b, k]
            enough = left >= how[1] and curve - left >= how[1]
            shares[b, 0, k] = 1.0 / (left + how[0]) if enough else 0.0
            shares[b, 1, k] = 1.0 / (curve - left + how[0]) if enough else 0.0


@one_row
def scan_numbers(tally, n_bins, sign, bends, shares, how, running):
    """Write the best cut of a column of numbers without missing cells, for all series side by side.

    With ``sign`` 1 or -1 steps must go up or down.
    """
    slope, left, none, best, place = running[0], running[1], running[2], running[3], running[4]
    n_series = slope.size
    for k in range(n_series):
        slope[k] = 0.0
        left[k] = 0.0
        none[k] = 0.0
        best[k] = 0.0
        place[k] = 0.0
    for b in range(n_bins):
        for k in range(n_series):
            slope[k] += tally[b, k]
            none[k] += bends[b, k]
    for k in range(n_series):
        none[k] = slope[k] * slope[k] / (none[k] + how[0])
    for b in range(n_bins - 1):
        at = float(b)
        for k in range(n_series):
            left[k] += tally[b, k]
            rest = slope[k] - left[k]
            low, high = left[k] * shares[b, 0, k], rest * shares[b, 1, k]
            gain = left[k] * low + rest * high - none[k]
            better = gain > best[k] * (1.0 + TIE) and sign * (high - low) >= 0.0
            best[k] = gain if better else best[k]
            place[k] = at if better else place[k]


@one_row
def take_cut(tally, k, n_bins, bends, running, found):
    """Write the best cut of a series among numbers as ``scan_column`` does."""
    last = np.int64(running[4, k])
    found[0] = running[3, k]
    found[2] = 0.0
    found[3] = 0.0
    found[4] = 0.0
    found[5] = running[0, k]
    found[6] = 0.0
    for b in range(n_bins):
        found[6] += bends[b, k]
        if b <= last:
            found[3] += tally[b, k]
            found[4] += bends[b, k]
    after = last + 1
    while after < n_bins - 1 and bends[after, k] <= 0.0:
        after += 1
    found[8] = middle(last, after)


@one_row
def write_sides(lost, category, order, found, side):
    """Write where each code goes; ``lost`` is the weight of missing cells."""
    n_left, size, cut = np.int64(found[1]), np.int64(found[7]), np.int64(found[8])
    for code in range(MISSING):
        side[code] = NOWHERE if category else LEFT if code < cut else RIGHT
    side[MISSING] = NOWHERE
    if category:
        for at in range(size):
            side[order[at]] = LEFT if at < n_left else RIGHT
    elif lost > 0.0:
        side[MISSING] = LEFT if found[2] else RIGHT


@one_row
def find_stumps(codes, categories, sizes, signs, pull, bend, chance, how, work, column, side, step):
    """Write the best stump of each series for the function below."""
    tally, bends, order, found, best = work.tally, work.bends, work.order, work.found, work.best
    n_rows, n_series = pull.shape[0], column.size
    first = 0
    for k in range(n_series):
        column[k] = -1
        best[k] = 0.0
    for j in range(codes.shape[0]):
        n_tallied = 2 * n_series if bend else n_series
        for b in range(sizes[j] + 1):
            code = b if b < sizes[j] else MISSING
            for k in range(n_tallied):
                tally[code, k] = 0.0
        for i in range(n_rows):
            code = codes[j, i]
            for k in range(n_tallied):
                tally[code, k] += pull[i, k]
        own, part = bends[first : first + sizes[j] + 1], work.shares[first : first + sizes[j] + 1]
        first += sizes[j] + 1
        if bend:
            for b in range(sizes[j] + 1):
                code = b if b < sizes[j] else MISSING
                for k in range(n_series):
                    own[b, k] = tally[code, n_series + k]
        plain = not categories[j]
        for k in range(n_series):
            plain = plain and own[sizes[j], k] <= 0.0
        if plain:
            if bend:
                weigh_cuts(own, part, how)
            scan_numbers(tally, sizes[j], signs[j], own, part, how, work.running)
        elif not bend:
            for b in range(sizes[j] + 1):
                code = b if b < sizes[j] else MISSING
                for k in range(n_series):
                    tally[code, n_series + k] = own[b, k]
        for k in range(n_series):
            if not plain:
                scan_column(tally, k, sizes[j], categories[j], signs[j], chance[k], how, order, found)
            elif work.running[3, k] > best[k] * (1.0 + TIE):
                take_cut(tally, k, sizes[j], own, work.running, found)
            else:
                continue
            if found[0] > best[k] * (1.0 + TIE):
                best[k] = found[0]
                column[k] = j
                step[k, LEFT] = found[3] / (found[4] + how[0])
                step[k, RIGHT] = (found[5] - found[3]) / (found[6] - found[4] + how[0])
                write_sides(own[sizes[j], k], categories[j], order, found, side[k])
    for k in range(n_series):
        for s in range(1, 3):
            if step[k, s] > how[3]:
                step[k, s] = how[3]
            elif step[k, s] < -how[3]:
                step[k, s] = -how[3]
            step[k, s] *= how[2]


@one_row
def follow_squares(pull, by_chance, chance):
    """Write what a level of a category gains by chance, for slopes and curvatures of squared losses."""
    for k in range(chance.size):
        square, curve = 0.0, 0.0
        for i in range(pull.shape[0]):
            bend = pull[i, chance.size + k]
            if bend > 0.0:
                square += pull[i, k] * pull[i, k] / bend
                curve += bend
        chance[k] = by_chance * square / curve


@writing_rows
def stump_rows(codes, categories, sizes, signs, pull, bend, chance, how, work, columns, sides, steps, link, links):
    """Add the best stump of each series to its ``link`` (n_rows, n_series), as many times as ``columns`` has room for.

    ``codes`` (n_columns, n_rows) are bins, ``sizes`` how many a column has; of numbers with a sign, 1 or -1, steps go
    up or down only; ``bend`` tells whether curvatures are new; ``chance`` (n_series,) is what a level of a category
    gains by chance; ``how`` is (ridge, least curvature of a side, learning rate, largest step before it, what a level
    gains by chance as a part of the mean square). A stump is its column (n_series,), -1 if there is none, the side
    (n_series, 256) of each code, and the step (n_series, 3) of each side. More than one round is for squared losses: a
    step moves their slopes by as much as it bends. ``links`` gets the ``link`` after each round, if it has room.
    """
    n_rows, n_series = link.shape
    for r in range(columns.shape[0]):
        column, side, step = columns[r], sides[r], steps[r]
        if r > 0:
            follow_squares(pull, how[4], chance)
        find_stumps(codes, categories, sizes, signs, pull, bend and r == 0, chance, how, work, column, side, step)
        for k in range(n_series):
            if column[k] < 0:
                continue
            for i in range(n_rows):
                move = step[k, side[k, codes[column[k], i]]]
                link[i, k] += move
                pull[i, k] -= pull[i, n_series + k] * move
        if links.shape[0] > 0:
            for i in range(n_rows):
                for k in range(n_series):
                    links[r, i, k] = link[i, k]
