"""Groups of queries with like models, and the map of their coefficients."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from heedful.explain import Clusters, Explanation
from heedful.report._compact import counts, evenly, numbers

# Clusters unless the user says how many; rows and columns that the map shows at most.
N_CLUSTERS, MOST_ROWS, MOST_COLUMNS = 5, 400, 60


def find_clusters(explanation: Explanation, n_clusters: int | None) -> Clusters | None:
    """Return the clusters with queries named by position; None if there is nothing to group."""
    n_query = len(explanation.index)
    if n_query < 2:
        return None
    numbered = replace(explanation, coef=explanation.coef.set_axis(pd.RangeIndex(n_query)))
    return numbered.clusters(_count(explanation) if n_clusters is None else n_clusters)


def _count(explanation: Explanation) -> int:
    """Return the usual number of clusters, fewer where there are fewer models that differ."""
    scaled = explanation.scaled_coef().to_numpy()
    unit = np.abs(scaled).max(initial=0.0) or 1.0
    return min(N_CLUSTERS, len(np.unique((scaled / unit).round(6), axis=0)))


def cluster_table(found: Clusters) -> dict[str, Any]:
    """Return each query's cluster, and the clusters with their prototypes."""
    errors = {name: numbers(found.table[name], 4) for name in ("error", "baseline_error") if name in found.table}
    return {
        "label": counts(found.labels),
        "prototype": counts(found.table["prototype"]),
        "size": counts(found.table["size"]),
        "radius": numbers(found.table["radius"], 4),
        **errors,
    }


def coefficient_map(explanation: Explanation, found: Clusters) -> dict[str, Any]:
    """Return coefficients per standard deviation in the order of the clusters; evenly thinned if they are many."""
    order, width = found.order, len(explanation.features)
    scaled = explanation.scaled_coef().to_numpy().reshape(len(order), -1, width)
    if not explanation.slopes:
        scaled = np.repeat(scaled, len(explanation.outputs or [None]), axis=1)
    importance = np.abs(scaled).mean(axis=(0, 1))
    used = np.flatnonzero(importance > 0)
    shown = np.sort(used[np.argsort(-importance[used], kind="stable")[:MOST_COLUMNS]])
    rows = order[_thin(order, counts(found.table["prototype"]))]
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


def _thin(order: np.ndarray, prototypes: list[int]) -> np.ndarray:
    """Return places in the order: all, or evenly spread ones and those of the prototypes."""
    return np.union1d(evenly(order.size, MOST_ROWS), np.flatnonzero(np.isin(order, prototypes)))
