"""Minimax linkage by chains of nearest neighbours.

A cluster goes by its largest row number, its slot. ``far[g, x]`` is the largest distance from row ``x`` to a member of
the cluster in slot ``g``, and ``within[x]`` the same for the cluster that ``x`` is in. The radius of a union is then
the smallest ``max(far[g, x], far[h, x])`` over its members ``x``, and a merge is an elementwise maximum of two rows.

Pairs of clusters are compared by their radius, then by their slots in ascending order. Under this order a union is
never nearer to a third cluster than both of its parts were, ties included, so a chain finds the very merges that
always joining the first of all pairs would find.
"""

import numpy as np

from heedful._kernels._jit import many_rows, one_row


@one_row
def nearest_row(far, within, slot, active, g, radius, members):
    """Return the slot of the cluster whose union with that in slot ``g`` has the smallest radius; ties: first slot."""
    n_active, best = active.size, np.inf
    n_members = 0
    for a in range(n_active):
        radius[active[a]] = np.inf
    for x in range(within.size):
        if slot[x] == g:
            members[n_members] = x
            n_members += 1
            continue
        height = max(far[g, x], within[x])
        if height < radius[slot[x]]:
            radius[slot[x]] = height
            best = min(best, height)
    # a member that is farther than the best radius from its own cluster cannot be the centre of a better one
    n_centres, least = 0, np.inf
    for k in range(n_members):
        if within[members[k]] <= best:
            least = min(least, within[members[k]])
            members[n_centres] = members[k]
            n_centres += 1
    nearest, best = -1, np.inf
    for a in range(n_active):
        h = active[a]
        if h == g:
            continue
        height = radius[h]
        for k in range(n_centres):
            if height <= least:
                break
            x = members[k]
            height = min(height, max(within[x], far[h, x]))
        if nearest < 0 or height < best:
            nearest, best = h, height
    return nearest


@one_row
def merge_row(far, within, slot, g, h):
    """Move the cluster in slot ``g`` into slot ``h``; return the central row of the union, the first of equals."""
    for x in range(within.size):
        far[h, x] = max(far[g, x], far[h, x])
    centre = -1
    for x in range(within.size):
        if slot[x] == g or slot[x] == h:
            slot[x] = h
            within[x] = far[h, x]
            if centre < 0 or within[x] < within[centre]:
                centre = x
    return centre


@many_rows
def linkage_rows(far):
    """Return both slots (larger second), radius and central row of every merge; overwrites the distances ``far``."""
    n_rows = far.shape[0]
    pairs, heights = np.empty((n_rows - 1, 2), np.int64), np.empty(n_rows - 1)
    centres = np.empty(n_rows - 1, np.int64)
    within, slot, active = np.zeros(n_rows), np.arange(n_rows), np.arange(n_rows)
    radius, members, chain = np.empty(n_rows), np.empty(n_rows, np.int64), np.empty(n_rows, np.int64)
    n_chain = 0
    for m in range(n_rows - 1):
        n_active = n_rows - m
        if n_chain == 0:
            chain[0], n_chain = active[0], 1
        while True:
            g = chain[n_chain - 1]
            h = nearest_row(far, within, slot, active[:n_active], g, radius, members)
            if n_chain > 1 and h == chain[n_chain - 2]:
                break
            chain[n_chain] = h
            n_chain += 1
        n_chain -= 2
        g, h = min(g, h), max(g, h)
        centres[m] = merge_row(far, within, slot, g, h)
        pairs[m, 0], pairs[m, 1], heights[m] = g, h, within[centres[m]]
        shift = 0
        for a in range(n_active - 1):
            shift += active[a] == g
            active[a] = active[a + shift]
    return pairs, heights, centres
