"""From what a user writes as ``similarity=`` to similarity objects."""

import copy
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from heedful._checks import check_choice
from heedful._ensembles import is_ensemble
from heedful.similarity._boosted import BoostedProximity
from heedful.similarity._callable import CallableSimilarity
from heedful.similarity._forest import ForestProximity
from heedful.similarity._leaf_proximity import LeafProximity
from heedful.similarity._past import PastSimilarity
from heedful.similarity._teacher import TeacherSimilarity

NAMES = ("forest", "boosted", "teacher")


def resolve(similarity: Any, many: bool) -> list[Any]:
    """Return the similarity objects that a user's ``similarity`` stands for.

    Parameters
    ----------
    similarity : str, object, callable or list of them
        "forest", "boosted", "teacher", an object, a forest or booster, or a function ``(X_query, X_train) -> scores``.
    many : bool
        Whether many heads are tried: "forest" is then several forests.

    Returns
    -------
    list
        Similarities, not fitted.

    Examples
    --------
    >>> resolve("forest", many=False)
    [ForestProximity()]
    >>> len(resolve("forest", many=True))
    4
    """
    if isinstance(similarity, list | tuple):
        if not similarity:
            raise ValueError("`similarity` must not be an empty list. Use similarity='forest'.")
        return [entry for part in similarity for entry in resolve(part, many)]
    if isinstance(similarity, str):
        return _by_name(check_choice("similarity", similarity, NAMES), many)
    if isinstance(similarity, PastSimilarity):
        return [PastSimilarity(entry, similarity.time) for entry in resolve(similarity.similarity, many)]
    if hasattr(similarity, "score_rows") and hasattr(similarity, "fit") and not isinstance(similarity, type):
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


def _by_name(name: str, many: bool) -> list[Any]:
    """Return what a name stands for."""
    if name == "boosted":
        return [BoostedProximity()]
    if name == "teacher":
        return [TeacherSimilarity()]
    return default_forests() if many else [ForestProximity()]


def default_forests(
    n_estimators: int = 500, *, max_samples: Any = "auto", leaf_rows: Any = "auto"
) -> list[ForestProximity]:
    """Return the forests that "forest" stands for where heads are many.

    Each has a quarter of the trees. Two are grown on the ranks of the response, two on what the baseline leaves of it.
    One of each is smooth, with few candidate features at a split, and one is sharp: all features, fully grown.

    Parameters
    ----------
    n_estimators : int, default=500
        Number of trees in all.
    max_samples : int, float, None or "auto", default="auto"
        Rows drawn for each tree: see :class:`ForestProximity`.
    leaf_rows : int, "drawn", None or "auto", default="auto"
        Training rows that a leaf keeps at most.

    Returns
    -------
    list of ForestProximity
        The forests, not fitted; for estimators with local lassos, as others have no residuals.

    Examples
    --------
    >>> for forest in default_forests(100):
    ...     print(forest)
    ForestProximity(min_samples_leaf=10, n_estimators=25, ranks=True)
    ForestProximity(max_features=1.0, min_samples_split=2, n_estimators=25,
                    ranks=True)
    ForestProximity(n_estimators=25, target='residual')
    ForestProximity(max_features=1.0, min_samples_split=2, n_estimators=25,
                    target='residual')
    """
    each = max(1, n_estimators // 4)
    sharp = {"max_features": 1.0, "min_samples_split": 2}
    sizes = {"max_samples": max_samples, "leaf_rows": leaf_rows}
    return [
        ForestProximity(each, min_samples_leaf=10, ranks=True, **sizes),
        ForestProximity(each, ranks=True, **sharp, **sizes),
        ForestProximity(each, target="residual", **sizes),
        ForestProximity(each, target="residual", **sharp, **sizes),
    ]


def prepare(similarities: list[Any], n_jobs: int | None, seed: np.random.RandomState) -> list[Any]:
    """Return copies to fit, with jobs and seeds where they were left open.

    Parameters
    ----------
    similarities : list
        Similarities, not fitted.
    n_jobs : int or None
        Jobs for those without a number of their own.
    seed : RandomState
        Draws the seeds of those without one.

    Returns
    -------
    list
        The copies.

    Examples
    --------
    >>> (forest,) = prepare([ForestProximity()], 2, np.random.RandomState(0))
    >>> forest.n_jobs, forest.random_state is None
    (2, False)
    """
    copies = [copy.copy(similarity) for similarity in similarities]
    for entry in copies:
        if isinstance(entry, PastSimilarity):
            (entry.similarity,) = prepare([entry.similarity], n_jobs, seed)
            continue
        draw = int(seed.randint(np.iinfo(np.int32).max))
        for name, value in (("n_jobs", n_jobs), ("random_state", draw)):
            if getattr(entry, name, "absent") is None:
                setattr(entry, name, value)
    return copies


def describe(similarity: Any) -> str:
    """Return a short name for tables.

    Parameters
    ----------
    similarity : object
        A similarity.

    Returns
    -------
    str
        Such as "forest(sqrt)", "teacher" or the name of a function.

    Examples
    --------
    >>> describe(ForestProximity(target="residual"))
    'forest(residuals, sqrt)'
    """
    if isinstance(similarity, PastSimilarity):
        return f"past({describe(similarity.similarity)})"
    if isinstance(similarity, ForestProximity):
        features = similarity.max_features if similarity.forest is None else "given"
        every = features is None or (isinstance(features, float) and features == 1.0)
        of = "residuals, " if similarity.target == "residual" else ""
        return f"forest({of}{'all' if every else features})"
    if isinstance(similarity, BoostedProximity | TeacherSimilarity):
        name = "boosted" if isinstance(similarity, BoostedProximity) else "teacher"
        return name if similarity.estimator is None else f"{name}({type(similarity.estimator).__name__})"
    if isinstance(similarity, LeafProximity):
        return "leaves"
    if isinstance(similarity, CallableSimilarity):
        return getattr(similarity.function, "__name__", "function")
    return type(similarity).__name__
