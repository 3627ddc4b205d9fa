"""What would be predicted of queries if one of their columns had other values."""

from typing import Any

import numpy as np
import pandas as pd

from heedful._explaining.around import values_near
from heedful._explaining.moves import moves_of
from heedful._flow import CodedRows, FittedAttention, Run

# Cells of moved rows that are held at a time.
MOST_CELLS = 4_000_000


def what_if(
    fitted: FittedAttention,
    queries: CodedRows,
    offset: np.ndarray | None,
    run: Run,
    explanation: Any,
    columns: Any,
    n_values: int,
    positions: np.ndarray | None = None,
) -> pd.DataFrame:
    """Return predictions of queries at values of columns; None takes those of each small model.

    ``positions`` are those of the queries to ask about; None takes all of them.
    """
    codes = queries.codes
    names = fitted.rows.reader.names
    asked = _asked(fitted, explanation, columns, codes.shape)
    if positions is not None:
        asked = asked & np.isin(np.arange(len(codes)), positions)[:, None]
    grids = {
        j: moves_of(fitted).grid(fitted.rows.codes, fitted.rows.weight, j, n_values)
        for j in np.flatnonzero(asked.any(axis=0)).tolist()
    }
    pairs = np.argwhere(asked)
    parts = [np.unique(np.append(grids[j], codes[q, j])) for q, j in pairs]
    query, column = np.repeat(pairs, [part.size for part in parts], axis=0).T
    value = np.concatenate(parts) if parts else np.empty(0)
    own = codes[query, column]
    known = (value == own) | (np.isnan(value) & np.isnan(own))
    table = {"query": query, "feature": np.array(names, dtype=object)[column], "value": _cells(fitted, column, value)}
    values = np.asarray(explanation.prediction, dtype=np.float64).reshape(len(codes), -1)[query]
    rows, step = np.flatnonzero(~known), max(1, MOST_CELLS // codes.shape[1])
    for start in range(0, rows.size, step):
        part = rows[start : start + step]
        moved = codes[query[part]]
        moved[np.arange(part.size), column[part]] = value[part]
        near = values_near(fitted, queries, moved, query[part], run)
        expected = fitted.response.expected(near, None if offset is None else offset[query[part]])
        values[part] = expected[:, -values.shape[1] :]
    predicted = {"prediction": values[:, -1]}
    if fitted.response.outputs is not None:
        predicted = dict(zip(fitted.response.outputs, values.T, strict=True))
    usual = np.array([part in grids[j] for j, part in zip(column, value, strict=True)], dtype=bool)
    return pd.DataFrame(table | predicted | {"own": known, "usual": usual})


def _asked(fitted: FittedAttention, explanation: Any, columns: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Return which columns of each query are asked about."""
    names = fitted.rows.reader.names
    if columns is None:
        return (explanation.coef.to_numpy().reshape(shape[0], -1, len(names)) != 0).any(axis=1)
    columns = [columns] if isinstance(columns, str) or not hasattr(columns, "__iter__") else list(columns)
    for column in columns:
        if str(column) not in names:
            raise ValueError(f"`columns` names {column!r}, which is not a column of the table. It has {names}.")
    return np.broadcast_to(np.isin(names, [str(column) for column in columns]), shape)


def _cells(fitted: FittedAttention, column: np.ndarray, value: np.ndarray) -> np.ndarray:
    reader, cells = fitted.rows.reader, np.empty(value.size, dtype=object)
    for j in np.unique(column):
        codes = np.full((int((column == j).sum()), len(reader.names)), np.nan)
        codes[:, j] = value[column == j]
        cells[column == j] = reader.decode(codes, np.array([j]), pd.RangeIndex(len(codes))).iloc[:, 0].to_list()
    return cells
