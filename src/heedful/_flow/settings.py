"""The arguments that all attention models share, checked before any work."""

import warnings
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import is_classifier

from heedful._checks import check_choice, check_grid, check_number, is_word
from heedful._flow.kinds import ModelKind
from heedful._flow.table import Columns
from heedful._folds import check_folds
from heedful._frames import select
from heedful.similarity import Similarity, resolve, target_of

# Mixings above 0 from which each query chooses its own by the errors of rows left out that it attends to.
TENTHS = tuple(tenths / 10 for tenths in range(1, 11))
WORDS = ("auto", "adaptive", "weighted")


class Settings(NamedTuple):
    """Checked arguments; None stands for "auto". ``mixings`` are those to choose from, if they were listed.

    If ``adaptive``, each query has a mixing of its own: if there are ``mixings`` one of these or 0.
    """

    similarities: list[Similarity]
    temperatures: tuple[float, ...] | None
    ratios: tuple[float, ...] | None
    mixing: float | None
    adaptive: bool = False
    intervals: bool = True
    many: bool = False
    out_of_bag: bool = True
    mixings: tuple[float, ...] | None = None


def check_settings(
    similarity: Any,
    temperature: Any,
    mixing: Any,
    cv: Any,
    groups: Any,
    kind: ModelKind,
    *,
    ratios: tuple[float, ...] | None = (1.0,),
    many: bool = False,
) -> Settings:
    temperatures, mixings = check_temperature(temperature), check_mixings(mixing, many)
    fixed = check_mixing("auto" if mixings else mixing, WORDS)
    check_folds(cv, groups)
    similarities = check_similarity(similarity, many, anchors=kind.anchors, residuals=kind.has_residuals)
    adaptive, out_of_bag = is_word(mixing, "adaptive") or is_word(mixing, "weighted"), isinstance(cv, str)
    return Settings(
        similarities, temperatures, ratios, fixed, adaptive, many=many, out_of_bag=out_of_bag, mixings=mixings
    )


def check_temperature(value: Any) -> tuple[float, ...] | None:
    return None if is_word(value, "auto") else check_grid("temperature", value, "Try values between 0.03 and 1.")


def check_mixing(value: Any, words: tuple[str, ...]) -> float | None:
    """Return a mixing; None stands for one of the words."""
    if isinstance(value, str):
        check_choice("mixing", value, words)
        return None
    return check_number("mixing", value, 0.0, 1.0, hint=f"Or use {' or '.join(map(repr, words))}.")


def check_mixings(value: Any, many: bool) -> tuple[float, ...] | None:
    """Return the mixings of a list, or of each query by its weighted error; None for anything else."""
    weighted = is_word(value, "weighted")
    if not weighted and (not isinstance(value, list | tuple | np.ndarray) or np.ndim(value) == 0):
        return None
    if many:
        raise ValueError(
            f"`mixing` must be a number, 'auto' or 'adaptive' with heads='multi', got {value!r}. Use heads='single' to "
            "choose from a list."
        )
    if weighted:
        return TENTHS
    if len(value) == 0:
        raise ValueError("`mixing` must not be an empty list. Use 'auto', or [0.0, 0.5, 1.0].")
    return tuple(check_number("mixing", entry, 0.0, 1.0, hint="Or use 'auto'.") for entry in value)


def check_similarity(value: Any, many: bool, *, anchors: bool = False, residuals: bool = False) -> list[Similarity]:
    """Return similarity objects, without a teacher's anchor or a target that cannot be had."""
    similarities = resolve(value, many)
    others = [target for target in map(target_of, similarities) if target != "response"]
    if others and not residuals:
        raise ValueError(
            f"`similarity` must have target='response' here, got {others[0]!r}: only attention lassos have residuals."
        )
    if not anchors and any(entry.anchor for entry in similarities):
        raise ValueError("`similarity` must have anchor=False here: AttentionLasso alone fits with a teacher's anchor.")
    return similarities


def check_features(value: Any, table: pd.DataFrame | np.ndarray) -> Columns:
    """Return the columns that models use and similarities see."""
    parts = value if isinstance(value, dict) else {"model": value, "similarity": value}
    unknown = set(parts) - {"model", "similarity"}
    if unknown:
        raise ValueError(
            f"`features` must have the keys 'model' and 'similarity', got {sorted(map(str, unknown))}. Give columns "
            "for one of them or both."
        )
    model, similarity = (select(table, parts.get(name), "features") for name in ("model", "similarity"))
    return Columns(model, similarity)


def check_learner(estimator: Any, owner: Any) -> None:
    """Raise unless a regressor was given a regressor, and a classifier a classifier."""
    if estimator is None or not hasattr(estimator, "fit") or is_classifier(estimator) == is_classifier(owner):
        return
    kind = "classifier" if is_classifier(owner) else "regressor"
    raise TypeError(f"`estimator` must be a {kind} in {type(owner).__name__}, got {estimator!r}.")


def warn_of_lags(X: Any, cv: Any) -> None:
    """Warn if rows that were made to look back are to be tuned on rows of the future."""
    if is_word(cv, "oob") and "heedful_lags" in getattr(X, "attrs", {}):
        warnings.warn(
            "`X` was made by lag_features, but cv='oob' tunes with both earlier and later rows. Set "
            "cv=TimeSeriesSplit(4) to tune on later rows only; four splits are the paper's five folds.",
            stacklevel=4,
        )
