"""Labels that do not overlap: pushed apart, or as many as fit with the most important first."""

from typing import Any

import numpy as np
from scipy.optimize import isotonic_regression

from heedful.plot._axes import font_size, import_pyplot, size_in_points

LONGEST = 36
# Of the font size: the height of a line, and the width of a letter.
LINE, LETTER = 1.25, 0.62


def shorten(name: Any, longest: int = LONGEST) -> str:
    """Return a name as text with dots in the middle if it is long: both ends distinguish columns.

    It is one line, and its dollars are dollars, not the ends of a formula.
    """
    text = str(name).replace("\n", " ")
    if len(text) > longest:
        head = (longest - 1) // 2
        text = f"{text[:head]}…{text[head + 1 - longest :]}"
    return text.replace("$", r"\$")


def shorten_all(names: list, longest: int = LONGEST) -> list[str]:
    """Return names as short texts; those that this makes alike, without most of what they begin and end with."""
    short = [shorten(name, longest) for name in names]
    result = list(short)
    for text in set(short):
        alike = [j for j, other in enumerate(short) if other == text]
        texts = [str(names[j]) for j in alike]
        if len(set(texts)) == 1:
            continue
        start = max(_n_alike(texts) - longest // 3, 0)
        turned = [text[start:][::-1] for text in texts]
        end = max(_n_alike(turned) - longest // 3, 0)
        for j, part in zip(alike, turned, strict=True):
            result[j] = shorten(f"{'…' if start else ''}{part[end:][::-1]}{'…' if end else ''}", longest)
    return result


def _n_alike(texts: list[str]) -> int:
    """Return how many letters all texts begin with alike; the first and the last in their order differ soonest."""
    first, last = min(texts), max(texts)
    return next((j for j, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), len(first))


def number(value: Any, digits: int = 4) -> str:
    """Return a number with so many digits at most, anything else as text."""
    if isinstance(value, float | np.floating):
        return f"{float(f'{value:.{digits}g}'):.7g}".replace("-", "−")
    return shorten(value, 16)


def text_width(texts: list[str], size: float) -> float:
    """Return about how wide the longest of some labels is, in points."""
    return LETTER * size * max((len(line) for text in texts for line in text.split("\n")), default=0)


def draw_legend(ax: Any, **look: Any) -> None:
    """Draw a legend without frame: above the axes if it is not said where, in as many columns as fit."""
    size = font_size()
    if "loc" not in look:
        names = [handle.get_label() for handle in look.get("handles", ax.get_legend_handles_labels()[0])]
        fitting = 1.2 * size_in_points(ax)[0] // (text_width(names, size) + 4 * size)
        look = {"loc": "lower center", "bbox_to_anchor": (0.5, 1.0), "ncols": int(np.clip(fitting, 1, 4)), **look}
    plain = {"fontsize": size, "frameon": False, "borderpad": 0.2, "handlelength": 1.4, "columnspacing": 1.0}
    ax.legend(**{**plain, **look})


def draw_legend_beside(ax: Any, **look: Any) -> None:
    """Draw a legend at the right of the axes."""
    draw_legend(ax, loc="upper left", bbox_to_anchor=(1.0, 1.0), alignment="left", **look)


def spread(positions: Any, gap: float, low: float, high: float) -> np.ndarray:
    """Move positions as little as possible to be ``gap`` apart, between ``low`` and ``high`` if they fit."""
    positions = np.asarray(positions, dtype=np.float64)
    order = np.argsort(positions, kind="stable")
    steps = gap * np.arange(positions.size)
    start = isotonic_regression(positions[order] - steps).x if positions.size else steps
    moved = np.empty(positions.size)
    moved[order] = np.maximum(np.minimum(start, high - gap * (positions.size - 1)), low) + steps
    return moved


def choose(positions: Any, priority: Any, gap: float) -> np.ndarray:
    """Return which positions to label: by falling priority those that are ``gap`` from all chosen before."""
    positions = np.asarray(positions, dtype=np.float64)
    chosen: list[int] = []
    for j in np.argsort(-np.asarray(priority, dtype=np.float64), kind="stable"):
        if (np.abs(positions[chosen] - positions[j]) >= gap * (1 - 1e-9)).all():
            chosen.append(int(j))
    return np.sort(np.array(chosen, dtype=np.int64))


def keep_largest(sizes: Any, room: float) -> np.ndarray:
    """Return the positions of the largest sizes for which there is room, in their own order."""
    return np.sort(np.argsort(-np.asarray(sizes), kind="stable")[: max(int(room), 1)])


def name_ticks(axis: Any, names: list[str], priority: Any, gap: float) -> None:
    """Name the places 0, 1, ... of an axis; where not all fit (``gap`` in points), the most important ones.

    What fits is decided whenever the figure is drawn, so it stays right when the figure changes its size.
    """
    plt: Any = import_pyplot()
    places = np.arange(len(names))

    class FittingLocator(plt.Locator):
        def __call__(self) -> np.ndarray:
            box, bounds = axis.axes.get_window_extent(), sorted(axis.get_view_interval())
            length = (box.width if axis.axis_name == "x" else box.height) * 72 / axis.axes.figure.dpi
            shown = choose(places, priority, gap * (bounds[1] - bounds[0]) / max(length, 1.0))
            return places[shown]

        def tick_values(self, vmin: float, vmax: float) -> np.ndarray:  # noqa: ARG002 - as matplotlib calls it
            return self()

    axis.set_major_locator(FittingLocator())
    axis.set_major_formatter(plt.FuncFormatter(lambda place, _: names[round(place)]))


def name_levels(ax: Any, names: list[str], priority: Any) -> None:
    """Name levels at the places 0, 1, ... of the axis below, turned if they do not fit side by side."""
    size = font_size()
    wide = text_width(names, size) + 6
    flat = len(names) * wide <= size_in_points(ax)[0]
    name_ticks(ax.xaxis, names, priority, wide if flat else LINE * size)
    ax.tick_params(axis="x", length=0, rotation=0 if flat else 90)
