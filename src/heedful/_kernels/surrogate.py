"""Small trees of one depth on binned columns, boosted, and the Shapley values of their sum.

A tree is complete: node ``k`` of a level has the children ``2 k`` and ``2 k + 1`` in the next one, and levels follow
each other in ``column`` (n_nodes,) and ``side`` (n_nodes, 256). A node without a split sends every row to the left.

For Shapley values a leaf is a few columns, each with the codes that lead to it. Rows that have part of their columns
from a query and the others from training rows reach it as often as the latter fulfil the conditions on the others: the
value of each subset is a share of training rows, and what each column adds depends only on which conditions the query
fulfils.
"""

import numpy as np

from heedful._kernels._jit import one_row, writing_rows
from heedful._kernels.arrays import fill_row
from heedful._kernels.stumps import LEFT, TIE, scan_column, write_sides


@one_row
def tally_nodes(codes, n_bins, missing, residual, place, n_nodes, tally):
    for b in range(n_bins + 1):
        for k in range(2 * n_nodes):
            tally[b if b < n_bins else missing, k] = 0.0
    for i in range(codes.size):
        tally[codes[i], place[i]] += residual[i]
        tally[codes[i], n_nodes + place[i]] += 1.0


@writing_rows
def boost_tree_rows(table, used, residual, rule, place, tally, order, best, column, side, value):
    """Grow a tree to residuals by the columns ``used``, take what it says off them, and write it down."""
    codes, categories, missing = table.codes, table.categories, tally.shape[0] - 1
    n_rows, n_leaves = residual.size, value.size
    fill_row(0, place)
    n_nodes = 1
    while n_nodes < n_leaves:
        fill_row(-1, column[n_nodes - 1 : 2 * n_nodes - 1])
        fill_row(0.0, best)
        for u in range(used.size):
            j = used[u]
            size, bins = table.sizes[j], tally[:, : 2 * n_nodes]
            tally_nodes(codes[j], size, missing, residual, place, n_nodes, bins)
            for k in range(n_nodes):
                cut = scan_column(bins, k, size, categories[j], 0.0, 0.0, rule, order)
                if cut.gain > best[k] * (1.0 + TIE):
                    best[k] = cut.gain
                    column[n_nodes - 1 + k] = j
                    write_sides(bins[missing, n_nodes + k], categories[j], order, cut, side[n_nodes - 1 + k])
        for i in range(n_rows):
            node = n_nodes - 1 + place[i]
            j = column[node]
            place[i] = 2 * place[i] + (j >= 0 and side[node, codes[j, i]] != LEFT)
        n_nodes *= 2
    fill_row(0.0, value)
    fill_row(rule.ridge, best)
    for i in range(n_rows):
        value[place[i]] += residual[i]
        best[place[i]] += 1.0
    for k in range(n_leaves):
        value[k] *= rule.learning_rate / best[k]
    for i in range(n_rows):
        residual[i] -= value[place[i]]


@writing_rows
def tree_sum_rows(codes, column, side, value, total):
    """Add what the trees (n_trees, ...) say of each row (n_rows, n_columns) to ``total``."""
    n_leaves = value.shape[1]
    for i in range(codes.shape[0]):
        for t in range(value.shape[0]):
            place, n_nodes = 0, 1
            while n_nodes < n_leaves:
                node = n_nodes - 1 + place
                j = column[t, node]
                place = 2 * place + (j >= 0 and side[t, node, codes[i, j]] != LEFT)
                n_nodes *= 2
            total[i] += value[t, place]


@one_row
def read_leaf(column, side, leaf, columns, allowed):
    """Write the distinct columns on the way to a leaf and which of their codes lead there; return their number."""
    depth, n_columns, place, n_nodes = columns.size, 0, 0, 1
    for level in range(depth):
        node, right = n_nodes - 1 + place, (leaf >> (depth - 1 - level)) & 1
        place, n_nodes, j = 2 * place + right, 2 * n_nodes, column[node]
        if j < 0:
            continue
        at = 0
        while at < n_columns and columns[at] != j:
            at += 1
        if at == n_columns:
            columns[at] = j
            n_columns += 1
            fill_row(1, allowed[at])
        for code in range(allowed.shape[1]):
            if (side[node, code] != LEFT) != right:
                allowed[at, code] = 0
    for at in range(n_columns, depth):
        columns[at] = -1
    return n_columns


@one_row
def pattern_of(codes, columns, allowed):
    """Return in bits which conditions of a leaf a row fulfils."""
    pattern = 0
    for at in range(columns.size):
        if columns[at] < 0:
            break
        pattern |= np.int64(allowed[at, codes[columns[at]]]) << at
    return pattern


@one_row
def add_up_shares(n_columns, share):
    """Turn the shares of rows with exactly these conditions into those with at least these."""
    for at in range(n_columns):
        for subset in range(1 << n_columns):
            if (subset >> at) & 1 == 0:
                share[subset] += share[subset | (1 << at)]


@one_row
def fill_table(n_columns, value, share, chance, table):
    """Write what each column of a leaf adds for each pattern of conditions that a query fulfils.

    ``chance`` (size of a subset, number of columns) are Shapley's weights.
    """
    whole = (1 << n_columns) - 1
    for pattern in range(whole + 1):
        for at in range(n_columns):
            total = 0.0
            # subsets of the conditions that the query fulfils: with another one a leaf is out of reach
            for subset in range(whole + 1):
                if subset & ~pattern or (subset >> at) & 1:
                    continue
                size, rest = 0, subset
                while rest:
                    size += rest & 1
                    rest >>= 1
                gain = -share[whole & ~subset]
                if (pattern >> at) & 1:
                    gain += share[whole & ~(subset | (1 << at))]
                total += chance[size, n_columns] * gain
            table[pattern, at] = value * total


@writing_rows
def leaf_table_rows(column, side, value, codes, weight, chance, share, columns, allowed, table, mean):
    """Write the columns, conditions and tables of all leaves of all trees; add what leaves say on average to ``mean``.

    Averages are over the training rows ``codes`` (n_rows, n_columns), whose weights have sum one.
    """
    n_leaves = value.shape[1]
    for t in range(value.shape[0]):
        for k in range(n_leaves):
            leaf = t * n_leaves + k
            n_columns = read_leaf(column[t], side[t], k, columns[leaf], allowed[leaf])
            fill_row(0.0, share)
            for i in range(codes.shape[0]):
                share[pattern_of(codes[i], columns[leaf], allowed[leaf])] += weight[i]
            add_up_shares(n_columns, share)
            mean[0] += value[t, k] * share[(1 << n_columns) - 1]
            fill_table(n_columns, value[t, k], share, chance, table[leaf])


@writing_rows
def leaf_shapley_rows(codes, columns, allowed, table, total):
    """Add the Shapley values of each query (n_query, n_columns) to ``total``."""
    for q in range(codes.shape[0]):
        for leaf in range(columns.shape[0]):
            pattern = pattern_of(codes[q], columns[leaf], allowed[leaf])
            for at in range(columns.shape[1]):
                if columns[leaf, at] < 0:
                    break
                total[q, columns[leaf, at]] += table[leaf, pattern, at]
