"""What predictions were made of: coefficients, rows, clusters, as tables."""

from heedful.explain._average_effect import AverageEffect
from heedful.explain._clusters import Clusters
from heedful.explain._drift import DriftReport
from heedful.explain._explanation import Explanation
from heedful.explain._held_out import HeldOutPredictions
from heedful.explain._heterogeneity import Heterogeneity
from heedful.explain._overlap import Overlap
from heedful.explain._query import ExplainedQuery
from heedful.explain._summary import Summary
from heedful.explain._unseen import say_error
from heedful.explain._values import say_cell, say_value

__all__ = [
    "AverageEffect",
    "Clusters",
    "DriftReport",
    "ExplainedQuery",
    "Explanation",
    "HeldOutPredictions",
    "Heterogeneity",
    "Overlap",
    "Summary",
    "say_cell",
    "say_error",
    "say_value",
]
