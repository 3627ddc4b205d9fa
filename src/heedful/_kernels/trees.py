"""Trees grown on binned columns, with their bags and buckets, and the way of new rows down to their leaves.

A node is (column, cut, first child, shift); its second child comes next. A leaf has -1 as first child and its number as
the last entry. See ``splits`` for cut and shift; a cut of ``-1 - k`` stands for the set ``k`` of codes that go left.

Rows of a node lie side by side: those drawn with how often, and, in a list of their own, those that were not. Both are
parted at each split, so that the rows of the leaves, in and out of the bag, are there when the last node is done.
"""

import numpy as np

from heedful._kernels._jit import inlined_row, many_rows, one_row, writing_rows
from heedful._kernels.arrays import fill_row, row_numbers, zero_counts
from heedful._kernels.draws import GOLDEN, draw_bag, scramble
from heedful._kernels.leaves import lengthened
from heedful._kernels.splits import (
    ONE,
    best_possible,
    scan_levels,
    scan_outputs,
    scan_row,
    settle_cut,
    tally_outputs,
    tally_row,
)

# What stands for the first child of a node whose leaves take no more rows, and how many rows are sent down at once.
CLOSED, AT_ONCE = -2, 16_384
# Up to so many rows, and from more columns on than these, the best gain that any column could give is worked out first;
# one that gives it ends the search.
FEW_ROWS, FEW_TRIED = 16, 6


@inlined_row
def sum_node(table, bag, start, stop, whole):
    """Write draws, weight and sums of a node; return whether all its responses are the same."""
    values = table.values
    fill_row(0, whole)
    pure, first = True, bag[0, start]
    for i in range(start, stop):
        row = bag[0, i]
        whole[0] += bag[1, i]
        if table.single:
            whole[1] += bag[2, i]
            pure &= values[row, 0] == values[first, 0]
        else:
            weight = bag[1, i] * table.weights[row]
            whole[1] += weight
            for k in range(values.shape[1]):
                whole[2 + k] += weight * values[row, k]
                pure &= values[row, k] == values[first, k]
    return pure


@one_row
def error_of(table, bag, start, stop, weight, total, k):
    """Return the squared error of an output in a node; its ``bits`` highest bits are squared, for exact sums."""
    values, bits = table.values, table.bits
    middle, largest = total // weight, np.int64(0)
    for i in range(start, stop):
        largest = max(largest, abs(values[bag[0, i], k] - middle))
    shift = 0
    while largest >> shift >= 1 << bits:
        shift += 1
    squares = np.int64(0)
    for i in range(start, stop):
        away = (values[bag[0, i], k] - middle) >> shift
        squares += bag[1, i] * (1 if table.single else table.weights[bag[0, i]]) * away * away
    rest = float(total - middle * weight)
    return max(float(squares) * 4.0**shift - rest * rest / float(weight), 0.0)


@one_row
def chance_of(categories, table, bag, start, stop, whole):
    """Return the gain of a level by chance, the mean squared error of a node; 0 if no column has levels."""
    if categories is None:
        return 0.0
    if table.single:
        return error_of(table, bag, start, stop, whole[0], whole[1], 0)
    chance = 0.0
    for k in range(table.values.shape[1]):
        chance += error_of(table, bag, start, stop, whole[1], whole[2 + k], k)
    return chance * table.unit


@inlined_row
def best_of_few(table, n_tried, work, start, stop):
    """Return the largest gain that any column could give a node of few rows; infinity for others."""
    if table.single and n_tried > FEW_TRIED and stop - start <= FEW_ROWS:
        return best_possible(work.bag, start, stop, work.whole, work.few)
    return np.inf


@inlined_row
def tally_column(table, column, work, start, stop):
    if table.single:
        tally_row(table.codes, column, work.bag, start, stop, work.tally, work.mask)
    else:
        tally_outputs(table.codes, column, work.bag, table.values, table.weights, start, stop, work.tally, work.mask)


