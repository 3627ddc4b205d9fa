"""Estimators that stay as they were if a fit fails or is interrupted."""

from collections.abc import Callable
from functools import wraps
from typing import Any


def all_or_nothing(fit: Callable) -> Callable:
    """Return a ``fit`` that leaves no trace on its estimator unless it comes to its end.

    Otherwise Ctrl-C in a second fit would leave a mixture of two models, which predicts without a complaint.
    """

    @wraps(fit)
    def fit_or_undo(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = dict(vars(self))
        try:
            return fit(self, *args, **kwargs)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return fit_or_undo
