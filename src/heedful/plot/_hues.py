"""Points coloured by a column, and the key that says how."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from heedful._optional import import_optional
from heedful.explain import read_cells, say_cell
from heedful.plot._axes import COLUMN, fonts, import_pyplot, points
from heedful.plot._labels import LINE, shorten_all, text_width
from heedful.plot._style import CLUSTERS, INK, LOW_TO_HIGH, NEUTRAL

# Levels that have a hue of their own, and the size of the scale in points.
MOST_HUES, SCALE_WIDTH, SCALE_HEIGHT = 6, 54, 6
# The end of the map that is too pale for white paper, and the quantiles between which hues change.
PALEST, MIDDLE = 0.93, (5, 95)


class Hues(NamedTuple):
    """A colour for each query, and what the key says: ends of a scale, or levels with their colours."""

    colours: list
    ends: tuple[str, str] | None
    levels: list[tuple[str, str]]


def colour_by(column: pd.Series) -> Hues:
    """Return the hues of a column: from low to high, or one for each of its most frequent levels."""
    cells = read_cells(column, MOST_HUES)
    left_over = [("missing", NEUTRAL)] if cells.missing.any() else []
    if cells.levels or not np.isfinite(cells.place).any():
        left_over += [("other", NEUTRAL)] if cells.n_levels > len(cells.levels) else []
        colours = [NEUTRAL if np.isnan(place) else CLUSTERS[int(place)] for place in cells.place]
        both = " or ".join(name for name, _ in reversed(left_over))
        levels = list(zip(shorten_all(cells.levels, 18), CLUSTERS, strict=False))
        return Hues(colours, None, [*levels, *([(both, NEUTRAL)] if both else [])])
    known = cells.place[np.isfinite(cells.place)]
    low, high = np.percentile(known, MIDDLE)
    if low == high:
        low, high = known.min(), known.max()
    share = (cells.place - low) / ((high - low) or 1.0)
    return Hues(on_scale(share), (_end_name(column, low), _end_name(column, high)), left_over)


def on_scale(share: np.ndarray) -> list:
    """Return colours of shares between 0 and 1; no hue for what is missing."""
    known = import_pyplot().get_cmap(LOW_TO_HIGH)(PALEST * np.clip(np.nan_to_num(share), 0, 1))
    return [NEUTRAL if np.isnan(part) else tuple(colour) for part, colour in zip(share, known, strict=True)]


def _end_name(column: pd.Series, value: float) -> str:
    if pd.api.types.is_datetime64_any_dtype(column):
        return say_cell((pd.Timestamp(0) + pd.Timedelta(days=value)).normalize())
    return say_cell(float(f"{value:.3g}"))


def draw_key(ax: Any, title: str, hues: Hues, *, noted: bool = False, at: str = "center") -> None:
    """Say above the axes, and above a note there, what the colours mean."""
    boxes: Any = import_optional("matplotlib.offsetbox", "plot", "heedful.plot")
    size = fonts().tick
    above = 1 + LINE * size / points(ax)[1] * noted

    def write(text: str) -> Any:
        return boxes.TextArea(text, textprops={"fontsize": size, "color": INK})

    def in_line(children: list, sep: float) -> Any:
        return boxes.HPacker(children=children, pad=0, sep=sep, align="center")

    entries = [in_line([_dot(boxes, hue), write(name)], 3) for name, hue in hues.levels]
    if hues.ends:
        low, high = hues.ends
        cut = [[write(low), _draw_scale(boxes), write(high), *entries]]
    else:
        # as many names in a line as a column of a paper is wide
        each = max(int(72 * COLUMN // (text_width([name for name, _ in hues.levels], size) + 16)), 1)
        cut = [entries[k : k + each] for k in range(0, len(entries), each)]
    stack = boxes.VPacker(children=[write(title), *(in_line(part, 6) for part in cut)], pad=0, sep=2, align=at)
    place = {"bbox_to_anchor": ({"center": 0.5, "right": 1.0}[at], above), "bbox_transform": ax.transAxes}
    plain = {"pad": 0.2, "borderpad": 0.2, "frameon": False}
    ax.add_artist(boxes.AnchoredOffsetbox(f"lower {at}", child=stack, **plain, **place))


def _draw_scale(boxes: Any) -> Any:
    plt: Any = import_pyplot()
    area, n_steps = boxes.DrawingArea(SCALE_WIDTH, SCALE_HEIGHT), 27
    for step, colour in enumerate(on_scale(np.linspace(0, 1, n_steps))):
        width = SCALE_WIDTH / n_steps
        area.add_artist(plt.Rectangle((step * width, 0), 1.02 * width, SCALE_HEIGHT, color=colour, linewidth=0))
    return area


def _dot(boxes: Any, colour: str) -> Any:
    area = boxes.DrawingArea(6, 6)
    area.add_artist(import_pyplot().Circle((3, 3), 2.6, color=colour, linewidth=0))
    return area