@inlined_row
def scan_column(categories, single, column, chance, least, work):
    """Return the best split of a node by a tallied column; see ``splits``.

    Without categories numba leaves out what is for them, and need not compile it.
    """
    whole, tally, mask = work.whole, work.tally, work.mask
    if categories is not None:  # noqa: SIM102 - numba leaves it out as it stands
        if categories[column]:
            return scan_levels(single, whole, chance, least, tally, mask, work.levels, work.members)
    if single:
        return scan_row(whole, least, tally, mask)
    return scan_outputs(whole, least, tally, mask)


@inlined_row
def swap_columns(order, a, b):
    column = order[0, b]
    order[0, b] = order[0, a]
    order[0, a] = column
    return column


@inlined_row
def find_split(start, stop, state, table, rule, work, sets, n_sets):
    """Return the best split of a node: its column (-1 if there is none), cut, shift and gain; write set ``n_sets``.

    Columns are tried in random order, ``n_tried`` of them, and more until one has two bins. The first of equally good
    ones counts. Two rows are parted as well by any column as by the best.
    """
    codes, categories, bag, order = table.codes, table.categories, work.bag, work.order
    n_columns, n_tried = codes.shape[0], rule.n_tried
    chance = chance_of(categories, table, bag, start, stop, work.whole)
    possible = best_of_few(table, n_tried, work, start, stop)
    best, chosen, cut, shift, n_seen, any_bins = -1.0, -1, 0, 0, 0, False
    while n_seen < n_columns and not (n_seen >= n_tried and any_bins):
        state += GOLDEN
        at = n_seen + np.int64(((scramble(state) >> np.uint64(32)) * np.uint64(n_columns - n_seen)) >> np.uint64(32))
        column = swap_columns(order, n_seen, at)
        order[1, n_seen] = at
        n_seen += 1
        if stop - start == 2 and codes[column, bag[0, start]] == codes[column, bag[0, start + 1]]:
            continue
        tally_column(table, column, work, start, stop)
        gain, place, turn, two_bins = scan_column(categories, table.single, column, chance, rule.min_samples_leaf, work)
        any_bins |= two_bins
        if gain > best:
            best = gain
            chosen = column
            cut = place
            shift = turn
            if place < 0:
                for b in range(4):
                    sets[n_sets, b] = work.members[b]
        if gain >= possible or stop - start == 2:
            break
    while n_seen > 0:
        n_seen -= 1
        swap_columns(order, n_seen, order[1, n_seen])
    if chosen >= 0 and cut >= 0:
        cut = settle_cut(table.centers, chosen, cut, shift)
    elif cut < 0:
        cut = -1 - n_sets
    return chosen, cut, shift, best


@inlined_row
def goes_left(code, cut, shift, sets):
    """Return whether a row with a code goes left: 1 or 0."""
    if cut >= 0:
        return np.int64(((code + shift) & 255) < cut)
    return np.int64((sets[-1 - cut, code >> 6] >> np.uint64(code & 63)) & ONE)


@inlined_row
def part_bag(codes, column, cut, shift, sets, bag, start, stop, spare):
    """Move the drawn rows that go left, with all that is known of them, before the others; return where these begin."""
    left, right = start, 0
    for i in range(start, stop):
        row, draws, total = bag[0, i], bag[1, i], bag[2, i]
        go = goes_left(np.int64(codes[column, row]), cut, shift, sets)
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
def part_rows(codes, column, cut, shift, sets, rows, start, stop, spare):
    """Move the rows that go left before the others; return where the others begin."""
    left, right = start, 0
    for i in range(start, stop):
        row = rows[i]
        go = goes_left(np.int64(codes[column, row]), cut, shift, sets)
        rows[left] = row
        spare[0, right] = row
        left += go
        right += 1 - go
    for i in range(right):
        rows[left + i] = spare[0, i]
    return left


@inlined_row
def push(stack, top, node, start, stop, out_start, out_stop):
    stack[top, 0] = node
    stack[top, 1] = start
    stack[top, 2] = stop
    stack[top, 3] = out_start
    stack[top, 4] = out_stop


