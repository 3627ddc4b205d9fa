"""What trees and boosters of a file must be before anything descends them: a damaged one could end the process.

Checks raise ValueError, TypeError or AttributeError, or KeyError for what is missing; who calls them says which file it
was.
"""

from heedful._sound.laws import reached, sized
from heedful._sound.lightgbm import read_lightgbm
from heedful._sound.trees import check_columns, check_ensemble, check_histogram, check_tree
from heedful._sound.ubjson import read_ubjson
from heedful._sound.xgboost import check_xgboost, read_xgboost

__all__ = [
    "check_columns",
    "check_ensemble",
    "check_histogram",
    "check_tree",
    "check_xgboost",
    "reached",
    "read_lightgbm",
    "read_ubjson",
    "read_xgboost",
    "sized",
]
