"""Predictions of many heads, and their blended model, for a block of queries under one similarity."""

import numpy as np

from heedful._kernels._jit import many_rows, one_row
from heedful._kernels.lasso import everyone_row, make_space, path_row
from heedful._kernels.weighting import mass_row, pick_rows, weigh_row


@one_row
def blend_row(query, y_mean, mean, reach, coefs, wanted, shares, prediction, coef):
    """Write each wanted head's prediction and add the heads' coefficients by share.

    A prediction more than ``reach`` away from the weighted mean response is pulled back to it by shrinking the
    coefficients: few rows can give a steep model, and a query may lie outside of them.
    """
    for t in range(wanted.size):
        if not wanted[t]:
            continue
        away = 0.0
        for j in range(query.size):
            away += (query[j] - mean[j]) * coefs[t, j]
        keep = reach / abs(away) if abs(away) > reach else 1.0
        for j in range(query.size):
            coef[j] += shares[t] * keep * coefs[t, j]
        prediction[t] = y_mean + keep * away


@many_rows
def head_rows(indptr, indices, score, leaf, queries, table, kinds, temperatures, penalties, wanted, shares, rule):
    """Fit the wanted heads (weighting x penalty) of every query.

    Returns predictions (n_query, n_weighting, n_penalty), the coefficients blended by ``shares``, and the number of
    unconverged fits per query.
    """
    n_query, p = queries.shape
    space = make_space(indptr, indices, table)
    predictions = np.full((n_query, kinds.size, penalties.size), np.nan)
    coefs, failed = np.zeros((n_query, p)), np.zeros(n_query, np.int64)
    mean, path = np.empty(p), np.empty((penalties.size, p))
    for q in range(n_query):
        start, stop = indptr[q], indptr[q + 1]
        stored = pick_rows(indices, start, stop, space.everyone)
        part = leaf[start:stop] if leaf.size > 0 else leaf
        mass, bumps = np.empty(stored.size), np.empty(stored.size)
        rest = mass_row(stored, table.packed[:, table.y_column + 1], table.total, mass)
        for w in range(kinds.size):
            if not np.any(wanted[w]):
                continue
            rows, bump = stored, bumps
            background = weigh_row(kinds[w], temperatures[w], score[start:stop], part, mass, rest, table.total, bump)
            if table.scatter.shape[0] == 0 and background > 0.0:
                everyone_row(table, rows, bump, background, space.bump)
                rows, bump, background = space.everyone, space.bump, 0.0
            y_mean, spread, bad = path_row(table, rows, bump, background, penalties, wanted[w], rule, space, mean, path)
            failed[q] += bad
            reach = rule.reach * np.sqrt(spread) if rule.reach < np.inf else np.inf
            blend_row(queries[q], y_mean, mean, reach, path, wanted[w], shares[w], predictions[q, w], coefs[q])
    return predictions, coefs, failed
