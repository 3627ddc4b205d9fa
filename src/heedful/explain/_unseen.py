"""How good a model is on rows that it has not seen, in plain words."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from heedful._responses import Words
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
    gain, outcome = plain - own, compare(unseen, rival)
    if outcome is None:
        idle = "attention would not help here, so it is not used"
        same = f"{rival[0].upper()}{rival[1:]} predicts new rows as well, and is simpler to read."
        return Judged(figures, f"no better than {rival}" if mixing else idle, same)
    if abs(gain) < SURE * float(unseen.get("standard_error", 0.0)):
        return Judged(figures, outcome, f"It is not clear that it predicts new rows better than {rival}.")
    if gain < 0:
        return Judged(
            figures, outcome, f"{rival[0].upper()}{rival[1:]} predicts new rows better: use it, or fit to more rows."
        )
    how = "" if mixing else ", without attention: models for all rows are enough"
    return Judged(figures, outcome, f"It predicts new rows better than {rival}{how}.")


def compare(unseen: pd.Series, rival: str = RIVAL) -> str | None:
    """Return which of two errors is lower, and whether that may be chance; None if they are about equal."""
    own, plain = float(unseen["attention"]), float(unseen["baseline"])
    gain = plain - own
    if gain == 0 or abs(gain) < NO_GAIN / 100 * plain:
        return None
    # errors around 0 have no ratio
    part = 100 * abs(gain) / plain if plain > 0 else np.nan
    said = f"{part:.{0 if part >= 10 else 1}f} % {'lower' if gain > 0 else 'higher'}"
    said = said if plain > 0 else f"{'better' if gain > 0 else 'worse'} than {rival}"
    return said + (", which may be chance" if abs(gain) < SURE * float(unseen.get("standard_error", 0.0)) else "")


def measure(words: Words, losses: dict[str, float] | None) -> pd.Series:
    """Return mean losses, and the standard error of their difference, in the units that people know errors in."""
    loss = pd.Series(losses or {}, ["attention", "baseline", "standard_error"], np.float64, words.error)
    found, gain = words.measured(loss[:2]), loss["baseline"] - loss["attention"]
    unit = (found["baseline"] - found["attention"]) / gain if gain else 1.0
    return pd.concat([found, unit * loss[2:]]).rename(words.error)
