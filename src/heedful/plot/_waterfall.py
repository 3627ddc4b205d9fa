"""Bars that lead from one value to another."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from heedful.plot._axes import finish, fonts, get_axes, say_tick
from heedful.plot._labels import number
from heedful.plot._style import INK, NEUTRAL, sign_colour


class Waterfall(NamedTuple):
    """Where a way starts, what its parts are called and how long they are, and where it ends."""

    from_where: str
    start: float
    names: list[str]
    parts: np.ndarray
    to_where: str
    end: float


def draw_waterfall(ax: Any, way: Waterfall, label: str, *, factors: bool, style: dict[str, Any]) -> Any:
    """Draw a way on new or given axes, whose axis below has a label; values are written as added, or as factors."""
    ax = get_axes(ax, height=1.05 + 0.17 * len(way.parts))
    _draw_bars(ax, way.start, way.parts, _say_factor if factors else _say_added, style)
    finish(ax, label, "", frame=("bottom",))
    ax.set_yticks(range(len(way.parts)), way.names, fontsize=fonts().tick)
    ax.tick_params(axis="y", length=0)
    ax.xaxis.set_major_formatter(say_tick)
    _mark_ends(ax, way, factors)
    return ax


def _say_added(part: float) -> str:
    return f"{part:+.3g}".replace("-", "−")


def _say_factor(part: float) -> str:
    return f"×{np.exp(part):.3g}"


def _draw_bars(ax: Any, start: float, parts: np.ndarray, write: Callable[[float], str], style: dict[str, Any]) -> None:
    """Draw each part from where the one before it ended, joined by thin lines, with its value."""
    ends = start + np.cumsum(parts)
    lefts, places = np.append(start, ends)[:-1], np.arange(parts.size)
    colours = [sign_colour(part) for part in parts]
    ax.barh(places, parts, left=lefts, **{"color": colours, "height": 0.7, **style})
    edges = np.concatenate([[start], ends])
    for below, edge in enumerate(edges):
        ax.plot([edge, edge], [below - 1, below], color=NEUTRAL, linewidth=0.6, zorder=0)
    for place, left, end, part in zip(places, lefts, ends, parts, strict=True):
        ax.annotate(write(part), (max(left, end), place), (3, 0), textcoords="offset points", fontsize=fonts().tick,
                    color=INK, va="center")  # fmt: skip
    low, high = edges.min(), edges.max()
    span = (high - low) or 1.0
    ax.set_xlim(low - 0.05 * span, high + 0.22 * span)


def _mark_ends(ax: Any, way: Waterfall, factors: bool) -> None:
    """Write where the way starts above the first bar, and where it ends below the last."""
    n_bars = len(way.parts)
    ax.set_ylim(n_bars + 0.7, -1.5)
    low, high = ax.get_xlim()
    for value, place, word in ((way.start, -1, way.from_where), (way.end, n_bars, way.to_where)):
        # there is more room on the left, where the names of features stand
        left = value > low + 0.4 * (high - low)
        said = number(float(np.exp(value)) if factors else value)
        ax.plot([value], [place], "o", color=INK, markersize=3)
        ax.annotate(f"{word}: {said}", (value, place), (-5 if left else 5, 0), textcoords="offset points",
                    fontsize=fonts().tick, color=INK, ha="right" if left else "left", va="center")  # fmt: skip
