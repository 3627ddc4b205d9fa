"""Trees grown on binned columns, with their bags and buckets, and the way of new rows down to their leaves.

A node is (column, cut, first child, shift); its second child comes next. A leaf has -1 as first child and its number as
the last entry. See ``splits`` for cut and shift; a cut of ``-1 - k`` stands for the set ``k`` of codes that go left.

Rows of a node lie side by side: those drawn with how often, and, in a list of their own, those that were not. Both are
parted at each split, so that the rows of the leaves, in and out of the bag, are there when the last node is done.
"""

import numpy as np

from heedful._kernels._jit import inlined_row, making_row, many_rows, one_row, writing_rows
from heedful._kernels.draws import GOLDEN, draw_bag, scramble
from heedful._kernels.splits import (
    ONE,
    best_possible,
    scan_level_outputs,
    scan_levels,
    scan_outputs,
    scan_row,
    settle_cut,
    tally_outputs,
    tally_row,
)

# Up to so many rows, and from more columns on than these, the best gain that any column could give is worked out first;
# one that gives it ends the search.
FEW_ROWS, FEW_TRIED = 16, 6


@inlined_row
def sum_node(values, weights, bag, start, stop, whole):
    """Write draws, weight and sums of a node; return whether all its responses are the same."""
    for k in range(whole.size):
        whole[k] = 0
    pure, first = True, bag[0, start]
    for i in range(start, stop):
        row = bag[0, i]
        whole[0] += bag[1, i]
        if values.ndim == 1:
            whole[1] += bag[2, i]
            pure &= values[row] == values[first]
        else:
            weight = bag[1, i] * weights[row]
            whole[1] += weight
            for k in range(values.shape[1]):
                whole[2 + k] += weight * values[row, k]
                pure &= values[row, k] == values[first, k]
    return pure


@one_row
def error_of(values, weights, bag, start, stop, weight, total, k, bits):
    """Return the squared error of an output in a node; its ``bits`` highest bits are squared, for exact sums."""
    middle, largest = total // weight, np.int64(0)
    for i in range(start, stop):
        value = values[bag[0, i]] if values.ndim == 1 else values[bag[0, i], k]
        largest = max(largest, abs(value - middle))
    shift = 0
    while largest >> shift >= 1 << bits:
        shift += 1
    squares = np.int64(0)
    for i in range(start, stop):
        away = ((values[bag[0, i]] if values.ndim == 1 else values[bag[0, i], k]) - middle) >> shift
        squares += bag[1, i] * (1 if values.ndim == 1 else weights[bag[0, i]]) * away * away
    rest = float(total - middle * weight)
    return max(float(squares) * 4.0**shift - rest * rest / float(weight), 0.0)


@one_row
def chance_of(values, weights, bag, start, stop, whole, unit, bits):
    """Return the gain of a level by chance, the mean squared error of a node; ``unit`` is the weight of one row."""
    if values.ndim == 1:
        return error_of(values, weights, bag, start, stop, whole[0], whole[1], 0, bits)
    chance = 0.0
    for k in range(values.shape[1]):
        chance += error_of(values, weights, bag, start, stop, whole[1], whole[2 + k], k, bits)
    return chance * unit


@inlined_row
def tally_column(codes, column, values, weights, bag, start, stop, tally, mask):
    """Add the rows of a node to the bins of a column; see ``splits``."""
    if values.ndim == 1:
        tally_row(codes, column, bag, start, stop, tally, mask)
    else:
        tally_outputs(codes, column, bag, values, weights, start, stop, tally, mask)


@inlined_row
def scan_column(column, categories, values, whole, chance, least, tally, mask, levels, members):
    """Return the best split of a node by a tallied column; see ``splits``.

    Without categories, or without several outputs, numba leaves out what is for them, and need not compile it.
    """
    if categories is not None:  # noqa: SIM102 - numba leaves it out as it stands
        if categories[column]:
            if values.ndim == 1:
                return scan_levels(whole, chance, least, tally, mask, levels, members)
            return scan_level_outputs(whole, chance, least, tally, mask, levels, members)
    if values.ndim == 1:
        return scan_row(whole, least, tally, mask)
    return scan_outputs(whole, least, tally, mask)


