"""Hierarchical clustering in which one real row stands for each cluster."""

from heedful.cluster._cut import cut
from heedful.cluster._linkage import minimax_linkage
from heedful.cluster._protoclust import ProtoClust

__all__ = ["ProtoClust", "cut", "minimax_linkage"]
