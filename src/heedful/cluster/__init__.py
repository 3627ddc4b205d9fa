"""Hierarchical clustering in which each cluster has one row as its prototype."""

from heedful.cluster._cut import cut
from heedful.cluster._linkage import minimax_linkage
from heedful.cluster._protoclust import ProtoClust

__all__ = ["ProtoClust", "cut", "minimax_linkage"]
