"""Plots of explanations with matplotlib, the extra ``plot``.

Each function takes an ``Explanation``, or an answer about effects, draws on ``ax`` or on new axes and returns them.
"""

from heedful.plot._calibration import calibration, lift
from heedful.plot._columns import beeswarm, importance
from heedful.plot._dendrogram import dendrogram
from heedful.plot._dependence import dependence, local_effects
from heedful.plot._errors import cluster_errors
from heedful.plot._heatmap import heatmap
from heedful.plot._histograms import mixing_histogram, n_eff_histogram
from heedful.plot._path import coefficient_path
from heedful.plot._rows import attended_rows
from heedful.plot._shapes import shapes
from heedful.plot._treatment import balance, gain_curve
from heedful.plot._tuning import tuning_curve
from heedful.plot._waterfall import contributions, small_model
from heedful.plot._what_if import what_if

__all__ = [
    "attended_rows",
    "balance",
    "beeswarm",
    "calibration",
    "cluster_errors",
    "coefficient_path",
    "contributions",
    "dendrogram",
    "dependence",
    "gain_curve",
    "heatmap",
    "importance",
    "lift",
    "local_effects",
    "mixing_histogram",
    "n_eff_histogram",
    "shapes",
    "small_model",
    "tuning_curve",
    "what_if",
]
