"""Training rows of a fitted model of effects: out-of-fold predictions, and how many rows each stands for."""

from collections.abc import Callable
from typing import Any

import numpy as np

from heedful._effects.scores import EffectRows, read_rows
from heedful._flow import FittedAttention
from heedful._responses import effect_weights


def rows_with_effects(
    fitted: FittedAttention, effect_of: Callable[[np.ndarray], np.ndarray], weight: np.ndarray, groups: Any
) -> EffectRows:
    """Return what is known of training rows, with effects of models that did not see them.

    ``effect_of`` is asked about rows on which nothing was tried: those of no weight, or beyond the rows to tune on.
    """
    given = fitted.rows.response
    effect = np.full(weight.size, np.nan)
    if fitted.residuals is not None:
        pseudo = fitted.response.decode(fitted.rows.y)
        held_out = fitted.rows.give_rows(pseudo - fitted.residuals.residual)
        effect[effect_weights(given, weight) > 0] = held_out
    unknown = np.flatnonzero(~np.isfinite(effect))
    if unknown.size:
        effect[unknown] = effect_of(unknown)
    y, treatment, outcome, propensity = given.to_numpy().T
    return read_rows(y, treatment, outcome, propensity, effect, weight=weight, groups=groups)


def effects_differ(fitted: FittedAttention) -> bool:
    """Return whether a fitted model predicts other effects for other rows."""
    tuned = fitted.tuned
    return bool(tuned.share.any() or tuned.additive > 0 or tuned.smooth > 0 or fitted.models.baseline.coef_.any())


def r_loss(fitted: FittedAttention, effect: float) -> dict[str, float]:
    """Return the R-loss of one effect for all rows, which is its own rival."""
    pseudo, weight = fitted.response.decode(fitted.rows.y), fitted.rows.weight
    loss = float(np.average((pseudo - effect) ** 2, weights=weight))
    return {"attention": loss, "baseline": loss, "standard_error": 0.0}
