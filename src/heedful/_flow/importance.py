"""How much each column of the table may change what a fitted model predicts."""

from typing import Any

import numpy as np

from heedful._flow.heads import Grid
from heedful._flow.kinds import FittedModels, Problem
from heedful._flow.tune import Tuned
from heedful._frames import center_and_unit

# What a column counts that only local models may use.
LITTLE = 1e-6


def column_weights(
    models: FittedModels, problem: Problem, grid: Grid, tuned: Tuned, base_coef: np.ndarray
) -> np.ndarray:
    """Return how much each column of the table may change predictions (n_columns,): 0 if it cannot.

    Shares in what the trees of similarities took off their error, by the shares of heads, and in the slopes and curves
    of the global model. A column of the local models that has none of these counts a little.
    """
    rows = models.rows
    weight = np.zeros(len(rows.reader.names))
    for group, share in zip(grid.groups, grid.split(tuned.share), strict=True):
        if share.any():
            weight[rows.similarity_columns] += share.sum() * _seen_importance(
                group.similarity, rows.seen_unordered.size
            )
    if not models.by_column:
        weight[rows.model_columns] += LITTLE
        return weight
    slopes = np.abs(base_coef[:, : len(models.names)]).max(axis=0) * center_and_unit(models.train_design())[1]
    size = np.bincount(rows.model_sources, slopes, rows.model_columns.size)
    if models.shapes is not None and tuned.additive > 0:
        parts = models.shape_parts(rows.codes)
        size = size + tuned.additive * parts.std(axis=0).max(axis=1)
    if models.smooth is not None:
        steep = tuned.smooth * models.smooth.slope
        size = size + np.sqrt(np.bincount(rows.model_sources, steep**2, rows.model_columns.size))
    weight[rows.model_columns] += size / (size.sum() or 1.0)
    if tuned.mixing > 0:
        local = getattr(problem, "columns", None)
        sources = rows.model_sources if local is None else rows.model_sources[local[local < len(models.names)]]
        weight[rows.model_columns[np.unique(sources)]] += LITTLE
    return weight


def _seen_importance(similarity: Any, n_seen: int) -> np.ndarray:
    """Return the share of each column that a similarity sees in its trees; all equal if the similarity has none."""
    shares = getattr(getattr(similarity, "forest_", None), "feature_importances_", np.empty(0))
    return shares if np.shape(shares) == (n_seen,) else np.full(n_seen, 1.0 / n_seen)
