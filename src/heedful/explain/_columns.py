"""What the columns of the table added to some predictions, and in which parts, as tables."""

from typing import Any

import numpy as np
import pandas as pd

from heedful._checks import check_choice
from heedful.explain._attribution import Attribution, shows_factors
from heedful.explain._explained import Explained
from heedful.explain._rows import rank_queries


def attributed(e: Explained) -> Attribution:
    """Return what columns add, worked out now if it was not before."""
    if e.attribution is None:
        raise ValueError("There are no contributions: an explanation has them if it is made by `explain(X)`.")
    return e.attribution()


def which_output(e: Explained, output: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return each query with the place of its output: the one asked for, or that of its most probable class."""
    rows = np.arange(len(e.index))
    if e.outputs is None:
        if output is not None:
            raise ValueError(f"`output` must be None where models have one linear predictor, got {output!r}.")
        return rows, np.zeros(rows.size, np.int64)
    if output is None:
        return rows, np.asarray(e.link).argmax(axis=1)
    if output not in e.outputs:
        raise ValueError(f"`output` must be one of the classes {e.outputs}, got {output!r}.")
    return rows, np.full(rows.size, e.outputs.index(output))


def read_contributions(e: Explained, output: Any, part: str = "all", levels: bool = False) -> pd.DataFrame:
    """Return what each column adds to the predictions: all of it, or one of two parts."""
    check_choice("part", part, ("all", "attention", "model"))
    if levels and part != "model":
        raise ValueError(f"`levels` need the part of the models, got part={part!r}. Use part='model'.")
    found, which = attributed(e), which_output(e, output)
    if part == "all":
        return pd.DataFrame(found.total[which], e.index, e.values.columns)
    if found.model is None or found.levels is None:
        raise ValueError(
            f"`part` must be 'all' where models have no slopes of the table's columns, got {part!r}: nothing tells "
            "the two parts apart."
        )
    if levels:
        return pd.DataFrame(found.levels[which], e.index, e.lasso_features)
    added = found.model if part == "model" else found.total - found.model
    return pd.DataFrame(added[which], e.index, e.values.columns)


def has_two_parts(e: Explained) -> bool:
    """Return whether contributions have two parts: none come through attention where one model predicts alone."""
    found = attributed(e)
    return found.model is not None and bool((found.total != found.model).any())


def read_checked(e: Explained) -> pd.Series:
    """Return whether what columns add to each query is as sure as on rows that it was checked on."""
    checked = attributed(e).checked
    return pd.Series(True if checked is None else checked, e.index, name="contributions_checked")


def read_errors(e: Explained) -> pd.DataFrame | None:
    """Return the standard errors of what columns add, if it is a mean of draws."""
    error, columns = attributed(e).error, e.values.columns
    if error is None:
        return None
    if e.outputs is not None:
        columns = pd.MultiIndex.from_product([e.outputs, columns], names=["class", "feature"])
    return pd.DataFrame(error.reshape(len(error), -1), e.index, columns)


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
    return parts | {"effect": read_effects(e)[which_output(e, output)]}


def read_effects(e: Explained) -> np.ndarray:
    """Return the effects of columns on the links of queries (n_query, n_outputs, n_columns)."""
    if e.effect is None:
        raise ValueError("There are no effects: models have no slopes. Use `local_effects(X)` of the estimator.")
    return e.effect.to_numpy().reshape(len(e.index), -1, e.values.shape[1])
