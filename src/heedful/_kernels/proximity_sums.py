"""Softmax-weighted sums over rows that meet queries in the leaves of trees.

A weight depends only on the number of trees in which two rows meet. These numbers are counted for many rows in one
step of the processor, by comparing codes of leaves; the weights are then looked up. Nothing is kept per pair of rows.

Four queries and four trees are taken at a time, so that a code that was fetched serves 16 comparisons, and training
rows in parts that stay in the processor's caches.
"""

import numpy as np

from heedful._kernels._jit import many_rows, one_row, sum_row

# Trees whose meetings fit into one byte, in steps of four.
TREES_PER_BYTE = 252


@one_row
def same(a, b, c, d, leaf, t):
    """Return in how many of four trees the codes of a row are those of a query."""
    return np.uint8(a == leaf[t]) + np.uint8(b == leaf[t + 1]) + np.uint8(c == leaf[t + 2]) + np.uint8(d == leaf[t + 3])


@one_row
def count_four(one, two, three, four, train, start, stop, met):
    """Write into ``met`` (4, width) in how many trees of a range each row meets each of four queries."""
    first, second, third, fourth = met[0], met[1], met[2], met[3]
    for i in range(first.size):
        first[i] = second[i] = third[i] = fourth[i] = 0
    for t in range(start, stop, 4):
        row_a, row_b, row_c, row_d = train[t], train[t + 1], train[t + 2], train[t + 3]
        for i in range(first.size):
            a, b, c, d = row_a[i], row_b[i], row_c[i], row_d[i]
            first[i] += same(a, b, c, d, one, t)
            second[i] += same(a, b, c, d, two, t)
            third[i] += same(a, b, c, d, three, t)
            fourth[i] += same(a, b, c, d, four, t)


@one_row
def add_row(met, counts, fresh):
    """Add the meetings of some trees to those of others, if there are any yet."""
    for i in range(met.size):
        counts[i] = met[i] if fresh else counts[i] + met[i]


@sum_row
def look_up_row(counts, table, one, two):
    """Return the sums of two columns, each value times the weight that belongs to the row's count."""
    first = second = 0.0
    for i in range(counts.size):
        weight = table[counts[i]]
        first += weight * one[i]
        second += weight * two[i]
    return first, second


@one_row
def add_part(counts, left_out, tables, values, sums):
    """Add a part of the rows to the sums of a query; ``left_out`` is the place of its own row there, or negative."""
    if left_out >= 0:
        # the smallest weight there is, so that taking it away again loses no digits of the others
        counts[left_out] = 0
    for h in range(tables.shape[0]):
        for j in range(0, values.shape[0], 2):
            first, second = look_up_row(counts, tables[h], values[j], values[j + 1])
            sums[h, j] += first
            sums[h, j + 1] += second
        if left_out >= 0:
            for j in range(values.shape[0]):
                sums[h, j] -= tables[h, 0] * values[j, left_out]


@many_rows
def proximity_sum_rows(leaves, left_out, train, tables, values):
    """Return sums (n_query, n_temperature, n_column) of values times weights.

    ``leaves`` (n_query, n_tree) and ``train`` (n_part, n_tree, width) hold codes of leaves, the trees a multiple of
    four. ``tables`` (n_temperature, 1 + number of trees) are the weights of rows by how many trees they meet a query
    in, ``values`` (n_part, n_column, width) what is added up, an even number of columns. ``left_out`` is empty, or
    names the row that a query is and that must not count.
    """
    (n_query, n_tree), (n_part, n_column, width) = leaves.shape, values.shape
    sums = np.zeros((n_query, tables.shape[0], n_column))
    counts, met = np.empty((4, width), np.uint16), np.empty((4, width), np.uint8)
    last = n_query - 1
    for start in range(0, n_query, 4):
        one, two = leaves[start], leaves[min(start + 1, last)]
        three, four = leaves[min(start + 2, last)], leaves[min(start + 3, last)]
        for part in range(n_part):
            for t in range(0, n_tree, TREES_PER_BYTE):
                count_four(one, two, three, four, train[part], t, min(t + TREES_PER_BYTE, n_tree), met)
                for k in range(4):
                    add_row(met[k], counts[k], t == 0)
            for q in range(start, min(start + 4, n_query)):
                place = left_out[q] - part * width if left_out.size > 0 else -1
                place = place if place < width else -1
                add_part(counts[q - start], place, tables, values[part], sums[q])
    return sums
