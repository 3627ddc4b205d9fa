"""Weights to one small model per query."""

from heedful._solver.boosters import takes_codes
from heedful._solver.constraints import Constraints, check_outputs, make_rule, number_groups, read_constraints
from heedful._solver.contract import check_takes_weights, check_uses_weights, fit_weighted, importance_of
from heedful._solver.lasso import COST_FAMILIES, LocalFits, costs_of, local_lasso
from heedful._solver.learners import LocalLearner, make_learner, with_every_class
from heedful._solver.leaves import LEAF_VALUES, LeafTable
from heedful._solver.paths import Model, Paths, fit_paths, no_model, warn_unconverged, working_tables
from heedful._solver.ridge import ridge_rows
from heedful._solver.table import Scale, build_table, flat_scale, measure
from heedful._solver.weights import WeightRows, weight_rows, whole_table
from heedful._solver.working import SQUARES, fit_family

__all__ = [
    "COST_FAMILIES",
    "LEAF_VALUES",
    "SQUARES",
    "Constraints",
    "LeafTable",
    "LocalFits",
    "LocalLearner",
    "Model",
    "Paths",
    "Scale",
    "WeightRows",
    "build_table",
    "check_outputs",
    "check_takes_weights",
    "check_uses_weights",
    "costs_of",
    "fit_family",
    "fit_paths",
    "fit_weighted",
    "flat_scale",
    "importance_of",
    "local_lasso",
    "make_learner",
    "make_rule",
    "measure",
    "no_model",
    "number_groups",
    "read_constraints",
    "ridge_rows",
    "takes_codes",
    "warn_unconverged",
    "weight_rows",
    "whole_table",
    "with_every_class",
    "working_tables",
]
