"""Weights to one small model per query."""

from heedful._solver.boosters import takes_codes
from heedful._solver.constraints import Constraints, check_outputs, make_rule, number_groups, read_constraints
from heedful._solver.contract import check_heeds_weights, check_takes_weights, fit_weighted, importance_of
from heedful._solver.deviance import Deviance, MeanDeviance, read_amounts
from heedful._solver.families import Classes, Family, Losses, Numbers, PseudoOutcomes, RowByRow
from heedful._solver.lasso import LocalFits, local_lasso
from heedful._solver.learners import LocalLearner, make_learner, with_every_class
from heedful._solver.leaves import LEAF_VALUES, LeafTable
from heedful._solver.paths import Model, Paths, fit_paths, no_model, warn_unconverged, working_tables
from heedful._solver.ridge import ridge_rows
from heedful._solver.survival import Survival, cumulative_hazard
from heedful._solver.table import Scale, build_table, measure
from heedful._solver.weights import WeightRows, weight_rows, whole_table
from heedful._solver.working import SQUARES, fit_family

__all__ = [
    "LEAF_VALUES",
    "SQUARES",
    "Classes",
    "Constraints",
    "Deviance",
    "Family",
    "LeafTable",
    "LocalFits",
    "LocalLearner",
    "Losses",
    "MeanDeviance",
    "Model",
    "Numbers",
    "Paths",
    "PseudoOutcomes",
    "RowByRow",
    "Scale",
    "Survival",
    "WeightRows",
    "build_table",
    "check_heeds_weights",
    "check_outputs",
    "check_takes_weights",
    "cumulative_hazard",
    "fit_family",
    "fit_paths",
    "fit_weighted",
    "importance_of",
    "local_lasso",
    "make_learner",
    "make_rule",
    "measure",
    "no_model",
    "number_groups",
    "read_amounts",
    "read_constraints",
    "ridge_rows",
    "takes_codes",
    "warn_unconverged",
    "weight_rows",
    "whole_table",
    "with_every_class",
    "working_tables",
]
