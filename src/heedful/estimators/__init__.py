"""What users fit."""

from heedful.estimators._classifier import AttentionLassoClassifier
from heedful.estimators._cox import AttentionCox
from heedful.estimators._lasso import AttentionLasso
from heedful.estimators._models import LocalModels

__all__ = ["AttentionCox", "AttentionLasso", "AttentionLassoClassifier", "LocalModels"]
