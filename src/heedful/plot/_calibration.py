"""Calibration of predictions, and lift of counts and costs."""

from typing import Any

import numpy as np
import pandas as pd

from heedful.explain import Explanation, HeldOutPredictions, gini
from heedful.plot._axes import draw_unit_square, finish, get_axes
from heedful.plot._docs import fill_docstring
from heedful.plot._labels import draw_legend
from heedful.plot._read import check_explanation
from heedful.plot._style import INK, NEUTRAL, series_colour

MODELS = ("attention", "baseline")


@fill_docstring("``plot`` of the points, such as ``markersize``")
def calibration(
    explanation: Explanation | HeldOutPredictions,
    n_bins: int = 10,
    *,
    time: float | None = None,
    ax: Any = None,
    **style: Any,
) -> Any:
    """Draw predicted against observed responses.

    Rows are binned by prediction, from low to high, in bins of about equal exposure. Points are observed means, lines
    are mean predictions of the model and of the global model.

    For classification each point is a bin of about equally many rows: the mean predicted probability against the
    observed frequency, with one line per class for multiclass classification. For survival it is the mean predicted
    survival probability at ``time`` against the Kaplan-Meier estimate of the bin. Bars are 90 % intervals of the
    observed value; calibrated probabilities lie on the diagonal.

    Parameters
    ----------
    explanation : Explanation or HeldOutPredictions
        Result of ``explain(X, y)`` for new rows, or of ``held_out()`` for the training rows.
    n_bins : int, default=10
        Number of bins.
    time : float, default=None
        Time at which survival is compared; None uses the median event time.
    {axes}

    Examples
    --------
    {explained_claims}
    >>> ax = plot.calibration(e, 5)
    >>> len(ax.lines[0].get_xdata())
    5
    """
    if not isinstance(explanation, HeldOutPredictions):
        check_explanation(explanation)
    table = explanation.calibration(n_bins, time=time)
    ax = get_axes(ax)
    if "low" in table:
        return _draw_reliability(ax, table, style)
    look = {"marker": "o", "linestyle": "", "color": INK, "label": "observed", "markersize": 4, **style}
    ax.plot(table.index, table["observed"], **look)
    for number, name in enumerate(MODELS):
        ax.plot(table.index, table[name], color=series_colour(number + 1), linewidth=1.2, label=name)
    per = " per unit of exposure" if explanation.offset is not None else ""
    finish(ax, "bin of predictions, from low to high", f"mean response{per}")
    ax.set_ylim(bottom=min(0.0, ax.get_ylim()[0]))
    draw_legend(ax)
    return ax


def _draw_reliability(ax: Any, table: pd.DataFrame, style: dict[str, Any]) -> Any:
    """Draw what was observed against what was predicted, class by class."""
    draw_unit_square(ax)
    several = table.index.nlevels > 1
    parts = list(table.groupby(level=0, sort=False)) if several else [("", table)]
    for number, (name, part) in enumerate(parts):
        colour = series_colour(number + 1)
        away = np.maximum([part["observed"] - part["low"], part["high"] - part["observed"]], 0.0)
        ax.errorbar(part["attention"], part["observed"], away, fmt="none", ecolor=colour, elinewidth=0.8, alpha=0.6)
        look = {"color": colour, "linewidth": 1.2, "marker": "o", "markersize": 3, "label": str(name), **style}
        ax.plot(part["attention"], part["observed"], **look)
    if several:
        draw_legend(ax)
    if "time" in table:
        return finish(ax, f"survival predicted at time {table['time'].iloc[0]:.3g}", "Kaplan-Meier estimate")
    return finish(ax, "probability predicted", "share observed")


@fill_docstring("``plot``, such as ``linewidth``")
def lift(explanation: Explanation, *, ax: Any = None, **style: Any) -> Any:
    """Draw lift curves: shares of the response by predicted order.

    Queries are sorted by predicted rate, the lowest first. The lower a curve, the better the model ranks queries; a
    random ranking gives the diagonal. The legend shows the Gini index, twice the area between curve and diagonal.

    Parameters
    ----------
    explanation : Explanation
        Result of ``explain(X, y)``, with numeric responses >= 0.
    {axes}

    Examples
    --------
    {explained_claims}
    >>> plot.lift(e).get_xlabel()
    'share of exposure, lowest predictions first'
    """
    curves = check_explanation(explanation).lift()
    ax = get_axes(ax)
    draw_unit_square(ax)
    for number, name in enumerate(MODELS):
        curve = curves[curves["model"] == name]
        look = {"color": series_colour(number + 1), "linewidth": 1.2, **style}
        ax.plot(curve["exposure"], curve["response"], label=f"{name}, Gini {gini(curve):.3f}", **look)
    what = "exposure" if explanation.offset is not None else "queries"
    draw_legend(ax, loc="upper left", labelcolor=NEUTRAL)
    return finish(ax, f"share of {what}, lowest predictions first", "share of the response")
