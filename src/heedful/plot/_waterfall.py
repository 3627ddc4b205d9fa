"""Waterfall plots of one prediction: contributions of columns, or terms of its small model."""

from typing import Any

import numpy as np
import pandas as pd

from heedful.explain import Explanation, find_output, find_query, format_cell, format_value, shows_factors
from heedful.plot._axes import annotate, finish_rows, get_axes_for_rows
from heedful.plot._docs import fill_docstring
from heedful.plot._labels import number, shorten, shorten_all
from heedful.plot._read import check_explanation, link_label, of_query
from heedful.plot._style import INK, NEUTRAL, sign_colour


@fill_docstring("``barh``, such as ``height``")
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
    """Draw the contributions to one prediction.

    The first line is the mean over the training rows, the last line the prediction. Each bar is the contribution of a
    column, the largest first.

    Parameters
    ----------
    {explanation}
    {query}
    k : int, default=8
        Number of columns to draw; the others share one bar.
    {output}
    {scale}
    {axes}

    Examples
    --------
    {explained}
    >>> plot.contributions(e, 0, k=2).get_xlabel()
    'prediction'
    """
    row = find_query(check_explanation(explanation), query)
    output = find_output(explanation, row, output)
    factors = shows_factors(explanation.words, scale)
    table = of_query(explanation, explanation.top_features(k, output), row)
    table = table[table["contribution"] != 0]
    levels: list[Any] = [explanation.base_value, explanation.link.iloc[row]]
    start, end = (float(level if output is None else level[output]) for level in levels)
    cells = zip(_short_names(explanation, table["feature"]), table["value"], strict=True)
    names = [shorten(format_value(name, value), 44) for name, value in cells]
    sizes = table["contribution"].to_numpy()
    rest = end - start - sizes.sum()
    if abs(rest) > 1e-9 * max(np.abs(sizes).sum(), abs(end - start)):
        n_others = explanation.values.shape[1] - len(names)
        names, sizes = [*names, f"{n_others} other{'s' * (n_others > 1)}"], np.append(sizes, rest)
    steps = pd.Series(sizes, names)
    ends = ("overall mean", start), ("this query", end)
    return _draw_waterfall(ax, steps, ends, link_label(explanation, output, 60), factors, style)


@fill_docstring("``barh``, such as ``height``")
def small_model(
    explanation: Explanation,
    query: Any,
    *,
    output: Any = None,
    scale: str | None = None,
    ax: Any = None,
    **style: Any,
) -> Any:
    """Draw the terms of the small model of one query.

    The first line is the value of the model at the reference (the mean of a number, the reference level of a category),
    the last line the prediction. Each bar is a term, the slope times the distance from the reference, the largest
    first. The axis label has the fidelity: the R2 of the small model on predictions around the query.

    Parameters
    ----------
    {explanation}
    {query}
    {output}
    {scale}
    {axes}

    Examples
    --------
    {explained}
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
    columns = _short_names(explanation, np.array(explanation.features, dtype=object)[used])
    values, others = (table.iloc[row].iloc[used] for table in (explanation.values, reference))
    cells = zip(columns, values, others, strict=True)
    names = [f"{shorten(format_value(*pair), 40)} vs {shorten(format_cell(other), 12)}" for *pair, other in cells]
    steps = pd.Series(terms.to_numpy()[used], names)
    ends = ("at the reference", float(start)), ("this query", float(end))
    label = f"{link_label(explanation, output, 60)} (fidelity {fidelity.iloc[row]:.2f})"
    return _draw_waterfall(ax, steps, ends, label, factors, style)


def _short_names(explanation: Explanation, columns: Any) -> list[str]:
    """Return short names of some columns that distinguish them from all others."""
    known = explanation.values.columns
    short = shorten_all(list(known), 28)
    return [short[j] for j in known.get_indexer(columns)]


def _draw_waterfall(
    ax: Any, steps: pd.Series, ends: tuple[tuple[str, float], ...], label: str, factors: bool, style: dict[str, Any]
) -> Any:
    """Draw each step from where the one before it ended, joined by thin lines, with its size as added or as factor."""
    sizes, (_, start) = steps.to_numpy(), ends[0]
    ax = get_axes_for_rows(ax, len(sizes) + 2)
    edges = start + np.append(0.0, np.cumsum(sizes))
    colours = [sign_colour(size) for size in sizes]
    ax.barh(np.arange(len(sizes)), sizes, left=edges[:-1], **{"color": colours, "height": 0.7, **style})
    for below, edge in enumerate(edges):
        ax.plot([edge, edge], [below - 1, below], color=NEUTRAL, linewidth=0.6, zorder=0)
    for place, size in enumerate(sizes):
        text = f"×{number(np.exp(size), 3)}" if factors else ("+" if size > 0 else "") + number(size, 3)
        annotate(ax, text, (edges[place : place + 2].max(), place), (3, 0))
    low, high = edges.min(), edges.max()
    span = (high - low) or 1.0
    ax.set_xlim(low - 0.05 * span, high + 0.1 * span)
    finish_rows(ax, label, list(steps.index), room=(1.5, 1.7))
    for (name, value), place in zip(ends, (-1, len(sizes)), strict=True):
        text = f"{name}: {number(float(np.exp(value)) if factors else value)}"
        ax.plot([value], [place], "o", color=INK, markersize=3)
        # there is more room on the left, where the names of features stand
        left = value > low + 0.4 * span
        annotate(ax, text, (value, place), (-5 if left else 5, 0), ha="right" if left else "left")
    return ax
