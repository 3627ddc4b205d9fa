"""Predictions of one query with other values of a column."""

from typing import Any

import numpy as np
import pandas as pd

from heedful.explain import Cells, Explanation, find_output, find_query, is_measured, read_cells
from heedful.plot._axes import finish, get_axes
from heedful.plot._docs import fill_docstring
from heedful.plot._labels import draw_legend, shorten
from heedful.plot._points import frame_levels, level_names, place_numbers
from heedful.plot._read import check_explanation, find_column
from heedful.plot._style import INK, NEUTRAL, PALE, series_colour

# Values along the axis, queries that the mean is of, and training rows that are drawn at most.
N_VALUES, MOST_QUERIES, MOST_ROWS = 20, 30, 200


@fill_docstring("``plot`` of the query's line, such as ``color``")
def what_if(
    explanation: Explanation, query: Any, column: Any, *, output: Any = None, ax: Any = None, **style: Any
) -> Any:
    """Draw the prediction of one query against values of a column.

    The line is the prediction of this query with all other columns unchanged; the ringed point is at its own value. The
    grey line is the mean over up to 30 queries, evenly spaced in the table. Ticks at the bottom are up to 200 training
    rows: where there are none, the model extrapolates. Levels of a category are points side by side.

    Parameters
    ----------
    {explanation}
    {query}
    {column}
    {output}
    {axes}

    Examples
    --------
    {explained}
    >>> ax = plot.what_if(e, 0, "x0")
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('x0', 'prediction')
    """
    row = find_query(check_explanation(explanation), query)
    place = find_column(explanation, column)
    output = find_output(explanation, row, output)
    asked = _predict(explanation, row, column, output)
    cells = _read_values(explanation.values.iloc[:, place], asked["value"])
    names = level_names(cells.levels, bool(cells.missing.any()))
    ax = get_axes(ax)
    if names:
        frame_levels(ax, names, np.arange(len(names), 0, -1), missing=False)
        x = np.where(np.isnan(cells.place), len(names) - 1, cells.place)
    else:
        x = place_numbers(ax, cells)
        _draw_rug(ax, explanation, place)
    mean = _mean(asked, cells.place)
    line = asked[["height", "own"]].assign(x=x, missing=cells.missing)[asked["query"] == row]
    _draw_line(ax, line, mean, levels=bool(names), style=style)
    # room for the strokes of training rows
    ax.margins(y=0.1)
    what = explanation.words.prediction if explanation.words is not None else "prediction"
    label = shorten(what, 40) if output is None else f"{what} of class {shorten(output, 20)}"
    return finish(ax, shorten(column, 60), label)


def _predict(explanation: Explanation, row: int, column: Any, output: Any) -> pd.DataFrame:
    """Return predictions of the query and of some others at values of a column; "counts" says who is in the mean."""
    n_query = len(explanation.index)
    others = np.unique(np.linspace(0, n_query - 1, min(n_query, MOST_QUERIES)).round().astype(np.int64))
    table = explanation.what_if([column], n_values=N_VALUES, queries=np.union1d(others, row))
    # cells of others that are missing have no place
    table = table[(table["query"] == row) | table["value"].notna()].reset_index(drop=True)
    height = table["prediction" if output is None else output]
    return table[["query", "value", "own"]].assign(height=height, counts=table["query"].isin(others))


def _read_values(column: pd.Series, values: pd.Series) -> Cells:
    """Return places of values that a column might have: as numbers or dates if it has these, else by level."""
    plain = column.astype(object).infer_objects() if column.dtype == object else column
    if pd.api.types.is_bool_dtype(plain):
        values = values.map(lambda value: bool(value) if pd.notna(value) else None)
    elif is_measured(plain):
        return read_cells(values.infer_objects(), 0)
    levels = values.dropna().unique().tolist()
    place = values.map({level: at for at, level in enumerate(levels)}).to_numpy(dtype=np.float64)
    texts = read_cells(pd.Series(pd.Categorical(levels)), len(levels)).levels if levels else []
    return Cells(place, values.isna().to_numpy(), texts, len(levels))


def _mean(asked: pd.DataFrame, places: np.ndarray) -> pd.Series:
    """Return the mean height at each place where all of several queries have one; empty for a single query."""
    part = asked.assign(place=places)[asked["counts"].to_numpy()]
    by_place = part.groupby("place")["height"].agg(["mean", "size"])
    n_query = part["query"].nunique()
    return by_place["mean"][by_place["size"] == n_query] if n_query > 1 else by_place["mean"][:0]


def _draw_line(ax: Any, line: pd.DataFrame, mean: pd.Series, *, levels: bool, style: dict[str, Any]) -> None:
    """Draw the query over the mean of some; points that are levels, or missing, are not joined."""
    look = {"color": series_colour(1), "linewidth": 1.3, **style}
    if len(mean):
        how = {"linestyle": "none", "marker": "_", "markersize": 12} if levels else {"linewidth": 1.3}
        ax.plot(mean.index, mean, color=PALE, zorder=0, label="mean", **how)
    joined = line[~line["missing"] & (not levels)]
    ax.plot(joined["x"], joined["height"], **({"marker": "o", "markersize": 2.2} | look))
    if levels:
        ax.plot(line["x"], line["height"], **({"markersize": 4} | look | {"linestyle": "none", "marker": "o"}))
    own, ring = line[line["own"]], {"marker": "o", "markersize": 6.5, "markerfacecolor": "none"}
    ax.plot(own["x"], own["height"], linestyle="none", color=INK, label="this query", **ring)
    draw_legend(ax)


def _draw_rug(ax: Any, explanation: Explanation, place: int) -> None:
    """Draw a stroke at the foot of the axes for each training row, or for evenly spaced ones in order."""
    if explanation.train_values is None:
        return
    known = np.sort(read_cells(explanation.train_values.iloc[:, place], 0).place)
    known = known[np.isfinite(known)]
    if known.size > MOST_ROWS:
        known = known[np.linspace(0, known.size - 1, MOST_ROWS).round().astype(np.int64)]
    look = {"color": NEUTRAL, "markersize": 4, "markeredgewidth": 0.4, "alpha": 0.6}
    ax.plot(known, np.full(known.size, 0.015), "|", transform=ax.get_xaxis_transform(), **look)
