"""Kinds of responses: how ``y`` is read, its loss and its names; derive a custom one from ``Response``."""

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
