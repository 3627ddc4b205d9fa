"""The global model of any response and its cross-validated penalty."""

from heedful.baseline._booster import choose_rounds as choose_rounds, small_booster as small_booster
from heedful.baseline._global import (
    GlobalFit as GlobalFit,
    fit_global as fit_global,
    null_gradient as null_gradient,
    penalty_path as penalty_path,
)
from heedful.baseline._model import GlobalModel
from heedful.baseline._named import (
    CoxBaseline,
    GlmBaseline,
    LassoBaseline,
    LogisticBaseline,
    global_model as global_model,
)

__all__ = ["CoxBaseline", "GlmBaseline", "GlobalModel", "LassoBaseline", "LogisticBaseline"]
