"""The training rows that queries are compared with: the largest weights, and how similar they are."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from heedful.explain import Explanation, are_equal, compare_columns, format_cell, top_of
from heedful.report._compact import counts, numbers, table, text

# Rows listed per query; columns and rows compared per query.
N_ATTENDED, N_COLUMNS, N_ROWS = 8, 8, 4
# Cells of attention at once; cells compared and cells shown at most.
BLOCK, MOST_COMPARED, MOST_CELLS = 2_000_000, 1_000_000_000, 150_000


def collect_attended(explanation: Explanation) -> dict[str, Any]:
    """Return the training rows with the largest weights per query, and the responses of those rows."""
    # positions instead of labels: labels need not be unique
    numbered = replace(explanation, train=explanation.train.reset_index(drop=True))
    k = 0 if explanation.alone else min(N_ATTENDED, len(explanation.train))
    top = numbered.top_rows(max(k, 1))
    kept, row = np.unique(top["row"].to_numpy(dtype=np.int64), return_inverse=True)
    return {
        "k": k,
        "row": counts(row),
        "weight": numbers(top["weight"], 3),
        "equal": [bool(same) for same in are_equal(explanation.attention)],
        "train": table(explanation.train.iloc[kept]),
    }


def collect_compared(explanation: Explanation) -> dict[str, Any] | None:
    """Return per query the columns in which it is most like its rows, and the cells of both.

    None if there are no such rows, if the cells of the training rows are not known, or if there are so many that
    comparing them would take long.
    """
    rows, n_query = explanation.train_values, len(explanation.index)
    if explanation.alone or rows is None or n_query * len(rows) * rows.shape[1] > MOST_COMPARED:
        return None
    k = min(N_COLUMNS, rows.shape[1], max(MOST_CELLS // (n_query * 2), 2))
    # blocks of queries keep attention to all rows small
    n_blocks = max(1, min(n_query, n_query * len(rows) // BLOCK))
    blocks = np.array_split(np.arange(n_query), n_blocks)
    alike = pd.concat([_compare(explanation, rows, block, k) for block in blocks])
    chosen = np.array([top_of(explanation.attention, q, min(N_ROWS, len(rows)))[0] for q in range(n_query)])
    kept, place = np.unique(chosen, return_inverse=True)
    columns = explanation.values.columns
    column = columns.get_indexer(alike["feature"])
    over_all = dict(zip(column, alike["all"], strict=True))
    return {
        "k": k,
        "n_rows": chosen.shape[1],
        "row": counts(place),
        "column": counts(column),
        "value": _cells(alike["value"]),
        "attended": _cells(alike["attended"]),
        "alike": numbers(alike["alike"], 2),
        "all": [text(format_cell(over_all[j])) if j in over_all else None for j in range(len(columns))],
        "cells": {str(j): _cells(rows.iloc[kept, j]) for j in np.unique(column)},
    }


def _compare(explanation: Explanation, rows: pd.DataFrame, block: np.ndarray, k: int) -> pd.DataFrame:
    """Return the first columns of each query of a block; labels need not be unique."""
    attention, queries = explanation.attention, explanation.values.iloc[block].reset_index(drop=True)
    weight = np.stack([attention.row(q) for q in block])
    compared = compare_columns(weight, attention.sample_weight, queries, rows)
    return compared[compared.index.get_level_values("rank") <= k]


def _cells(values: pd.Series) -> list[str]:
    return [text(format_cell(value)) for value in values]
