"""Contributions of columns to predictions: computed on first use, then stored."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from heedful._checks import check_choice
from heedful._responses import Words


class Attribution(NamedTuple):
    """What columns of the table add to the linear predictors of queries.

    ``base`` (n_outputs,) is the mean over the training rows, ``total`` (n_query, n_outputs, n_columns) what each column
    adds to it; ``model`` is the part of that through the query's own model, ``levels`` the same by column of the
    design, both None without slopes. ``error`` are standard errors of ``total``, None if it is not a mean of draws;
    ``checked`` (n_query,) says which queries are no farther than what the fast way was checked on, None if all are.
    """

    base: np.ndarray
    total: np.ndarray
    model: np.ndarray | None = None
    levels: np.ndarray | None = None
    error: np.ndarray | None = None
    checked: np.ndarray | None = None


class Deferred:
    """What is worked out at the first call: many explanations are only read for their models."""

    def __init__(self, work: Callable[[], Any]):
        self._work = work
        # the result, None before the first call
        self.known: Any = None

    def __call__(self) -> Any:
        if self.known is None:
            self.known = self._work()
            # what was asked is not needed any longer
            del self._work
        return self.known


def shows_factors(words: Words | None, scale: str | None) -> bool:
    """Return whether contributions are shown as factors; None shows those that multiply the prediction."""
    if scale is None:
        return words is not None and words.multiplies
    if check_choice("scale", scale, ("link", "factor")) == "factor" and (words is None or not words.factor):
        raise ValueError(
            "`scale` must be 'link' where contributions are not logarithms of factors, got 'factor'. Counts, costs, "
            "survival and binary classification have factors."
        )
    return scale == "factor"
