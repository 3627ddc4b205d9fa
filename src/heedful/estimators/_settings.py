"""The arguments that all attention models share, checked before any work."""

import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import is_classifier

from heedful._checks import check_choice, check_grid, check_number
from heedful.baseline import check_folds
from heedful.similarity import resolve, wants_residuals


class Settings(NamedTuple):
    """Checked arguments; None stands for "auto"."""

    many: bool
    similarities: list[Any]
    temperatures: tuple[float, ...] | None
    ratios: tuple[float, ...] | None
    mixing: float | None
    adaptive: bool


def check_settings(model: Any, groups: Any, *, many: bool, ratios: tuple[float, ...] | None) -> Settings:
    """Check the arguments that all kinds of attention models have in common."""
    temperatures, mixing = check_temperature(model.temperature), check_mixing(model.mixing, ("auto", "adaptive"))
    check_folds(model.cv, groups)
    if getattr(model, "tuning_rows", None) is not None:
        check_number("tuning_rows", model.tuning_rows, 10, np.inf, hint="None tries heads on all rows.")
    similarities = check_similarity(model.similarity, many, anchors=model._anchors, residuals=model._leaves_residuals)
    return Settings(many, similarities, temperatures, ratios, mixing, is_word(model.mixing, "adaptive"))


def check_temperature(value: Any) -> tuple[float, ...] | None:
    """Return the temperatures to try; None stands for "auto"."""
    return None if is_word(value, "auto") else check_grid("temperature", value, "Try values between 0.03 and 1.")


def check_mixing(value: Any, words: tuple[str, ...]) -> float | None:
    """Return a mixing; None stands for one of the words."""
    if isinstance(value, str):
        check_choice("mixing", value, words)
        return None
    return check_number("mixing", value, 0.0, 1.0, hint=f"Or use {' or '.join(map(repr, words))}.")


def check_similarity(value: Any, many: bool, *, anchors: bool = False, residuals: bool = False) -> list[Any]:
    """Return similarity objects, without a teacher's anchor or a target that cannot be had."""
    similarities = resolve(value, many)
    wanted = [wants_residuals(entry) for entry in similarities]  # every entry is checked
    if any(wanted) and not residuals:
        raise ValueError(
            "`similarity` must have target='response' here, got 'residual': only attention lassos have residuals."
        )
    if not anchors and any(getattr(entry, "anchor", False) for entry in similarities):
        raise ValueError("`similarity` must have anchor=False here: AttentionLasso alone fits with a teacher's anchor.")
    return similarities


def check_linear(model: Any, groups: Any) -> Settings:
    """Check every argument of a model with local lassos."""
    many = check_choice("heads", model.heads, ("multi", "single")) == "multi"
    hint = "1.0 is the paper's shared penalty."
    ratios = None if is_word(model.alpha_ratio, "auto") else check_grid("alpha_ratio", model.alpha_ratio, hint)
    if not is_word(model.alpha, "auto"):
        check_number("alpha", model.alpha, 0.0, np.inf, hint="Or use 'auto'.")
    if model.max_extrapolation is not None:
        check_number("max_extrapolation", model.max_extrapolation, 0.0, np.inf, hint="None sets no limit.")
    return check_settings(model, groups, many=many, ratios=ratios)


def check_kind(model: Any) -> None:
    """Raise unless a regressor was given a regressor, and a classifier a classifier."""
    estimator = model.estimator
    if estimator is None or not hasattr(estimator, "fit") or is_classifier(estimator) == is_classifier(model):
        return
    kind = "classifier" if is_classifier(model) else "regressor"
    raise TypeError(f"`estimator` must be a {kind} in {type(model).__name__}, got {estimator!r}.")


def warn_of_lags(X: Any, cv: Any) -> None:
    """Warn if rows that were made to look back are to be tuned on rows of the future."""
    if is_word(cv, "oob") and "heedful_lags" in getattr(X, "attrs", {}):
        warnings.warn(
            "`X` was made by lag_features, and cv='oob' tunes on rows before and after each row alike. Set "
            "cv=TimeSeriesSplit(4) to tune on what came later only; four splits are the paper's five folds.",
            stacklevel=3,
        )


def is_word(value: Any, word: str) -> bool:
    """Return whether a value that may be an array is this word."""
    return isinstance(value, str) and value == word
