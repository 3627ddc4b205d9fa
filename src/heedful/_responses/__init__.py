"""Responses: how each kind is read, weighed, learned from and given back."""

from heedful._responses.classification import Classification, knows_numbers
from heedful._responses.counts_costs import CountsOrCosts, ServedCosts
from heedful._responses.effect import Effect, effect_weights
from heedful._responses.protocol import Measured, Response, Words, split_offset, unit_response, with_offset
from heedful._responses.regression import Regression
from heedful._responses.survival import SurvivalTimes

__all__ = [
    "Classification",
    "CountsOrCosts",
    "Effect",
    "Measured",
    "Regression",
    "Response",
    "ServedCosts",
    "SurvivalTimes",
    "Words",
    "effect_weights",
    "knows_numbers",
    "split_offset",
    "unit_response",
    "with_offset",
]
