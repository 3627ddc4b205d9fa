"""The global model of each family and its cross-validated penalty."""

from heedful.baseline._folds import (
    BASELINE_FOLDS,
    Split,
    check_folds,
    fold_pattern,
    random_splits,
    translate,
    user_splits,
)
from heedful.baseline._lasso import LassoBaseline

__all__ = [
    "BASELINE_FOLDS",
    "LassoBaseline",
    "Split",
    "check_folds",
    "fold_pattern",
    "random_splits",
    "translate",
    "user_splits",
]
