"""The training rows that queries are compared with: the largest weights, and how similar they are."""

from collections.abc import Collection
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from heedful.explain._cells import is_measured, read_cells

# What is shown of each attended row: these names are never those of cells or responses.
OWN = ("query", "rank", "row", "weight")
# Digits to which weights differ beside the largest one, and to which columns are alike; what is surely more than
# another weight; and by how much effective rows are fewer than all if weights are not equal.
DIGITS, MORE, EQUAL = 10, 1.0 + 1e-6, 1e-9
# Cells of numbers that are compared at a time.
MOST_CELLS = 65_536
NO_ROWS = "no rows: the global model predicts alone"


def top_of(attention: Any, query: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows with the largest weights, stored or not; equal ones, but for rounding, in their own order."""
    stored = slice(*attention.weights.indptr[query : query + 2])
    rows, weights = attention.weights.indices[stored], attention.weights.data[stored]
    if np.count_nonzero(weights > MORE * attention.background[query] * attention.sample_weight.max()) < k:
        # rows that are not stored may have larger weights than stored ones
        weights = attention.row(query)
        rows = np.arange(weights.size)
    order = np.lexsort((rows, -np.round(weights / weights.max(initial=1e-300), DIGITS)))[:k]
    return rows[order], weights[order]


def are_equal(attention: Any) -> np.ndarray:
    """Return whether all training rows have the same weight for a query, but for their sample weights."""
    weight = attention.sample_weight
    every = weight.sum() ** 2 / (weight**2).sum()
    # the spread of weights is the second order of this difference
    return np.abs(attention.n_eff / every - 1.0) < EQUAL


def rank_queries(index: pd.Index, ranks: range) -> pd.MultiIndex:
    return pd.MultiIndex.from_product([index, ranks], names=["query", "rank"])


def rename_taken(table: pd.DataFrame, what: str, taken: Collection) -> pd.DataFrame:
    """Return a table whose columns of names already taken say what they are: "weight" becomes "weight (column)"."""
    names = list(table)
    for j, name in enumerate(names):
        while name in taken or name in chain(names[:j], names[j + 1 :]):
            name = f"{name} ({what})"
        names[j] = name
    return table.set_axis(names, axis=1)


def list_rows(attention: Any, index: pd.Index, train: pd.DataFrame, k: int) -> pd.DataFrame:
    """Return label, weight and response of the rows that each query attended to most."""
    rows, weights = zip(*(top_of(attention, q, k) for q in range(len(index))), strict=True)
    response = rename_taken(train.iloc[np.concatenate(rows)], "response", OWN)
    ranks = rank_queries(index, range(1, k + 1))
    table = pd.DataFrame({"row": response.index, "weight": np.concatenate(weights)}, ranks)
    return pd.concat([table, response.set_axis(table.index)], axis=1)


def list_cells(
    attention: Any, queries: pd.DataFrame, rows: pd.DataFrame, response: pd.DataFrame | None, k: int
) -> pd.DataFrame:
    """Return each query at rank 0 and below it the rows it attended to most, cell by cell."""
    queries, rows = (rename_taken(table, "column", OWN) for table in (queries, rows))
    if response is not None:
        response = rename_taken(response, "response", [*OWN, *queries])
    parts = []
    for q in range(len(queries)):
        chosen, weights = top_of(attention, q, k)
        table = pd.concat([queries.iloc[[q]], rows.iloc[chosen]])
        if response is not None:
            unknown = pd.DataFrame(np.nan, table.index[:1], response.columns)
            table = pd.concat([pd.concat([unknown, response.iloc[chosen]]).set_axis(table.index), table], axis=1)
        table.insert(0, "weight", np.append(np.nan, weights))
        table.insert(0, "row", table.index)
        parts.append(table)
    return pd.concat(parts).set_axis(rank_queries(queries.index, range(k + 1)))


def compare_columns(weight: np.ndarray, prior: np.ndarray, queries: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """Return how the weighted rows of each query differ from all rows, by query and column, the most similar first.

    Of numbers ``attended`` and ``all`` are means, and ``alike`` is by how much nearer to the query the attended rows
    are, on the mean: 1 if they all have its value, 0 if they are as far from it as all rows. Of other columns these
    are the most frequent cells, and ``alike`` says how much more often the query's own is among the attended rows.
    ``weight`` (n_query, n_rows) is the attention, ``prior`` (n_rows,) the sample weight of each row.
    """
    everyone, weight = prior / prior.sum(), np.asfortranarray(weight)
    names, n_query = queries.columns, len(queries)
    measured = [is_measured(rows[name]) for name in names]
    numbers, others = names[measured], names[np.logical_not(measured)]
    found = {name: _compare_cells(queries[name], rows[name], weight, everyone) for name in others}
    step = max(1, MOST_CELLS // len(rows))
    for some in (numbers[start : start + step] for start in range(0, len(numbers), step)):
        found |= zip(some, _compare_numbers(queries[some], rows[some], weight, everyone), strict=True)
    parts = [_ends(queries[name], *found[name]) for name in names]
    # one table in the end: a table for each of thousands of columns takes seconds
    known = {"query": queries.index.take(np.tile(np.arange(n_query), names.size)), "feature": names.repeat(n_query)}
    table = pd.DataFrame(known | {key: np.concatenate([part[key] for part in parts]) for key in parts[0]})
    order = table.assign(place=queries.index.get_indexer(table["query"]), away=-table["alike"].round(DIGITS))
    table = table.loc[order.sort_values(["place", "away"], kind="stable").index]
    rank = table.groupby("query", sort=False).cumcount() + 1
    return table.assign(rank=rank).set_index(["query", "rank"])[["feature", "value", "attended", "all", "alike"]]


def _ends(query: pd.Series, alike: np.ndarray, means: list) -> dict[str, np.ndarray]:
    """Return the cells of a column, and what is typical of weighted rows and of all, the last of ``means``."""
    typical = pd.Series(means, dtype=object).to_numpy()
    ends = {"attended": typical[:-1], "all": typical[-1:].repeat(len(query))}
    return {"value": query.astype(object).to_numpy()} | ends | {"alike": alike}


def _compare_numbers(
    queries: pd.DataFrame, rows: pd.DataFrame, weight: np.ndarray, everyone: np.ndarray
) -> list[tuple[np.ndarray, list]]:
    """Return of each column by how much nearer weighted rows are than all rows, and the mean of those and of all."""
    own = np.column_stack([_measure(queries[name], rows[name]) for name in rows])
    others = np.column_stack([read_cells(rows[name], 1).place for name in rows])
    alike = _less(*_distances(own, others, weight, everyone))
    there = ~np.isnan(others)
    total, sums = (
        np.vstack([weight @ cells, everyone @ cells]) for cells in (1.0 * there, np.where(there, others, 0.0))
    )
    means = np.where(total > 0, sums / np.where(total > 0, total, 1.0), np.nan)
    return [(alike[:, j], _as_cells(means[:, j], rows[name])) for j, name in enumerate(rows)]


def _as_cells(means: np.ndarray, rows: pd.Series) -> list:
    """Return means of numbers, dates or durations (both in days) as what they are means of."""
    if pd.api.types.is_datetime64_any_dtype(rows):
        # the mean of equal dates may be less than these, by rounding
        return list(pd.to_datetime(means, unit="D").round("s").floor("D"))
    return list(pd.to_timedelta(means, unit="D") if pd.api.types.is_timedelta64_dtype(rows) else means)


def _compare_cells(
    query: pd.Series, rows: pd.Series, weight: np.ndarray, everyone: np.ndarray
) -> tuple[np.ndarray, list]:
    """Return how much more often a query's own cell is among weighted rows, and the most frequent of those and of all.

    Missing cells are equal.
    """
    both = pd.concat([rows.astype(object), query.astype(object)])
    codes, levels = pd.factorize(both, use_na_sentinel=False)
    known, own = codes[: len(rows)], codes[len(rows) :]
    levels_of_rows = sparse.csr_array((np.ones(known.size), (known, np.arange(known.size))), (len(levels), known.size))
    share = (levels_of_rows @ weight.T).T
    share_of_all = levels_of_rows @ everyone
    near, far = share[np.arange(own.size), own], share_of_all[own]
    most = np.append(share.argmax(axis=1), share_of_all.argmax())
    return _less(1 - near, 1 - far), levels.take(most).to_list()


def _less(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Return by which part of the whole something is less; 0 of nothing."""
    return np.where(whole > 0, 1 - part / np.where(whole > 0, whole, 1.0), 0.0)


def _distances(
    own: np.ndarray, others: np.ndarray, weight: np.ndarray, everyone: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return mean distances of queries, column by column (n_query, n_columns), from weighted rows and from all.

    A missing number is as far from a known one as the range is wide.
    """
    near, far = np.empty(own.shape), np.empty(own.shape)
    gone, whole = np.isnan(others), not (np.isnan(own).any() or np.isnan(others).any())
    wide = np.where(gone.all(axis=0), 1.0, np.fmax.reduce(others) - np.fmin.reduce(others))
    # one query at a time: its distances from all rows stay near at hand
    for q in range(len(own)):
        away = np.abs(others - own[q])
        if not whole:
            away = np.where(np.isnan(away), np.where(gone & np.isnan(own[q]), 0.0, wide), away)
        near[q], far[q] = weight[q] @ away, everyone @ away
    return near, far


def _measure(query: pd.Series, rows: pd.Series) -> np.ndarray:
    """Return the cells of queries as numbers, read like those of the rows."""
    if not is_measured(query):
        kinds = pd.api.types
        if kinds.is_datetime64_any_dtype(rows):
            query = pd.to_datetime(query.astype(str), errors="coerce", utc=True)
        else:
            query = (pd.to_timedelta if kinds.is_timedelta64_dtype(rows) else pd.to_numeric)(query, errors="coerce")
    return read_cells(query, 1).place
