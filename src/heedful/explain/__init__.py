"""What predictions were made of: coefficients, rows, clusters, as tables."""

from heedful.explain._clusters import Clusters
from heedful.explain._drift import DriftReport, is_corrected, separate, summarise
from heedful.explain._explanation import Explanation

__all__ = ["Clusters", "DriftReport", "Explanation", "is_corrected", "separate", "summarise"]
