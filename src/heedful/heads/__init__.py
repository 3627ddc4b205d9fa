"""Heads: what one is, their predictions of unseen rows, shares, mixing and the guard."""

from heedful.heads._adaptive import Evidence, adapt, gather_evidence
from heedful.heads._fits import HeadFits, Queries, blended_attention, fit_heads
from heedful.heads._grid import Grid, make_grid
from heedful.heads._guard import blended, heads_alone
from heedful.heads._intervals import Calibration, calibrate, half_widths
from heedful.heads._learners import LearnerProblem, leave_one_out
from heedful.heads._leaves import LeafProblem
from heedful.heads._linear import LinearProblem, make_problem
from heedful.heads._outside import predict_by_folds, predict_out_of_bag
from heedful.heads._problem import BlockFits, Problem, Unseen
from heedful.heads._shares import Outside
from heedful.heads._shift import ShiftProblem, effective_rows
from heedful.heads._trees import TreeProblem, tree_outputs
from heedful.heads._tune import Tuned, tune

__all__ = [
    "BlockFits",
    "Calibration",
    "Evidence",
    "Grid",
    "HeadFits",
    "LeafProblem",
    "LearnerProblem",
    "LinearProblem",
    "Outside",
    "Problem",
    "Queries",
    "ShiftProblem",
    "TreeProblem",
    "Tuned",
    "Unseen",
    "adapt",
    "blended",
    "blended_attention",
    "calibrate",
    "effective_rows",
    "fit_heads",
    "gather_evidence",
    "half_widths",
    "heads_alone",
    "leave_one_out",
    "make_grid",
    "make_problem",
    "predict_by_folds",
    "predict_out_of_bag",
    "tree_outputs",
    "tune",
]
