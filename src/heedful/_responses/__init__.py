"""Responses: how each kind is read, its loss, how it is given back, and what people call it."""

from heedful._responses.classification import Classification as Classification, knows_numbers as knows_numbers
from heedful._responses.counts_costs import POWERS as POWERS, CountsOrCosts as CountsOrCosts, ServedCosts as ServedCosts
from heedful._responses.effect import Effect as Effect, effect_weights as effect_weights
from heedful._responses.encoding import split_offset as split_offset, with_offset as with_offset
from heedful._responses.regression import Regression as Regression
from heedful._responses.response import Losses as Losses, Response as Response, unit_response as unit_response
from heedful._responses.survival import SurvivalTimes as SurvivalTimes, cumulative_hazard as cumulative_hazard
from heedful._responses.survival_scores import (
    concordance as concordance,
    concordance_gain as concordance_gain,
    survival_at as survival_at,
)
from heedful._responses.words import Words as Words
