"""Rows of a table: some of them, equal ones found, and frames as arrays to be saved."""

from typing import Any

import numpy as np
import pandas as pd


def take(table: Any, rows: Any) -> Any:
    """Return some rows of an array or a frame."""
    return table.iloc[rows] if isinstance(table, pd.DataFrame) else table[rows]


def merge_rows(codes: np.ndarray, y: np.ndarray, fold: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Find equal rows: same codes, response and fold pattern.

    ``y`` may have several columns. Returns the first position of each distinct row of positive weight, in an order
    that depends on the rows only, and for every input row the number of its distinct row (-1 for weight 0). A row of
    weight 2 and the same row twice then give one and the same fit, in whatever order they come.
    """
    used = np.flatnonzero(weight > 0)
    keys = np.column_stack([codes[used], fold[used], y[used]])
    order = used[np.lexsort(keys.T)]
    ordered = np.column_stack([codes[order], fold[order], y[order]])
    same = ((ordered[1:] == ordered[:-1]) | (np.isnan(ordered[1:]) & np.isnan(ordered[:-1]))).all(axis=1)
    number = np.concatenate([[0], np.cumsum(~same)])
    inverse = np.full(weight.size, -1, dtype=np.int64)
    inverse[order] = number
    return order[np.concatenate([[True], ~same])], inverse


def sort_rows(codes: np.ndarray, y: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the positions of rows of positive weight, in an order that depends on the rows only, and their places.

    Equal rows stay rows of their own: of many rows with few distinct cells, each can be left out alone. A row of weight
    0 has the place -1.
    """
    used = np.flatnonzero(weight > 0)
    order = used[np.lexsort(np.column_stack([codes[used], y[used], weight[used]]).T)]
    place = np.full(weight.size, -1, dtype=np.int64)
    place[order] = np.arange(order.size)
    return order, place


def freeze(frame: pd.DataFrame) -> tuple:
    """Return a frame as arrays, with the levels of categorical columns."""
    columns = []
    for name in frame:
        column = frame[name]
        levels = column.cat.categories.to_numpy() if isinstance(column.dtype, pd.CategoricalDtype) else None
        ordered = levels is not None and bool(column.cat.ordered)
        columns.append((name, column.to_numpy(), levels, ordered))
    return np.asarray(frame.index), columns


def thaw(frozen: Any) -> Any:
    """Return the frame of its arrays; anything else as it is."""
    if not isinstance(frozen, tuple):
        return frozen
    index, columns = frozen
    restored = {
        name: values if levels is None else pd.Categorical(values, categories=levels, ordered=ordered)
        for name, values, levels, ordered in columns
    }
    return pd.DataFrame(restored, index)
