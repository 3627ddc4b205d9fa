"""How good a model is on rows that it has not seen, in plain words."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from heedful._show import short

# A smaller gain over the model for all rows, in per cent, is none.
NO_GAIN = 1.0
# Nor is one of less than so many standard errors.
SURE = 2.5
RIVAL = "one lasso for all rows"


class Judged(NamedTuple):
    """Both errors, which is lower, and what that means."""

    figures: str
    outcome: str
    meaning: str


def say_error(unseen: pd.Series, mixing: float, rival: str = RIVAL) -> str:
    """Return in plain words how good a model is on unseen rows.

    Parameters
    ----------
    unseen : Series
        ``unseen_error_`` of an estimator. A gain of less than two and a half of its standard errors may be chance.
    mixing : float
        Its ``mixing_``.
    rival : str, default="one lasso for all rows"
        What the model for all rows is called.

    Returns
    -------
    str
        Both errors, and which of them is lower.

    Examples
    --------
    >>> import pandas as pd
    >>> from heedful.explain import say_error
    >>> say_error(pd.Series({"attention": 8.0, "baseline": 10.0}, name="log loss"), 0.5)
    'log loss on unseen rows 8, one lasso for all rows 10: 20 % lower'
    """
    found = judge(unseen, mixing, rival)
    return f"{found.figures}: {found.outcome}"


def judge(unseen: pd.Series, mixing: float, rival: str = RIVAL) -> Judged:
    """Return what the errors on unseen rows say of a model, beside the model for all rows."""
    own, plain = float(unseen["attention"]), float(unseen["baseline"])
    if not np.isfinite([own, plain]).all():
        meaning = "Nothing was tried on rows left out, so nobody knows how good it is; mixing='auto' tries."
        return Judged("on unseen rows not known", "no row was left out", meaning)
    figures = f"{unseen.name} on unseen rows {short(own, 4)}, {rival} {short(plain, 4)}"
    how = "" if mixing else ", without attention: models for all rows are enough"
    better = f"It predicts new rows better than {rival}{how}."
    same = f"{rival.capitalize()} predicts new rows as well, and is simpler to read."
    worse = f"{rival.capitalize()} predicts new rows better: use it, or fit to more rows."
    if plain <= 0:
        # errors around 0 have no ratio
        outcome = f"{'better' if own < plain else 'no better'} than {rival}"
        return Judged(figures, outcome, better if own < plain else same if own == plain else worse)
    gain = 100 * (1 - own / plain)
    if gain >= NO_GAIN and plain - own < SURE * float(unseen.get("standard_error", 0.0)):
        chance = f"{gain:.{0 if gain >= 10 else 1}f} % lower, which may be chance"
        return Judged(figures, chance, f"It is not clear that it predicts new rows better than {rival}.")
    if gain >= NO_GAIN:
        return Judged(figures, f"{gain:.{0 if gain >= 10 else 1}f} % lower", better)
    if gain <= -NO_GAIN:
        return Judged(figures, f"{-gain:.1f} % higher", worse)
    idle = "attention would not help here, so it is not used"
    return Judged(figures, f"no better than {rival}" if mixing else idle, same)
