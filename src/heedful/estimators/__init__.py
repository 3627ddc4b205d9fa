"""What users fit."""

from heedful.estimators._classifier import AttentionLassoClassifier
from heedful.estimators._cox import AttentionCox
from heedful.estimators._drift import DriftCorrector
from heedful.estimators._lasso import AttentionLasso
from heedful.estimators._leaf import LeafAttentionClassifier, LeafAttentionRegressor
from heedful.estimators._learners import AttentionClassifier, AttentionRegressor
from heedful.estimators._models import LocalModels
from heedful.estimators._tree import TreeAttentionRegressor

__all__ = [
    "AttentionClassifier",
    "AttentionCox",
    "AttentionLasso",
    "AttentionLassoClassifier",
    "AttentionRegressor",
    "DriftCorrector",
    "LeafAttentionClassifier",
    "LeafAttentionRegressor",
    "LocalModels",
    "TreeAttentionRegressor",
]
