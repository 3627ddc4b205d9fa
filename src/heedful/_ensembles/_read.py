"""Read a fitted ensemble of any package; packages are known by name, so none is imported for it."""

from collections.abc import Callable
from typing import Any

from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from heedful._ensembles._boosters import read_catboost, read_lightgbm, read_xgboost
from heedful._ensembles._ensemble import ACCEPTED, Ensemble
from heedful._ensembles._trees import read_forest, read_gradient, read_histogram


def read_ensemble(model: Any) -> Ensemble:
    """Read a fitted ensemble; one that stopped early is read up to its best iteration."""
    reader = _reader(model)
    if reader is None:
        raise TypeError(f"A tree ensemble must be {ACCEPTED}, got {model!r}.")
    if not is_fitted(model):
        raise NotFittedError(f"This {type(model).__name__} is not fitted. Call `fit` first.")
    return reader(model)


def is_ensemble(model: Any) -> bool:
    """Return whether a model, fitted or not, is of a kind that can be read."""
    return _reader(model) is not None


def is_fitted(model: Any) -> bool:
    """Return whether a model was fitted; a bare booster is if it has trees."""
    if not hasattr(model, "fit"):
        rounds = getattr(model, "num_trees", None) or getattr(model, "num_boosted_rounds", None)
        return rounds is not None and rounds() > 0
    try:
        check_is_fitted(model)
    except NotFittedError:
        return False
    return True


def _reader(model: Any) -> Callable[[Any], Ensemble] | None:
    kinds = ((kind.__module__.split(".")[0], kind.__name__) for kind in type(model).__mro__)
    return next((READERS[kind] for kind in kinds if kind in READERS), None)


READERS: dict[tuple[str, str], Callable[[Any], Ensemble]] = {
    ("sklearn", "ForestRegressor"): read_forest,
    ("sklearn", "ForestClassifier"): read_forest,
    ("sklearn", "GradientBoostingRegressor"): read_gradient,
    ("sklearn", "GradientBoostingClassifier"): read_gradient,
    ("sklearn", "HistGradientBoostingRegressor"): read_histogram,
    ("sklearn", "HistGradientBoostingClassifier"): read_histogram,
    ("lightgbm", "LGBMModel"): read_lightgbm,
    ("lightgbm", "Booster"): read_lightgbm,
    ("xgboost", "XGBModel"): read_xgboost,
    ("xgboost", "Booster"): read_xgboost,
    ("catboost", "CatBoost"): read_catboost,
}
