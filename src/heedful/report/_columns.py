"""Contributions of columns: the largest ones of each prediction, and importances over all predictions."""

from typing import Any

import numpy as np
import pandas as pd

from heedful.explain import Explanation, format_cell, has_two_parts, rank_cells, read_cells
from heedful.report._compact import counts, evenly, numbers, text, texts

# How many columns are shown per query; fewer if there are very many queries and classes.
N_FEATURES, FEWEST_FEATURES, MOST_CELLS = 12, 3, 24_000
# Columns of the pictures of the whole model, points of each, and levels that are named.
N_COLUMNS, MOST_POINTS, MOST_LEVELS = 10, 300, 12
# Of the largest importance: less is rounding.
LEAST = 1e-9
MILLISECONDS_OF_DAY = 86_400_000


def collect_drivers(explanation: Explanation) -> dict[str, Any]:
    """Return per output and query the columns with the largest contributions, flat and by rank."""
    outputs = explanation.outputs or [None]
    room = MOST_CELLS // (len(explanation.index) * len(outputs))
    k = min(N_FEATURES, max(FEWEST_FEATURES, room), explanation.values.shape[1])
    parts = [_of_output(explanation, number, output, k) for number, output in enumerate(outputs)]
    rough = counts(np.flatnonzero(~explanation.contributions_checked))
    by_output = {name: [part[name] for part in parts] for name in parts[0]}
    return {"k": k, "names": texts(explanation.values.columns), "rough": rough, **by_output}


def _of_output(explanation: Explanation, number: int, output: Any, k: int) -> dict[str, list]:
    top, columns = explanation.top_features(k, output), explanation.values.columns
    total = explanation.contributions(output).to_numpy().sum(axis=1)
    base = float(np.atleast_1d(explanation.base_value)[number])
    shown = top["contribution"].to_numpy().reshape(len(explanation.index), k).sum(axis=1)
    more = [*(("attention", "model") if has_two_parts(explanation) else ()), "effect", "importance"]
    return {
        "feature": counts(columns.get_indexer(top["feature"])),
        "value": [text(format_cell(value)) for value in top["value"]],
        "part": numbers(top["contribution"], 4),
        **{name: numbers(top[name], 4) for name in more if name in top},
        "rest": numbers(total - shown, 4),
        "start": numbers(np.full(len(total), base)),
        "link": numbers(base + total),
    }


def collect_whole(explanation: Explanation) -> dict[str, Any]:
    """Return importances for the most probable class and for each class, and points of the most important columns."""
    options = [None, *(explanation.outputs or [])]
    tables = [explanation.importance(output) for output in options]
    if not has_two_parts(explanation):
        tables = [table[["contribution"]] for table in tables]
    mean = pd.concat([table["contribution"] for table in tables], axis=1).mean(axis=1)
    mean = mean[mean > LEAST * mean.max()].sort_values(ascending=False, kind="stable")
    kept = evenly(len(explanation.index), MOST_POINTS)
    places = explanation.values.columns.get_indexer(mean.index[:N_COLUMNS])
    added = [explanation.contributions(output).to_numpy()[kept][:, places] for output in options]
    return {
        "bars": [_bars(explanation, table) for table in tables],
        "query": counts(kept),
        "columns": [_column(explanation.values.iloc[:, place], kept) for place in places],
        "added": [[numbers(column, 3) for column in part.T] for part in added],
    }


def _bars(explanation: Explanation, table: pd.DataFrame) -> dict[str, Any]:
    """Return the largest importances by the place of their column, and the sum of the others."""
    there = int((table["contribution"] > LEAST * table["contribution"].max()).sum())
    n_shown = min(there, N_COLUMNS)
    top, rest = table.iloc[:n_shown], table.iloc[n_shown:].sum()
    return {
        "column": counts(explanation.values.columns.get_indexer(top.index)),
        "n_others": len(table) - len(top),
        **{name: numbers([*top[name], rest[name]], 3) for name in table},
    }


def _column(column: pd.Series, kept: np.ndarray) -> dict[str, Any]:
    """Return the values of a column: numbers, milliseconds of dates, or numbers of levels; and their ranks."""
    cells = read_cells(column, MOST_LEVELS)
    place = cells.place[kept] * (MILLISECONDS_OF_DAY if cells.dates else 1)
    return {
        "name": text(column.name),
        "levels": texts(cells.levels),
        "n_levels": cells.n_levels,
        "dates": cells.dates,
        "place": numbers(place, 12 if cells.dates else 4),
        "missing": counts(np.flatnonzero(cells.missing[kept])),
        "rank": numbers(rank_cells(cells)[kept], 2),
    }
