"""Points along the values of one column."""

from typing import Any

import numpy as np

from heedful._optional import import_optional
from heedful.explain._cells import Cells
from heedful.plot._axes import get_axes, note_above, say_tick, ticks_within
from heedful.plot._beeswarm import point_size
from heedful.plot._labels import name_levels, room_below, shorten, shorten_all
from heedful.plot._style import PALE
from heedful.plot._swarm import swarm

# Levels drawn at most, and the letters of their names.
MOST_LEVELS, LETTERS = 15, 18
# Of the width of the axes: where missing cells stand beside the numbers.
ASIDE = 0.14


def say_column(column: Any, cells: Cells) -> str:
    """Return what the axis of the column is called; with how many of its levels are drawn if not all are."""
    n_drawn = len(cells.levels)
    return shorten(column, 36) + (f" ({n_drawn} of {cells.n_levels} levels)" if n_drawn < cells.n_levels else "")


def draw_points(
    ax: Any, cells: Cells, heights: np.ndarray, look: dict[str, Any], *, apart: bool = False
) -> tuple[Any, np.ndarray]:
    """Draw a point for each query on new or given axes: numbers at their place, levels side by side.

    With ``apart`` no two points of a level are above each other. Returns the axes and the places, NaN for points that
    are not drawn.
    """
    names = shorten_all(cells.levels, LETTERS) + (["missing"] if cells.levels and cells.missing.any() else [])
    ax = get_axes(ax, height=2.6 + room_below(names))
    place = _place_levels(ax, cells, heights, names, apart) if names else place_numbers(ax, cells)
    drawn = np.isfinite(place)
    if isinstance(look["c"], list):
        look = {**look, "c": [colour for colour, there in zip(look["c"], drawn, strict=True) if there]}
    ax.axhline(0, color=PALE, linewidth=0.6, zorder=0)
    ax.yaxis.set_major_formatter(say_tick)
    ax.scatter(place[drawn], heights[drawn], **{"s": point_size(len(heights)), "linewidths": 0, **look})
    return ax, place


def _place_levels(ax: Any, cells: Cells, heights: np.ndarray, names: list[str], apart: bool) -> np.ndarray:
    """Name the levels below the axes and return places of points around those of their levels."""
    place = np.where(cells.missing, len(names) - 1, cells.place) if names[-1:] == ["missing"] else cells.place.copy()
    for level in range(len(names)):
        here = place == level
        place[here] += _line_up(heights[here]) if apart else swarm(heights[here], 0.35)
    if cells.missing.any():
        ax.axvline(len(names) - 1.5, color=PALE, linewidth=0.6, linestyle=(0, (4, 3)))
    ax.set_xlim(-0.6, len(names) - 0.4)
    name_levels(ax, names, np.arange(len(names), 0, -1))
    return place


def _line_up(heights: np.ndarray) -> np.ndarray:
    """Return places around 0, in the order of heights and evenly apart."""
    place = np.empty(heights.size)
    place[np.argsort(heights, kind="stable")] = np.arange(heights.size) - (heights.size - 1) / 2
    return place * min(0.1, 0.7 / max(heights.size, 1))


def place_numbers(ax: Any, cells: Cells) -> np.ndarray:
    """Return places of numbers or dates, those of missing cells apart at the right."""
    known = cells.place[np.isfinite(cells.place)]
    low, high = (known.min(), known.max()) if known.size else (0.0, 1.0)
    span = (high - low) or 1.0
    place, end = cells.place.copy(), high + 0.03 * span
    if cells.dates:
        dates: Any = import_optional("matplotlib.dates", "plot", "heedful.plot")
        ax.xaxis.set_major_locator(dates.AutoDateLocator(minticks=3, maxticks=7))
        ax.xaxis.set_major_formatter(dates.ConciseDateFormatter(ax.xaxis.get_major_locator()))
    else:
        ax.xaxis.set_major_locator(ticks_within(low, high))
        ax.xaxis.set_major_formatter(say_tick)
    if cells.missing.any():
        aside = high + ASIDE * span
        place[cells.missing] = aside
        ax.axvline(0.5 * (end + aside), color=PALE, linewidth=0.6, linestyle=(0, (4, 3)))
        note_above(ax, aside, "missing")
        end = aside + 0.09 * span
    ax.set_xlim(low - 0.03 * span, end)
    return place
