"""Pictures of explanations by matplotlib, the extra ``plot``.

Each function takes an ``Explanation``, or an answer about effects, draws on ``ax`` or on new axes and returns them.
"""

from heedful.plot._beeswarm import beeswarm
from heedful.plot._contributions import contributions
from heedful.plot._dendrogram import dendrogram
from heedful.plot._dependence import dependence
from heedful.plot._effects import balance, gain_curve
from heedful.plot._errors import cluster_errors
from heedful.plot._heatmap import heatmap
from heedful.plot._histograms import mixing_histogram, n_eff_histogram
from heedful.plot._importance import importance
from heedful.plot._lift import calibration, lift
from heedful.plot._local_effects import effects
from heedful.plot._path import coefficient_path
from heedful.plot._rows import attended_rows
from heedful.plot._shapes import shapes
from heedful.plot._small_model import small_model
from heedful.plot._tuning import tuning_curve
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
    "effects",
    "gain_curve",
    "heatmap",
    "importance",
    "lift",
    "mixing_histogram",
    "n_eff_histogram",
    "shapes",
    "small_model",
    "tuning_curve",
    "what_if",
]
