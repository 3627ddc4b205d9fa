"""What drove one prediction."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from heedful.explain import Explanation, say_value
from heedful.explain._attribution import shows_factors
from heedful.plot._axes import finish, fonts, get_axes, say_tick
from heedful.plot._labels import number, shorten
from heedful.plot._read import check_explanation, find_output, find_query, of_query, say_link
from heedful.plot._style import INK, NEUTRAL, sign_colour


def contributions(
    explanation: Explanation,
    query: Any,
    k: int = 8,
    *,
    output: Any = None,
    scale: str | None = None,
    ax: Any = None,
    **style: Any,
) -> Any:
    """Draw what drove one prediction, feature by feature.

    The first line is the mean over the training rows. Each bar is what a column of the table adds, the largest first;
    the last line is the prediction.

    Parameters
    ----------
    explanation : Explanation
        What ``explain(X)`` returned.
    query : label
        A row of ``X`` by its label.
    k : int, default=8
        How many features to draw; the rest is one bar.
    output : label, default=None
        With several classes, the one to draw; None is the query's most probable one.
    scale : {"link", "factor"}, default=None
        What is written beside the bars: what a column adds, or the factor that this is. None is "factor" for counts and
        costs, else "link".
    ax : Axes, default=None
        Where to draw; None makes a new figure.
    style : keywords
        For matplotlib's ``barh``, such as ``height``.

    Returns
    -------
    Axes
        What was drawn on.

    Examples
    --------
    >>> import numpy as np
    >>> from heedful import AttentionLasso, plot
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> e = AttentionLasso(random_state=0).fit(X, X[:, 0] * np.sign(X[:, 1])).explain(X[:5])
    >>> ax = plot.contributions(e, 0, k=2)
    >>> ax.get_xlabel()
    'prediction'
    """
    row = find_query(check_explanation(explanation), query)
    output = find_output(explanation, row, output)
    factors = shows_factors(explanation.words, scale)
    table = of_query(explanation, explanation.top_features(k, output), row)
    table = table[table["contribution"] != 0]
    base = explanation.base_value
    start = float(base[output] if isinstance(base, pd.Series) else base)
    end = float(np.asarray(explanation.link[output] if output is not None else explanation.link)[row])
    names, parts = _bars(table, end - start, explanation.values.shape[1])
    ax = get_axes(ax, height=1.05 + 0.17 * len(parts))
    _draw_bars(ax, start, parts, _say_factor if factors else _say_added, style)
    finish(ax, say_link(explanation, output, 34), "", frame=("bottom",))
    ax.set_yticks(range(len(parts)), names, fontsize=fonts().tick)
    ax.tick_params(axis="y", length=0)
    ax.xaxis.set_major_formatter(say_tick)
    _mark_ends(ax, start, end, len(parts), factors)
    return ax


def _bars(table: pd.DataFrame, total: float, n_features: int) -> tuple[list[str], np.ndarray]:
    """Return names and values of the bars; what is left over is a bar of its own."""
    pairs = zip(table["feature"], table["value"], strict=True)
    names = [shorten(say_value(shorten(feature, 22), value)) for feature, value in pairs]
    parts = table["contribution"].to_numpy()
    rest = total - parts.sum()
    if abs(rest) > 1e-9 * max(np.abs(parts).sum(), abs(total)):
        names, parts = [*names, f"{n_features - len(names)} others"], np.append(parts, rest)
    return names, parts


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


def _mark_ends(ax: Any, start: float, end: float, n_bars: int, factors: bool) -> None:
    """Write the mean above the first bar and the prediction below the last; beside factors what these multiply."""
    ax.set_ylim(n_bars + 0.7, -1.5)
    low, high = ax.get_xlim()
    for value, place, word in ((start, -1, "overall mean"), (end, n_bars, "this query")):
        # there is more room on the left, where the names of features stand
        left = value > low + 0.4 * (high - low)
        said = number(float(np.exp(value)) if factors else value)
        ax.plot([value], [place], "o", color=INK, markersize=3)
        ax.annotate(f"{word}: {said}", (value, place), (-5 if left else 5, 0), textcoords="offset points",
                    fontsize=fonts().tick, color=INK, ha="right" if left else "left", va="center")  # fmt: skip
