"""The whole model: which columns matter, and what they add against their values."""

from typing import Any

import numpy as np
import pandas as pd

from heedful.explain import Explanation
from heedful.explain._cells import Cells, rank_cells, read_cells
from heedful.explain._columns import has_two_parts
from heedful.report._compact import counts, evenly, numbers, text, texts

# Columns of the pictures, points of each, and levels that are named.
N_COLUMNS, MOST_POINTS, MOST_LEVELS = 10, 300, 12
# Of the largest importance: less is rounding.
LEAST = 1e-9
MILLISECONDS_OF_DAY = 86_400_000


def whole(explanation: Explanation) -> dict[str, Any]:
    """Return importances for the likeliest class and for each class, and points of the most important columns."""
    options = [None, *(explanation.outputs or [])]
    tables = [explanation.importance(output) for output in options]
    if not has_two_parts(explanation):
        tables = [table[["contribution"]] for table in tables]
    mean = pd.concat([table["contribution"] for table in tables], axis=1).mean(axis=1)
    mean = mean[mean > LEAST * mean.max()].sort_values(ascending=False, kind="stable")
    shown = mean.index[:N_COLUMNS]
    kept = evenly(len(explanation.index), MOST_POINTS)
    places = explanation.values.columns.get_indexer(shown)
    added = [explanation.contributions(output).to_numpy()[kept][:, places] for output in options]
    return {
        "bars": [_bars(explanation, table) for table in tables],
        "query": counts(kept),
        "columns": [_column(explanation.values.iloc[:, place], kept) for place in places],
        "added": [[numbers(part[:, j], 3) for j in range(len(shown))] for part in added],
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
    cells: Cells = read_cells(column, MOST_LEVELS)
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
