"""Trees of our own: columns cut into bins once, forests with their bags and leaves, boosted stumps and small trees."""

from heedful._trees.bins import Binned, Bins
from heedful._trees.forest import Buckets, Forest, Growing, grow_forest, leaf_sizes
from heedful._trees.packed import smallest
from heedful._trees.protocol import Boosting
from heedful._trees.stumps import BoostedFolds, Stumps, fit_stumps
from heedful._trees.surrogate import LeafTables, Surrogate, fit_surrogate

__all__ = [
    "Binned",
    "Bins",
    "BoostedFolds",
    "Boosting",
    "Buckets",
    "Forest",
    "Growing",
    "LeafTables",
    "Stumps",
    "Surrogate",
    "fit_stumps",
    "fit_surrogate",
    "grow_forest",
    "leaf_sizes",
    "smallest",
]
