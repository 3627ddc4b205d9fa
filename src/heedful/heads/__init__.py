"""Heads: what one is, their predictions of unseen rows, shares, mixing and the guard."""

from heedful.heads._adaptive import Evidence, adapt, gather_evidence
from heedful.heads._fits import HeadFits, Problem, Queries, blended_attention, fit_heads, make_problem
from heedful.heads._grid import Grid, make_grid
from heedful.heads._guard import blended
from heedful.heads._outside import predict_by_folds, predict_out_of_bag
from heedful.heads._shares import Outside
from heedful.heads._tune import Tuned, tune

__all__ = [
    "Evidence",
    "Grid",
    "HeadFits",
    "Outside",
    "Problem",
    "Queries",
    "Tuned",
    "adapt",
    "blended",
    "blended_attention",
    "fit_heads",
    "gather_evidence",
    "make_grid",
    "make_problem",
    "predict_by_folds",
    "predict_out_of_bag",
    "tune",
]
