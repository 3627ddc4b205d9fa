"""One prediction, step by step: by what columns add, or by the terms of its small model."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from heedful.explain import Explanation, find_output, find_query, say_cell, say_value, shows_factors
from heedful.plot._axes import annotate, finish_rows, get_axes
from heedful.plot._labels import number, shorten
from heedful.plot._read import check_explanation, link_label, of_query
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
    >>> plot.contributions(e, 0, k=2).get_xlabel()
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
    cells = zip(table["feature"], table["value"], strict=True)
    names = [shorten(say_value(shorten(feature, 22), value)) for feature, value in cells]
    parts = table["contribution"].to_numpy()
    rest = end - start - parts.sum()
    if abs(rest) > 1e-9 * max(np.abs(parts).sum(), abs(end - start)):
        names, parts = [*names, f"{explanation.values.shape[1] - len(names)} others"], np.append(parts, rest)
    steps = _Steps("overall mean", start, names, parts, "this query", end)
    return _draw_waterfall(ax, steps, link_label(explanation, output, 34), factors, style)


def small_model(
    explanation: Explanation,
    query: Any,
    *,
    output: Any = None,
    scale: str | None = None,
    ax: Any = None,
    **style: Any,
) -> Any:
    """Draw the small model of one query, term by term.

    The first line is what it says at the reference: the mean of numbers, the level that a category is compared with.
    Each bar is a term, the slope times the distance from the reference, the largest first; the last line is the
    prediction. The axis says the fidelity: how much of what is predicted around the query the small model has.

    Parameters
    ----------
    explanation, query : as in :func:`contributions`
    output, scale, ax : as in :func:`contributions`, default=None
    style : keywords for matplotlib's ``barh``, such as ``height``

    Returns
    -------
    Axes

    Examples
    --------
    >>> import numpy as np
    >>> from heedful import AttentionLasso, plot
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> e = AttentionLasso(random_state=0).fit(X, X[:, 0] * np.sign(X[:, 1])).explain(X[:5])
    >>> len(plot.small_model(e, 0).patches) == int(e.n_nonzero[0])
    True
    """
    row = find_query(check_explanation(explanation), query)
    output = find_output(explanation, row, output)
    factors = shows_factors(explanation.words, scale)
    reference, fidelity = explanation.reference, explanation.fidelity
    if explanation.terms is None or explanation.start is None or reference is None or fidelity is None:
        raise ValueError("`explanation` must have small models, got models without slopes. Use `plot.contributions`.")
    parts = [explanation.start, explanation.link, explanation.terms, explanation.coef]
    start, end, terms, slopes = (part.iloc[row] if output is None else part[output].iloc[row] for part in parts)
    used = np.flatnonzero(slopes)
    used = used[np.argsort(-np.abs(terms.to_numpy()[used]), kind="stable")]
    cells = list(zip(explanation.features, explanation.values.iloc[row], reference.iloc[row], strict=True))
    names = [_term_name(*cells[j]) for j in used]
    steps = _Steps("at the reference", float(start), names, terms.to_numpy()[used], "this query", float(end))
    label = f"{link_label(explanation, output, 34)} (fidelity {fidelity.iloc[row]:.2f})"
    return _draw_waterfall(ax, steps, label, factors, style)


def _term_name(column: Any, value: Any, reference: Any) -> str:
    """Return a column with the query's value and what it is compared with."""
    return f"{shorten(say_value(shorten(column, 18), value))} vs {shorten(say_cell(reference), 12)}"


class _Steps(NamedTuple):
    """What leads from one value to another: their names, and the names and sizes of the steps."""

    start_name: str
    start: float
    names: list[str]
    sizes: np.ndarray
    end_name: str
    end: float


def _draw_waterfall(ax: Any, steps: _Steps, label: str, factors: bool, style: dict[str, Any]) -> Any:
    """Draw each step from where the one before it ended, joined by thin lines, with its size as added or as factor."""
    sizes, n_steps = steps.sizes, len(steps.sizes)
    ax = get_axes(ax, height=1.05 + 0.17 * n_steps)
    edges = steps.start + np.append(0.0, np.cumsum(sizes))
    colours = [sign_colour(size) for size in sizes]
    ax.barh(np.arange(n_steps), sizes, left=edges[:-1], **{"color": colours, "height": 0.7, **style})
    for below, edge in enumerate(edges):
        ax.plot([edge, edge], [below - 1, below], color=NEUTRAL, linewidth=0.6, zorder=0)
    for place, size in enumerate(sizes):
        text = f"×{np.exp(size):.3g}" if factors else f"{size:+.3g}".replace("-", "−")
        annotate(ax, text, (edges[place : place + 2].max(), place), (3, 0))
    low, high = edges.min(), edges.max()
    span = (high - low) or 1.0
    low, high = low - 0.05 * span, high + 0.22 * span
    ax.set_xlim(low, high)
    finish_rows(ax, label, steps.names, room=(1.5, 1.7))
    for value, place, name in ((steps.start, -1, steps.start_name), (steps.end, n_steps, steps.end_name)):
        text = f"{name}: {number(float(np.exp(value)) if factors else value)}"
        ax.plot([value], [place], "o", color=INK, markersize=3)
        # there is more room on the left, where the names of features stand
        left = value > low + 0.4 * (high - low)
        annotate(ax, text, (value, place), (-5 if left else 5, 0), ha="right" if left else "left")
    return ax