@inlined_row
def find_split(
    start,
    stop,
    state,
    n_sets,
    least,
    n_tried,
    unit,
    bits,
    codes,
    centers,
    categories,
    values,
    weights,
    bag,
    order,
    tally,
    mask,
    levels,
    few,
    whole,
    members,
    sets,
):
    """Return the best split of a node: its column (-1 if there is none), cut, shift and gain; write set ``n_sets``.

    Columns are tried in random order, ``n_tried`` of them, and more until one has two bins. The first of equally good
    ones counts. Two rows are parted as well by any column as by the best.
    """
    n_columns = codes.shape[0]
    possible, chance = np.inf, 0.0
    if categories is not None:
        chance = chance_of(values, weights, bag, start, stop, whole, unit, bits)
    if values.ndim == 1:  # noqa: SIM102 - numba leaves it out as it stands
        if n_tried > FEW_TRIED and stop - start <= FEW_ROWS:
            possible = best_possible(bag, start, stop, whole, few)
    best, chosen, cut, shift, n_seen, any_found = -1.0, -1, 0, 0, 0, False
    while n_seen < n_columns and not (n_seen >= n_tried and any_found):
        state += GOLDEN
        at = n_seen + np.int64(((scramble(state) >> np.uint64(32)) * np.uint64(n_columns - n_seen)) >> np.uint64(32))
        column = order[0, at]
        order[0, at] = order[0, n_seen]
        order[0, n_seen] = column
        order[1, n_seen] = at
        n_seen += 1
        if stop - start == 2 and codes[column, bag[0, start]] == codes[column, bag[0, start + 1]]:
            continue
        tally_column(codes, column, values, weights, bag, start, stop, tally, mask)
        gain, place, turn, found = scan_column(
            column, categories, values, whole, chance, least, tally, mask, levels, members
        )
        any_found |= found
        if gain > best:
            best = gain
            chosen = column
            cut = place
            shift = turn
            if place < 0:
                for b in range(4):
                    sets[n_sets, b] = members[b]
        if gain >= possible or stop - start == 2:
            break
    while n_seen > 0:
        n_seen -= 1
        at = order[1, n_seen]
        column = order[0, at]
        order[0, at] = order[0, n_seen]
        order[0, n_seen] = column
    if chosen >= 0 and cut >= 0:
        cut = settle_cut(centers, chosen, cut, shift)
    return chosen, cut, shift, best


@inlined_row
def goes_left(code, cut, shift, sets, n_sets):
    """Return whether a row with a code goes left: 1 or 0."""
    if cut >= 0:
        return np.int64(((code + shift) & 255) < cut)
    return np.int64((sets[n_sets, code >> 6] >> np.uint64(code & 63)) & ONE)


@inlined_row
def part_bag(codes, column, cut, shift, sets, n_sets, bag, start, stop, spare):
    """Move the drawn rows that go left, with all that is known of them, before the others; return where these begin."""
    left, right = start, 0
    for i in range(start, stop):
        row, draws, total = bag[0, i], bag[1, i], bag[2, i]
        go = goes_left(np.int64(codes[column, row]), cut, shift, sets, n_sets)
        bag[0, left] = row
        bag[1, left] = draws
        bag[2, left] = total
        spare[0, right] = row
        spare[1, right] = draws
        spare[2, right] = total
        left += go
        right += 1 - go
    for i in range(right):
        bag[0, left + i] = spare[0, i]
        bag[1, left + i] = spare[1, i]
        bag[2, left + i] = spare[2, i]
    return left


@inlined_row
def part_rows(codes, column, cut, shift, sets, n_sets, rows, start, stop, spare):
    """Move the rows that go left before the others; return where the others begin."""
    left, right = start, 0
    for i in range(start, stop):
        row = rows[i]
        go = goes_left(np.int64(codes[column, row]), cut, shift, sets, n_sets)
        rows[left] = row
        spare[0, right] = row
        left += go
        right += 1 - go
    for i in range(right):
        rows[left + i] = spare[0, i]
    return left


