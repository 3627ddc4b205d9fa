"""The small model of one query."""

from typing import Any

import numpy as np

from heedful.explain import Explanation, say_cell, say_value
from heedful.explain._attribution import shows_factors
from heedful.plot._labels import shorten
from heedful.plot._read import check_explanation, find_output, find_query, say_link
from heedful.plot._waterfall import Waterfall, draw_waterfall


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

    All else is as in :func:`contributions`.

    Parameters
    ----------
    explanation : Explanation
    query : label
    output : label, default=None
    scale : {"link", "factor"}, default=None
    ax : Axes, default=None
    style : keywords

    Returns
    -------
    Axes
        The axes drawn on.

    Examples
    --------
    >>> import numpy as np
    >>> from heedful import AttentionLasso, plot
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> e = AttentionLasso(random_state=0).fit(X, X[:, 0] * np.sign(X[:, 1])).explain(X[:5])
    >>> ax = plot.small_model(e, 0)
    >>> len(ax.patches) == int(e.n_nonzero[0])
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
    cells = zip(explanation.features, explanation.values.iloc[row], reference.iloc[row], strict=True)
    said = [_say_term(*cell) for cell in cells]
    names = [said[j] for j in used]
    way = Waterfall("at the reference", float(start), names, terms.to_numpy()[used], "this query", float(end))
    label = f"{say_link(explanation, output, 34)} (fidelity {fidelity.iloc[row]:.2f})"
    return draw_waterfall(ax, way, label, factors=factors, style=style)


def _say_term(column: Any, value: Any, reference: Any) -> str:
    """Return a column with the query's value and what it is compared with."""
    return f"{shorten(say_value(shorten(column, 18), value))} vs {shorten(say_cell(reference), 12)}"
