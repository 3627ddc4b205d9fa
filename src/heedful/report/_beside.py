"""Queries side by side with the rows that they attended to, the columns that made them alike first."""

from typing import Any

import numpy as np
import pandas as pd

from heedful.explain import Explanation, say_cell
from heedful.explain._rows import compare_columns, top_of
from heedful.report._compact import counts, numbers, text

# Columns and rows shown per query; cells of attention at once; cells compared and cells shown at most.
N_COLUMNS, N_ROWS, BLOCK, MOST_COMPARED, MOST_CELLS = 8, 4, 2_000_000, 1_000_000_000, 150_000


def beside(explanation: Explanation) -> dict[str, Any] | None:
    """Return per query the columns in which it is most like its rows, and the cells of both.

    None if there are no such rows, if the cells of the training rows are not known, or if there are so many that
    comparing them would take long.
    """
    rows, n_query = explanation.train_values, len(explanation.index)
    if explanation.alone or rows is None or n_query * len(rows) * rows.shape[1] > MOST_COMPARED:
        return None
    k = min(N_COLUMNS, rows.shape[1], max(MOST_CELLS // (n_query * 2), 2))
    found = pd.concat([_compare(explanation, rows, block, k) for block in _blocks(n_query, len(rows))])
    chosen = np.array([top_of(explanation.attention, q, min(N_ROWS, len(rows)))[0] for q in range(n_query)])
    kept, place = np.unique(chosen, return_inverse=True)
    columns = explanation.values.columns
    used = np.unique(columns.get_indexer(found["feature"]))
    return {
        "k": k,
        "n_rows": chosen.shape[1],
        "row": counts(place),
        "column": counts(columns.get_indexer(found["feature"])),
        "value": [_say(value) for value in found["value"]],
        "attended": [_say(value) for value in found["attended"]],
        "alike": numbers(found["alike"], 2),
        "all": _usual(found, columns),
        "cells": {str(j): [_say(value) for value in rows.iloc[kept, j]] for j in used},
    }


def _blocks(n_query: int, n_train: int) -> list[np.ndarray]:
    """Return queries in blocks that keep attention to all rows small."""
    return np.array_split(np.arange(n_query), max(1, min(n_query, n_query * n_train // BLOCK)))


def _compare(explanation: Explanation, rows: pd.DataFrame, block: np.ndarray, k: int) -> pd.DataFrame:
    """Return the first columns of each query of a block; labels need not be unique."""
    attention, queries = explanation.attention, explanation.values.iloc[block].reset_index(drop=True)
    weight = np.stack([attention.row(q) for q in block])
    table = compare_columns(weight, attention.sample_weight, queries, rows)
    return table[table.index.get_level_values("rank") <= k]


def _usual(found: pd.DataFrame, columns: pd.Index) -> list[str | None]:
    """Return what is usual among all rows, by column; None for a column that is not shown."""
    each = found.drop_duplicates("feature").set_index("feature")["all"]
    return [_say(each[name]) if name in each.index else None for name in columns]


def _say(value: Any) -> str:
    return text(say_cell(value))
