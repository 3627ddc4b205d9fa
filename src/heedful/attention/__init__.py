"""Scores to weights: softmax, temperature, effective sample size."""

from heedful.attention._attention import Attention, blend_attention, over_background, stack_attention
from heedful.attention._weighting import Weighting, attend, weigh

__all__ = ["Attention", "Weighting", "attend", "blend_attention", "over_background", "stack_attention", "weigh"]
