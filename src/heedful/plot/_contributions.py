"""What drove one prediction."""

from typing import Any

import numpy as np
import pandas as pd

from heedful.explain import Explanation, say_value
from heedful.explain._attribution import shows_factors
from heedful.plot._labels import shorten
from heedful.plot._read import check_explanation, find_output, find_query, of_query, say_link
from heedful.plot._waterfall import Waterfall, draw_waterfall


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
    way = Waterfall("overall mean", start, names, parts, "this query", end)
    return draw_waterfall(ax, way, say_link(explanation, output, 34), factors=factors, style=style)


def _bars(table: pd.DataFrame, total: float, n_features: int) -> tuple[list[str], np.ndarray]:
    """Return names and values of the bars; what is left over is a bar of its own."""
    pairs = zip(table["feature"], table["value"], strict=True)
    names = [shorten(say_value(shorten(feature, 22), value)) for feature, value in pairs]
    parts = table["contribution"].to_numpy()
    rest = total - parts.sum()
    if abs(rest) > 1e-9 * max(np.abs(parts).sum(), abs(total)):
        names, parts = [*names, f"{n_features - len(names)} others"], np.append(parts, rest)
    return names, parts
