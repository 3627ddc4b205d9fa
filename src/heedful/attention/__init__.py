"""Scores to weights: softmax, temperature, effective sample size."""

from heedful.attention._attention import (
    Attention,
    blend_attention as blend_attention,
    over_background as over_background,
    stack_attention as stack_attention,
)
from heedful.attention._weighting import (
    Weighting as Weighting,
    attend,
    kernel_parts as kernel_parts,
    kinds_of as kinds_of,
    weigh as weigh,
    weigh_each as weigh_each,
)

__all__ = ["Attention", "attend"]
