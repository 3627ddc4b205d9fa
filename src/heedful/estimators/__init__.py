"""What users fit."""

from heedful.estimators._lasso import AttentionLasso
from heedful.estimators._models import LocalModels

__all__ = ["AttentionLasso", "LocalModels"]
