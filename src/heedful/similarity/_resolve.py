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
from heedful.similarity._meetings import LeafMeetings
from heedful.similarity._past import PastSimilarity
from heedful.similarity._teacher import TeacherSimilarity

NAMES = ("forest", "boosted", "teacher")


def resolve(similarity: Any, many: bool) -> list[Any]:
    """Return similarity objects for a name, an object, a forest, a booster, a function or a list of them."""
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
    """Return what a name stands for; "forest" is the paper's: 500 trees.

    With ``many`` half of them have all features as candidates at each split and are fully grown: sharper scores beside
    the smoother ones.
    """
    if name == "boosted":
        return [BoostedProximity()]
    if name == "teacher":
        return [TeacherSimilarity()]
    if not many:
        return [ForestProximity()]
    return [ForestProximity(250), ForestProximity(250, max_features=1.0, min_samples_split=2)]


def prepare(similarities: list[Any], n_jobs: int | None, seed: np.random.RandomState) -> list[Any]:
    """Return copies to fit: with jobs and seeds filled in where they were left open."""
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
    """Return a short name for tables."""
    if isinstance(similarity, PastSimilarity):
        return f"past({describe(similarity.similarity)})"
    if isinstance(similarity, ForestProximity):
        features = similarity.max_features if similarity.forest is None else "given"
        every = features is None or (isinstance(features, float) and features == 1.0)
        return f"forest({'all' if every else features})"
    if isinstance(similarity, BoostedProximity | TeacherSimilarity):
        name = "boosted" if isinstance(similarity, BoostedProximity) else "teacher"
        return name if similarity.estimator is None else f"{name}({type(similarity.estimator).__name__})"
    if isinstance(similarity, LeafMeetings):
        return "leaves"
    if isinstance(similarity, CallableSimilarity):
        return getattr(similarity.function, "__name__", "function")
    return type(similarity).__name__
