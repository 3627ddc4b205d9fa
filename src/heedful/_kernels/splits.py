"""The best split of a node by one column: bins tallied, then looked through in order.

Columns are uint8 codes; ``MISSING`` stands for a missing cell. What is added up are whole numbers (responses in fixed
point), so a tally is exact and does not depend on the order of the rows. A node marks the bins that it fills in a mask
of 256 bits, and only these are looked at and cleared: a node of five rows costs five bins, not 256.

A split is (gain, pair, shift), with the two bins that it lies between (``pack``); ``settle_cut`` says where between,
among bins that no row of the node fills. A row goes left if ``(code + shift) & 255 < cut``. With a shift of 1, missing
cells go left; where a node has none, they go where most of its weight goes. For categories the codes that go left are a
set of bits.

``bag`` (3, n_rows) holds the rows that were drawn, how often, and the sum of their response; with several outputs or
weights in the splits the last is not used, and sums are taken from ``values`` (n_rows, n_outputs) and ``weights``.
``whole`` are the draws and the sum of the node; with several outputs its draws, weight and sums.
"""

import numpy as np
from numba import types
from numba.extending import intrinsic, overload

from heedful._kernels._jit import inlined_row, one_row
from heedful._kernels.shapes import MISSING

ONE = np.uint64(1)
# Rows of ``tally`` after the 256 bins: an empty one, and the left part of a node.
EMPTY, LEFT = 256, 257
# What is left at least of the gain of a category when chance is taken off.
LEAST_PART = 1e-6
# A bin half-way between two others goes with the lower one, whatever the rounding.
NEARLY_HALF = 0.5 * (1.0 + 1e-5)


def lowest_bit(word):
    return (int(word) & -int(word)).bit_length() - 1


@intrinsic
def _trailing_zeros(_, word):
    def generate(context, builder, _signature, arguments):
        return builder.cttz(arguments[0], context.get_constant(types.boolean, True))

    return types.uint64(word), generate


@overload(lowest_bit)
def _lowest_bit(word):  # noqa: ARG001 - numba looks at the name
    return lambda word: np.int64(_trailing_zeros(word))


@one_row
def pack(low, high):
    return (low << 8) | high


@one_row
def settle_cut(centers, column, pair, shift):
    """Return where a column is cut between two bins: as near as possible to the middle of their values.

    ``centers`` (n_columns, 256) are the values of bins. Known cells are all cut off from missing ones.
    """
    low, high = pair >> 8, pair & 255
    cut = low + 1
    if high == MISSING:
        return MISSING + shift
    # halves are taken, as the difference of two large numbers may be infinite
    start = 0.5 * centers[column, low]
    most = NEARLY_HALF * (0.5 * centers[column, high] - start)
    while cut < high and 0.5 * centers[column, cut] - start <= most:
        cut += 1
    return cut + shift


@one_row
def gain_of(draws, total, all_draws, all_total):
    """Return what a part of a node takes off the squared error, times the node's draws; exact up to its last step."""
    away = float(total * all_draws - all_total * draws)
    return away * away / float(draws * (all_draws - draws))


@one_row
def best_possible(bag, start, stop, whole, space):
    """Return the largest gain that any split of a few rows can have: that of the best cut of their sorted responses."""
    for i in range(stop - start):
        draws, total = bag[1, start + i], bag[2, start + i]
        at = i
        while at > 0 and space[1, at - 1] * draws > total * space[0, at - 1]:
            space[0, at] = space[0, at - 1]
            space[1, at] = space[1, at - 1]
            at -= 1
        space[0, at] = draws
        space[1, at] = total
    best, draws, total = 0.0, 0, 0
    for i in range(stop - start - 1):
        draws += space[0, i]
        total += space[1, i]
        best = max(best, gain_of(draws, total, whole[0], whole[1]))
    return best


@inlined_row
def tally_row(codes, column, bag, start, stop, tally, mask):
    """Add the rows of a node to the bins of a column: draws, and sums of the response."""
    for i in range(start, stop):
        code = np.int64(codes[column, bag[0, i]])
        tally[code, 0] += bag[1, i]
        tally[code, 1] += bag[2, i]
        mask[code >> 6] |= ONE << np.uint64(code & 63)


