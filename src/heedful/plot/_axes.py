"""Axes to draw on: given or new, their fonts, their names and notes."""

from typing import Any

import numpy as np

from heedful._optional import import_optional
from heedful.plot._style import DASHED, INK, PALE

# Inches: a new figure is as wide as a notebook shows it whole.
WIDTH, HEIGHT, HIGHEST = 7.0, 4.0, 12.0
SMALLEST_FONT = 7.0


def import_pyplot() -> Any:
    """Return matplotlib.pyplot, or say how to get it."""
    return import_optional("matplotlib.pyplot", "plot", "heedful.plot")


def get_axes(ax: Any, height: float = HEIGHT) -> Any:
    """Return the axes given, or those of a new figure of this height in inches."""
    if ax is not None:
        return ax
    return import_pyplot().subplots(figsize=(WIDTH, min(height, HIGHEST)), layout="constrained")[1]


def get_axes_for_rows(ax: Any, n_rows: int, points: float = 18.0) -> Any:
    """Return the axes given, or new ones with so many points of height for each row."""
    return get_axes(ax, height=1.4 + n_rows * points / 72)


def font_size() -> float:
    """Return the size of all text in points: it follows the user's rcParams and is never too small for print."""
    return max(0.85 * float(import_pyplot().rcParams["font.size"]), SMALLEST_FONT)


def size_in_points(ax: Any) -> tuple[float, float]:
    """Return width and height of axes in points."""
    box, dpi = ax.get_window_extent(), ax.figure.dpi
    return 72 * box.width / dpi, 72 * box.height / dpi


def finish(ax: Any, x: str, y: str, *, frame: tuple[str, ...] = ("left", "bottom")) -> Any:
    """Name both axes, set fonts, keep these sides of the frame, and return the axes."""
    size = font_size()
    ax.yaxis.set_major_formatter(format_tick)
    ax.set_xlabel(x, fontsize=size, color=INK)
    ax.set_ylabel(y, fontsize=size, color=INK)
    ax.tick_params(which="both", labelsize=size, length=2.5, width=0.6)
    ax.xaxis.get_offset_text().set_fontsize(size)
    for side, spine in ax.spines.items():
        spine.set_visible(side in frame)
        spine.set_linewidth(0.6)
    return ax


def finish_rows(ax: Any, x: str, names: list[str], room: tuple[float, float] = (0.6, 0.6)) -> Any:
    """Name the axis below, and the rows of a picture from the top, with room above and below; return the axes."""
    finish(ax, x, "", frame=("bottom",))
    ax.set_yticks(range(len(names)), names, fontsize=font_size())
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(names) - 1 + room[1], -room[0])
    ax.xaxis.set_major_formatter(format_tick)
    ax.locator_params(axis="x", nbins=5)
    return ax


def draw_unit_square(ax: Any) -> None:
    """Let both axes go from 0 to 1, with the diagonal."""
    ax.plot([0, 1], [0, 1], color=PALE, linewidth=0.8)
    ax.set(xlim=(0, 1), ylim=(0, 1))


def annotate(ax: Any, text: str, at: tuple, offset: tuple[float, float], **look: Any) -> None:
    """Write text beside a place, away from it by an offset in points."""
    look = {"fontsize": font_size(), "color": INK, "va": "center", **look}
    ax.annotate(text, at, offset, textcoords="offset points", **look)


def note_above(ax: Any, x: float, text: str) -> None:
    """Write a note above the axes, at a place along them."""
    annotate(ax, text, (x, 1), (0, 2), xycoords=("data", "axes fraction"), ha="center", va="bottom")


def draw_zero(ax: Any) -> None:
    """Draw a pale line at a height of zero, behind all else."""
    ax.axhline(0, color=PALE, linewidth=0.6, zorder=0)


def draw_dashed(ax: Any, x: float, **look: Any) -> None:
    """Draw a dashed line from the foot of the axes to the top."""
    ax.axvline(x, **{"color": PALE, "linewidth": 0.6, "linestyle": DASHED, **look})


def format_tick(value: float, _: Any = None) -> str:
    """Return the number at a tick, whole: no power of ten beside the axis, where its name stands."""
    text = f"{value:.10g}"
    if value and not 1e-4 <= abs(value) < 1e5 and abs(float(f"{value:.3g}") - value) <= 1e-9 * abs(value):
        text = f"{value:.3g}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")
    return text.replace("-", "\N{MINUS SIGN}")


def ticks_within(low: float, high: float) -> Any:
    """Return a locator of round ticks between two numbers only."""
    plt: Any = import_pyplot()

    class WithinLocator(plt.MaxNLocator):
        def tick_values(self, vmin: float, vmax: float) -> np.ndarray:
            ticks = super().tick_values(max(vmin, low), min(vmax, high))
            return ticks[(ticks >= low) & (ticks <= high)]

    # numbers that need many digits are wide
    narrow = max(abs(low), abs(high)) > 1e5 * (high - low)
    return WithinLocator(nbins=2 if narrow else 5, steps=[1, 2, 2.5, 5, 10])
