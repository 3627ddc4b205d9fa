"""From a fitted model to explanations: what estimators call."""

from heedful._explaining.coefficients import coef_intervals
from heedful._explaining.effects import EffectOptions, local_effects
from heedful._explaining.explanation import explain, local_models
from heedful._explaining.held_out import read_held_out
from heedful._explaining.summary import summarise
from heedful._explaining.tables import LocalModels

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
