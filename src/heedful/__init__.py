"""One small, readable model for every row it predicts, fitted to the training rows that matter for that row."""

from heedful import attention, baseline, cluster, context, datasets, explain, plot, report, similarity
from heedful.cluster import ProtoClust, minimax_linkage
from heedful.estimators import (
    AttentionClassifier,
    AttentionCox,
    AttentionLasso,
    AttentionLassoClassifier,
    AttentionRegressor,
    DriftCorrector,
    LeafAttentionClassifier,
    LeafAttentionRegressor,
    TreeAttentionRegressor,
)
from heedful.local import local_lasso

__version__ = "0.1.0"

__all__ = [
    "AttentionClassifier",
    "AttentionCox",
    "AttentionLasso",
    "AttentionLassoClassifier",
    "AttentionRegressor",
    "DriftCorrector",
    "LeafAttentionClassifier",
    "LeafAttentionRegressor",
    "ProtoClust",
    "TreeAttentionRegressor",
    "attention",
    "baseline",
    "cluster",
    "context",
    "datasets",
    "explain",
    "local_lasso",
    "minimax_linkage",
    "plot",
    "report",
    "similarity",
]
