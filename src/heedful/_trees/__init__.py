"""Trees of our own: columns cut into bins once, forests grown on them with their bags and leaves, boosted stumps."""

from heedful._trees.bins import Binned, Bins
from heedful._trees.forest import Buckets, Forest, Growing, grow_forest

__all__ = ["Binned", "Bins", "Buckets", "Forest", "Growing", "grow_forest"]
