"""One small, readable model for every row it predicts, fitted to the training rows that matter for that row."""

from heedful import attention, baseline, cluster, context, datasets, explain, plot, report, saving, similarity
from heedful._solver import local_lasso
from heedful._version import __version__ as __version__
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
    LocalLasso,
    TreeAttentionRegressor,
)
from heedful.saving import load_model, save_model

__all__ = [
    "AttentionClassifier",
    "AttentionCox",
    "AttentionLasso",
    "AttentionLassoClassifier",
    "AttentionRegressor",
    "DriftCorrector",
    "LeafAttentionClassifier",
    "LeafAttentionRegressor",
    "LocalLasso",
    "ProtoClust",
    "TreeAttentionRegressor",
    "attention",
    "baseline",
    "cluster",
    "context",
    "datasets",
    "explain",
    "load_model",
    "local_lasso",
    "minimax_linkage",
    "plot",
    "report",
    "save_model",
    "saving",
    "similarity",
]
