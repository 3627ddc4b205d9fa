"""Errors of a model and of its global model in words: which is lower, and whether that may be chance."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from heedful._responses import Regression, Words
from heedful._show import count, short
from heedful.explain._explained import Explained

# A smaller gain over the global model, in per cent, is none.
NO_GAIN = 1.0
# Nor is one of less than so many standard errors.
SURE = 2.5
RIVAL = "one lasso for all rows"


class ComparedErrors(NamedTuple):
    """Both errors, which is lower, and what that means."""

    figures: str
    outcome: str
    meaning: str


def describe_error(unseen: pd.Series, mixing: float, rival: str = RIVAL) -> str:
    """Describe the error of a model on held-out rows in a sentence.

    Parameters
    ----------
    unseen : Series
        ``held_out_error_`` of an estimator. A difference below 2.5 standard errors may be chance.
    mixing : float
        Its ``mixing_``.
    rival : str, default="one lasso for all rows"
        Name of the global model.

    Returns
    -------
    str
        Both errors, and which of them is lower.

    Examples
    --------
    >>> import pandas as pd
    >>> from heedful.explain import describe_error
    >>> describe_error(pd.Series({"attention": 8.0, "baseline": 10.0}, name="log loss"), 0.5)
    'log loss on held-out rows 8, one lasso for all rows 10: 20 % lower'
    """
    compared = compare_errors(unseen, mixing, rival)
    return f"{compared.figures}: {compared.outcome}"


def compare_errors(unseen: pd.Series, mixing: float, rival: str = RIVAL) -> ComparedErrors:
    """Return the comparison of the held-out errors of a model and of its global model, in words."""
    own, plain = float(unseen["attention"]), float(unseen["baseline"])
    if not np.isfinite([own, plain]).all():
        meaning = "No model was evaluated on held-out rows; mixing='auto' does so."
        return ComparedErrors("unknown on held-out rows", "no row was held out", meaning)
    outcome = describe_difference(unseen, rival)
    capital = f"{rival[0].upper()}{rival[1:]}"
    if outcome is None:
        outcome = f"no better than {rival}" if mixing else "attention does not help here and is not used"
        meaning = f"{capital} predicts new rows as well and is easier to interpret."
    elif _may_be_chance(unseen):
        meaning = f"It is not clear that it predicts new rows better than {rival}."
    elif own > plain:
        meaning = f"{capital} predicts new rows better: use it, or fit to more rows."
    else:
        how = "" if mixing else ", without attention: the global models suffice"
        meaning = f"It predicts new rows better than {rival}{how}."
    figures = f"{unseen.name} on held-out rows {short(own, 4)}, {rival} {short(plain, 4)}"
    return ComparedErrors(figures, outcome, meaning)


def describe_difference(errors: pd.Series, rival: str = RIVAL) -> str | None:
    """Return which of two errors is lower, and whether that may be chance; None if they are about equal."""
    plain = float(errors["baseline"])
    gain = plain - float(errors["attention"])
    if gain == 0 or abs(gain) < NO_GAIN / 100 * plain:
        return None
    if plain > 0:
        part = 100 * abs(gain) / plain
        difference = f"{part:.{0 if part >= 10 else 1}f} % {'lower' if gain > 0 else 'higher'}"
    else:
        # errors around 0 have no ratio
        difference = f"{'better' if gain > 0 else 'worse'} than {rival}"
    return difference + (", which may be chance" if _may_be_chance(errors) else "")


def _may_be_chance(errors: pd.Series) -> bool:
    return abs(errors["baseline"] - errors["attention"]) < SURE * float(errors.get("standard_error", 0.0))


def measure(words: Words, losses: dict[str, float] | None) -> pd.Series:
    """Return mean losses, and the standard error of their difference, in the units that people know errors in."""
    loss = pd.Series(losses or {}, ["attention", "baseline", "standard_error"], np.float64, words.error)
    errors, gain = words.measured(loss[:2]), loss["baseline"] - loss["attention"]
    unit = (errors["baseline"] - errors["attention"]) / gain if gain else 1.0
    return pd.concat([errors, unit * loss[2:]]).rename(words.error)


def errors_of(e: Explained) -> pd.Series | None:
    """Return the errors on queries with attention and of the model for all rows, and how sure they differ."""
    if e.loss is None or e.baseline_loss is None:
        return None
    error = np.inf if e.loss_error is None else e.loss_error
    losses = {"attention": float(e.loss.mean()), "baseline": float(e.baseline_loss.mean()), "standard_error": error}
    return measure(e.words or Regression.words, losses)


def describe_change(e: Explained) -> str:
    """Return which error is lower and whether that may be chance; nothing without errors, or of training rows."""
    errors = errors_of(e)
    if errors is None:
        return ""
    if e.seen is not None and e.seen.any():
        return "in-sample"
    return describe_difference(errors, "one model for all rows") or "almost no difference"


def describe_training_rows(e: Explained) -> str:
    """Return how many of the queries are training rows, whose errors are in-sample; nothing if none is known to be."""
    if e.seen is None or not e.seen.any():
        return ""
    number, every = int(e.seen.sum()), count(len(e.index), "query", "queries")
    are = "is a training row" if number == 1 else "are training rows"
    return f"{number} of the {every} {are}: {'its error is' if number == 1 else 'their errors are'} in-sample"
