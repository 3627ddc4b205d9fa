"""Rivals of the extras ``league-more`` and ``league-torch``, each at its defaults, on one thread; all may be missing.

``kind`` is "Regressor" or "Classifier", as these packages name their classes.
"""

import logging
import typing
from typing import Any

import numpy as np
import pandas as pd


class WithCategories:
    """A booster that must be told which columns are categories; a missing one is a level of its own."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> "WithCategories":
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


class TabPFN:
    """TabPFN of 2022, the last one whose weights come with a package; older than the scikit-learn and torch of today.

    scikit-learn has another name for an option of its checks, which rows of this league pass anyway.
    """

    def __init__(self, seed: int) -> None:
        import torch  # noqa: PLC0415 - may be missing

        torch.set_num_threads(1)
        torch.nn.modules.transformer.Optional = typing.Optional  # type: ignore[attr-defined]
        from tabpfn.scripts import transformer_prediction_interface as package  # noqa: PLC0415 - may be missing

        package.check_X_y = lambda X, y, **_: (X, y)
        package.check_array = lambda X, **_: X
        self.model = package.TabPFNClassifier(seed=seed)

    def fit(self, X: np.ndarray, y: np.ndarray) -> "TabPFN":
        """Keep the rows."""
        self.model.fit(X, y)
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Return one probability per row and class."""
        return self.model.predict_proba(X)


def make_chimeraboost(kind: str, seed: int) -> WithCategories:
    """Return ChimeraBoost."""
    import chimeraboost  # noqa: PLC0415 - may be missing

    make = getattr(chimeraboost, f"ChimeraBoost{kind}")
    return WithCategories(make(random_state=seed, thread_count=1, ensemble_n_jobs=1))


def make_bart(kind: str, seed: int) -> Any:
    """Return Bayesian additive regression trees; of classes there must be two."""
    import stochtree  # noqa: PLC0415 - may be missing

    return getattr(stochtree, f"StochTreeBART{kind}")(general_params={"random_seed": seed, "num_threads": 1})


def make_aplr(kind: str, seed: int) -> Any:
    """Return automatic piecewise linear regression."""
    import aplr  # noqa: PLC0415 - may be missing

    return getattr(aplr, f"APLR{kind}")(random_state=seed, n_jobs=1)


def make_gp_gam(_seed: int) -> Any:
    """Return the additive model of Gaussian processes, which draws no random numbers."""
    from imodels import GPGamRegressor  # noqa: PLC0415 - may be missing

    return GPGamRegressor()


def make_realmlp(kind: str, seed: int) -> Any:
    """Return RealMLP with its tuned defaults."""
    import pytabkit  # noqa: PLC0415 - may be missing

    logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
    return getattr(pytabkit, f"RealMLP_TD_{kind}")(random_state=seed, n_threads=1, device="cpu")
