"""The global model of each family and its cross-validated penalty."""

from heedful.baseline._cox import CoxBaseline
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
from heedful.baseline._logistic import LogisticBaseline
from heedful.baseline._model import GlobalModel

__all__ = [
    "BASELINE_FOLDS",
    "CoxBaseline",
    "GlobalModel",
    "LassoBaseline",
    "LogisticBaseline",
    "Split",
    "check_folds",
    "fold_pattern",
    "random_splits",
    "translate",
    "user_splits",
]
