"""Weights to one small model per query."""

from heedful.local._families import Classes, Family, Losses, Numbers
from heedful.local._lasso import LocalFits, local_lasso
from heedful.local._paths import Model, Paths, fit_paths, no_model, warn_unconverged, working_tables
from heedful.local._survival import Survival, cumulative_hazard
from heedful.local._table import Scale, build_table, measure
from heedful.local._weights import WeightRows, weight_rows, whole_table

__all__ = [
    "Classes",
    "Family",
    "LocalFits",
    "Losses",
    "Model",
    "Numbers",
    "Paths",
    "Scale",
    "Survival",
    "WeightRows",
    "build_table",
    "cumulative_hazard",
    "fit_paths",
    "local_lasso",
    "measure",
    "no_model",
    "warn_unconverged",
    "weight_rows",
    "whole_table",
    "working_tables",
]
