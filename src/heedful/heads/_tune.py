"""Choose shares: fit them to predictions of unseen rows, then take them back as far as the guard says."""

from typing import NamedTuple

import numpy as np

from heedful.heads._guard import cross_fit, trust
from heedful.heads._shares import Outside, fit_many, fit_one, head_errors


class Tuned(NamedTuple):
    """Share and error of each head, and how far the guard trusts the blend."""

    share: np.ndarray
    error: np.ndarray
    trust: float


def tune(outside: Outside, many: bool, mixing: float | None, seed: np.random.RandomState) -> Tuned:
    """Fit the shares of many heads or of the best one; ``mixing`` fixes their sum, and then no guard is asked."""
    fit = fit_many if many else fit_one
    share, error = fit(outside, mixing), head_errors(outside)
    if mixing is not None:
        return Tuned(share, error, 1.0)
    confidence = trust(outside, cross_fit(outside, lambda part: fit(part, None), seed))
    return Tuned(confidence * share, error, confidence)
