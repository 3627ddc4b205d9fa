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
from benchmarks.league.newer import (
    TabPFN,
    WithCategories,
    make_aplr,
    make_bart,
    make_chimeraboost,
    make_gp_gam,
    make_realmlp,
)
from benchmarks.tables import integer_codes, one_hot
from heedful import AttentionLasso, AttentionLassoClassifier
from heedful.baseline import LassoBaseline, LogisticBaseline

OURS, LASSO, EBM = "heedful", "lasso", "EBM"
MINUTE = 60.0
Halves = tuple[Any, Any]


def keep(train: pd.DataFrame, test: pd.DataFrame) -> Halves:
    """Return frames as they are: categories as such, missing cells missing."""
    return train, test


def as_codes(train: pd.DataFrame, test: pd.DataFrame) -> Halves:
    """Return numbers, levels as integers."""
    first, second = integer_codes(train, test)
    return first.to_numpy(), second.to_numpy()


class Method(NamedTuple):
    """How a method is made from a seed, what it is shown of a split, its packages, and the module it needs.

    ``seconds`` is the CPU time after which it is left out on a table, ``classes`` how many it can tell apart, and
    ``extra`` what installs it, if a league can do without.
    """

    make: Callable[[int], Any]
    packages: tuple[str, ...]
    module: str
    rows: Callable[[pd.DataFrame, pd.DataFrame], Halves] = one_hot
    seconds: float | None = None
    classes: float = np.inf
    extra: str = ""


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


MORE, TORCH = "league-more", "league-torch"
CHIMERA, BART, APLR, GP_GAM, REALMLP = (
    (("chimeraboost",), "chimeraboost"),
    (("stochtree",), "stochtree"),
    (("aplr",), "aplr"),
    (("imodels",), "imodels"),
    (("pytabkit", "torch"), "pytabkit"),
)
ATTENTION = (("heedful", "scikit-learn"), "heedful")
NUMBERS = {
    OURS: Method(partial(seeded, AttentionLasso), *ATTENTION, keep),
    "CatBoost": Method(lambda seed: WithCategories(rivals.make_catboost(seed)), ("catboost",), "catboost", keep),
    "LightGBM": Method(partial(make_lightgbm, LGBMRegressor), ("lightgbm",), "lightgbm", keep),
    "XGBoost": Method(partial(seeded, XGBRegressor), ("xgboost",), "xgboost"),
    "forest": Method(partial(seeded, RandomForestRegressor), ("scikit-learn",), "sklearn"),
    EBM: Method(rivals.make_ebm, ("interpret-core",), "interpret", keep, seconds=MINUTE),
    "Cubist": Method(make_cubist, ("cubist",), "cubist"),
    "RaFFLE": Method(RaFFLE, ("fast-model-trees",), "pilot", extra="league"),
    "linear trees": Method(partial(make_lightgbm, LGBMRegressor, linear_tree=True), ("lightgbm",), "lightgbm"),
    "ChimeraBoost": Method(partial(make_chimeraboost, "Regressor"), *CHIMERA, keep, extra=MORE),
    "BART": Method(partial(make_bart, "Regressor"), *BART, extra=MORE),
    "APLR": Method(partial(make_aplr, "Regressor"), *APLR, seconds=MINUTE, extra=MORE),
    "GP-GAM": Method(make_gp_gam, *GP_GAM, seconds=MINUTE, extra=MORE),
    "RealMLP": Method(partial(make_realmlp, "Regressor"), *REALMLP, seconds=MINUTE, extra=TORCH),
    LASSO: Method(partial(seeded, LassoBaseline), *ATTENTION),
}
CLASSES = {
    OURS: Method(partial(seeded, AttentionLassoClassifier), *ATTENTION, keep),
    "CatBoost": Method(lambda seed: WithCategories(make_catboost_classifier(seed)), ("catboost",), "catboost", keep),
    "LightGBM": Method(partial(make_lightgbm, LGBMClassifier), ("lightgbm",), "lightgbm", keep),
    "XGBoost": Method(partial(seeded, XGBClassifier), ("xgboost",), "xgboost"),
    "forest": Method(partial(seeded, RandomForestClassifier), ("scikit-learn",), "sklearn"),
    EBM: Method(make_ebm_classifier, ("interpret-core",), "interpret", keep, seconds=MINUTE),
    "ChimeraBoost": Method(partial(make_chimeraboost, "Classifier"), *CHIMERA, keep, extra=MORE),
    "BART": Method(partial(make_bart, "BinaryClassifier"), *BART, classes=2, extra=MORE),
    "APLR": Method(partial(make_aplr, "Classifier"), *APLR, seconds=MINUTE, extra=MORE),
    "RealMLP": Method(partial(make_realmlp, "Classifier"), *REALMLP, seconds=MINUTE, extra=TORCH),
    "TabPFN": Method(TabPFN, ("tabpfn", "torch"), "tabpfn", as_codes, seconds=MINUTE, classes=10, extra=TORCH),
    LASSO: Method(partial(seeded, LogisticBaseline), *ATTENTION),
}
METHODS = {"numbers": NUMBERS, "classes": CLASSES, "sizes": NUMBERS}
NAMES = list(dict.fromkeys([*NUMBERS, *CLASSES]))


def find_method(name: str) -> Method:
    """Return a method by its name, for numbers if it is for both kinds."""
    return NUMBERS[name] if name in NUMBERS else CLASSES[name]


def find_absent(names: list[str]) -> list[str]:
    """Return the modules that some methods need and that are not installed."""
    needed = {find_method(name).module for name in names}
    return sorted(module for module in needed if find_spec(module) is None)


def list_there() -> list[str]:
    """Return all methods but those that a league can do without and whose modules are not installed."""
    return [name for name in NAMES if not (find_method(name).extra and find_absent([name]))]
