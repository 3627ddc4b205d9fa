"""What would be predicted of queries if one of their columns had other values."""

from typing import Any

import numpy as np
import pandas as pd

from heedful._explaining.around import values_near
from heedful._explaining.model import FittedModel
from heedful._explaining.moves import moves_of
from heedful._flow import Run

# Cells of moved rows that are held at a time.
MOST_CELLS = 4_000_000


class WhatIf:
    """Queries that can be asked about again with other values."""

    def __init__(self, fitted: FittedModel, codes: np.ndarray, given: Any, offset: np.ndarray | None, run: Run):
        self.fitted, self.codes, self.given, self.offset, self.run = fitted, codes, given, offset, run

    def __call__(self, explanation: Any, columns: Any, n_values: int, queries: Any = None) -> pd.DataFrame:
        """Return predictions of queries at values of columns; None takes those of each small model.

        ``queries`` are positions; None takes all of them.
        """
        fitted, codes = self.fitted, self.codes
        names = fitted.rows.reader.names
        asked = self._asked(explanation, columns)
        if queries is not None:
            asked = asked & np.isin(np.arange(len(codes)), queries)[:, None]
        grids = {
            j: moves_of(fitted).grid(fitted.rows.codes, fitted.rows.weight, j, n_values)
            for j in np.flatnonzero(asked.any(axis=0)).tolist()
        }
        pairs = np.argwhere(asked)
        values = [np.unique(np.append(grids[j], codes[q, j])) for q, j in pairs]
        query, column = np.repeat(pairs, [part.size for part in values], axis=0).T
        value = np.concatenate(values) if values else np.empty(0)
        own = codes[query, column]
        known = (value == own) | (np.isnan(value) & np.isnan(own))
        table = {"query": query, "feature": np.array(names, dtype=object)[column], "value": self._cells(column, value)}
        found = np.asarray(explanation.prediction, dtype=np.float64).reshape(len(codes), -1)[query]
        found[~known] = self._predict(query[~known], column[~known], value[~known])[:, -found.shape[1] :]
        predicted = {"prediction": found[:, -1]}
        if fitted.response.outputs is not None:
            predicted = dict(zip(fitted.response.outputs, found.T, strict=True))
        usual = np.array([part in grids[j] for j, part in zip(column, value, strict=True)], dtype=bool)
        return pd.DataFrame(table | predicted | {"own": known, "usual": usual})

    def _asked(self, explanation: Any, columns: Any) -> np.ndarray:
        """Return which columns of each query are asked about."""
        names = self.fitted.rows.reader.names
        if columns is None:
            return (explanation.coef.to_numpy().reshape(len(self.codes), -1, len(names)) != 0).any(axis=1)
        columns = [columns] if isinstance(columns, str) or not hasattr(columns, "__iter__") else list(columns)
        for column in columns:
            if str(column) not in names:
                raise ValueError(f"`columns` names {column!r}, which is not a column of the table. It has {names}.")
        return np.broadcast_to(np.isin(names, [str(column) for column in columns]), self.codes.shape)

    def _cells(self, column: np.ndarray, value: np.ndarray) -> np.ndarray:
        """Return values as cells of their columns."""
        reader, cells = self.fitted.rows.reader, np.empty(value.size, dtype=object)
        for j in np.unique(column):
            codes = np.full((int((column == j).sum()), len(reader.names)), np.nan)
            codes[:, j] = value[column == j]
            cells[column == j] = reader.decode(codes, np.array([j]), pd.RangeIndex(len(codes))).iloc[:, 0].to_list()
        return cells

    def _predict(self, query: np.ndarray, column: np.ndarray, value: np.ndarray) -> np.ndarray:
        found, step = [], max(1, MOST_CELLS // self.codes.shape[1])
        for start in range(0, max(query.size, 1), step):
            part = slice(start, start + step)
            moved = self.codes[query[part]]
            moved[np.arange(len(moved)), column[part]] = value[part]
            values = values_near(self.fitted, self.codes, moved, query[part], self.given, self.run)
            offset = None if self.offset is None else self.offset[query[part]]
            found.append(self.fitted.response.expected(values, offset))
        return np.concatenate(found)
