"""What the columns of the table added to some predictions, in which parts and by which terms, as tables."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from heedful._checks import check_choice
from heedful.explain._attribution import Attribution, shows_factors
from heedful.explain._explained import Explained
from heedful.explain._find import which_output
from heedful.explain._rows import rank_queries


def attributed(e: Explained) -> Attribution:
    """Return what columns add, worked out now if it was not before."""
    if e.attribution is None:
        raise ValueError("There are no contributions: an explanation has them if it is made by `explain(X)`.")
    return e.attribution()


def read_contributions(e: Explained, output: Any, part: str = "all", levels: bool = False) -> pd.DataFrame:
    """Return what each column adds to the predictions: all of it, or one of two parts."""
    check_choice("part", part, ("all", "attention", "model"))
    if levels and part != "model":
        raise ValueError(f"`levels` need the part of the models, got part={part!r}. Use part='model'.")
    attribution, which = attributed(e), which_output(e, output)
    if part == "all":
        return pd.DataFrame(attribution.total[which], e.index, e.values.columns)
    if attribution.model is None or attribution.levels is None:
        raise ValueError(
            f"`part` must be 'all' where models have no slopes of the table's columns, got {part!r}: the parts "
            "cannot be separated."
        )
    if levels:
        return pd.DataFrame(attribution.levels[which], e.index, e.lasso_features)
    added = attribution.model if part == "model" else attribution.total - attribution.model
    return pd.DataFrame(added[which], e.index, e.values.columns)


def has_two_parts(e: Explained) -> bool:
    """Return whether contributions have two parts: none come through attention where one model predicts alone."""
    attribution = attributed(e)
    return attribution.model is not None and bool((attribution.total != attribution.model).any())


def list_features(e: Explained, k: int, output: Any) -> pd.DataFrame:
    """Return the ``k`` columns that add most to each prediction, with all that is known of them."""
    added = read_contributions(e, output).to_numpy()
    order = np.argsort(-np.abs(added), axis=1, kind="stable")[:, :k]
    factor = {"factor": np.exp(added)} if shows_factors(e.words, None) else {}
    parts = {"contribution": added} | factor | _details(e, output)
    rows = np.arange(len(order))[:, None]
    cells = e.values.astype(object).to_numpy()[rows, order]
    table: dict[str, Any] = {"feature": e.values.columns.to_numpy(dtype=object)[order], "value": cells}
    if e.outputs is not None:
        labels = np.asarray(e.outputs)[which_output(e, output)[1]]
        table = {"class": np.repeat(labels, k)} | table
    table |= {name: part[rows, order] for name, part in parts.items()}
    return pd.DataFrame({name: part.ravel() for name, part in table.items()}, rank_queries(e.index, range(1, k + 1)))


def _details(e: Explained, output: Any) -> dict[str, np.ndarray]:
    """Return what else is known of each column of the table (n_query, n_columns): parts and effect, or importance."""
    if e.slopes and attributed(e).model is None:
        return {}
    if not e.slopes:
        # a column of the table that no model uses has no importance
        named = pd.DataFrame(e.coef.to_numpy(), columns=e.sources.reindex(e.features).to_numpy(dtype=object))
        return {"importance": named.reindex(columns=e.values.columns, fill_value=0.0).to_numpy()}
    parts = {part: read_contributions(e, output, part).to_numpy() for part in ("attention", "model")}
    effects = np.asarray(e.effect).reshape(len(e.index), -1, e.values.shape[1])
    return parts | {"effect": effects[which_output(e, output)]}


def summarise_columns(e: Explained, output: Any) -> pd.DataFrame:
    """Return the mean absolute contribution of each column and its parts, the largest first."""
    added = read_contributions(e, output)
    table = {"contribution": added.abs().mean().to_numpy()}
    if attributed(e).model is not None:
        # by the sign of the whole: sizes of parts would not add up to its size
        sign = np.sign(added.to_numpy())
        for part in ("attention", "model"):
            table[part] = (sign * read_contributions(e, output, part).to_numpy()).mean(axis=0)
    sizes = pd.DataFrame(table, added.columns.rename("feature"))
    return sizes.sort_values("contribution", ascending=False, kind="stable")


class Terms(NamedTuple):
    """Terms of small models: the position of each one's query, and a table of what it is."""

    query: np.ndarray
    table: pd.DataFrame


def list_terms(e: Explained, output: Any) -> pd.DataFrame:
    terms = read_terms(e, output)
    rank = np.arange(terms.query.size) - np.searchsorted(terms.query, terms.query) + 1
    return terms.table.set_axis(pd.MultiIndex.from_arrays([e.index[terms.query], rank], names=["query", "rank"]))


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