@inlined_row
def scan_row(whole, least, tally, mask):
    """Return the best split by the order of the tallied bins: gain, pair, shift, and whether there are two bins."""
    # read once: for all that a compiler knows, each write to the tally may change them
    all_draws, all_total = whole[0], whole[1]
    best, cut, shift, last = -1.0, 0, 0, -1
    draws, total, n_bins = np.int64(0), np.int64(0), 0
    lost, lost_total = tally[MISSING, 0], tally[MISSING, 1]
    for b in range(4):
        word = mask[b]
        mask[b] = np.uint64(0)
        while word != 0:
            code = (b << 6) + lowest_bit(word)
            word &= word - ONE
            n_bins += 1
            if draws >= least and all_draws - draws >= least:
                gain = gain_of(draws, total, all_draws, all_total)
                if gain > best:
                    best = gain
                    shift = 1 if lost == 0 and 2 * draws > all_draws else 0
                    cut = pack(last, code)
            if (
                lost > 0
                and draws > 0
                and code < MISSING
                and draws + lost >= least
                and all_draws - draws - lost >= least
            ):
                gain = gain_of(draws + lost, total + lost_total, all_draws, all_total)
                if gain > best:
                    best = gain
                    shift = 1
                    cut = pack(last, code)
            last = code
            draws += tally[code, 0]
            total += tally[code, 1]
            if code < MISSING:
                tally[code, 0] = 0
                tally[code, 1] = 0
    tally[MISSING, 0] = 0
    tally[MISSING, 1] = 0
    return best, cut, shift, n_bins > 1


@one_row
def order_levels(tally, mask, weight_at, sum_at, levels):
    """List the levels that are marked by the mean of the response; return how many there are."""
    size = 0
    for b in range(4):
        word = mask[b]
        mask[b] = np.uint64(0)
        while word != 0:
            code = (b << 6) + lowest_bit(word)
            word &= word - ONE
            mean = float(tally[code, sum_at]) / float(max(tally[code, weight_at], 1))
            at = size
            while at > 0 and levels[1, at - 1] > mean:
                levels[0, at] = levels[0, at - 1]
                levels[1, at] = levels[1, at - 1]
                at -= 1
            levels[0, at] = code
            levels[1, at] = mean
            size += 1
    return size


@one_row
def write_set(levels, n_left, size, others_left, members):
    """Write the set of the first levels; codes that are not among the levels go where most rows go."""
    for b in range(4):
        members[b] = ~np.uint64(0) if others_left else np.uint64(0)
    for at in range(size):
        if others_left != (at < n_left):
            code = np.int64(levels[0, at])
            members[code >> 6] ^= ONE << np.uint64(code & 63)


@one_row
def corrected(gain, size, chance):
    """Return the gain of a category less the mean squared error for each level beyond two; never less than nothing.

    Levels are sorted by the very responses that they part, so more of them find larger gains by chance.
    """
    return max(gain - chance * (size - 2), LEAST_PART * gain)


@one_row
def tally_outputs(codes, column, bag, values, weights, start, stop, tally, mask):
    """Add the rows of a node to the bins of a column: draws, weights and weighted sums."""
    for i in range(start, stop):
        row = bag[0, i]
        code = np.int64(codes[column, row])
        weight = bag[1, i] * weights[row]
        tally[code, 0] += bag[1, i]
        tally[code, 1] += weight
        for k in range(values.shape[1]):
            tally[code, 2 + k] += weight * values[row, k]
        mask[code >> 6] |= ONE << np.uint64(code & 63)


