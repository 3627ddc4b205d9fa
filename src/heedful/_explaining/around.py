"""What the model predicts of rows around queries: each column moved alone, and several at once."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from heedful._explaining.model import FittedModel
from heedful._explaining.moves import Compared, moves_of
from heedful._flow import CodedRows, Run

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


def look_around(
    fitted: FittedModel,
    codes: np.ndarray,
    given: Any,
    own: np.ndarray,
    columns: np.ndarray,
    run: Run,
    *,
    joint: bool,
) -> Around:
    """Return predictions around queries in which some columns move; with ``joint`` several of them at once too."""
    moves = moves_of(fitted)
    compared = moves.compare(codes)
    n_query, n_columns = codes.shape
    n_values = own.shape[1]
    below, above = (np.repeat(own[:, None], n_columns, axis=1) for _ in range(2))
    goals = fitted.models.train_codes() if joint else np.empty((0, n_columns))
    rows = moves.towards(codes, compared, goals, columns) if joint else np.empty((n_query, 0, n_columns))
    beside = np.empty((*rows.shape[:2], n_values))
    step = max(1, MOST_CELLS // (n_columns * (2 * columns.size + rows.shape[1])))
    for start in range(0, n_query, step):
        part = slice(start, min(start + step, n_query))
        singles = _single_moves(codes[part], compared.take(part), columns)
        moved = np.concatenate([singles.codes, rows[part].reshape(-1, n_columns)])
        again = np.repeat(np.arange(part.stop - part.start), rows.shape[1])
        source = np.concatenate([singles.query, again])
        values = values_near(fitted, codes[part], moved, source, take_given(given, part), run)
        for end, side in enumerate((below, above)):
            chosen = singles.side == end
            side[start + singles.query[chosen], singles.column[chosen]] = values[: singles.side.size][chosen]
        beside[part] = values[singles.side.size :].reshape(beside[part].shape)
    return Around(compared, own, below, above, rows, beside)


class _Singles(NamedTuple):
    """Rows with one column moved: their codes, and of each its query, column and side (0 below, 1 above)."""

    codes: np.ndarray
    query: np.ndarray
    column: np.ndarray
    side: np.ndarray


def _single_moves(codes: np.ndarray, compared: Compared, columns: np.ndarray) -> _Singles:
    """Return the rows that differ from their query; the others are known."""
    ends = np.stack([compared.below, compared.above], axis=2)[:, columns]
    own = codes[:, columns, None]
    moves = (ends != own) & ~(np.isnan(ends) & np.isnan(own)) & (compared.distance[:, columns, None] > 0)
    query, at, side = np.nonzero(moves)
    moved = codes[query]
    moved[np.arange(query.size), columns[at]] = ends[query, at, side]
    return _Singles(moved, query, columns[at], side)


def values_near(
    fitted: FittedModel, codes: np.ndarray, moved: np.ndarray, source: np.ndarray, given: Any, run: Run
) -> np.ndarray:
    """Return what is predicted of rows (n_moved, n_columns), each near the query that ``source`` names."""
    columns = fitted.models.given_columns
    rows = CodedRows(moved, _like_given(fitted, moved, given), columns)
    return fitted.predict_near(CodedRows(codes, given, columns), rows, source, run._replace(verbose=0))


def _like_given(fitted: FittedModel, moved: np.ndarray, given: Any) -> Any:
    """Return codes as the queries were given, where models want them so."""
    if not isinstance(given, pd.DataFrame):
        return None if given is None else moved[:, fitted.models.given_columns]
    reader = fitted.rows.reader
    cells = reader.decode(moved, fitted.models.given_columns, pd.RangeIndex(len(moved))).set_axis(given.columns, axis=1)
    levels = {name: dtype for name, dtype in given.dtypes.items() if isinstance(dtype, pd.CategoricalDtype)}
    return cells.astype(levels)


def take_given(given: Any, part: slice) -> Any:
    """Return some of the queries as they were given; None if models want codes only."""
    return given if given is None else given.iloc[part] if isinstance(given, pd.DataFrame) else given[part]


def link_effects(fitted: FittedModel, around: Around) -> np.ndarray:
    """Return the effects of columns on the linear predictors (n_query, n_outputs, n_columns)."""
    above, below = (fitted.problem.family.link_of(values) for values in (around.above, around.below))
    return per_unit(above - below, around.compared)


def per_unit(change: np.ndarray, compared: Compared) -> np.ndarray:
    """Return changes (n_query, n_columns, n_outputs) per unit of what was compared, outputs before columns."""
    return (change / np.where(compared.distance > 0, compared.distance, 1.0)[..., None]).swapaxes(1, 2) + 0.0
