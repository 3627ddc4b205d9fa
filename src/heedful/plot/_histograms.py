"""Histograms of mixing and of effective sample sizes over queries."""

from typing import Any

import pandas as pd

from heedful.explain import Explanation
from heedful.plot._axes import draw_dashed, finish, get_axes, note_above
from heedful.plot._docs import fill_docstring
from heedful.plot._read import check_explanation
from heedful.plot._style import INK, NEUTRAL


@fill_docstring("``hist``, such as ``bins``")
def mixing_histogram(explanation: Explanation, *, ax: Any = None, **style: Any) -> Any:
    """Draw a histogram of the share of the local models over queries.

    Parameters
    ----------
    {explanation}
    {axes}

    Examples
    --------
    {explained}
    >>> plot.mixing_histogram(e).get_xlabel()
    'mixing: share of the local model'
    """
    mixing = check_explanation(explanation).mixing
    ax = _draw_histogram(ax, mixing, "mixing: share of the local model", {"range": (0.0, 1.0), **style})
    ax.set_xlim(0, 1)
    return ax


@fill_docstring("``hist``, such as ``bins``")
def n_eff_histogram(explanation: Explanation, *, ax: Any = None, **style: Any) -> Any:
    """Draw a histogram of the effective sample sizes of queries.

    The effective sample size of a query is one over the sum of its squared weights.

    Parameters
    ----------
    {explanation}
    {axes}

    Examples
    --------
    {explained}
    >>> plot.n_eff_histogram(e).get_xlabel()
    'effective sample size, of 60 training rows'
    """
    n_eff = check_explanation(explanation).n_eff
    return _draw_histogram(ax, n_eff, f"effective sample size, of {len(explanation.train)} training rows", style)


def _draw_histogram(ax: Any, values: pd.Series, label: str, style: dict[str, Any]) -> Any:
    """Draw a histogram of all queries and its median."""
    ax = get_axes(ax, height=3.2)
    ax.hist(values, **{"bins": 20, "color": NEUTRAL, "edgecolor": "white", "linewidth": 0.4, **style})
    median = float(values.median())
    draw_dashed(ax, median, color=INK, linewidth=0.8)
    note_above(ax, median, f"median {median:.3g}")
    ax.yaxis.get_major_locator().set_params(integer=True)
    return finish(ax, label, "queries")