@one_row
def gain_outputs(tally, extra, whole, least):
    """Return the gain of the left part with the bin ``extra``; -1 if a part is too small.

    It is worked out from the lighter part, so that two columns that part the rows in the same way, one from the left
    and one from the right, have the same gain to the last digit.
    """
    draws, weight = tally[LEFT, 0] + tally[extra, 0], tally[LEFT, 1] + tally[extra, 1]
    if draws < least or whole[0] - draws < least or weight <= 0 or weight >= whole[1]:
        return -1.0
    rest = whole[1] - weight
    total = tally[LEFT, 2] + tally[extra, 2]
    flip = rest < weight or (rest == weight and whole[2] - total < total)
    lighter, gain = float(min(rest, weight)), 0.0
    for k in range(2, whole.size):
        total = tally[LEFT, k] + tally[extra, k]
        away = float(whole[k] - total if flip else total) * float(whole[1]) - float(whole[k]) * lighter
        gain += away * away
    return gain / (float(weight) * float(rest))


@one_row
def move_bin(tally, code):
    for k in range(tally.shape[1]):
        tally[LEFT, k] += tally[code, k]
        tally[code, k] = 0


@one_row
def scan_outputs(whole, least, tally, mask):
    """Return the best split by the order of tallied bins, for several outputs; see ``scan_row``."""
    best, cut, shift, last, n_bins, lost = -1.0, 0, 0, -1, 0, tally[MISSING, 0]
    for b in range(4):
        word = mask[b]
        mask[b] = np.uint64(0)
        while word != 0:
            code = (b << 6) + lowest_bit(word)
            word &= word - ONE
            if n_bins > 0:
                gain = gain_outputs(tally, EMPTY, whole, least)
                if gain > best:
                    best = gain
                    shift = 1 if lost == 0 and 2 * tally[LEFT, 1] > whole[1] else 0
                    cut = pack(last, code)
            if n_bins > 0 and lost > 0 and code < MISSING:
                gain = gain_outputs(tally, MISSING, whole, least)
                if gain > best:
                    best = gain
                    shift = 1
                    cut = pack(last, code)
            n_bins += 1
            last = code
            if code < MISSING:
                move_bin(tally, code)
    for k in range(tally.shape[1]):
        tally[MISSING, k] = 0
        tally[LEFT, k] = 0
    return best, cut, shift, n_bins > 1


@one_row
def leading_output(tally, mask, whole):
    """Return the column of the output whose mean differs most between the bins."""
    best, leading = 0.0, 2
    for k in range(2, whole.size):
        between = -float(whole[k]) * float(whole[k]) / float(whole[1])
        for b in range(4):
            word = mask[b]
            while word != 0:
                code = (b << 6) + lowest_bit(word)
                word &= word - ONE
                between += float(tally[code, k]) * float(tally[code, k]) / float(max(tally[code, 1], 1))
        # of outputs that differ as much, the first: rounding must not choose
        if between > best + 1e-9 * abs(best):
            best = between
            leading = k
    return leading


@one_row
def gain_left(single, tally, whole, least):
    """Return the gain of the left part, for one output or several; -1 if a part is too small."""
    if not single:
        return gain_outputs(tally, EMPTY, whole, least)
    draws = tally[LEFT, 0]
    if draws < least or whole[0] - draws < least:
        return -1.0
    return gain_of(draws, tally[LEFT, 1], whole[0], whole[1])


@one_row
def scan_levels(single, whole, chance, least, tally, mask, levels, members):
    """Return the best split of tallied levels as ``scan_row`` does, with a cut of -1; write the set that goes left."""
    weight_at = 0 if single else 1
    if single:
        size = order_levels(tally, mask, weight_at, 1, levels)
    else:
        size = order_levels(tally, mask, weight_at, leading_output(tally, mask, whole), levels)
    best, n_left, most = -1.0, 0, False
    for at in range(size):
        if at > 0:
            gain = gain_left(single, tally, whole, least)
            if gain > best:
                best = gain
                n_left = at
                most = 2 * tally[LEFT, weight_at] > whole[weight_at]
        move_bin(tally, np.int64(levels[0, at]))
    for k in range(tally.shape[1]):
        tally[LEFT, k] = 0
    write_set(levels, n_left, size, most, members)
    return corrected(best, size, chance) if n_left > 0 else -1.0, -1, 0, size > 1
