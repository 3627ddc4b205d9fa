"""From the argument ``similarity`` to similarity objects."""

from typing import Any

from sklearn.base import BaseEstimator

from heedful._checks import check_choice, check_count, is_word
from heedful._ensembles import is_ensemble
from heedful.similarity._boosted import BoostedProximity
from heedful.similarity._callable import CallableSimilarity
from heedful.similarity._forest import ForestProximity
from heedful.similarity._near import NearSimilarity
from heedful.similarity._past import PastSimilarity
from heedful.similarity._protocol import Similarity
from heedful.similarity._teacher import TeacherSimilarity

NAMES = ("forest", "boosted", "teacher")


def resolve(similarity: Any, many: bool) -> list[Similarity]:
    """Return similarity objects for a name, an object, a forest, a booster, a function or a list of them."""
    if isinstance(similarity, list | tuple):
        if not similarity:
            raise ValueError("`similarity` must not be an empty list. Use similarity='forest'.")
        return [entry for part in similarity for entry in resolve(part, many)]
    if isinstance(similarity, str):
        named: dict[str, list[Similarity]] = {
            "forest": [*default_forests()] if many else [ForestProximity()],
            "boosted": [BoostedProximity()],
            "teacher": [TeacherSimilarity()],
        }
        return named[check_choice("similarity", similarity, NAMES)]
    if isinstance(similarity, PastSimilarity):
        return [_mask(entry, similarity.time) for entry in resolve(similarity.similarity, many)]
    if isinstance(similarity, NearSimilarity):
        return [_multiply(entry, similarity) for entry in resolve(similarity.similarity, many)]
    if isinstance(similarity, Similarity):
        return [similarity]
    if isinstance(similarity, BaseEstimator) and hasattr(similarity, "bootstrap"):
        return [ForestProximity(forest=similarity)]
    if is_ensemble(similarity):
        return [BoostedProximity(similarity)]
    if callable(similarity) and not isinstance(similarity, type):
        return [CallableSimilarity(similarity)]
    raise TypeError(
        f"`similarity` must be 'forest', 'boosted', 'teacher', an object of heedful.similarity, a forest or booster, "
        f"a function (X_query, X_train) -> scores, or a list of them, got {similarity!r}."
    )


def _mask(entry: Similarity, time: Any) -> Similarity:
    """Return a similarity that looks at the past alone; a kernel stays outside, as it may need the time."""
    if isinstance(entry, NearSimilarity):
        return entry.around(PastSimilarity(entry.similarity, time))
    return PastSimilarity(entry, time)


def _multiply(entry: Similarity, near: NearSimilarity) -> NearSimilarity:
    if isinstance(entry, NearSimilarity):
        raise ValueError(
            "`similarity` must have one kernel, got NearSimilarity around another. Name all columns in one of them, in "
            "comparable units."
        )
    if entry.anchor:
        raise ValueError("`similarity` must have anchor=False under a kernel, got a teacher with anchor=True.")
    return near.around(entry)


def default_forests(
    n_estimators: int | str = "auto", *, max_samples: Any = "auto", leaf_rows: Any = "auto"
) -> list[ForestProximity]:
    """Return the forests that "forest" means with ``heads="multi"``.

    Two are grown on the ranks of the response and two on the residuals of the global lasso. In each pair one forest is
    smooth, with few candidate features at a split, and one is sharp, with all features and fully grown trees. The
    fifth, with a twelfth of the trees and large leaves, is grown on scores: it finds rows that need similar
    coefficients.

    Parameters
    ----------
    n_estimators : int or "auto", default="auto"
        Total number of trees. "auto" is 500 for up to 20,000 rows, and falls to 125 for 80,000 or more, whose leaves
        store more rows.
    max_samples : int, float, None or "auto", default="auto"
        Rows drawn for each tree: see :class:`ForestProximity`.
    leaf_rows : int, float, None or "auto", default="auto"
        Largest number of training rows that a leaf stores: see :class:`ForestProximity`.

    Returns
    -------
    list of ForestProximity
        The forests, not fitted; for estimators with local lassos, as other estimators have no residuals and scores.

    Examples
    --------
    >>> for forest in default_forests(100):
    ...     print(forest)
    ForestProximity(min_samples_leaf=10, n_estimators=23, ranks=True)
    ForestProximity(max_features=1.0, min_samples_split=2, n_estimators=23,
                    ranks=True)
    ForestProximity(min_samples_split=5, n_estimators=23, target='residual')
    ForestProximity(max_features=1.0, min_samples_split=2, n_estimators=23,
                    target='residual')
    ForestProximity(max_features=1.0, min_samples_leaf=20, n_estimators=8,
                    target='scores')
    """
    each: int | str = "auto"
    few: int | str = "auto"
    if not is_word(n_estimators, "auto"):
        n_trees = check_count("n_estimators", n_estimators, 1, "Use 500, or 'auto'.")
        few = max(1, n_trees // 12)
        each = max(1, (n_trees - few) // 4)
    sharp = {"max_features": 1.0, "min_samples_split": 2}
    sizes = {"max_samples": max_samples, "leaf_rows": leaf_rows}
    return [
        ForestProximity(each, min_samples_leaf=10, ranks=True, **sizes),
        ForestProximity(each, ranks=True, **sharp, **sizes),
        ForestProximity(each, target="residual", min_samples_split=5, **sizes),
        ForestProximity(each, target="residual", **sharp, **sizes),
        ForestProximity(few, target="scores", max_features=1.0, min_samples_leaf=20, **sizes),
    ]
