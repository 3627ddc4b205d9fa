"""Weights to one small model per query."""

from heedful.local._boosters import takes_codes
from heedful.local._contract import check_heeds_weights, check_takes_weights, fit_weighted, importance_of
from heedful.local._families import Classes, Family, Losses, Numbers
from heedful.local._lasso import LocalFits, local_lasso
from heedful.local._learners import LocalLearner, make_learner, with_every_class
from heedful.local._leaves import LeafTable
from heedful.local._paths import Model, Paths, fit_paths, no_model, warn_unconverged, working_tables
from heedful.local._survival import Survival, cumulative_hazard
from heedful.local._table import Scale, build_table, measure
from heedful.local._weights import WeightRows, weight_rows, whole_table

__all__ = [
    "Classes",
    "Family",
    "LeafTable",
    "LocalFits",
    "LocalLearner",
    "Losses",
    "Model",
    "Numbers",
    "Paths",
    "Scale",
    "Survival",
    "WeightRows",
    "build_table",
    "check_heeds_weights",
    "check_takes_weights",
    "cumulative_hazard",
    "fit_paths",
    "fit_weighted",
    "importance_of",
    "local_lasso",
    "make_learner",
    "measure",
    "no_model",
    "takes_codes",
    "warn_unconverged",
    "weight_rows",
    "whole_table",
    "with_every_class",
    "working_tables",
]
