"""The curve of one column: what the additive model adds for each of its values."""

from typing import Any

import numpy as np

from heedful.explain import Explanation
from heedful.explain._curves import Curve, read_curve
from heedful.plot._axes import finish, fonts, get_axes, note_above, points, ticks_within
from heedful.plot._labels import LINE, name_levels, number, room_below, shorten, shorten_all
from heedful.plot._read import check_explanation, find_query, say_link
from heedful.plot._style import INK, NEUTRAL, PALE, series_colour, sign_colour

# Levels drawn at most, and the letters of their names.
MOST_LEVELS, LETTERS = 15, 18
# Share of the axes that the counts take at their foot, and bars of the counts of numbers.
FOOT, N_BARS = 0.2, 40
# Of the width of the axes: where missing cells stand beside the numbers.
ASIDE = 0.14


def shapes(
    explanation: Explanation,
    feature: Any = None,
    *,
    query: Any = None,
    output: Any = None,
    ax: Any = None,
    **style: Any,
) -> Any:
    """Draw the curve of one column: what each of its values adds.

    Numbers are a line of steps, levels of a category bars, the 15 most frequent at most; missing cells stand apart at
    the right. Bars at the foot count the training rows. The curve is as it enters the model for all rows, which has a
    share of the additive model and lines beside it; or as it enters a query's own model, which has its ``multiple``.

    All else is as in :func:`contributions`.

    Parameters
    ----------
    explanation : Explanation
        What ``explain(X)`` of an attention lasso with shapes returned.
    feature : str, default=None
        A column of the table; None takes the one whose curve varies most over the training rows.
    query : label, default=None
        A row of ``X`` by its label, whose model is drawn; None draws the model for all rows, or, if that has no curves,
        the mean of the queries' models.
    output : label, default=None
        With several classes, the one to draw; None draws all.
    ax : Axes, default=None
    style : keywords
        For matplotlib's ``plot`` (numbers) or ``bar`` (levels), such as ``color``.

    Returns
    -------
    Axes
        The axes drawn on.

    Raises
    ------
    ValueError
        If the explanation has no shapes, or no such column or class, or if the model of the query has no curves.

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
    names = shorten_all(curve.levels, LETTERS)
    names += [] if curve.missing is None or not names else ["missing"]
    ax = get_axes(ax, height=2.6 + room_below(names))
    _set_heights(ax, curve)
    finish(ax, _name(curve), f"adds to {say_link(explanation, output)}")
    ax.axhline(0, color=PALE, linewidth=0.6, zorder=0)
    panel = ax.inset_axes([0, 0, 1, 0.8 * FOOT], sharex=ax)
    if names:
        _draw_levels(ax, panel, curve, names, style)
    else:
        _draw_numbers(ax, panel, curve, style)
    _finish_panel(panel)
    _draw_key(ax, curve)
    return ax


def _name(curve: Curve) -> str:
    """Return what the axis of the column is called; with how many of its levels are drawn if not all are."""
    n_drawn = len(curve.levels)
    some = f" ({n_drawn} of {curve.n_levels} levels)" if n_drawn < curve.n_levels else ""
    return shorten(curve.feature, 36) + some


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
    edges = curve.edges
    low, span = edges[0], edges[-1] - edges[0]
    for k, (output, effect) in enumerate(zip(curve.outputs, curve.effect.T, strict=True)):
        look = {"color": _colour(curve, k), "linewidth": 1.2, "drawstyle": "steps-post", **_named(output), **style}
        ax.plot(edges, np.append(effect, effect[-1]), **look)
    bars = np.linspace(low, edges[-1], N_BARS + 1)
    count = np.diff(np.interp(bars, edges, np.concatenate([[0.0], np.cumsum(curve.rows)])))
    panel.bar(bars[:-1], count, span / N_BARS, align="edge", color=PALE)
    ax.xaxis.set_major_locator(ticks_within(low, edges[-1]))
    end = edges[-1] + 0.03 * span
    if curve.missing is not None:
        place = edges[-1] + ASIDE * span
        colours = [style.get("color", _colour(curve, k)) for k in range(len(curve.outputs))]
        ax.scatter(np.full(curve.missing.size, place), curve.missing, s=14, c=colours, zorder=3)
        panel.bar([place], [curve.missing_rows], span / N_BARS, color=PALE)
        ax.axvline(0.5 * (end + place), color=PALE, linewidth=0.6, linestyle=(0, (4, 3)))
        note_above(ax, place, "missing")
        end = place + 0.09 * span
    ax.set_xlim(low - 0.03 * span, end)


def _draw_levels(ax: Any, panel: Any, curve: Curve, names: list[str], style: dict[str, Any]) -> None:
    """Draw a bar for each level and class, and one for missing cells."""
    effect, rows = curve.effect, curve.rows
    if curve.missing is not None:
        effect, rows = np.vstack([effect, curve.missing]), np.append(rows, curve.missing_rows)
        ax.axvline(len(rows) - 1.5, color=PALE, linewidth=0.6, linestyle=(0, (4, 3)))
    place, width = np.arange(len(rows)), 0.8 / effect.shape[1]
    for k, (output, heights) in enumerate(zip(curve.outputs, effect.T, strict=True)):
        hue = _colour(curve, k) if len(curve.outputs) > 1 else [sign_colour(height) for height in heights]
        left = place + width * (k + 0.5 * (1 - effect.shape[1]))
        ax.bar(left, heights, **{"width": width, "color": hue, **_named(output), **style})
    panel.bar(place, rows, 0.8, color=PALE)
    ax.set_xlim(-0.6, len(rows) - 0.4)
    name_levels(ax, names, rows)


def _named(output: Any) -> dict[str, str]:
    """Return the label of what is drawn, where classes have to be told apart."""
    return {} if output is None else {"label": shorten(output, 20)}


def _colour(curve: Curve, k: int) -> str:
    return INK if len(curve.outputs) == 1 else series_colour(k)


def _finish_panel(panel: Any) -> None:
    """Leave of the axes of the counts only the largest one, beside it."""
    finish(panel, "", "", frame=())
    most = max((bar.get_height() for bar in panel.patches), default=0.0)
    panel.patch.set_alpha(0)
    panel.set_ylim(0, most or 1.0)
    # at the right, where no name of an axis stands
    panel.yaxis.tick_right()
    panel.set_yticks([most], [f"{number(float(most)) if most < 1 else f'{most:.0f}'}\nrows"], color=NEUTRAL, va="top")
    panel.tick_params(which="both", length=0)
    panel.tick_params(axis="x", labelbottom=False)


def _draw_key(ax: Any, curve: Curve) -> None:
    """Say which class is which, above the axes and the note there."""
    if len(curve.outputs) == 1:
        return
    size = fonts().tick
    above = 1 + LINE * size / points(ax)[1] * (curve.missing is not None and not curve.levels)
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, above), ncols=min(len(curve.outputs), 4), fontsize=size,
              frameon=False, borderpad=0.2, handlelength=1.2, columnspacing=1.0)  # fmt: skip
