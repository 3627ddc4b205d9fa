"""Shapley values of single queries by asking the model itself: the slow reference, with standard errors.

Only what the global model and the trees leave of a prediction is asked for; the rest is known exactly, which makes
errors small.
"""

from math import comb

import numpy as np

from heedful._explaining.value_function import SEED, ValueFunction, close, systematic
from heedful._flow import CodedRows, QueryBatch, centre_outputs

# Columns up to which all coalitions are asked for; and rows asked about for one query.
MOST_ENUMERATED, MOST_ASKED = 10, 1000
# Training rows that all coalitions are completed from, at least; and pairs of orders of the columns.
FEWEST_ROWS, FEWEST_PAIRS = 16, 8


def shapley_values(
    function: ValueFunction, batch: QueryBatch, queries: CodedRows, link: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return Shapley values of queries (n_query, n_outputs, n_columns) and their standard errors."""
    plain, bent = function.known_values(batch, queries.codes, link.shape)
    values, errors = plain + bent, np.zeros(plain.shape)
    few = values.shape[2] <= MOST_ENUMERATED
    for q in range(len(link)):
        rows = function.compared.rows.beside(queries.take(slice(q, q + 1)))
        draws, share, error = enumerate_coalitions(function, rows) if few else sample_permutations(function, rows)
        values[q] += np.tensordot(share, draws, 1)
        errors[q] = error
    return centre_outputs(close(values, errors**2, link - function.compared.base), 1), errors


def enumerate_coalitions(function: ValueFunction, rows: CodedRows) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the values of the last row against single other rows, shares of these, and the errors of the mean."""
    query, n_columns = len(rows.codes) - 1, rows.codes.shape[1]
    others, share = systematic(function.compared.share, max(FEWEST_ROWS, MOST_ASKED >> n_columns))
    inside = (np.arange(1 << n_columns)[:, None] >> np.arange(n_columns)) & 1 == 1
    source = np.where(inside, query, others[:, None, None]).reshape(-1, n_columns)
    value = function.missed_of(rows, source).reshape(others.size, len(inside), -1)
    size = inside.sum(axis=1)
    # a coalition of k of n columns counts 1 / (n choose k) among those it can be reached from, and to
    joins = [1 / (n_columns * comb(n_columns - 1, k - 1)) if k else 0.0 for k in size]
    leaves = [1 / (n_columns * comb(n_columns - 1, k)) if k < n_columns else 0.0 for k in size]
    factor = np.where(inside, np.array(joins)[:, None], -np.array(leaves)[:, None])
    draws = np.einsum("sj,bsk->bkj", factor, value)
    left = 1.0 - others.size / function.compared.share.size
    return draws, share, np.sqrt(max(left, 0.0)) * _error(draws, share)


def sample_permutations(function: ValueFunction, rows: CodedRows) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the same from columns that join one by one, in random orders and their reverse, against random rows."""
    drawn, query, n_columns = np.random.RandomState(SEED), len(rows.codes) - 1, rows.codes.shape[1]
    n_pairs = max(FEWEST_PAIRS, MOST_ASKED // (2 * n_columns + 2))
    others = drawn.choice(query, n_pairs, p=function.compared.share)
    place = np.argsort(drawn.random_sample((n_pairs, n_columns)), axis=1)
    # columns are the query's from their place in the order on
    place = np.stack([place, n_columns - 1 - place], axis=1)
    joined = np.arange(n_columns + 1)[None, None, :, None] > place[:, :, None, :]
    source = np.where(joined, query, others[:, None, None, None]).reshape(-1, n_columns)
    value = function.missed_of(rows, source).reshape(n_pairs, 2, n_columns + 1, -1)
    steps = np.diff(value, axis=2)
    added = np.take_along_axis(steps, place[..., None], axis=2).mean(axis=1).swapaxes(1, 2)
    share = np.full(n_pairs, 1 / n_pairs)
    return added, share, _error(added, share)


def _error(draws: np.ndarray, share: np.ndarray) -> np.ndarray:
    n_draws = share.size
    if n_draws < 2:
        return np.zeros(draws.shape[1:])
    away = draws - np.tensordot(share, draws, 1)
    return np.sqrt(np.tensordot(share, away**2, 1) / (n_draws - 1))
