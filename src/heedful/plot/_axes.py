"""Axes to draw on: given or new, their size, their fonts."""

from typing import Any, NamedTuple

import numpy as np

from heedful._optional import import_optional
from heedful.plot._style import INK

# Inches: a column of a two-column paper, and the most that a page holds.
COLUMN, PAGE = 3.5, 9.0
SMALLEST = 7.0


class Fonts(NamedTuple):
    """Sizes in points: axis labels, and ticks and notes."""

    label: float
    tick: float


def import_pyplot() -> Any:
    """Return matplotlib.pyplot, or say how to get it."""
    return import_optional("matplotlib.pyplot", "plot", "heedful.plot")


def get_axes(ax: Any, height: float = 2.4, width: float = COLUMN) -> Any:
    """Return the axes given, or those of a new figure of this size in inches."""
    if ax is not None:
        return ax
    _, new = import_pyplot().subplots(figsize=(width, min(height, PAGE)), layout="constrained")
    return new


def fonts() -> Fonts:
    """Return font sizes that follow the user's rcParams and are never too small for print."""
    base = float(import_pyplot().rcParams["font.size"])
    return Fonts(max(0.8 * base, SMALLEST), max(0.7 * base, SMALLEST))


def points(ax: Any) -> tuple[float, float]:
    """Return width and height of axes in points."""
    box, dpi = ax.get_window_extent(), ax.figure.dpi
    return 72 * box.width / dpi, 72 * box.height / dpi


def note_above(ax: Any, x: float, text: str) -> None:
    """Write a note above the axes, at a place along them."""
    ax.annotate(text, (x, 1), (0, 2), xycoords=("data", "axes fraction"), textcoords="offset points",
                fontsize=fonts().tick, color=INK, ha="center", va="bottom")  # fmt: skip


def finish(ax: Any, x: str, y: str, *, frame: tuple[str, ...] = ("left", "bottom")) -> Any:
    """Name both axes, set fonts, keep these sides of the frame, and return the axes."""
    size = fonts()
    ax.set_xlabel(x, fontsize=size.label, color=INK)
    ax.set_ylabel(y, fontsize=size.label, color=INK)
    ax.tick_params(which="both", labelsize=size.tick, length=2.5, width=0.6)
    for axis in (ax.xaxis, ax.yaxis):
        axis.get_offset_text().set_fontsize(size.tick)
    for side, spine in ax.spines.items():
        spine.set_visible(side in frame)
        spine.set_linewidth(0.6)
    return ax


def say_tick(value: float, _: Any = None) -> str:
    """Return the number at a tick, whole: no power of ten beside the axis, where its name stands."""
    text = f"{value:.10g}"
    if value and not 1e-4 <= abs(value) < 1e5 and abs(float(f"{value:.3g}") - value) <= 1e-9 * abs(value):
        text = f"{value:.3g}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")
    return text.replace("-", "\N{MINUS SIGN}")


def ticks_within(low: float, high: float) -> Any:
    """Return what places round ticks between two numbers only."""
    plt: Any = import_pyplot()

    class WithinLocator(plt.MaxNLocator):
        def tick_values(self, vmin: float, vmax: float) -> np.ndarray:
            ticks = super().tick_values(max(vmin, low), min(vmax, high))
            return ticks[(ticks >= low) & (ticks <= high)]

    # numbers that need many digits are wide
    narrow = max(abs(low), abs(high)) > 1e5 * (high - low)
    return WithinLocator(nbins=2 if narrow else 5, steps=[1, 2, 2.5, 5, 10])
