"""From an explanation to clusters of its queries by their models."""

from typing import Any

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import leaves_list

from heedful._checks import check_number
from heedful._responses import Regression
from heedful.cluster import cut, minimax_linkage
from heedful.explain._choice import choose_number, drop_small, explained_share, usual_size
from heedful.explain._clusters import OTHERS, Clusters
from heedful.explain._describe import Coefs
from heedful.explain._distances import Models, as_outputs, model_distances, place_models
from heedful.explain._explained import Explained

DISTANCES = ("prediction", "coef")


def group_queries(
    explanation: Explained, n_clusters: int | None, height: float | None, min_size: Any, distance: str
) -> Clusters:
    """Return clusters of the queries by minimax linkage of their models; neither number nor height chooses one."""
    e, index = explanation, explanation.index
    n_query = len(index)
    if n_query < 2:
        raise ValueError(f"`explain` must have had at least 2 rows to be clustered, got {n_query}.")
    if distance not in DISTANCES:
        raise ValueError(f"`distance` must be one of {DISTANCES}, got {distance!r}. The first is the default.")
    if min_size is not None:
        min_size = int(check_number("min_size", min_size, 1, n_query, hint=f"There are {n_query} queries."))
    levels, points, unit = _place_queries(e, distance)
    linkage, prototypes = minimax_linkage(model_distances(points))
    if n_clusters is None and height is None:
        min_size = usual_size(n_query) if min_size is None else min_size
        n_clusters = choose_number(linkage, prototypes, points, min_size)
    number_of, chosen, radius = cut(linkage, prototypes, n_clusters=n_clusters, height=height)
    group = drop_small(number_of, min_size or 1)
    if (group < 0).all():
        raise ValueError(
            f"`min_size` must leave a cluster, got {min_size!r}, and the largest has {np.bincount(number_of).max()} "
            "queries. Lower it, or ask for fewer clusters."
        )
    order = leaves_list(linkage).astype(np.int64)
    number = pd.unique(number_of[order][group[order] >= 0])
    label = np.full(chosen.size, OTHERS)
    label[number] = np.arange(1, number.size + 1)
    labels = pd.Series(label[number_of], index, name="cluster")
    table = pd.DataFrame({"prototype": index[chosen[number]], "size": np.bincount(number_of)[number]})
    table["radius"] = radius[number]
    table.index = pd.RangeIndex(1, number.size + 1, name="cluster")
    scaled = e.scaled_coef()
    scaled = scaled.loc[:, (scaled != 0).any(axis=0)]
    coef = e.lasso_coef.iloc[chosen[number]].loc[:, scaled.columns].set_axis(table.index)
    table = _add_others(table, int((group < 0).sum()))
    for name, loss in (("error", e.loss), ("baseline_error", e.baseline_loss)):
        if e.loss is not None and loss is not None:
            table[name] = (e.words or Regression.words).measured(loss.groupby(labels.to_numpy()).mean())
    return Clusters(
        labels=labels,
        table=table,
        coef=coef,
        scaled=scaled,
        linkage=linkage,
        merge_prototypes=prototypes,
        order=order,
        unit=unit,
        explained=explained_share(points, group),
        models=Coefs(levels, e.lasso_coef, e._coef_unit()),
        values=e.values,
    )


def _place_queries(e: Explained, distance: str) -> tuple[pd.DataFrame, np.ndarray, str]:
    """Return the levels of models, points whose distances are those of models, and the unit of these."""
    levels, points = pd.DataFrame(index=e.index), e.scaled_coef().to_numpy()
    unit = "coefficients per s.d." if e.slopes else "importances"
    if e.slopes:
        placed = _place(e)
        names = [(output, "level") for output in e.outputs] if e.outputs else ["level"]
        levels = pd.DataFrame(placed.level, e.index, pd.Index(names))
        if distance == "prediction":
            points, unit = placed.points, "prediction" if e.words is None else e.words.link
    if e.alone:
        # one model for all queries, whatever their linear predictors are
        levels, points = levels * 0 + levels.mean(), np.zeros_like(points)
    return levels, points, unit


def _place(e: Explained) -> Models:
    """Return the predictions of each query's linear model for all queries."""
    n_outputs = len(e.outputs or [None])
    coef = as_outputs(e.lasso_coef, n_outputs)
    curved = e.multiple is not None and e.shape is not None
    multiple = as_outputs(e.multiple, n_outputs) if curved else np.zeros((*coef.shape[:2], 0))
    shape = as_outputs(e.shape, n_outputs) if curved else np.zeros_like(coef)
    intercept = as_outputs(e.lasso_intercept, n_outputs)[:, :, 0]
    return place_models(intercept, coef, e.lasso_design.to_numpy(), multiple, shape)


def _add_others(table: pd.DataFrame, n_others: int) -> pd.DataFrame:
    """Return the table with a last row for queries in no cluster, if there are any."""
    if not n_others:
        return table
    last = pd.DataFrame({"prototype": [None], "size": n_others, "radius": np.nan}, index=[OTHERS])
    return pd.concat([table.astype({"prototype": object}), last.astype({"prototype": object})]).rename_axis("cluster")
