"""Errors of the heads on held-out rows."""

from typing import Any

import numpy as np
import pandas as pd

from heedful.explain import Explanation
from heedful.plot._axes import annotate, finish, font_size, get_axes, import_pyplot, size_in_points
from heedful.plot._docs import fill_docstring
from heedful.plot._labels import LINE, choose, draw_legend, spread, text_width
from heedful.plot._read import check_explanation
from heedful.plot._style import INK, series_colour

# Places right of the temperatures, as shares of their range on the log scale: ratios' names, and steps between markers.
GAP, STEP = 0.3, 0.2
# Area of a dot in square points: at a share of 0, and added at the largest share.
DOT, AREA = 4.0, 70.0


@fill_docstring("``plot``, such as ``linestyle``")
def tuning_curve(explanation: Explanation, *, ax: Any = None, **style: Any) -> Any:
    """Draw the errors of all heads on held-out rows against temperature.

    There is one line per similarity (hue) and penalty ratio (named at its end); the best ratio of each similarity is
    thick. Weightings without a temperature are drawn beside the lines. Larger dots are heads with larger shares.

    Parameters
    ----------
    explanation : Explanation
        Result of ``explain(X)`` of a model that has tried several heads.
    {axes}

    Raises
    ------
    ValueError
        If no head was tried on held-out rows, as with one head and a fixed ``mixing``.

    Examples
    --------
    {explained}
    >>> plot.tuning_curve(e).get_ylabel()
    'error on held-out rows'
    """
    heads = check_explanation(explanation).heads
    heads = heads[np.isfinite(heads["error"])]
    if heads.empty:
        raise ValueError(
            "`explanation` must be of a model that tried its heads on held-out rows, got one without tuning. "
            "Set `mixing` or `temperature` to 'auto'."
        )
    ax = get_axes(ax)
    ticks = _places(heads)
    keys = heads["temperature"].astype(object).where(heads["temperature"].notna(), heads["weighting"])
    area = DOT + AREA * heads["share"] / (heads["share"].max() or 1.0)
    heads = heads.assign(place=ticks.loc[keys].to_numpy(), area=area)
    finish(ax, "temperature", "error on held-out rows")
    for number, (_, part) in enumerate(heads.groupby("similarity", sort=False)):
        _draw_similarity(ax, part, series_colour(number), style)
    ax.margins(x=0.04, y=0.08)
    _name_ratios(ax, heads)
    _name_places(ax, ticks)
    _name_similarities(ax, heads)
    return ax


def _places(heads: pd.DataFrame) -> pd.Series:
    """Return the place of each temperature, on a log scale, and of each weighting without one."""
    warm = np.sort(heads["temperature"].dropna().unique())
    free = heads.loc[heads["temperature"].isna(), "weighting"].unique()
    logs = np.log10(warm)
    extent = float(np.ptp(logs)) if warm.size > 1 else 1.0
    last = logs[-1] + GAP * extent if warm.size else 0.0
    return pd.Series([*logs, *(last + STEP * extent * np.arange(free.size))], [*warm, *free], dtype=float)


def _draw_similarity(ax: Any, part: pd.DataFrame, colour: str, style: dict[str, Any]) -> None:
    """Draw the heads of one similarity, the penalty ratio of the best one emphasised."""
    best = part.loc[part["error"].idxmin(), "alpha_ratio"]
    for ratio, line in part.groupby("alpha_ratio"):
        strong = ratio == best
        alpha = 1.0 if strong else 0.35
        look = {"color": colour, "alpha": alpha, "linewidth": 1.6 if strong else 0.8, **style}
        warm = line[line["temperature"].notna()].sort_values("place")
        name = f"{part['similarity'].iloc[0]}, penalty {_times(ratio)}"
        ax.plot(warm["place"], warm["error"], label=name, zorder=2 + strong, **look)
        seen = np.where(line["share"] > 0, 1.0, alpha)
        ax.scatter(line["place"], line["error"], s=line["area"], color=colour, alpha=seen, linewidths=0, zorder=4)


def _times(ratio: float) -> str:
    return "× ∞" if np.isinf(ratio) else f"× {ratio:g}"


def _name_ratios(ax: Any, heads: pd.DataFrame) -> None:
    """Write the penalty ratios at the warm ends of their lines, pushed apart; once where similarities agree."""
    warm = heads[heads["temperature"] == heads["temperature"].max()]
    if warm.empty:
        return
    ends = warm.groupby("alpha_ratio")["error"].mean()
    low, high = ax.get_ylim()
    gap = LINE * font_size() * (high - low) / (0.85 * size_in_points(ax)[1])
    for ratio, y in zip(ends.index, spread(ends, gap, low + gap / 2, high), strict=True):
        annotate(ax, _times(ratio), (warm["place"].iloc[0], y), (6, 0))


def _name_places(ax: Any, ticks: pd.Series) -> None:
    """Name temperatures and weightings: weightings first and both ends, where not all have room."""
    warm = np.array([not isinstance(key, str) for key in ticks.index])
    names = [f"{key:g}" if is_warm else str(key) for key, is_warm in zip(ticks.index, warm, strict=True)]
    gap = (text_width(names, font_size()) + 2) * np.ptp(ax.get_xlim()) / size_in_points(ax)[0]
    ends = np.arange(len(ticks)) % max(len(ticks) - 1, 1) == 0
    kept = choose(ticks.to_numpy(), np.where(~warm, 2.0, ends), gap)
    ax.set_xticks(ticks.to_numpy()[kept], [names[j] for j in kept], fontsize=font_size())
    if warm.any() and not warm.all():
        ax.set_xlabel("temperature, and weightings without one")


def _name_similarities(ax: Any, heads: pd.DataFrame) -> None:
    """Say above the axes which hue is which similarity, and what the largest dot stands for."""
    line = import_pyplot().Line2D
    best = heads.loc[heads.groupby("similarity", sort=False)["error"].idxmin()]
    named = enumerate(zip(best["similarity"], best["alpha_ratio"], strict=True))
    handles = [
        line([], [], color=series_colour(number), linewidth=1.6, label=f"{name}, best {_times(ratio)}")
        for number, (name, ratio) in named
    ]
    largest = float(heads["share"].max())
    if largest > 0:
        look = {"color": INK, "linestyle": "", "marker": "o", "markeredgewidth": 0, "markersize": np.sqrt(DOT + AREA)}
        handles.append(line([], [], label=f"share {100 * largest:.3g} %", **look))
    draw_legend(ax, handles=handles)
