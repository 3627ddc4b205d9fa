"""Weights to one small model per query."""

from heedful.local._lasso import LocalFits, Paths, WeightRows, fit_paths, local_lasso, warn_unconverged, whole_table
from heedful.local._table import Scale, build_table, measure

__all__ = [
    "LocalFits",
    "Paths",
    "Scale",
    "WeightRows",
    "build_table",
    "fit_paths",
    "local_lasso",
    "measure",
    "warn_unconverged",
    "whole_table",
]
