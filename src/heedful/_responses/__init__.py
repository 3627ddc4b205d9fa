"""Responses: how each kind is read, its loss, how it is given back, and what people call it."""

from heedful._responses.classification import Classification, knows_numbers
from heedful._responses.counts_costs import POWERS, CountsOrCosts, ServedCosts
from heedful._responses.effect import Effect, effect_weights
from heedful._responses.encoding import split_offset, with_offset
from heedful._responses.regression import Regression
from heedful._responses.response import Losses, Response, unit_response
from heedful._responses.survival import SurvivalTimes, cumulative_hazard
from heedful._responses.survival_scores import concordance, concordance_gain, survival_at
from heedful._responses.words import Words

__all__ = [
    "POWERS",
    "Classification",
    "CountsOrCosts",
    "Effect",
    "Losses",
    "Regression",
    "Response",
    "ServedCosts",
    "SurvivalTimes",
    "Words",
    "concordance",
    "concordance_gain",
    "cumulative_hazard",
    "effect_weights",
    "knows_numbers",
    "split_offset",
    "survival_at",
    "unit_response",
    "with_offset",
]
