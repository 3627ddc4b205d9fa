"""Plots of treatment effects: the gain of treating by effect, and the balance of the arms."""

from typing import Any

import numpy as np

from heedful.explain import LARGE, Heterogeneity, Overlap
from heedful.plot._axes import finish, finish_rows, get_axes, get_axes_for_rows
from heedful.plot._docs import fill_docstring
from heedful.plot._labels import draw_legend, shorten_all
from heedful.plot._read import check_count
from heedful.plot._style import NEUTRAL, PALE, series_colour


@fill_docstring("``plot`` of the curve, such as ``linewidth``")
def gain_curve(heterogeneity: Heterogeneity, *, ax: Any = None, **style: Any) -> Any:
    """Draw the gain of treating rows with the largest effects first.

    The horizontal axis is the share of rows treated. The curve is the increase of the mean response, by doubly robust
    scores of held-out rows; the straight line is the increase if as many rows are treated at random. The simultaneous
    90 % band is relative to the effect of treating all rows: if effects do not differ, the straight line leaves it
    with probability 10 %. With ``heterogeneity(smaller_is_better=True)`` rows with the smallest effects come first.

    Parameters
    ----------
    heterogeneity : Heterogeneity
        Result of ``heterogeneity()`` of an estimator of effects.
    {axes}

    Examples
    --------
    >>> import pandas as pd
    >>> from heedful import plot
    >>> from heedful.explain import Heterogeneity
    >>> curve = pd.DataFrame({"toc": [1.0, 0.0], "standard_error": [0.2, 0.0]}, index=[0.5, 1.0])
    >>> curve = curve.assign(gain=[1.0, 1.0], low=[0.7, 1.0], high=[1.3, 1.0], random=[0.5, 1.0])
    >>> ax = plot.gain_curve(Heterogeneity(tests=curve, curve=curve, groups=curve, n_rows=400))
    >>> ax.get_xlabel()
    'share treated, largest effects first'
    """
    table = _check("heterogeneity", heterogeneity, Heterogeneity).curve
    first, gained = ("smallest", "fall of") if heterogeneity.smaller_is_better else ("largest", "gain in")
    share = np.r_[0.0, table.index]
    gain, random, low, high = (np.r_[0.0, table[name]] for name in ("gain", "random", "low", "high"))
    ax = get_axes(ax)
    ax.fill_between(share, low, high, color=PALE, alpha=0.5, linewidth=0)
    ax.plot(share, gain, **{"color": series_colour(1), "linewidth": 1.2, "label": "by effect", **style})
    ax.plot(share, random, color=NEUTRAL, linewidth=0.8, linestyle="--", label="at random")
    ax.set_xlim(0, 1)
    draw_legend(ax)
    return finish(ax, f"share treated, {first} effects first", f"{gained} the mean response")


@fill_docstring("``plot`` of the points, such as ``markersize``")
def balance(overlap: Overlap, k: int = 15, *, ax: Any = None, **style: Any) -> Any:
    """Draw the balance of columns between arms, before and after weighting.

    A hollow point is the standardised mean difference of a column between the arms, a filled one the same after inverse
    probability weighting. Pale lines are at 0.1, beyond which a difference is usually called large. For a continuous
    treatment points are correlations with the treatment.

    Parameters
    ----------
    overlap : Overlap
        Result of ``overlap()`` of an estimator of effects.
    k : int, default=15
        Number of columns to draw; those with the largest difference after weighting come first.
    {axes}

    Examples
    --------
    >>> import pandas as pd
    >>> from heedful import plot
    >>> from heedful.explain import Overlap
    >>> arms = pd.DataFrame({"rows": 50, "before": 50.0, "after": 45.0}, index=["control", "treated"])
    >>> table = pd.DataFrame({"before": [0.4], "after": [0.02], "chance": [0.2]}, index=["age"])
    >>> half = pd.Series([0.4, 0.6] * 50)
    >>> overlap = Overlap(arms=arms, balance=table, propensity=half, treatment=(half > 0.5).astype(float),
    ...                   share_low=0.0, share_high=0.0, near=0.05)
    >>> plot.balance(overlap).get_xlabel()
    'difference in standard deviations'
    """
    check_count(k, 15)
    table = _check("overlap", overlap, Overlap).balance
    # a column that is constant in both arms has an infinite difference
    table = table[np.isfinite(table[["before", "after"]]).all(axis=1)].iloc[:k]
    names = shorten_all(list(table.index))
    ax = get_axes_for_rows(ax, len(names))
    for place in (-LARGE, 0.0, LARGE):
        ax.axvline(place, color=PALE, linewidth=0.8 if place else 1.2, zorder=0)
    rows, colour = np.arange(len(names)), series_colour(1)
    look = {"marker": "o", "linestyle": "", "markersize": 4, "color": colour, **style}
    ax.plot(table["before"], rows, **{**look, "markerfacecolor": "white", "label": "before"})
    ax.plot(table["after"], rows, **{**look, "label": "after weighting"})
    unit = "correlation with the treatment" if overlap.amounts else "difference in standard deviations"
    draw_legend(ax)
    return finish_rows(ax, unit, names)


def _check(name: str, value: Any, kind: type) -> Any:
    """Return a result as it is."""
    if not isinstance(value, kind):
        raise TypeError(
            f"`{name}` must be what `{name}()` of a fitted estimator of effects returns, got {type(value).__name__}. "
            f"Pass `model.{name}()`."
        )
    return value
