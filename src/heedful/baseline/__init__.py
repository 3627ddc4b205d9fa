"""The global model of each family and its cross-validated penalty."""

from heedful.baseline._cox import CoxBaseline
from heedful.baseline._glm import GlmBaseline
from heedful.baseline._lasso import LassoBaseline
from heedful.baseline._logistic import LogisticBaseline

__all__ = ["CoxBaseline", "GlmBaseline", "LassoBaseline", "LogisticBaseline"]
