"""One small, readable model for every row it predicts, fitted to the training rows that matter for that row."""

from heedful import attention, baseline, datasets, similarity
from heedful.estimators import AttentionLasso
from heedful.local import local_lasso

__version__ = "0.1.0"

__all__ = ["AttentionLasso", "attention", "baseline", "datasets", "local_lasso", "similarity"]
