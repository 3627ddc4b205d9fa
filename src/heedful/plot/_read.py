"""Reading explanations for plots, with errors if something is missing."""

from typing import Any

import numpy as np
import pandas as pd

from heedful.explain import Clusters, Explanation
from heedful.plot._labels import shorten


def check_explanation(explanation: Any) -> Explanation:
    """Return an explanation as it is."""
    if not isinstance(explanation, Explanation):
        raise TypeError(
            f"`explanation` must be a result of `explain(X)` of a fitted estimator, got {type(explanation).__name__}. "
            "Pass `model.explain(X)`."
        )
    return explanation


def check_count(k: Any, usual: int) -> None:
    """Refuse a number of columns that is none."""
    if not isinstance(k, int | np.integer) or k < 1:
        raise ValueError(f"`k` must be a whole number of columns, at least 1, got {k!r}. Try {usual}.")


def find_clusters(explanation: Explanation, clusters: Any) -> Clusters:
    """Return clusters as given, or so many of them; None chooses the number."""
    if not isinstance(clusters, Clusters):
        return explanation.clusters(clusters)
    if not clusters.labels.index.equals(explanation.index):
        raise ValueError(
            f"`clusters` must be of the same queries as `explanation`: {len(explanation.index)}, got those of "
            f"{len(clusters.labels)} others. Pass `explanation.clusters(...)` or a number."
        )
    return clusters


def find_column(explanation: Explanation, column: Any, name: str = "column") -> int:
    """Return the place of a column of the table that was given."""
    known = list(explanation.values.columns)
    if column not in known:
        some = ", ".join(repr(label) for label in known[:3])
        raise ValueError(f"`{name}` must be a column of `explanation.values`, such as {some}; got {column!r}.")
    return known.index(column)


def of_query(explanation: Explanation, top: pd.DataFrame, row: int) -> pd.DataFrame:
    """Return the part of a table of all queries that is of the one at ``row``; labels need not be unique."""
    each = len(top) // len(explanation.index)
    return top.iloc[row * each : (row + 1) * each]


def link_label(explanation: Explanation, output: Any, longest: int = 40) -> str:
    """Return what contributions add up to, such as "log hazard"; a class on a line of its own if it is long."""
    parts = _link_name(explanation, output).split(" of ", maxsplit=1)
    return ("\nof " if sum(map(len, parts)) > longest else " of ").join(shorten(part, longest) for part in parts)


def _link_name(explanation: Explanation, output: Any) -> str:
    if output is not None:
        return f"linear predictor of class {output}"
    if explanation.words is not None:
        return explanation.words.link
    same = np.allclose(np.asarray(explanation.link), np.asarray(explanation.prediction))
    return "prediction" if same else "log-odds"


def added_label(explanation: Explanation, output: Any) -> str:
    """Return what the contributions of all queries add to, as a label."""
    several = explanation.outputs is not None and output is None
    return link_label(explanation, output) + ("\nof the likeliest class" if several else "")
