"""The arguments that all attention models share, checked before any work."""

from typing import Any, NamedTuple

import numpy as np

from heedful._checks import check_choice, check_grid, check_number
from heedful.baseline import check_folds
from heedful.similarity import resolve


class Settings(NamedTuple):
    """Checked arguments; None stands for "auto"."""

    many: bool
    similarities: list[Any]
    temperatures: tuple[float, ...] | None
    ratios: tuple[float, ...] | None
    mixing: float | None
    adaptive: bool


def check_settings(model: Any, groups: Any) -> Settings:
    """Check every argument of an attention model."""
    many = check_choice("heads", model.heads, ("multi", "single")) == "multi"
    hint = "Try values between 0.03 and 1."
    temperatures = None if is_word(model.temperature, "auto") else check_grid("temperature", model.temperature, hint)
    hint = "1.0 is the paper's shared penalty."
    ratios = None if is_word(model.alpha_ratio, "auto") else check_grid("alpha_ratio", model.alpha_ratio, hint)
    if not is_word(model.alpha, "auto"):
        check_number("alpha", model.alpha, 0.0, np.inf, hint="Or use 'auto'.")
    mixing = None
    if isinstance(model.mixing, str):
        check_choice("mixing", model.mixing, ("auto", "adaptive"))
    else:
        mixing = check_number("mixing", model.mixing, 0.0, 1.0, hint="Or use 'auto' or 'adaptive'.")
    if model.max_extrapolation is not None:
        check_number("max_extrapolation", model.max_extrapolation, 0.0, np.inf, hint="None sets no limit.")
    check_folds(model.cv, groups)
    adaptive = is_word(model.mixing, "adaptive")
    return Settings(many, resolve(model.similarity, many), temperatures, ratios, mixing, adaptive)


def is_word(value: Any, word: str) -> bool:
    """Return whether a value that may be an array is this word."""
    return isinstance(value, str) and value == word
