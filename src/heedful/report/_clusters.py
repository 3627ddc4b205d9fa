"""Clusters of queries with similar models, and the map of their coefficients."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from heedful.explain import OTHERS, OTHERS_NAME, Clusters, Explanation
from heedful.report._compact import counts, evenly, numbers, texts

# Rows and columns that the map shows at most.
MOST_ROWS, MOST_COLUMNS = 400, 60


def find_clusters(explanation: Explanation, n_clusters: int | None) -> Clusters | None:
    """Return the clusters with queries named by position; None if there is nothing to group."""
    n_query = len(explanation.index)
    if n_query < 2:
        return None
    numbered = replace(
        explanation,
        coef=explanation.coef.set_axis(pd.RangeIndex(n_query)),
        lasso_coef=explanation.lasso_coef.set_axis(pd.RangeIndex(n_query)),
    )
    return numbered.clusters(n_clusters)


def cluster_table(clusters: Clusters) -> dict[str, Any]:
    """Return each query's cluster, and the clusters with their prototypes and what they are; the others come last."""
    errors = {name: numbers(clusters.table[name], 4) for name in ("error", "baseline_error") if name in clusters.table}
    words, n_named = clusters.describe(), len(clusters.named)
    return {
        "label": counts(clusters.labels.replace(OTHERS, n_named + 1)),
        "name": [*map(str, clusters.named.index), OTHERS_NAME][: len(clusters.table)],
        "prototype": [*counts(clusters.named["prototype"]), None][: len(clusters.table)],
        "size": counts(clusters.table["size"]),
        "radius": numbers(clusters.table["radius"], 4),
        "rows": texts(words["rows"]),
        "levels": texts(words["levels"]),
        "coefficients": texts(words["coefficients"]),
        "unit": clusters.unit,
        **errors,
    }


def coefficient_map(explanation: Explanation, clusters: Clusters) -> dict[str, Any]:
    """Return coefficients per standard deviation in the order of the clusters; evenly thinned if they are many."""
    order, width = clusters.order, len(explanation.lasso_features)
    scaled = explanation.scaled_coef().to_numpy().reshape(len(order), -1, width)
    if not explanation.slopes:
        scaled = np.repeat(scaled, len(explanation.outputs or [None]), axis=1)
    importance = np.abs(scaled).mean(axis=(0, 1))
    used = np.flatnonzero(importance > 0)
    shown = np.sort(used[np.argsort(-importance[used], kind="stable")[:MOST_COLUMNS]])
    # all queries, or evenly spread ones and the prototypes
    prototypes = np.flatnonzero(np.isin(order, clusters.named["prototype"]))
    rows = order[np.union1d(evenly(order.size, MOST_ROWS), prototypes)]
    values = scaled[rows][:, :, shown]
    size = np.abs(values[values != 0])
    return {
        "row": counts(rows),
        "place": counts(np.argsort(order)),
        "feature": counts(shown),
        "n_used": int(used.size),
        "value": [numbers(values[:, output], 3) for output in range(values.shape[1])],
        "limit": numbers([np.quantile(size, 0.98) if size.size else 1.0], 3)[0],
    }
