"""Points along the values of one column, side by side where they would cover each other."""

from typing import Any

import numpy as np

from heedful._optional import import_optional
from heedful.explain import Cells
from heedful.plot._axes import draw_dashed, draw_zero, format_tick, get_axes, note_above, ticks_within
from heedful.plot._labels import name_levels, shorten, shorten_all

# Levels drawn at most, and the letters of their names.
MOST_LEVELS, LETTERS = 15, 18
# Of the width of the numbers: where missing cells stand beside them, and room at the ends.
ASIDE, ROOM, ROOM_ASIDE = 0.14, 0.03, 0.09


def draw_points(
    ax: Any, cells: Cells, heights: np.ndarray, look: dict[str, Any], *, apart: bool = False
) -> tuple[Any, np.ndarray]:
    """Draw a point for each query on new or given axes: numbers at their place, levels side by side.

    With ``apart`` no two points of a level are above each other. Returns the axes and the places, NaN for points that
    are not drawn.
    """
    names = level_names(cells.levels, bool(cells.missing.any()))
    ax = get_axes(ax)
    place = _place_levels(ax, cells, heights, names, apart) if names else place_numbers(ax, cells)
    drawn = np.isfinite(place)
    if isinstance(look["c"], list):
        look = {**look, "c": [colour for colour, there in zip(look["c"], drawn, strict=True) if there]}
    draw_zero(ax)
    ax.scatter(place[drawn], heights[drawn], **{"s": point_size(len(heights)), "linewidths": 0, **look})
    return ax, place


def point_size(n_points: int) -> float:
    """Return the area of a point, smaller if they are many."""
    return float(np.clip(2000 / max(n_points, 1), 3, 12))


def column_label(column: Any, n_drawn: int, n_levels: int) -> str:
    """Return the label of a column's axis; with how many of its levels are drawn if not all are."""
    return shorten(column, 60) + (f" ({n_drawn} of {n_levels} levels)" if n_drawn < n_levels else "")


def level_names(levels: list[str], missing: bool) -> list[str]:
    """Return short names of levels and, last, of missing cells; none for what has no levels."""
    return shorten_all(levels, LETTERS) + (["missing"] if levels and missing else [])


def frame_levels(ax: Any, names: list[str], priority: Any, missing: bool) -> None:
    """Make room for levels at the places 0, 1, ... and name them; missing cells are the last, behind a line."""
    if missing:
        draw_dashed(ax, len(names) - 1.5)
    ax.set_xlim(-0.6, len(names) - 0.4)
    name_levels(ax, names, priority)


def frame_numbers(ax: Any, low: float, high: float, missing: bool) -> float:
    """Set the range of a numeric axis and return the place of missing cells, at the right behind a line."""
    span = (high - low) or 1.0
    aside, end = high + ASIDE * span, high + ROOM * span
    if missing:
        draw_dashed(ax, 0.5 * (end + aside))
        note_above(ax, aside, "missing")
        end = aside + ROOM_ASIDE * span
    ax.set_xlim(low - ROOM * span, end)
    return aside


def place_numbers(ax: Any, cells: Cells) -> np.ndarray:
    """Return places of numbers or dates, those of missing cells apart at the right."""
    known = cells.place[np.isfinite(cells.place)]
    low, high = (known.min(), known.max()) if known.size else (0.0, 1.0)
    if cells.dates:
        dates: Any = import_optional("matplotlib.dates", "plot", "heedful.plot")
        ax.xaxis.set_major_locator(dates.AutoDateLocator(minticks=3, maxticks=7))
        ax.xaxis.set_major_formatter(dates.ConciseDateFormatter(ax.xaxis.get_major_locator()))
    else:
        ax.xaxis.set_major_locator(ticks_within(low, high))
        ax.xaxis.set_major_formatter(format_tick)
    aside = frame_numbers(ax, low, high, bool(cells.missing.any()))
    return np.where(cells.missing, aside, cells.place)


def _place_levels(ax: Any, cells: Cells, heights: np.ndarray, names: list[str], apart: bool) -> np.ndarray:
    """Name the levels below the axes and return places of points around those of their levels."""
    missing = bool(cells.missing.any())
    place = np.where(cells.missing, len(names) - 1, cells.place)
    for level in range(len(names)):
        here = place == level
        place[here] += _line_up(heights[here]) if apart else swarm(heights[here], 0.35)
    frame_levels(ax, names, np.arange(len(names), 0, -1), missing)
    return place


def _line_up(heights: np.ndarray) -> np.ndarray:
    """Return places around 0, in the order of heights and evenly apart."""
    place = np.empty(heights.size)
    place[np.argsort(heights, kind="stable")] = np.arange(heights.size) - (heights.size - 1) / 2
    return place * min(0.1, 0.7 / max(heights.size, 1))


def swarm(positions: Any, half: float, n_bins: int = 90) -> np.ndarray:
    """Return how far to move points sideways, at most ``half``, so that those at one place stand side by side."""
    positions = np.asarray(positions, dtype=np.float64)
    if positions.size == 0:
        return positions
    bins = np.floor(n_bins * (positions - positions.min()) / (np.ptp(positions) or 1.0))
    order = np.argsort(bins, kind="stable")
    _, start, count = np.unique(bins[order], return_index=True, return_counts=True)
    rank = np.arange(positions.size) - np.repeat(start, count)
    steps = np.empty(positions.size)
    steps[order] = (rank + 1) // 2 * np.where(rank % 2, 1.0, -1.0)
    return steps * half / max(np.abs(steps).max(), 5.0)
