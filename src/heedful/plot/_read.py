"""What pictures read from an explanation, and what they say when it is not there."""

from typing import Any

import numpy as np
import pandas as pd

from heedful.explain import Clusters, Explanation
from heedful.explain._clusters import OTHERS, OTHERS_NAME
from heedful.explain._find import find_output, find_query
from heedful.plot._labels import shorten

__all__ = ["find_output", "find_query"]


def check_explanation(explanation: Any) -> Explanation:
    """Return an explanation as it is."""
    if not isinstance(explanation, Explanation):
        raise TypeError(
            f"`explanation` must be what `explain(X)` of a fitted estimator returns, got {type(explanation).__name__}. "
            "Pass `model.explain(X)`."
        )
    return explanation


def find_clusters(explanation: Explanation, clusters: Any) -> Clusters:
    """Return clusters as given, or so many of them; None stands for as many as the data speak for."""
    if not isinstance(clusters, Clusters):
        return explanation.clusters(clusters)
    if not clusters.labels.index.equals(explanation.index):
        raise ValueError(
            f"`clusters` must be of the same queries as `explanation`: {len(explanation.index)}, got those of "
            f"{len(clusters.labels)} others. Pass `explanation.clusters(...)` or a number."
        )
    return clusters


def cluster_name(cluster: int) -> str:
    """Return the number of a cluster, or what queries in none are called."""
    return OTHERS_NAME if cluster == OTHERS else str(cluster)


def of_query(explanation: Explanation, top: pd.DataFrame, row: int) -> pd.DataFrame:
    """Return the part of a table of all queries that is of the one at ``row``; labels need not be unique."""
    each = len(top) // len(explanation.index)
    return top.iloc[row * each : (row + 1) * each]


def column_names(columns: pd.Index) -> list[str]:
    """Return the names of columns of coefficients, "class: feature" where they have two levels."""
    if isinstance(columns, pd.MultiIndex):
        return [": ".join(str(part) for part in column) for column in columns]
    return [str(column) for column in columns]


def link_name(explanation: Explanation, output: Any) -> str:
    """Return what contributions add up to, in the words of the response: "prediction", "log hazard", "log-odds of"."""
    if output is not None:
        return f"linear predictor of class {output}"
    if explanation.words is not None:
        return explanation.words.link
    same = np.allclose(np.asarray(explanation.link), np.asarray(explanation.prediction))
    return "prediction" if same else "log-odds"


def say_link(explanation: Explanation, output: Any, longest: int = 24) -> str:
    """Return what contributions add up to as a label; a class on a line of its own if it is long."""
    parts = link_name(explanation, output).split(" of ", maxsplit=1)
    return ("\nof " if sum(map(len, parts)) > longest else " of ").join(shorten(part, longest) for part in parts)


def say_added(explanation: Explanation, output: Any) -> str:
    """Return what the contributions of all queries add to, as a label."""
    several = explanation.outputs is not None and output is None
    return f"{say_link(explanation, output)}\nof the likeliest class" if several else say_link(explanation, output)


def find_column(explanation: Explanation, column: Any, name: str = "column") -> int:
    """Return the place of a column of the table that was given."""
    known = list(explanation.values.columns)
    if column not in known:
        some = ", ".join(repr(label) for label in known[:3])
        raise ValueError(f"`{name}` must be a column of `explanation.values`, such as {some}; got {column!r}.")
    return known.index(column)
