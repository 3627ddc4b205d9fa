"""Whether queries that lie close together have models that lie close together."""

import numpy as np
import pandas as pd
from sklearn.neighbors import NearestNeighbors


def compare_neighbours(rows: np.ndarray, models: pd.DataFrame, n_neighbors: int) -> pd.DataFrame:
    """Return per query the largest Lipschitz ratio and the mean overlap of active sets with its nearest queries.

    ``rows`` and ``models`` are queries and their coefficients, both per standard deviation of the columns.
    """
    n_query, coef = len(models), models.to_numpy()
    if n_query < 2:
        raise ValueError(f"`explain` must have had at least 2 rows to compare neighbours, got {n_query}.")
    search = NearestNeighbors(n_neighbors=min(n_neighbors, n_query - 1)).fit(rows)
    distance, near = search.kneighbors()
    apart = np.linalg.norm(coef[:, None, :] - coef[near], axis=2)
    with np.errstate(divide="ignore", invalid="ignore"):
        # equal rows have equal models: they say nothing about the ratio
        ratio = np.where(distance > 0, apart / distance, 0.0)
    active = coef != 0
    both = (active[:, None, :] & active[near]).sum(axis=2)
    either = (active[:, None, :] | active[near]).sum(axis=2)
    overlap = np.where(either > 0, both / np.maximum(either, 1), 1.0)
    return pd.DataFrame({"lipschitz": ratio.max(axis=1), "overlap": overlap.mean(axis=1)}, models.index)