@one_row
def take_drawn(every, table, bag, n_in):
    """Write the drawn rows of a large table into a small one, which stays in the processor's cache, and number them."""
    for j in range(table.codes.shape[0]):
        for i in range(n_in):
            table.codes[j, i] = every.codes[j, bag[0, i]]
    for i in range(n_in):
        row = every.rows[bag[0, i]]
        table.weights[i] = every.weights[row]
        for k in range(table.values.shape[1]):
            table.values[i, k] = every.values[row, k]
        bag[0, i] = i


@writing_rows
def grow_rows(every, table, rule, seeds, work, growth):
    """Grow a tree for each seed and write it into ``growth``; columns come back in the order they had.

    Rows are drawn of ``every``. ``table`` is the same, or one with room for those drawn.
    """
    codes, bag, others, spare, stack = table.codes, work.bag, work.others, work.spare, work.stack
    nodes, sets, rows, draws = growth.nodes, growth.sets, growth.members, growth.draws
    n_rows, end, n_nodes, n_sets, n_leaves = every.codes.shape[1], 0, 0, 0, 0
    for t in range(seeds.size):
        n_in = draw_bag(seeds[t], rule.n_drawn, every, bag, others, spare)
        for i in range(n_rows):
            growth.inside[t, i] = spare[0, i] > 0
        if not growth.every:
            take_drawn(every, table, bag, n_in)
        root, top = n_nodes, 1
        growth.roots[t] = root
        n_nodes += 1
        push(stack, 0, root, 0, n_in, 0, n_rows - n_in if growth.every else 0)
        while top > 0:
            top -= 1
            node, start, stop = stack[top, 0], stack[top, 1], stack[top, 2]
            out_start, out_stop = stack[top, 3], stack[top, 4]
            pure = sum_node(table, bag, start, stop, work.whole)
            column, cut, shift, gain = -1, 0, 0, 0.0
            if not pure and work.whole[0] >= rule.min_samples_split:
                state = scramble(seeds[t] ^ (GOLDEN * np.uint64(node - root + 1)))
                column, cut, shift, gain = find_split(start, stop, state, table, rule, work, sets, n_sets)
            nodes[node, 0] = max(column, 0)
            nodes[node, 1] = cut
            nodes[node, 2] = n_nodes if column >= 0 else -1
            nodes[node, 3] = shift if column >= 0 else n_leaves
            if column >= 0:
                growth.gains[t, column] += gain / float(work.whole[0 if table.single else 1])
                middle = part_bag(codes, column, cut, shift, sets, bag, start, stop, spare)
                out_middle = part_rows(codes, column, cut, shift, sets, others, out_start, out_stop, spare)
                n_sets += cut < 0
                push(stack, top, n_nodes + 1, middle, stop, out_middle, out_stop)
                push(stack, top + 1, n_nodes, start, middle, out_start, out_middle)
                top += 2
                n_nodes += 2
                continue
            growth.starts[n_leaves] = end
            n_leaves += 1
            for i in range(start, stop):
                rows[end] = bag[0, i]
                draws[end] = bag[1, i]
                end += 1
            for i in range(out_start, out_stop):
                rows[end] = others[i]
                draws[end] = 0
                end += 1
    growth.starts[n_leaves] = end
    growth.ends[0] = n_nodes
    growth.ends[1] = n_sets
    growth.ends[2] = n_leaves


