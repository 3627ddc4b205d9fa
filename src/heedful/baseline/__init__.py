"""The global model of any response and its cross-validated penalty."""

from heedful.baseline._model import GlobalModel
from heedful.baseline._named import CoxBaseline, GlmBaseline, LassoBaseline, LogisticBaseline

__all__ = ["CoxBaseline", "GlmBaseline", "GlobalModel", "LassoBaseline", "LogisticBaseline"]
