"""Predictions of many heads, and their blended model, for a block of queries under one similarity."""

from typing import NamedTuple

import numpy as np

from heedful._kernels._jit import many_rows, one_row
from heedful._kernels.arrays import fill_row, matrix, vector, zero_counts, zero_matrix
from heedful._kernels.lasso import FULL_GRAM, everyone_row, make_space, path_row
from heedful._kernels.shapes import Heads, Table
from heedful._kernels.weighting import mass_row, pick_rows, weigh_row


@one_row
def blend_row(query, y_mean, mean, max_away, coefs, wanted, shares, prediction, coef):
    """Write each wanted head's prediction and add the heads' coefficients by share.

    A prediction more than ``max_away`` from the weighted mean response is moved back to it by shrinking the
    coefficients: few rows can give a steep model, and a query may lie outside of them.
    """
    for t in range(wanted.size):
        if not wanted[t]:
            continue
        away = 0.0
        for j in range(query.size):
            away += (query[j] - mean[j]) * coefs[t, j]
        keep = max_away / abs(away) if abs(away) > max_away else 1.0
        for j in range(query.size):
            coef[j] += shares[t] * keep * coefs[t, j]
        prediction[t] = y_mean + keep * away


class Block(NamedTuple):
    """Queries of a block: scores with what they need to become weights, or excess weights and background (n_query)."""

    indptr: np.ndarray
    indices: np.ndarray
    score: np.ndarray
    leaf: np.ndarray
    background: np.ndarray


@one_row
def any_row(values):
    """Return whether any value is true."""
    any_true = False
    for t in range(values.size):
        any_true |= values[t]
    return any_true


@many_rows
def fit_rows(block, queries, table, heads, rule, wide, keep):
    """Fit the wanted heads (weighting x penalty) of every query, for both functions below.

    Returns predictions (n_query, n_weighting, n_penalty), the coefficients blended by ``shares``, the coefficients at
    each penalty under the last weighting with the weighted means of columns and response, and the number of unconverged
    fits per query. With ``keep`` the former two are left alone, otherwise the latter.
    """
    # unpacked once: each look into a tuple takes time to compile
    indptr, indices, scores, leaf, backgrounds = block
    kinds, temperatures, penalties, uses, wanted, shares = heads
    n_query, p, n_penalty, total, max_range = (
        indptr.size - 1,
        table.mean.size,
        penalties.size,
        table.total,
        rule.max_range,
    )
    space, packed, column, whole = (
        make_space(indptr, indices, table),
        table.packed,
        table.y_column + 1,
        table.scatter.size,
    )
    n_kept, n_blended = (n_query, 0) if keep else (1, n_query)
    predictions, coefs = np.empty((n_blended, kinds.size, n_penalty)), zero_matrix(n_blended, p)
    paths, means, y_means = np.empty((n_kept, n_penalty, p)), matrix(n_kept, p), vector(n_query)
    failed = zero_counts(n_query)
    for q in range(n_query):
        start, stop = indptr[q], indptr[q + 1]
        stored, score = pick_rows(indices, start, stop, space.everyone), scores[start:stop]
        part = leaf[start:stop] if leaf.size > 0 else leaf
        mass, room = vector(stored.size), vector(stored.size)
        rest = 0.0 if keep else mass_row(stored, packed, column, total, mass)
        at = q if keep else 0
        for w in range(kinds.size):
            rows, excess, background = stored, score if keep else room, backgrounds[at]
            if not keep:
                fill_row(np.nan, predictions[q, w])
                if not any_row(wanted[w]):
                    continue
                background = weigh_row(kinds[w], temperatures[w], score, part, mass, rest, total, excess)
            if whole == 0 and background > 0.0:
                everyone_row(table, rows, excess, background, space.excess)
                rows, excess, background = space.everyone, space.excess, 0.0
            y_mean, spread, bad = path_row(
                table, rows, excess, background, penalties, uses, wanted[w], rule, wide, space, means[at], paths[at]
            )
            y_means[q] = y_mean
            failed[q] += bad
            if not keep:
                away = max_range * np.sqrt(spread) if max_range < np.inf else np.inf
                row = (queries[q], y_mean, means[0], away, paths[0])
                blend_row(*row, wanted[w], shares[w], predictions[q, w], coefs[q])
    return predictions, coefs, paths, means, y_means, failed


def is_wide(table: Table) -> bool | None:
    """Return True for tables of which columns are chosen, and None for others."""
    return True if table.mean.size > FULL_GRAM else None


def head_rows(
    indptr, indices, score, leaf, queries, table, kinds, temperatures, penalties, wanted, shares, rule, uses=None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Fit the wanted heads (weighting x penalty) of every query; those of a penalty use its first ``uses`` columns.

    None stands for all columns, at each penalty.

    Returns predictions (n_query, n_weighting, n_penalty), the coefficients blended by ``shares``, and the number of
    unconverged fits per query.
    """
    block = Block(indptr, indices, score, leaf, np.zeros(1))
    uses = np.full(penalties.size, table.mean.size) if uses is None else uses
    heads = Heads(kinds, temperatures, penalties, uses, wanted, shares)
    predictions, coefs, *_, failed = fit_rows(block, queries, table, heads, rule, is_wide(table), False)
    return predictions, coefs, failed


def lasso_rows(
    indptr, indices, excess, backgrounds, table, penalties, rule
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Fit one path per query; return coefficients, means, mean responses and the number of unconverged fits.

    Empty ``indices`` mean that every query lists every training row in order.
    """
    block = Block(indptr, indices, excess, np.empty(0), backgrounds)
    one = np.ones((1, penalties.size))
    uses = np.full(penalties.size, table.mean.size)
    heads = Heads(np.zeros(1, np.int64), one[0], penalties, uses, one > 0.0, one)
    *_, paths, means, y_means, failed = fit_rows(block, np.empty((0, 0)), table, heads, rule, is_wide(table), True)
    return paths, means, y_means, failed
