"""The shape function of one column, read from an explanation."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from heedful.explain._explained import Explained
from heedful.explain._find import check_output


class Curve(NamedTuple):
    """The pieces of a column's curve: ``effect`` (n_pieces, n_outputs), and the ``rows`` of training on each.

    A column of numbers has ``edges`` (n_pieces + 1,), the ends finite; a category has ``levels``, so many of
    ``n_levels``. ``missing`` is what missing cells add (n_outputs,), None if no training row has one.
    """

    feature: str
    outputs: list
    effect: np.ndarray
    rows: np.ndarray
    edges: np.ndarray
    levels: list
    n_levels: int
    missing: np.ndarray | None
    missing_rows: float


def read_curve(explanation: Explained, feature: Any, output: Any, most: int, query: int | None = None) -> Curve:
    """Return the curve of a column, of one class or all, with so many levels at most, the most frequent.

    It is as it enters the model for all rows, or the models of queries on average if that has none; or that of a query
    at this position. None takes the column whose curve varies most.
    """
    table = _need_curves(explanation)
    if query is not None or not table["effect"].any():
        table = table.assign(effect=curves_of_query(explanation, query))
    if query is not None and not table["effect"].any() and table["curve"].any():
        raise ValueError(
            "The model of this query has no shape functions: its `multiple` of the additive model is 0. Choose "
            "another query."
        )
    check_output(explanation, output)
    table = table if output is None else table[table["class"] == output]
    feature = rank_columns(table)[0] if feature is None else feature
    if feature not in table["feature"].to_numpy():
        known = ", ".join(repr(name) for name in table["feature"].unique()[:3])
        raise ValueError(f"`feature` must be a column with a shape function, such as {known}; got {feature!r}.")
    pieces = table[table["feature"] == feature]
    absent = pieces["low"].isna() & pieces["level"].isna()
    outputs = pieces["class"].unique().tolist() if "class" in pieces else [None]
    known, gone = pieces[~absent], pieces[absent]
    effect = known["effect"].to_numpy().reshape(len(outputs), -1).T
    first = known.iloc[: len(effect)]
    numbers = bool(first["level"].isna().all())
    frequent = np.argsort(-first["rows"].to_numpy(), kind="stable")
    kept = np.arange(len(first)) if numbers else np.sort(frequent[:most])
    return Curve(
        feature=feature,
        outputs=outputs,
        effect=effect[kept],
        rows=first["rows"].to_numpy(dtype=np.float64)[kept],
        edges=_finite_edges(explanation, feature, first) if numbers else np.empty(0),
        levels=[] if numbers else first["level"].iloc[kept].tolist(),
        n_levels=0 if numbers else len(first),
        missing=gone["effect"].to_numpy() if len(gone) else None,
        missing_rows=float(gone["rows"].iloc[0]) if len(gone) else 0.0,
    )


def curves_of_query(explanation: Explained, query: int | None) -> np.ndarray:
    """Return what each piece of the curves adds in the model of one query, or on average: multiple times curve."""
    table, multiple = _need_curves(explanation), explanation.multiple
    if multiple is None:
        raise ValueError("The multiples of the shape functions are missing: use an explanation made by `explain(X)`.")
    alone, outputs = table["curve"].to_numpy(), explanation.outputs
    every = multiple.to_numpy().reshape(len(multiple), -1)
    factor = every.mean(axis=0) if query is None else every[query]
    if outputs is None:
        return factor[0] * alone
    # pieces of a column stand once for each class, in the order of the classes
    own, added = factor.reshape(len(outputs), -1), np.empty(len(table))
    places = [np.flatnonzero(table["class"].to_numpy() == output) for output in outputs]
    for k, place in enumerate(places):
        added[place] = sum(own[k, other] * alone[there] for other, there in enumerate(places))
    return added


def rank_columns(table: pd.DataFrame) -> list:
    """Return the columns by the standard deviation of their curves over the training rows, the largest first."""
    names = ["feature", "class"] if "class" in table else ["feature"]
    weighed = table[names].assign(
        rows=table["rows"], first=table["rows"] * table["effect"], second=table["rows"] * table["effect"] ** 2
    )
    sums = weighed.groupby(names, sort=False)[["rows", "first", "second"]].sum()
    variance = sums["second"] / sums["rows"] - (sums["first"] / sums["rows"]) ** 2
    of_column = variance.groupby("feature", sort=False).sum()
    return of_column.index[np.argsort(-of_column.to_numpy(), kind="stable")].tolist()


def _need_curves(explanation: Explained) -> pd.DataFrame:
    if explanation.curves is None:
        raise ValueError(
            "`explanation` must have shape functions, but no model of these queries has any. Either the additive model "
            "has share 0 on this table, or the estimator has none: it is fitted by default, with `heads='multi'` and "
            "`local=LocalLasso(shapes=True)`."
        )
    return explanation.curves


def _finite_edges(explanation: Explained, feature: Any, pieces: pd.DataFrame) -> np.ndarray:
    """Return where pieces begin and end, the outer ones at the outermost edge or query."""
    inner = pieces["low"].to_numpy()[1:]
    seen = [inner, explanation.lasso_design[feature].to_numpy() if feature in explanation.lasso_design else []]
    span = np.concatenate(seen) if sum(map(len, seen)) else np.zeros(1)
    low, high = float(np.min(span)), float(np.max(span))
    # an outer piece is at least so wide, so that it is seen
    room = 0.03 * (high - low) or 0.5

    first, last = (inner[0], inner[-1]) if inner.size else (low, high)
    return np.concatenate([[min(low, first - room)], inner, [max(high, last + room)]])
