"""Which training rows share leaves with a query: buckets of rows by leaf, and scores from them."""

import numpy as np

from heedful._kernels._jit import many_rows, one_row


@many_rows
def bucket_rows(leaves, offsets, counts):
    """Sort training rows by leaf within each tree.

    ``leaves`` is (n_tree, n_train), node numbers within a tree; ``offsets`` the first node of each tree; ``counts``
    how often a row was drawn for a tree. Returns ``starts`` (bucket of each node, with an end mark), the rows in
    bucket order, their draw counts, and the draws per node.
    """
    n_tree, n_train = leaves.shape
    starts = np.zeros(offsets[n_tree] + 1, np.int64)
    drawn = np.zeros(offsets[n_tree])
    for t in range(n_tree):
        for i in range(n_train):
            node = offsets[t] + leaves[t, i]
            starts[node + 1] += 1
            drawn[node] += counts[t, i]
    for node in range(offsets[n_tree]):
        starts[node + 1] += starts[node]
    filled = starts[:-1].copy()
    members = np.empty(n_tree * n_train, np.int32)
    draws = np.empty(n_tree * n_train, counts.dtype)
    for t in range(n_tree):
        for i in range(n_train):
            node = offsets[t] + leaves[t, i]
            members[filled[node]] = i
            draws[filled[node]] = counts[t, i]
            filled[node] += 1
    return starts, members, draws, drawn


@one_row
def was_drawn(row, members, draws, start, stop):
    """Return whether a training row was drawn for the tree whose leaf lists it between ``start`` and ``stop``."""
    for c in range(start, stop):
        if members[c] == row:
            return draws[c] > 0
    return False


@many_rows
def leaf_score_rows(leaves, own, offsets, starts, members, draws, drawn, n_train):
    """Score training rows by shared leaves, as sparse rows.

    ``leaves`` is (n_tree, n_query). ``own`` is empty for new rows; for training rows it holds their numbers: then only
    trees that did not draw the row count, and the row itself is masked by a score of -inf. Returns indptr, indices,
    score (share of counted trees in which the two meet) and leaf weight (the forest's own prediction weights).
    """
    n_tree, n_query = leaves.shape
    score = np.zeros(n_train)
    weight = np.zeros(n_train)
    seen = np.zeros(n_train, np.bool_)
    touched = np.empty(n_train, np.int64)
    size = 0
    for t in range(n_tree):
        for q in range(n_query):
            node = offsets[t] + leaves[t, q]
            size += starts[node + 1] - starts[node]
    size = min(size + own.size, n_query * n_train)
    indptr = np.zeros(n_query + 1, np.int64)
    indices = np.empty(size, np.int32)
    scores = np.empty(size)
    weights = np.empty(size)
    end = 0
    for q in range(n_query):
        n_touched = 0
        n_used = 0
        for t in range(n_tree):
            node = offsets[t] + leaves[t, q]
            if own.size > 0 and was_drawn(own[q], members, draws, starts[node], starts[node + 1]):
                continue
            n_used += 1
            for c in range(starts[node], starts[node + 1]):
                i = members[c]
                if not seen[i]:
                    seen[i] = True
                    touched[n_touched] = i
                    n_touched += 1
                score[i] += 1.0
                if draws[c] > 0:
                    weight[i] += draws[c] / drawn[node]
        if own.size > 0:
            if not seen[own[q]]:
                seen[own[q]] = True
                touched[n_touched] = own[q]
                n_touched += 1
            score[own[q]] = -np.inf
        for c in range(n_touched):
            i = touched[c]
            indices[end] = i
            scores[end] = score[i] / n_used if n_used > 0 else score[i]
            weights[end] = weight[i] / n_used if n_used > 0 else 0.0
            end += 1
            score[i] = 0.0
            weight[i] = 0.0
            seen[i] = False
        indptr[q + 1] = end
    return indptr, indices[:end].copy(), scores[:end].copy(), weights[:end].copy()
