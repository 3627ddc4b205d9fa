"""What the model predicts of rows around queries: each column moved alone, and several at once."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from heedful._explaining.moves import Compared, moves_of
from heedful._flow import CodedRows, FittedAttention, QueryBatch, Run

# Cells of moved rows that are held at a time.
MOST_CELLS = 4_000_000


class Around(NamedTuple):
    """Predictions around queries, as what is blended: predictions, probabilities, log hazards.

    ``own`` (n_query, n_values) are those of the queries, ``below`` and ``above`` (n_query, n_columns, n_values) those
    with one column moved, equal to ``own`` for columns that were not asked about. ``rows`` (n_query, n_joint,
    n_columns) are codes of rows in which several columns moved, ``joint`` (n_query, n_joint, n_values) what is
    predicted of them.
    """

    compared: Compared
    own: np.ndarray
    below: np.ndarray
    above: np.ndarray
    rows: np.ndarray
    joint: np.ndarray


def queries_of(fitted: FittedAttention, table: pd.DataFrame | np.ndarray, batch: QueryBatch) -> CodedRows:
    """Return a table of queries as codes, and as it was given where models want it so."""
    return CodedRows(batch.view.codes, fitted.models.given_rows(table), fitted.models.given_columns)


def predict_around(
    fitted: FittedAttention, queries: CodedRows, own: np.ndarray, columns: np.ndarray, run: Run, *, joint: bool
) -> Around:
    """Return predictions around queries in which some columns move; with ``joint`` several of them at once too."""
    moves, codes = moves_of(fitted), queries.codes
    compared = moves.compare(codes)
    n_query, n_columns = codes.shape
    n_values = own.shape[1]
    below, above = (np.repeat(own[:, None], n_columns, axis=1) for _ in range(2))
    goals = fitted.models.train_codes() if joint else np.empty((0, n_columns))
    rows = moves.towards(codes, compared, goals, columns) if joint else np.empty((n_query, 0, n_columns))
    joint_values = np.empty((*rows.shape[:2], n_values))
    step = max(1, MOST_CELLS // max(1, n_columns * (2 * columns.size + rows.shape[1])))
    for start in range(0, n_query, step):
        part = slice(start, start + step)
        some = queries.take(part)
        singles, query, column, side = _single_moves(some.codes, compared.take(part), columns)
        moved = np.concatenate([singles, rows[part].reshape(-1, n_columns)])
        source = np.concatenate([query, np.repeat(np.arange(len(some.codes)), rows.shape[1])])
        values = values_near(fitted, some, moved, source, run)
        for end, predicted in enumerate((below, above)):
            chosen = side == end
            predicted[start + query[chosen], column[chosen]] = values[: side.size][chosen]
        joint_values[part] = values[side.size :].reshape(joint_values[part].shape)
    return Around(compared, own, below, above, rows, joint_values)


def _single_moves(
    codes: np.ndarray, compared: Compared, columns: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return rows with one column moved that differ from their query, and its place, the column and the side (0, 1)."""
    ends = np.stack([compared.below, compared.above], axis=2)[:, columns]
    own = codes[:, columns, None]
    moves = (ends != own) & ~(np.isnan(ends) & np.isnan(own)) & (compared.distance[:, columns, None] > 0)
    query, at, side = np.nonzero(moves)
    moved = codes[query]
    moved[np.arange(query.size), columns[at]] = ends[query, at, side]
    return moved, query, columns[at], side


def values_near(
    fitted: FittedAttention, queries: CodedRows, moved: np.ndarray, source: np.ndarray, run: Run
) -> np.ndarray:
    """Return what is predicted of rows of codes (n_moved, n_columns), each near the query that ``source`` names."""
    given, columns = queries.given, queries.columns
    if isinstance(given, pd.DataFrame):
        # cells of the types that the queries were given in
        cells = fitted.rows.reader.decode(moved, columns, pd.RangeIndex(len(moved))).set_axis(given.columns, axis=1)
        levels = {name: dtype for name, dtype in given.dtypes.items() if isinstance(dtype, pd.CategoricalDtype)}
        given = cells.astype(levels)
    elif given is not None:
        given = moved[:, columns]
    return fitted.predict_near(queries, CodedRows(moved, given, columns), source, run._replace(verbose=0))


def link_effects(fitted: FittedAttention, around: Around) -> np.ndarray:
    """Return the effects of columns on the linear predictors (n_query, n_outputs, n_columns)."""
    above, below = (fitted.problem.family.link_of(values) for values in (around.above, around.below))
    return per_unit(above - below, around.compared)


def per_unit(change: np.ndarray, compared: Compared) -> np.ndarray:
    """Return changes (n_query, n_columns, n_outputs) per unit of what was compared, outputs before columns."""
    return (change / np.where(compared.distance > 0, compared.distance, 1.0)[..., None]).swapaxes(1, 2) + 0.0
