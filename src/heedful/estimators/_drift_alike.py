"""Who is alike to a drift corrector: rows in the same leaves of the model, and what any similarity says."""

from typing import Any

from heedful._checks import check_choice
from heedful._flow import check_similarity
from heedful._models.served import ServedModel
from heedful.similarity import ForestProximity, Similarity
from heedful.similarity._leaf_proximity import LeafProximity
from heedful.similarity._resolve import NAMES

LEAVES = "leaves"
# Of the forest beside them; 500 gain a hundredth more of what a refit gains, and take twice as long.
TREES = 200


def check_alike(value: Any) -> list[Any]:
    """Return similarity objects, with a word where the leaves of the model are meant."""
    if isinstance(value, list | tuple) and value:
        return [entry for part in value for entry in check_alike(part)]
    if isinstance(value, str) and check_choice("similarity", value, (LEAVES, *NAMES)) == LEAVES:
        return [LEAVES]
    return list(check_similarity(value, False))


def choose_alike(value: Any, served: ServedModel) -> list[Similarity]:
    """Return the similarities to fit; where nothing was said, a forest and the leaves of a model that has any."""
    if value is None:
        forest = ForestProximity(TREES)
        value = forest if served.ensemble is None else [LEAVES, forest]
    own = (
        entry if isinstance(entry, Similarity) else LeafProximity(served.trees.n_leaves) for entry in check_alike(value)
    )
    return list(own)
