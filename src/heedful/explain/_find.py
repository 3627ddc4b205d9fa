"""Queries and classes by the names that people give them."""

from typing import Any

import numpy as np

from heedful.explain._explained import Explained


def find_query(explanation: Explained, query: Any) -> int:
    """Return the position of a query by its label."""
    found = np.flatnonzero(explanation.index == query)
    if found.size == 0:
        known = ", ".join(repr(label) for label in explanation.index[:3].tolist())
        raise ValueError(f"`query` must be a label in `explanation.index`, such as {known}; got {query!r}.")
    if found.size > 1:
        raise ValueError(
            f"`query` must be the label of one row, got {query!r}, which {found.size} rows have. "
            "Call `explain` with a table of unique labels: X.reset_index(drop=True)."
        )
    return int(found[0])


def find_output(explanation: Explained, query: int, output: Any) -> Any:
    """Return the class to show: the one asked for or the query's most probable one; None if there is one model."""
    known = explanation.outputs
    if known is None:
        if output is not None:
            raise ValueError(f"`output` must be None where a query has one model, got {output!r}. Leave it out.")
        return None
    if output is None:
        return known[int(np.asarray(explanation.link)[query].argmax())]
    if output not in known:
        raise ValueError(f"`output` must be one of the classes {known}, got {output!r}.")
    return output
