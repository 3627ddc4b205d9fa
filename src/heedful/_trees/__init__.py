"""Trees of our own: columns cut into bins once, forests grown on them with their bags and leaves, boosted stumps."""

from heedful._trees.bins import Binned, Bins
from heedful._trees.forest import Buckets, Forest, Growing, grow_forest
from heedful._trees.stumps import BoostedFolds, Boosting, Stumps, fit_stumps

__all__ = [
    "Binned",
    "Bins",
    "BoostedFolds",
    "Boosting",
    "Buckets",
    "Forest",
    "Growing",
    "Stumps",
    "fit_stumps",
    "grow_forest",
]
