"""From an explanation to what its clusters are made of: points, distances and facts to describe them by."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from heedful._responses import Regression, Words
from heedful.explain._clusters import Clusters, Facts, check_min_size, cluster_models
from heedful.explain._describe import Coefs
from heedful.explain._distances import as_outputs, model_distances, place_models
from heedful.explain._explained import Explained

DISTANCES = ("prediction", "coef")


class Cutting(NamedTuple):
    """Where to cut: a number of clusters, a height, or neither to choose; and the smallest size of a cluster."""

    n_clusters: int | None
    height: float | None
    min_size: int | None


def group_queries(explanation: Explained, cutting: Cutting, distance: str) -> Clusters:
    """Return clusters of the queries of an ``Explanation`` by their models."""
    n_query = len(explanation.index)
    if n_query < 2:
        raise ValueError(f"`explain` must have had at least 2 rows to be clustered, got {n_query}.")
    if distance not in DISTANCES:
        raise ValueError(f"`distance` must be one of {DISTANCES}, got {distance!r}. The first is the default.")
    cutting = cutting._replace(min_size=check_min_size(cutting.min_size, n_query))
    known = explanation.loss is not None
    scaled = explanation.scaled_coef()
    levels, points = pd.DataFrame(index=explanation.index), scaled.to_numpy()
    unit = "coefficients per s.d." if explanation.slopes else "importances"
    if explanation.slopes:
        placed = _place(explanation)
        names = [(output, "level") for output in explanation.outputs] if explanation.outputs else ["level"]
        levels = pd.DataFrame(placed.level, explanation.index, pd.Index(names))
        if distance == "prediction":
            points, unit = placed.points, _unit(explanation.words)
    if explanation.alone:
        # one model for all queries, whatever their linear predictors are
        levels, points = levels * 0 + levels.mean(), np.zeros_like(points)
    facts = Facts(
        coef=explanation.lasso_coef,
        scaled=scaled,
        models=Coefs(levels, explanation.lasso_coef, _reach(explanation)),
        values=explanation.values,
        losses={"error": explanation.loss, "baseline_error": explanation.baseline_loss} if known else {},
        measured=(explanation.words or Regression.words).measured,
    )
    return cluster_models(facts, points, model_distances(points), unit, *cutting)


def _reach(explanation: Explained) -> np.ndarray:
    """Return how much each coefficient changes predictions, as the standard deviation of its column."""
    if not explanation.slopes:
        return np.ones(explanation.lasso_coef.shape[1])
    return np.tile(explanation.unit(), explanation.lasso_coef.shape[1] // len(explanation.lasso_features))


def _place(explanation: Explained) -> Any:
    """Return what the linear model of each query says of all queries."""
    n_outputs = len(explanation.outputs or [None])
    coef = as_outputs(explanation.lasso_coef, n_outputs)
    curved = explanation.multiple is not None and explanation.shape is not None
    multiple = as_outputs(explanation.multiple, n_outputs) if curved else np.zeros((*coef.shape[:2], 0))
    shape = as_outputs(explanation.shape, n_outputs) if curved else np.zeros_like(coef)
    intercept = as_outputs(explanation.lasso_intercept, n_outputs)[:, :, 0]
    return place_models(intercept, coef, explanation.lasso_design.to_numpy(), multiple, shape)


def _unit(words: Words | None) -> str:
    return "prediction" if words is None else words.link