@inlined_row
def push(stack, top, node, start, stop, out_start, out_stop):
    """Put a node and its rows, in and out of the bag, on the stack."""
    stack[top, 0] = node
    stack[top, 1] = start
    stack[top, 2] = stop
    stack[top, 3] = out_start
    stack[top, 4] = out_stop


@writing_rows
def grow_rows(
    codes,
    centers,
    categories,
    values,
    weights,
    unit,
    bits,
    sums,
    places,
    seeds,
    n_drawn,
    n_tried,
    least_split,
    least,
    work,
    growth,
):
    """Grow a tree for each seed and write it into ``growth``.

    ``codes`` (n_columns, n_rows) are bins, ``centers`` (n_columns, 256) their values; ``categories`` says which columns
    hold levels (None if none). ``values`` are the response in whole numbers: (n_rows,) for a single one, where all rows
    weigh the same, or (n_rows, n_outputs) with ``weights`` (n_rows,); see ``chance_of`` for ``unit`` and ``bits``.
    ``n_drawn`` rows are drawn (see ``draw_bag``). ``least_split`` and ``least`` are the draws that a node must have to
    be split, and that each of its parts must have. Columns come back in the order they had.
    """
    # unpacked once: each look into a tuple counts a reference up and down
    bag, others, spare, order, stack, tally, mask, levels, few, whole, members = work
    nodes, sets, roots, starts, rows, draws, inside, gains, ends = growth
    table, space = (
        (codes, centers, categories, values, weights, bag),
        (order, tally, mask, levels, few, whole, members, sets),
    )
    shared = (least, n_tried, unit, bits) + table + space  # noqa: RUF005 - numba adds tuples, and unpacks none
    n_rows, end, n_nodes, n_sets, n_leaves = codes.shape[1], 0, 0, 0, 0
    for t in range(seeds.size):
        n_in = draw_bag(seeds[t], n_drawn, sums, places, values, bag, others, spare)
        for i in range(n_rows):
            inside[t, i] = spare[0, i] > 0
        root, top = n_nodes, 1
        roots[t] = root
        n_nodes += 1
        push(stack, 0, root, 0, n_in, 0, n_rows - n_in)
        while top > 0:
            top -= 1
            node, start, stop = stack[top, 0], stack[top, 1], stack[top, 2]
            out_start, out_stop = stack[top, 3], stack[top, 4]
            pure = sum_node(values, weights, bag, start, stop, whole)
            column, cut, shift, gain = -1, 0, 0, 0.0
            if not pure and whole[0] >= least_split:
                state = scramble(seeds[t] ^ (GOLDEN * np.uint64(node - root + 1)))
                column, cut, shift, gain = find_split(start, stop, state, n_sets, *shared)
            nodes[node, 0] = max(column, 0)
            nodes[node, 1] = cut if cut >= 0 else -1 - n_sets
            nodes[node, 2] = n_nodes if column >= 0 else -1
            nodes[node, 3] = shift if column >= 0 else n_leaves
            if column >= 0:
                gains[t, column] += gain / float(whole[0 if values.ndim == 1 else 1])
                middle = part_bag(codes, column, cut, shift, sets, n_sets, bag, start, stop, spare)
                out_middle = part_rows(codes, column, cut, shift, sets, n_sets, others, out_start, out_stop, spare)
                n_sets += cut < 0
                push(stack, top, n_nodes + 1, middle, stop, out_middle, out_stop)
                push(stack, top + 1, n_nodes, start, middle, out_start, out_middle)
                top += 2
                n_nodes += 2
                continue
            starts[n_leaves] = end
            n_leaves += 1
            for i in range(start, stop):
                rows[end] = bag[0, i]
                draws[end] = bag[1, i]
                end += 1
            for i in range(out_start, out_stop):
                rows[end] = others[i]
                draws[end] = 0
                end += 1
    starts[n_leaves] = end
    ends[0] = n_nodes
    ends[1] = n_sets
    ends[2] = n_leaves


