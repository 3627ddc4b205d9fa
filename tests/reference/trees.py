"""One tree grown by trying every split of every column, in exact fractions."""

from fractions import Fraction
from itertools import pairwise

import numpy as np

MASK, GOLDEN, MISSING = 2**64 - 1, 0x9E3779B97F4A7C15, 255


def scramble(state):
    """Return the random number of a state (splitmix64)."""
    z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def draw(seed, n_rows, n_drawn, chances=None):
    """Return how often each row is drawn."""
    counts, state = np.zeros(n_rows, dtype=int), seed
    total = None if chances is None else np.cumsum(chances)
    for _ in range(n_drawn):
        state = (state + GOLDEN) & MASK
        number = scramble(state)
        if total is None:
            counts[((number >> 32) * n_rows) >> 32] += 1
        else:
            counts[np.searchsorted(total, (number >> 11) * 2.0**-53 * total[-1], side="right")] += 1
    return counts


def column_order(seed, node, n_columns):
    """Return the columns in the order in which a node tries them."""
    order, state = list(range(n_columns)), scramble(seed ^ ((GOLDEN * (node + 1)) & MASK))
    for k in range(n_columns):
        state = (state + GOLDEN) & MASK
        at = k + (((scramble(state) >> 32) * (n_columns - k)) >> 32)
        order[k], order[at] = order[at], order[k]
    return order


def gain(left, right, values, weights):
    """Return what a split takes off the weighted squared error; rows are listed as often as they were drawn."""
    parts = fit(left, values, weights), fit(right, values, weights)
    return None if None in parts else sum(parts) - fit(left + right, values, weights)


def fit(rows, values, weights):
    """Return the sum of squares that the mean of rows explains; None without weight."""
    weight = sum(Fraction(int(weights[i])) for i in rows)
    if weight == 0:
        return None
    totals = (sum(int(weights[i]) * int(v) for i, v in zip(rows, column, strict=True)) for column in values[rows].T)
    return sum(total**2 / weight for total in totals)


def splits(codes, centers, category, rows, values, weights):
    """Yield the splits of a column, as functions that say whether a code goes left, in the order they are tried."""
    present = sorted({int(code) for code in codes[rows]})
    everyone = sum(int(weights[i]) for i in rows)
    if category:
        of = {code: [i for i in rows if codes[i] == code] for code in present}
        totals = {
            code: [
                sum(int(weights[i]) * int(v) for i, v in zip(of[code], column, strict=True))
                for column in values[of[code]].T
            ]
            for code in present
        }
        weight = {code: max(sum(int(weights[i]) for i in of[code]), 1) for code in present}
        between = [
            sum(Fraction(totals[c][k] ** 2, weight[c]) for c in present)
            - Fraction(sum(totals[c][k] for c in present) ** 2, max(everyone, 1))
            for k in range(values.shape[1])
        ]
        lead = max(range(len(between)), key=lambda k: (between[k], -k))
        ordered = sorted(present, key=lambda c: (Fraction(totals[c][lead], weight[c]), c))
        for n_left in range(1, len(ordered)):
            left = set(ordered[:n_left])
            most = 2 * sum(int(weights[i]) for c in left for i in of[c]) > everyone
            absent = set(range(256)) - set(present) if most else set()
            yield lambda code, chosen=left | absent: code in chosen
        return
    lost = MISSING in present
    known = [code for code in present if code != MISSING]
    for low, high in pairwise(known):
        middle = (Fraction(centers[low]) + Fraction(centers[high])) / 2
        cut = next(code for code in range(low + 1, high + 1) if code == high or Fraction(centers[code]) > middle)
        most = 2 * sum(int(weights[i]) for i in rows if codes[i] < cut) > everyone
        unknown_left = [False, True] if lost else [most]
        for also in unknown_left:
            yield lambda code, cut=cut, also=also: also if code == MISSING else code < cut
    if lost and known:
        yield lambda code: code != MISSING


def grow(codes, centers, categories, values, counts, weights, seed, n_tried, least_split, least):
    """Return the leaves of a tree, left to right, as lists of rows in and out of the bag, the columns it split by, and
    what each split took off the squared error.

    ``codes`` (n_rows, n_columns), ``centers`` (n_columns, 256) the values of bins, ``values`` whole numbers (n_rows,
    n_outputs), ``counts`` how often a row was drawn.
    """
    used, gains, leaves, n_nodes = {}, {}, [], 1
    stack = [(0, np.arange(codes.shape[0]))]
    while stack:
        node, rows = stack.pop()
        drawn = [i for i in rows for _ in range(counts[i])]
        order = column_order(seed, node, codes.shape[1])
        best = find(codes, centers, categories, values, weights, drawn, order, n_tried, least)
        if best is None or len(drawn) < least_split or len(np.unique(values[drawn], axis=0)) == 1:
            leaves.append(sorted(rows.tolist()))
            continue
        gains[node], column, goes_left = best
        left = np.array([goes_left(code) for code in codes[rows, column]])
        used[node] = column
        stack += [(n_nodes + 1, rows[~left]), (n_nodes, rows[left])]
        n_nodes += 2
    return leaves, used, gains


def importances(used, gains, n_columns):
    """Return the share of each column in what the splits of a tree took off the squared error."""
    total = np.zeros(n_columns)
    for node, column in used.items():
        total[column] += float(gains[node])
    return total / total.sum() if total.any() else total


def find(codes, centers, categories, values, weights, drawn, order, n_tried, least):
    """Return the best split of a node as (gain, column, rule), the first of equally good ones, or None."""
    best, any_found = None, False
    for k, column in enumerate(order):
        if k >= n_tried and any_found:
            break
        any_found |= len(set(codes[drawn, column])) > 1
        for goes_left in splits(codes[:, column], centers[column], categories[column], drawn, values, weights):
            left = [i for i in drawn if goes_left(codes[i, column])]
            right = [i for i in drawn if not goes_left(codes[i, column])]
            if min(len(left), len(right)) < least:
                continue
            found = gain(left, right, values, weights)
            if found is not None and categories[column]:
                # levels are sorted by the responses they part: one mean squared error for each beyond two
                error = sum(int(weights[i]) * int(v) ** 2 for i in drawn for v in values[i]) - fit(
                    drawn, values, weights
                )
                n_levels = len(set(codes[drawn, column]))
                found = max(found - (n_levels - 2) * error / sum(int(weights[i]) for i in drawn), found / 1_000_000)
            if found is not None and (best is None or found > best[0]):
                best = found, column, goes_left
    return best
