"""What users fit."""

from heedful._explaining import LocalModels
from heedful._models.learners import LocalLearner
from heedful._models.linear import LocalLasso
from heedful._models.trees import LocalTrees
from heedful.estimators._any_learner import AttentionClassifier, AttentionRegressor
from heedful.estimators._cox import AttentionCox
from heedful.estimators._drift import DriftCorrector
from heedful.estimators._effect import AttentionEffect
from heedful.estimators._glm import AttentionGLM
from heedful.estimators._lasso import AttentionLasso
from heedful.estimators._leaf import LeafAttentionClassifier, LeafAttentionRegressor
from heedful.estimators._logistic import AttentionLassoClassifier
from heedful.estimators._tree import TreeAttentionRegressor

__all__ = [
    "AttentionClassifier",
    "AttentionCox",
    "AttentionEffect",
    "AttentionGLM",
    "AttentionLasso",
    "AttentionLassoClassifier",
    "AttentionRegressor",
    "DriftCorrector",
    "LeafAttentionClassifier",
    "LeafAttentionRegressor",
    "LocalLasso",
    "LocalLearner",
    "LocalModels",
    "LocalTrees",
    "TreeAttentionRegressor",
]
