"""The similarities of a drift corrector: the leaves of the model, and any other."""

from typing import Any

from heedful._checks import check_choice
from heedful._flow import check_similarity
from heedful._models.served import ServedModel
from heedful.similarity import NAMES, ForestProximity, LeafProximity, Similarity

LEAVES = "leaves"
# Of the forest beside them; 500 gain a hundredth more of what a refit gains, and take twice as long.
TREES = 200


def check_similarities(value: Any) -> list[Any]:
    """Return similarity objects, with a word where the leaves of the model are meant."""
    if isinstance(value, list | tuple) and value:
        return [entry for part in value for entry in check_similarities(part)]
    if isinstance(value, str) and check_choice("similarity", value, (LEAVES, *NAMES)) == LEAVES:
        return [LEAVES]
    return list(check_similarity(value, False))


def choose_similarities(value: Any, served: ServedModel) -> list[Similarity]:
    """Return the similarities to fit; where nothing was said, a forest and the leaves of a model that has any."""
    if value is None:
        forest = ForestProximity(TREES)
        value = forest if served.ensemble is None else [LEAVES, forest]
    entries = check_similarities(value)
    return [entry if isinstance(entry, Similarity) else LeafProximity(served.trees.n_leaves) for entry in entries]
