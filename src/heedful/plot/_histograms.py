"""How local the models of all queries are."""

from typing import Any

import numpy as np
import pandas as pd

from heedful.explain import Explanation
from heedful.plot._axes import finish, get_axes, note_above
from heedful.plot._read import check_explanation
from heedful.plot._style import INK, NEUTRAL


def mixing_histogram(explanation: Explanation, *, ax: Any = None, **style: Any) -> Any:
    """Draw how large a share the local models were given, over all queries.

    All else is as in :func:`contributions`.

    Parameters
    ----------
    explanation : Explanation
    ax : Axes, default=None
    style : keywords
        For matplotlib's ``hist``, such as ``bins``.

    Returns
    -------
    Axes
        The axes drawn on.

    Examples
    --------
    >>> import numpy as np
    >>> from heedful import AttentionLasso, plot
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> e = AttentionLasso(random_state=0).fit(X, X[:, 0] * np.sign(X[:, 1])).explain(X)
    >>> ax = plot.mixing_histogram(e)
    >>> ax.get_xlabel()
    'mixing: share of the local model'
    """
    mixing = check_explanation(explanation).mixing
    ax = get_axes(ax, height=2.0)
    _draw_bars(ax, mixing, {"range": (0.0, 1.0), **style})
    ax.set_xlim(0, 1)
    return finish(ax, "mixing: share of the local model", "queries")


def n_eff_histogram(explanation: Explanation, *, ax: Any = None, **style: Any) -> Any:
    """Draw how many training rows queries attended to, in effect.

    The effective number of rows is one over the sum of squared weights: as many equal weights would be as spread out.

    All else is as in :func:`contributions`.

    Parameters
    ----------
    explanation : Explanation
    ax : Axes, default=None
    style : keywords
        For matplotlib's ``hist``, such as ``bins``.

    Returns
    -------
    Axes
        The axes drawn on.

    Examples
    --------
    >>> import numpy as np
    >>> from heedful import AttentionLasso, plot
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> e = AttentionLasso(random_state=0).fit(X, X[:, 0] * np.sign(X[:, 1])).explain(X)
    >>> ax = plot.n_eff_histogram(e)
    >>> ax.get_xlabel()
    'effective training rows, of 60'
    """
    n_eff = check_explanation(explanation).n_eff
    ax = get_axes(ax, height=2.0)
    _draw_bars(ax, n_eff, style)
    return finish(ax, f"effective training rows, of {len(explanation.train)}", "queries")


def _draw_bars(ax: Any, values: pd.Series, style: dict[str, Any]) -> None:
    """Draw a histogram and its median."""
    ax.hist(values.to_numpy(), **{"bins": 20, "color": NEUTRAL, "edgecolor": "white", "linewidth": 0.4, **style})
    middle = float(np.median(values))
    ax.axvline(middle, color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
    note_above(ax, middle, f"median {middle:.3g}")
    ax.yaxis.get_major_locator().set_params(integer=True)
