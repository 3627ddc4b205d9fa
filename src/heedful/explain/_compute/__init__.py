"""From a fitted model to explanations: what estimators call."""

from heedful.explain._compute.coefficients import coef_intervals
from heedful.explain._compute.effects import EffectOptions, local_effects
from heedful.explain._compute.explanation import explain, local_models
from heedful.explain._compute.held_out import read_held_out
from heedful.explain._compute.summary import summarise
from heedful.explain._compute.tables import LocalModels

__all__ = [
    "EffectOptions",
    "LocalModels",
    "coef_intervals",
    "explain",
    "local_effects",
    "local_models",
    "read_held_out",
    "summarise",
]
