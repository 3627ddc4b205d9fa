"""The global model of each family and its cross-validated penalty."""

from heedful.baseline._booster import choose_rounds, small_booster
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
from heedful.baseline._global import null_gradient, penalty_path
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
    "choose_rounds",
    "fold_pattern",
    "null_gradient",
    "penalty_path",
    "random_splits",
    "small_booster",
    "translate",
    "user_splits",
]
