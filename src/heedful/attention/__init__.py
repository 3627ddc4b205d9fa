"""Scores to weights: softmax, temperature, effective sample size."""

from heedful.attention._attention import Attention
from heedful.attention._weighting import attend

__all__ = ["Attention", "attend"]
