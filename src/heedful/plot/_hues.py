"""Points coloured by a column, and their legend."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from heedful.explain import format_cell, read_cells
from heedful.plot._axes import font_size, format_tick, import_pyplot
from heedful.plot._labels import draw_legend_beside, shorten, shorten_all
from heedful.plot._style import CLUSTERS, INK, LOW_TO_HIGH, NEUTRAL

# Levels that have a hue of their own.
MOST_HUES = 6
# The end of the map that is too pale for white paper, and the quantiles between which hues change.
PALEST, MIDDLE = 0.93, (5, 95)


class Hues(NamedTuple):
    """A colour for each query, ends of a scale or levels with their colours, and what is grey."""

    colours: list
    ends: tuple[str, str] | None
    levels: list[tuple[str, str]]
    grey: str


def colour_by(column: pd.Series) -> Hues:
    """Return the hues of a column: from low to high, or one for each of its most frequent levels."""
    cells = read_cells(column, MOST_HUES)
    missing = ["missing"] if cells.missing.any() else []
    known = cells.place[np.isfinite(cells.place)]
    if cells.levels or not known.size:
        other = ["other"] if cells.n_levels > len(cells.levels) else []
        colours = [NEUTRAL if np.isnan(place) else CLUSTERS[int(place)] for place in cells.place]
        levels = list(zip(shorten_all(cells.levels, 18), CLUSTERS, strict=False))
        return Hues(colours, None, levels, " or ".join(other + missing))
    low, high = np.percentile(known, MIDDLE)
    if low == high:
        low, high = known.min(), known.max()
    colours = list(colours_on_scale((cells.place - low) / ((high - low) or 1.0)))
    return Hues(colours, (_end_name(column, low), _end_name(column, high)), [], "".join(missing))


def colours_on_scale(share: np.ndarray) -> np.ndarray:
    """Return colours of shares between 0 and 1; grey for what is missing."""
    return _scale()(np.clip(share, 0, 1))


def _scale() -> Any:
    plt = import_pyplot()
    return plt.matplotlib.colors.ListedColormap(plt.get_cmap(LOW_TO_HIGH)(np.linspace(0, PALEST, 256))).with_extremes(
        bad=NEUTRAL
    )


def _end_name(column: pd.Series, value: float) -> str:
    if pd.api.types.is_datetime64_any_dtype(column):
        return format_cell((pd.Timestamp(0) + pd.Timedelta(days=value)).normalize())
    return format_cell(float(f"{value:.3g}"))


def draw_key(ax: Any, title: str, hues: Hues) -> None:
    """Say at the right of the axes what the colours mean: by a scale, or by a legend of levels."""
    plt = import_pyplot()
    if hues.ends is None:
        names = [*hues.levels, *([(hues.grey, NEUTRAL)] if hues.grey else [])]
        look = {"marker": "o", "markersize": 5, "linestyle": ""}
        handles = [plt.Line2D([], [], color=colour, label=name, **look) for name, colour in names]
        draw_legend_beside(ax, handles=handles, title=shorten(title, 24), title_fontsize=font_size(), handlelength=0.8)
        return
    label = shorten(title) + (f" (grey: {hues.grey})" if hues.grey else "")
    bar = draw_colorbar(ax, plt.cm.ScalarMappable(plt.Normalize(0, 1), _scale()), label)
    bar.set_ticks([0, 1], labels=hues.ends)


def draw_colorbar(ax: Any, mappable: Any, label: str, extend: str = "neither") -> Any:
    """Draw a scale of colours at the right of the axes, and return it."""
    bar = ax.figure.colorbar(mappable, ax=ax, extend=extend, pad=0.02, fraction=0.06, aspect=30)
    bar.set_label(label, fontsize=font_size(), color=INK)
    bar.ax.tick_params(labelsize=font_size(), length=2, width=0.6)
    bar.ax.yaxis.set_major_formatter(format_tick)
    bar.outline.set_visible(False)
    return bar
