"""What predictions were made of: coefficients, rows, clusters, as tables."""

from heedful.explain._clusters import Clusters
from heedful.explain._drift import DriftReport
from heedful.explain._explanation import Explanation
from heedful.explain._values import say_cell, say_value

__all__ = ["Clusters", "DriftReport", "Explanation", "say_cell", "say_value"]
