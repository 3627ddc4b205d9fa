"""What attention lassos of every response share: how their arguments become a kind of models and settings."""

from typing import Any, Protocol

import numpy as np

from heedful._attention_model.settings import Settings, check_settings
from heedful._checks import check_choice, check_number, is_word
from heedful._models.linear import LinearModels, LocalLasso, check_local, most_columns


class LinearArguments(Protocol):
    """The parameters of an attention lasso that decide what is fitted."""

    heads: str
    similarity: Any
    temperature: Any
    alpha: float | str
    local: LocalLasso | None
    mixing: Any
    cv: Any


def plan_linear(model: LinearArguments, groups: Any, *, anchors: bool = False) -> tuple[LinearModels, Settings]:
    """Check every argument of a model with local lassos."""
    many = check_choice("heads", model.heads, ("multi", "single")) == "multi"
    if not is_word(model.alpha, "auto"):
        check_number("alpha", model.alpha, 0.0, np.inf, hint="Or use 'auto'.")
    if not isinstance(model.local, LocalLasso | None):
        raise TypeError(f"`local` must be a LocalLasso, such as LocalLasso(alpha_ratio=1.0), got {model.local!r}.")
    local = model.local or LocalLasso()
    ratios = check_local(local)
    shapes = bool(many and local.shapes and model.mixing != 0)
    kind = LinearModels(model.alpha, local, most=most_columns(local, many), shapes=shapes, anchors=anchors)
    shared = (model.similarity, model.temperature, model.mixing, model.cv, groups, kind)
    return kind, check_settings(*shared, ratios=ratios, many=many)