@many_rows
def first_rows(codes, nodes, sets, roots, room):
    """Return where the rows of each leaf of some trees begin, and at most ``room`` of each: those with lowest numbers.

    Rows are parted at each split, some thousands at a time. A node whose leaves have all their rows is closed, so that
    most rows do not get far.
    """
    n_rows, n_nodes = codes.shape[1], nodes.shape[0]
    ways, left, parent, n_members = nodes.copy(), row_numbers(n_nodes), row_numbers(n_nodes), 0
    for k in range(n_nodes):
        first = nodes[k, 2]
        if first >= 0:
            left[k], parent[first], parent[first + 1] = 2, k, k
        else:
            left[k] = room[nodes[k, 3]]
            n_members += left[k]
    at_once = min(n_rows, AT_ONCE)
    rows, spare, stack = zero_counts(at_once), np.empty((1, at_once), np.int64), np.empty((n_nodes + 1, 5), np.int64)
    found, leaf_of, starts = row_numbers(n_rows), row_numbers(n_rows), zero_counts(room.size + 1)
    members, end, first_leaf = row_numbers(min(n_members, n_rows * roots.size)), 0, 0
    for t in range(roots.size):
        n_found, begin, root = 0, 0, roots[t]
        while begin < n_rows and ways[root, 2] != CLOSED:
            size, top = min(at_once, n_rows - begin), 1
            for i in range(size):
                rows[i] = begin + i
            begin += size
            push(stack, 0, root, 0, size, 0, 0)
            while top > 0:
                top -= 1
                k, start, stop = stack[top, 0], stack[top, 1], stack[top, 2]
                if start == stop or ways[k, 2] == CLOSED:
                    continue
                if ways[k, 2] >= 0:
                    cut, shift = np.int64(ways[k, 1]), np.int64(ways[k, 3])
                    middle = part_rows(codes, ways[k, 0], cut, shift, sets, rows, start, stop, spare)
                    push(stack, top, ways[k, 2] + 1, middle, stop, 0, 0)
                    push(stack, top + 1, ways[k, 2], start, middle, 0, 0)
                    top += 2
                    continue
                taken = min(stop - start, left[k])
                for i in range(start, start + taken):
                    found[n_found], leaf_of[n_found] = rows[i], ways[k, 3]
                    n_found += 1
                left[k] -= taken
                while left[k] == 0 and ways[k, 2] != CLOSED:
                    ways[k, 2] = CLOSED
                    if k != root:
                        k = parent[k]
                        left[k] -= 1
        n_leaves = ((roots[t + 1] if t + 1 < roots.size else n_nodes) - root + 1) // 2
        sort_by_leaf(found[:n_found], leaf_of, starts[first_leaf : first_leaf + n_leaves + 1], first_leaf, members, end)
        first_leaf, end = first_leaf + n_leaves, end + n_found
    return starts, members[:end].copy()


@one_row
def sort_by_leaf(rows, leaf_of, starts, first_leaf, members, end):
    """Write rows into members from ``end`` on, leaf by leaf, in the order they have, and where those of each begin."""
    fill_row(0, starts)
    for i in range(rows.size):
        starts[leaf_of[i] - first_leaf + 1] += 1
    starts[0] = end
    for leaf in range(1, starts.size):
        starts[leaf] += starts[leaf - 1]
    for i in range(rows.size):
        leaf = leaf_of[i] - first_leaf
        members[starts[leaf]] = rows[i]
        starts[leaf] += 1
    # each start has moved to where the next leaf begins
    for leaf in range(starts.size - 1, 0, -1):
        starts[leaf] = starts[leaf - 1]
    starts[0] = end


@inlined_row
def child_of(k, row, nodes, sets):
    code, cut, shift = np.int64(row[nodes[k, 0]]), np.int64(nodes[k, 1]), np.int64(nodes[k, 3])
    return nodes[k, 2] + 1 - goes_left(code, cut, shift, sets)


@one_row
def descend_from(k, row, nodes, sets):
    while nodes[k, 2] >= 0:
        k = child_of(k, row, nodes, sets)
    return k


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
    path, column, ends = row_numbers(64 * n_tree), row_numbers(64 * n_tree), zero_counts(n_tree + 1)
    first = 0
    for q in range(n_query):
        end = 0
        for t in range(n_tree):
            k, ends[t] = roots[t], end
            while nodes[k, 2] >= 0:
                if end == path.size:
                    path, column = lengthened(path, 0), lengthened(column, 0)
                path[end], column[end] = k, nodes[k, 0]
                end += 1
                k = child_of(k, codes[q], nodes, sets)
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
                        child = child_of(k, moved[first], nodes, sets)
                        on_path = at + 1 < ends[t + 1] and child == path[at + 1]
                        if not on_path:
                            leaf = nodes[descend_from(child, moved[first], nodes, sets), 3]
                            break
                moved_leaves[first, t] = leaf
            first += 1
    return leaves, moved_leaves
