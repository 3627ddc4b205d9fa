"""The small models of queries as tables of terms."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from heedful.explain._columns import which_output
from heedful.explain._explained import Explained


class Terms(NamedTuple):
    """Terms of small models: the position of each one's query, and a table of what it is."""

    query: np.ndarray
    table: pd.DataFrame


def list_terms(e: Explained, output: Any) -> pd.DataFrame:
    """Return the terms of all queries by query and rank, the largest first."""
    found = read_terms(e, output)
    first = np.searchsorted(found.query, found.query)
    rank = np.arange(found.query.size) - first + 1
    places = pd.MultiIndex.from_arrays([e.index[found.query], rank], names=["query", "rank"])
    return found.table.set_axis(places)


def read_terms(e: Explained, output: Any) -> Terms:
    """Return the terms of the small models of one output, query by query, the largest first."""
    if e.terms is None or e.reference is None:
        raise ValueError("There are no small models: models have no slopes. Use `top_features()`.")
    which = which_output(e, output)
    shape = (len(e.index), -1, len(e.features))
    slopes, terms = (part.to_numpy().reshape(shape)[which] for part in (e.coef, e.terms))
    query, column = np.nonzero(slopes)
    order = np.lexsort((-np.abs(terms[query, column]), query))
    query, column = query[order], column[order]
    cells = {name: part.astype(object).to_numpy() for name, part in (("value", e.values), ("reference", e.reference))}
    table: dict[str, Any] = {}
    if e.outputs is not None:
        table["class"] = np.asarray(e.outputs, dtype=object)[which[1][query]]
    table["feature"] = np.asarray(e.features, dtype=object)[column]
    table |= {name: part[query, column] for name, part in cells.items()}
    return Terms(query, pd.DataFrame(table | {"slope": slopes[query, column], "term": terms[query, column]}))
