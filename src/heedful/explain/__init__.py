"""What predictions were made of: coefficients, rows, clusters, as tables."""

from heedful.explain._attribution import (
    Attribution as Attribution,
    Deferred as Deferred,
    shows_factors as shows_factors,
)
from heedful.explain._average_effect import OVER as OVER, AverageEffect
from heedful.explain._calibration import gini as gini
from heedful.explain._cells import (
    Cells as Cells,
    is_measured as is_measured,
    rank_cells as rank_cells,
    read_cells as read_cells,
)
from heedful.explain._clusters import OTHERS as OTHERS, OTHERS_NAME as OTHERS_NAME, Clusters
from heedful.explain._columns import has_two_parts as has_two_parts
from heedful.explain._curves import Curve as Curve, rank_columns as rank_columns, read_curve as read_curve
from heedful.explain._drift import DriftReport
from heedful.explain._errors import (
    describe_change as describe_change,
    describe_error,
    describe_training_rows as describe_training_rows,
    errors_of as errors_of,
    measure as measure,
)
from heedful.explain._explanation import Explanation
from heedful.explain._find import find_output as find_output, find_query as find_query, which_output as which_output
from heedful.explain._held_out import HeldOutPredictions
from heedful.explain._heterogeneity import LEVEL as LEVEL, MEANINGS as MEANINGS, Heterogeneity
from heedful.explain._measures import (
    Predicted as Predicted,
    describe_measures as describe_measures,
    read_predicted as read_predicted,
)
from heedful.explain._overlap import LARGE as LARGE, MANY as MANY, Overlap
from heedful.explain._query import ExplainedQuery
from heedful.explain._rows import (
    NO_ROWS as NO_ROWS,
    are_equal as are_equal,
    compare_columns as compare_columns,
    top_of as top_of,
)
from heedful.explain._summary import Summary
from heedful.explain._values import format_cell, format_value

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
    "describe_error",
    "format_cell",
    "format_value",
]
