"""How local the models of all queries are."""

from typing import Any

import pandas as pd

from heedful.explain import Explanation
from heedful.plot._axes import dashed_line, finish, get_axes, note_above
from heedful.plot._read import check_explanation
from heedful.plot._style import INK, NEUTRAL


def mixing_histogram(explanation: Explanation, *, ax: Any = None, **style: Any) -> Any:
    """Draw how large a share the local models were given, over all queries.

    Parameters
    ----------
    explanation : as in :func:`contributions`
    ax : as in :func:`contributions`, default=None
    style : keywords for matplotlib's ``hist``, such as ``bins``

    Returns
    -------
    Axes

    Examples
    --------
    >>> import numpy as np
    >>> from heedful import AttentionLasso, plot
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> e = AttentionLasso(random_state=0).fit(X, X[:, 0] * np.sign(X[:, 1])).explain(X)
    >>> plot.mixing_histogram(e).get_xlabel()
    'mixing: share of the local model'
    """
    mixing = check_explanation(explanation).mixing
    ax = _draw_histogram(ax, mixing, "mixing: share of the local model", {"range": (0.0, 1.0), **style})
    ax.set_xlim(0, 1)
    return ax


def n_eff_histogram(explanation: Explanation, *, ax: Any = None, **style: Any) -> Any:
    """Draw how many training rows queries attended to, in effect.

    The effective number of rows is one over the sum of squared weights: as many equal weights would be as spread out.

    Parameters
    ----------
    explanation : as in :func:`contributions`
    ax : as in :func:`contributions`, default=None
    style : keywords for matplotlib's ``hist``, such as ``bins``

    Returns
    -------
    Axes

    Examples
    --------
    >>> import numpy as np
    >>> from heedful import AttentionLasso, plot
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> e = AttentionLasso(random_state=0).fit(X, X[:, 0] * np.sign(X[:, 1])).explain(X)
    >>> plot.n_eff_histogram(e).get_xlabel()
    'effective training rows, of 60'
    """
    n_eff = check_explanation(explanation).n_eff
    return _draw_histogram(ax, n_eff, f"effective training rows, of {len(explanation.train)}", style)


def _draw_histogram(ax: Any, values: pd.Series, label: str, style: dict[str, Any]) -> Any:
    """Draw a histogram of all queries and its median."""
    ax = get_axes(ax, height=2.0)
    ax.hist(values, **{"bins": 20, "color": NEUTRAL, "edgecolor": "white", "linewidth": 0.4, **style})
    median = float(values.median())
    dashed_line(ax, median, color=INK, linewidth=0.8)
    note_above(ax, median, f"median {median:.3g}")
    ax.yaxis.get_major_locator().set_params(integer=True)
    return finish(ax, label, "queries")
