"""What users fit."""

from heedful.estimators._lasso import AttentionLasso, LocalModels

__all__ = ["AttentionLasso", "LocalModels"]
