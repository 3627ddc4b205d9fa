"""The methods of the league, each at its defaults and on one thread: how it is made, and which rows it is shown."""

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from lightgbm import LGBMClassifier, LGBMRegressor
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from xgboost import XGBClassifier, XGBRegressor

from benchmarks import rivals
from benchmarks.tables import one_hot
from heedful import AttentionLasso, AttentionLassoClassifier
from heedful.baseline import LassoBaseline, LogisticBaseline

# Raise it when heedful has changed: heedful is then measured again, and its rivals are kept
OURS, LASSO, EBM = "heedful", "lasso", "EBM"
MINUTE = 60.0
Halves = tuple[Any, Any]


def keep(train: pd.DataFrame, test: pd.DataFrame) -> Halves:
    """Return frames as they are: categories as such, missing cells missing."""
    return train, test


class Method(NamedTuple):
    """How a method is made from a seed, what it is shown of a split, its packages, and the module it needs.

    ``seconds`` is the CPU time after which it is left out on a table.
    """

    make: Callable[[int], Any]
    packages: tuple[str, ...]
    module: str
    rows: Callable[[pd.DataFrame, pd.DataFrame], Halves] = one_hot
    seconds: float | None = None


class CatBoost:
    """CatBoost, told which columns are categories; it takes no missing ones, so these are a level."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> "CatBoost":
        """Fit to a frame."""
        self.categories_ = list(X.select_dtypes("category"))
        self.model.fit(self._fill(X), y, cat_features=self.categories_)
        return self

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        """Return one number per row."""
        return self.model.predict(self._fill(X))

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        """Return one probability per row and class."""
        return self.model.predict_proba(self._fill(X))

    def _fill(self, X: pd.DataFrame) -> pd.DataFrame:
        text = {name: X[name].astype(object).where(X[name].notna(), "missing") for name in self.categories_}
        return X.assign(**text)


class RaFFLE:
    """RaFFLE, whose own ``fit`` returns nothing."""

    def __init__(self, seed: int) -> None:
        from pilot import RaFFLE as Forest  # noqa: PLC0415 - may be missing

        self.model = Forest(random_state=seed)

    def fit(self, X: np.ndarray, y: np.ndarray) -> "RaFFLE":
        """Fit to numbers."""
        self.model.fit(X, y)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return one number per row."""
        return self.model.predict(X)


def make_catboost_classifier(seed: int) -> Any:
    """Return CatBoost for classes."""
    from catboost import CatBoostClassifier  # noqa: PLC0415 - may be missing

    return CatBoostClassifier(random_seed=seed, verbose=False, thread_count=1, allow_writing_files=False)


def make_ebm_classifier(seed: int, **options: Any) -> Any:
    """Return an explainable boosting machine for classes."""
    from interpret.glassbox import ExplainableBoostingClassifier  # noqa: PLC0415 - may be missing

    return ExplainableBoostingClassifier(random_state=seed, n_jobs=1, **options)


def make_cubist(seed: int) -> Any:
    """Return Cubist: one committee, no neighbours."""
    from cubist import Cubist  # noqa: PLC0415 - may be missing

    return Cubist(random_state=seed)


def make_lightgbm(kind: Any, seed: int, **options: Any) -> Any:
    """Return LightGBM."""
    return kind(random_state=seed, n_jobs=1, verbose=-1, **options)


def seeded(kind: Any, seed: int) -> Any:
    """Return an estimator of scikit-learn's manners on one thread."""
    return kind(random_state=seed, n_jobs=1)


ATTENTION = (("heedful", "scikit-learn"), "heedful")
NUMBERS = {
    OURS: Method(partial(seeded, AttentionLasso), *ATTENTION, keep),
    "CatBoost": Method(lambda seed: CatBoost(rivals.make_catboost(seed)), ("catboost",), "catboost", keep),
    "LightGBM": Method(partial(make_lightgbm, LGBMRegressor), ("lightgbm",), "lightgbm", keep),
    "XGBoost": Method(partial(seeded, XGBRegressor), ("xgboost",), "xgboost"),
    "forest": Method(partial(seeded, RandomForestRegressor), ("scikit-learn",), "sklearn"),
    EBM: Method(rivals.make_ebm, ("interpret-core",), "interpret", keep, seconds=MINUTE),
    "Cubist": Method(make_cubist, ("cubist",), "cubist"),
    "RaFFLE": Method(RaFFLE, ("fast-model-trees",), "pilot"),
    "linear trees": Method(partial(make_lightgbm, LGBMRegressor, linear_tree=True), ("lightgbm",), "lightgbm"),
    LASSO: Method(partial(seeded, LassoBaseline), *ATTENTION),
}
CLASSES = {
    OURS: Method(partial(seeded, AttentionLassoClassifier), *ATTENTION, keep),
    "CatBoost": Method(lambda seed: CatBoost(make_catboost_classifier(seed)), ("catboost",), "catboost", keep),
    "LightGBM": Method(partial(make_lightgbm, LGBMClassifier), ("lightgbm",), "lightgbm", keep),
    "XGBoost": Method(partial(seeded, XGBClassifier), ("xgboost",), "xgboost"),
    "forest": Method(partial(seeded, RandomForestClassifier), ("scikit-learn",), "sklearn"),
    EBM: Method(make_ebm_classifier, ("interpret-core",), "interpret", keep, seconds=MINUTE),
    LASSO: Method(partial(seeded, LogisticBaseline), *ATTENTION),
}
METHODS = {"numbers": NUMBERS, "classes": CLASSES}


def find_absent(names: list[str]) -> list[str]:
    """Return the modules that some methods need and that are not installed."""
    needed = {NUMBERS[name].module for name in names}
    return sorted(module for module in needed if find_spec(module) is None)
