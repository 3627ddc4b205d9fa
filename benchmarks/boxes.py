"""Box plots of improvements, one facet per table, as the paper's figures 2 and 8."""

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd

from heedful.plot._axes import finish, font_size
from heedful.plot._style import INK, NEUTRAL, cluster_colour

COLUMNS = 4


def draw_improvements(percent: pd.DataFrame, zero: str, path: Path, left: float | None = None) -> None:
    """Draw one facet per table with one box per method; right of zero is better, what lies beyond ``left`` is cut."""
    titles = percent.index.unique("table")
    n_columns = min(COLUMNS, len(titles))
    n_rows = -(-len(titles) // n_columns)
    size = 1 + 2.2 * n_columns, 0.5 + 1.7 * n_rows
    figure, grid = plt.subplots(n_rows, n_columns, sharey=True, squeeze=False, figsize=size, layout="constrained")
    for ax in grid.flat[len(titles) :]:
        ax.set_visible(False)
    for ax, title in zip(grid.flat, titles, strict=False):
        draw_boxes(ax, percent.loc[title])
        finish(ax, "", "")
        ax.set_title(title, fontsize=font_size(), color=INK)
        if left is not None and ax.get_xlim()[0] < left:
            ax.set_xlim(left=left)
    figure.supxlabel(f"improvement over {zero}, %", fontsize=font_size(), color=INK)
    figure.savefig(path, dpi=150)


def draw_boxes(ax: Any, percent: pd.DataFrame) -> None:
    """Draw one box per method, the first one on top."""
    names = list(percent)[::-1]
    ax.axvline(0.0, color=NEUTRAL, linewidth=0.8)
    look = {"patch_artist": True, "widths": 0.6, "flierprops": {"markersize": 2}, "medianprops": {"color": INK}}
    values = [percent[name].dropna() for name in names]
    drawn = ax.boxplot(values, orientation="horizontal", manage_ticks=False, **look)
    ax.set_yticks(range(1, len(names) + 1), names)
    for number, box in enumerate(reversed(drawn["boxes"]), start=1):
        box.set(facecolor=cluster_colour(number), linewidth=0.6)
