"""Responses: how each kind of ``y`` is read, its loss and what people call it; a new one derives from ``Response``."""

from heedful._responses import (
    Classification,
    CountsOrCosts,
    Losses,
    Regression,
    Response,
    SurvivalTimes,
    Words,
)

__all__ = ["Classification", "CountsOrCosts", "Losses", "Regression", "Response", "SurvivalTimes", "Words"]
