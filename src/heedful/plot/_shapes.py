"""The shape function of one column in the additive model."""

from typing import Any

import numpy as np

from heedful.explain import Curve, Explanation, find_query, read_curve
from heedful.plot._axes import draw_zero, finish, get_axes, ticks_within
from heedful.plot._docs import fill_docstring
from heedful.plot._labels import draw_legend_beside, number, shorten
from heedful.plot._points import MOST_LEVELS, column_label, frame_levels, frame_numbers, level_names
from heedful.plot._read import check_explanation, link_label
from heedful.plot._style import INK, NEUTRAL, PALE, series_colour, sign_colour

# Share of the axes that the counts take at their foot, and bars of the counts of numbers.
FOOT, N_BARS = 0.2, 40


@fill_docstring("``plot`` (numbers) or ``bar`` (levels), such as ``color``")
def shapes(
    explanation: Explanation,
    feature: Any = None,
    *,
    query: Any = None,
    output: Any = None,
    ax: Any = None,
    **style: Any,
) -> Any:
    """Draw the shape function of one column.

    A numeric column is a step function, a category has one bar per level (up to 15, the most frequent); missing cells
    are at the right. Bars at the bottom count the training rows. The heights are those in the
    global model, where the additive model is multiplied by its share, or in a query's own model, where it is multiplied
    by ``multiple``.

    Parameters
    ----------
    explanation : Explanation
        Explanation of an attention lasso with an additive model.
    feature : str, default=None
        A column of the table; None uses the one whose shape function varies most over the training rows.
    query : label, default=None
        Label of a row of ``X`` whose model is drawn. None draws the global model, or the mean of the queries' models if
        the global model has no shape functions.
    output : label, default=None
        Class to draw, for multiclass classification; None draws all.
    {axes}

    Raises
    ------
    ValueError
        If the explanation has no shape functions, or no such column or class, or if the query's model has none.

    Examples
    --------
    >>> import numpy as np
    >>> from heedful import AttentionLasso, LocalLasso, plot
    >>> X = np.random.default_rng(0).normal(size=(80, 3))
    >>> e = AttentionLasso(local=LocalLasso(smooth=False), random_state=0).fit(X, X[:, 0] ** 2).explain(X[:5])
    >>> ax = plot.shapes(e)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('x0', 'adds to prediction')
    """
    row = None if query is None else find_query(check_explanation(explanation), query)
    curve = read_curve(check_explanation(explanation), feature, output, MOST_LEVELS, row)
    names = level_names(curve.levels, curve.missing is not None)
    ax = get_axes(ax)
    _set_heights(ax, curve)
    label = column_label(curve.feature, len(curve.levels), curve.n_levels)
    finish(ax, label, f"adds to {link_label(explanation, output)}")
    draw_zero(ax)
    panel = ax.inset_axes([0, 0, 1, 0.8 * FOOT], sharex=ax)
    if names:
        _draw_levels(ax, panel, curve, names, style)
    else:
        _draw_numbers(ax, panel, curve, style)
    _finish_panel(panel)
    if len(curve.outputs) > 1:
        draw_legend_beside(ax)
    return ax


def _set_heights(ax: Any, curve: Curve) -> None:
    """Set the heights that are drawn, with room for the counts at the foot."""
    heights = np.concatenate([curve.effect.ravel(), [0.0], [] if curve.missing is None else curve.missing])
    room = 0.08 * np.ptp(heights) or 1.0
    low, high = heights.min() - room, heights.max() + room
    ax.set_ylim(low - (high - low) * FOOT / (1 - FOOT), high)
    ax.spines["left"].set_bounds(low, high)
    ax.yaxis.set_major_locator(ticks_within(low, high))


def _draw_numbers(ax: Any, panel: Any, curve: Curve, style: dict[str, Any]) -> None:
    """Draw a line of steps for each class, and the rows of each of many equal parts of its range."""
    edges, colours = curve.edges, _colours(curve)
    low, high = edges[0], edges[-1]
    for colour, output, effect in zip(colours, curve.outputs, curve.effect.T, strict=True):
        look = {"color": colour, "linewidth": 1.2, "drawstyle": "steps-post", **_named(output), **style}
        ax.plot(edges, np.append(effect, effect[-1]), **look)
    bars, width = np.linspace(low, high, N_BARS + 1), (high - low) / N_BARS
    count = np.diff(np.interp(bars, edges, np.append(0.0, np.cumsum(curve.rows))))
    panel.bar(bars[:-1], count, width, align="edge", color=PALE)
    ax.xaxis.set_major_locator(ticks_within(low, high))
    aside = frame_numbers(ax, low, high, curve.missing is not None)
    if curve.missing is not None:
        hues = [style["color"]] * len(colours) if "color" in style else colours
        ax.scatter(np.full(curve.missing.size, aside), curve.missing, s=14, c=hues, zorder=3)
        panel.bar([aside], [curve.missing_rows], width, color=PALE)


def _draw_levels(ax: Any, panel: Any, curve: Curve, names: list[str], style: dict[str, Any]) -> None:
    """Draw a bar for each level and class, and one for missing cells."""
    effect, rows = curve.effect, curve.rows
    if curve.missing is not None:
        effect, rows = np.vstack([effect, curve.missing]), np.append(rows, curve.missing_rows)
    n_outputs, place = len(curve.outputs), np.arange(len(rows))
    width = 0.8 / n_outputs
    for k, (colour, output, heights) in enumerate(zip(_colours(curve), curve.outputs, effect.T, strict=True)):
        hue = colour if n_outputs > 1 else [sign_colour(height) for height in heights]
        middle = place + width * (k + 0.5 * (1 - n_outputs))
        ax.bar(middle, heights, **{"width": width, "color": hue, **_named(output), **style})
    panel.bar(place, rows, 0.8, color=PALE)
    frame_levels(ax, names, rows, curve.missing is not None)


def _named(output: Any) -> dict[str, str]:
    """Return the label of what is drawn, where there are several classes."""
    return {} if output is None else {"label": shorten(output, 20)}


def _colours(curve: Curve) -> list[str]:
    """Return a hue for each class."""
    n_outputs = len(curve.outputs)
    return [INK] if n_outputs == 1 else [series_colour(k) for k in range(n_outputs)]


def _finish_panel(panel: Any) -> None:
    """Leave of the axes of the counts only the largest one, at the right, where no name of an axis stands."""
    finish(panel, "", "", frame=())
    most = max((bar.get_height() for bar in panel.patches), default=0.0)
    panel.patch.set_alpha(0)
    panel.set_ylim(0, most or 1.0)
    panel.yaxis.tick_right()
    panel.set_yticks([most], [f"{number(float(most)) if most < 1 else f'{most:.0f}'}\nrows"], color=NEUTRAL, va="top")
    panel.tick_params(which="both", length=0)
    panel.tick_params(axis="x", labelbottom=False)
