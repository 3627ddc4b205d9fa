"""Queries and classes by the names that people give them."""

from typing import Any

import numpy as np

from heedful.explain._explained import Explained


def find_query(explanation: Explained, query: Any) -> int:
    """Return the position of a query by its label."""
    matches = np.flatnonzero(explanation.index == query)
    if matches.size == 0:
        known = ", ".join(repr(label) for label in explanation.index[:3].tolist())
        raise ValueError(f"`query` must be a label in `explanation.index`, such as {known}; got {query!r}.")
    if matches.size > 1:
        raise ValueError(
            f"`query` must be the label of one row, got {query!r}, which {matches.size} rows have. "
            "Call `explain` with a table of unique labels: X.reset_index(drop=True)."
        )
    return int(matches[0])


def check_output(explanation: Explained, output: Any) -> None:
    """Raise unless there is a model for this class; None names none."""
    if output is None or (explanation.outputs is not None and output in explanation.outputs):
        return
    if explanation.outputs is None:
        raise ValueError(f"`output` must be None where a query has one model, got {output!r}. Leave it out.")
    raise ValueError(f"`output` must be one of the classes {explanation.outputs}, got {output!r}.")


def find_output(explanation: Explained, query: int, output: Any) -> Any:
    """Return the class to show: the one asked for or the query's most probable one; None if there is one model."""
    check_output(explanation, output)
    if output is None and explanation.outputs is not None:
        return explanation.outputs[int(np.asarray(explanation.link)[query].argmax())]
    return output


def which_output(explanation: Explained, output: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return each query with the place of its output: the one asked for, or that of its most probable class."""
    check_output(explanation, output)
    rows = np.arange(len(explanation.index))
    if explanation.outputs is None:
        return rows, np.zeros(rows.size, np.int64)
    if output is None:
        return rows, np.asarray(explanation.link).argmax(axis=1)
    return rows, np.full(rows.size, explanation.outputs.index(output))
