"""Small models: for each query, a linear model with few columns of the predictions around it.

A small model is a line through the query's own prediction, on the scale of the link. It is fitted by least squares to
what the whole model predicts of rows around the query: each column moved alone, from one side to the other, and several
columns at once. Single columns count most, so that slopes are near effects. Columns are added one by one, each time the
one that leaves least, until the next one would say next to nothing.
"""

from typing import NamedTuple

import numpy as np

from heedful._explaining.around import Around, link_effects, predict_around
from heedful._explaining.moves import N_JOINT, columns_to_move, moves_of
from heedful._flow import CodedRows, FittedAttention, Run

# A column that says less than this part of the variation around the query is not added.
LEAST_GAIN = 0.01
# How much the changes of single columns count compared with those of several at once (benchmarks/reading).
ALONE = 4.0
# Changes below this part of the link are rounding, as is a column that others determine.
ROUNDING, DEPENDENT = 1e-12, 1e-10
# Columns that are moved at most, the most important ones; and cells that are held at a time.
MOST_TRIED, MOST_CELLS = 16, 2_000_000


class SmallModels(NamedTuple):
    """Small models of queries, one slope for each column of the table; those of columns that are left out are 0.

    ``coef`` (n_query, n_outputs, n_columns) are per unit of ``design`` (n_query, n_columns): numbers as they are, 1 for
    a level against its reference and for a missing number. ``reference`` (n_query, n_columns) is what a column is
    compared with in these units: the mean of a number, or 0; ``compared`` the same as codes of cells. ``fidelity``
    (n_query,) is the share of the variation of joint rows that it has, each half by models without it;
    ``effect`` (n_query, n_outputs, n_columns) what the link does when a column moves, NaN for columns that may
    do something and were not moved.
    """

    coef: np.ndarray
    design: np.ndarray
    reference: np.ndarray
    compared: np.ndarray
    fidelity: np.ndarray
    effect: np.ndarray