@writing_rows
def thin_rows(starts, members, draws, room, kept):
    """Write the rows with the lowest numbers of each leaf, at most ``room`` of them, side by side into ``kept``.

    The rows of a leaf that were drawn come first, then the others, both in the order of their numbers.
    """
    end = 0
    for leaf in range(room.size):
        at, stop = starts[leaf], starts[leaf + 1]
        other = at
        while other < stop and draws[other] > 0:
            other += 1
        split = other
        for _ in range(min(room[leaf], stop - starts[leaf])):
            if other == stop or (at < split and members[at] < members[other]):
                kept[end] = members[at]
                at += 1
            else:
                kept[end] = members[other]
                other += 1
            end += 1


@one_row
def descend_from(k, row, nodes, sets):
    """Return the leaf's node that a row of codes reaches from a node."""
    while nodes[k, 2] >= 0:
        k = nodes[k, 2] + goes_right(k, row, nodes, sets)
    return k


@inlined_row
def goes_right(k, row, nodes, sets):
    """Return whether a row of codes goes right at a node."""
    code, cut = np.int64(row[nodes[k, 0]]), nodes[k, 1]
    if cut >= 0:
        return ((code + nodes[k, 3]) & 255) >= cut
    return (sets[-1 - cut, code >> 6] >> np.uint64(code & 63)) & ONE == 0


@many_rows
def binned_leaf_rows(codes, nodes, sets, roots):
    """Return the leaf of every row (n_rows, n_columns) in every tree (n_trees, n_rows)."""
    leaves = np.empty((roots.size, codes.shape[0]), np.int32)
    for t in range(roots.size):
        for i in range(codes.shape[0]):
            leaves[t, i] = nodes[descend_from(roots[t], codes[i], nodes, sets), 3]
    return leaves


@many_rows
def near_leaf_rows(codes, moved, source, nodes, sets, roots):
    """Return the leaves (n_rows, n_trees) of queries and of rows near them, whose queries ``source`` names, ascending.

    A row leaves the path of its query where a column that differs decides otherwise, if anywhere.
    """
    n_query, n_moved, n_tree = codes.shape[0], moved.shape[0], roots.size
    leaves, moved_leaves = np.empty((n_query, n_tree), np.int32), np.empty((n_moved, n_tree), np.int32)
    differs = np.zeros(codes.shape[1], np.bool_)
    path, column, ends = (
        np.empty(64 * n_tree, np.int32),
        np.empty(64 * n_tree, np.int32),
        np.empty(n_tree + 1, np.int64),
    )
    first = 0
    for q in range(n_query):
        end = 0
        for t in range(n_tree):
            k, ends[t] = roots[t], end
            while nodes[k, 2] >= 0:
                if end == path.size:
                    path, column = longer(path), longer(column)
                path[end], column[end] = k, nodes[k, 0]
                end += 1
                k = nodes[k, 2] + goes_right(k, codes[q], nodes, sets)
            leaves[q, t] = nodes[k, 3]
        ends[n_tree] = end
        while first < n_moved and source[first] == q:
            for j in range(codes.shape[1]):
                differs[j] = moved[first, j] != codes[q, j]
            for t in range(n_tree):
                leaf = leaves[q, t]
                for at in range(ends[t], ends[t + 1]):
                    k = path[at]
                    if differs[column[at]]:
                        child = nodes[k, 2] + goes_right(k, moved[first], nodes, sets)
                        on_path = at + 1 < ends[t + 1] and child == path[at + 1]
                        if not on_path:
                            leaf = nodes[descend_from(child, moved[first], nodes, sets), 3]
                            break
                moved_leaves[first, t] = leaf
            first += 1
    return leaves, moved_leaves


@making_row
def longer(values):
    """Return a copy with room for twice as many."""
    new = np.empty(2 * values.size, values.dtype)
    for i in range(values.size):
        new[i] = values[i]
    return new