def fit_small(fitted: FittedAttention, queries: CodedRows, own: np.ndarray, most: int, run: Run) -> SmallModels:
    """Return small models, with at most so many columns, of queries whose own predictions are known."""
    columns, moves, codes = columns_to_move(fitted, MOST_TRIED), moves_of(fitted), queries.codes
    n_query, n_outputs = len(codes), fitted.problem.family.link_of(own[:1]).shape[1]
    coef, fidelity = np.zeros((n_query, n_outputs, codes.shape[1])), np.ones(n_query)
    effect = np.where(fitted.column_weight > 0, np.nan, np.zeros(coef.shape))
    n_rows = 2 * columns.size + N_JOINT
    step = max(1, MOST_CELLS // (n_rows * columns.size))
    for start in range(0, n_query, step):
        part = slice(start, start + step)
        around = predict_around(fitted, queries.take(part), own[part], columns, run, joint=True)
        coef[part, :, columns], fidelity[part] = _fit_block(fitted, around, codes[part], columns, most)
        effect[part, :, columns] = link_effects(fitted, around)[:, :, columns]
    alone = moves.levels | np.isnan(codes)
    design = np.where(alone, 1.0, codes)
    mean = np.broadcast_to(moves.mean, codes.shape)
    compared = np.where(alone, moves.compare(codes).below, mean)
    return SmallModels(coef, design, np.where(alone, 0.0, mean), compared, fidelity, effect)


def _fit_block(
    fitted: FittedAttention, around: Around, codes: np.ndarray, columns: np.ndarray, most: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the slopes of some columns (n_query, n_outputs, n_columns), and fidelities."""
    link_of = fitted.problem.family.link_of
    own, above, below = (link_of(part) for part in (around.own, around.above[:, columns], around.below[:, columns]))
    change = np.concatenate([above - below, link_of(around.joint) - own[:, None]], axis=1)
    change = np.where(np.abs(change) > ROUNDING * np.abs(own)[:, None], change, 0.0)
    away, weight = _distances(around, moves_of(fitted).levels, codes, columns), _balance(change, columns.size)
    _, coef = choose_columns(away, change, weight, most)
    distance = around.compared.distance[:, columns]
    slopes = coef / np.where(distance > 0, distance, 1.0)[:, None]
    return slopes, _fidelity(away, change, columns.size, most)


def _distances(around: Around, levels: np.ndarray, codes: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return how far some columns moved (n_query, n_rows, n_columns), in units of the compared distance.

    First each column alone, from one side to the other, then several at once, from the query on.
    """
    codes, rows, distance = codes[:, columns], around.rows[:, :, columns], around.compared.distance[:, columns]
    alone, own = levels[columns] | np.isnan(codes), codes[:, None]
    stays = (rows == own) | (np.isnan(rows) & np.isnan(own))
    unit = np.where(distance > 0, distance, 1.0)[:, None]
    joint = np.where(stays, 0.0, np.where(alone[:, None], -1.0, (rows - own) / unit))
    single = np.broadcast_to(np.eye(columns.size), (len(codes), columns.size, columns.size))
    return np.where((distance > 0)[:, None], np.concatenate([single, joint], axis=1), 0.0)


def _balance(change: np.ndarray, n_alone: int) -> np.ndarray:
    """Return weights (n_query, n_rows) with which single columns vary so many times as much as several at once."""
    square = np.sum(change**2, axis=2)
    alone, several = square[:, :n_alone].sum(axis=1), square[:, n_alone:].sum(axis=1)
    weight = np.ones(square.shape)
    both = (alone > 0) & (several > 0)
    weight[both, :n_alone] = ALONE * (several[both] / alone[both])[:, None]
    return weight


def choose_columns(
    away: np.ndarray, change: np.ndarray, weight: np.ndarray, most: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return which columns are chosen (n_query, n_columns), and their slopes (n_query, n_outputs, n_columns)."""
    weighted = away * weight[..., None]
    gram, cross = np.einsum("qij,qik->qjk", weighted, away), np.einsum("qij,qik->qjk", weighted, change)
    total = np.einsum("qi,qik->q", weight, change**2)
    left, gradient = gram.copy(), cross.copy()
    queries, size = np.arange(len(gram)), np.einsum("qjj->qj", gram).copy()
    chosen = np.zeros(size.shape, dtype=bool)
    for _ in range(min(most, size.shape[1])):
        square = np.einsum("qjj->qj", left)
        usable = ~chosen & (square > DEPENDENT * size)
        gain = np.where(usable, np.sum(gradient**2, axis=2) / np.where(usable, square, 1.0), 0.0)
        best = np.argmax(gain, axis=1)
        worth = gain[queries, best] > LEAST_GAIN * total
        if not worth.any():
            break
        at, one = queries[worth], best[worth]
        chosen[at, one] = True
        row = left[at, one] / np.sqrt(left[at, one, one])[:, None]
        part = gradient[at, one] / np.sqrt(left[at, one, one])[:, None]
        left[at] -= row[:, :, None] * row[:, None, :]
        gradient[at] -= row[:, :, None] * part[:, None, :]
    inside = chosen[:, :, None] & chosen[:, None, :]
    solved = np.linalg.solve(np.where(inside, gram, np.eye(size.shape[1])), np.where(chosen[..., None], cross, 0.0))
    return chosen, solved.swapaxes(1, 2)


def _fidelity(away: np.ndarray, change: np.ndarray, n_alone: int, most: int) -> np.ndarray:
    """Return the share of the variation of joint rows that small models have, each half by models without it."""
    missed, joint = np.zeros(change.shape), np.arange(change.shape[1]) >= n_alone
    for half in range(2):
        held_out = joint & (np.arange(joint.size) % 2 == half)
        kept, far = change[:, ~held_out], away[:, ~held_out]
        _, coef = choose_columns(far, kept, _balance(kept, n_alone), most)
        missed[:, held_out] = change[:, held_out] - np.einsum("qij,qkj->qik", away[:, held_out], coef)
    total = np.sum(change[:, joint] ** 2, axis=(1, 2))
    share = 1.0 - np.sum(missed[:, joint] ** 2, axis=(1, 2)) / np.where(total > 0, total, 1.0)
    return np.where(total > 0, np.maximum(share, 0.0), 1.0)
