"""The paper's rivals with the settings of its section 3; where it leaves one open, the docstring says what is taken."""

from typing import Any

import lightgbm
import numpy as np
import xgboost
from sklearn.ensemble import RandomForestRegressor
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

FOLDS, ROUNDS, PATIENCE, NEIGHBORS = 10, 500, 20, [3, 5, 10, 15]


class LightGBM:
    """LightGBM with the number of rounds that is best in 10-fold cross-validation.

    The paper: at most 500 rounds, no limit to depth. Taken: 31 leaves (the default), rounds chosen as XGBoost's are.
    Without ``patience`` all rounds are tried.
    """

    def __init__(self, seed: int, leaves: int = 31, most: int = ROUNDS, patience: int | None = None) -> None:
        self.most, self.patience = most, patience
        self.params = {"objective": "regression", "num_leaves": leaves, "num_threads": 1, "seed": seed, "verbose": -1}

    def fit(self, X: np.ndarray, y: np.ndarray) -> "LightGBM":
        """Find the smallest mean of the folds' curves, and fit that many rounds to all rows."""
        stop = [lightgbm.early_stopping(self.patience, verbose=False)] if self.patience else []
        folds = {"nfold": FOLDS, "stratified": False, "seed": self.params["seed"], "callbacks": stop}
        curves = lightgbm.cv(self.params, lightgbm.Dataset(X, y), self.most, **folds)
        rounds = int(np.argmin(curves["valid l2-mean"])) + 1
        self.booster_ = lightgbm.train(self.params, lightgbm.Dataset(X, y), rounds)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return one prediction per row."""
        return self.booster_.predict(X)


class XGBoost:
    """XGBoost with the number of rounds that is best in 10-fold cross-validation with early stopping.

    The paper: eta 0.1, depth 6. Taken: exact splits, at most 500 rounds, a stop after 20 without gain.
    """

    def __init__(self, seed: int) -> None:
        self.params = {"eta": 0.1, "max_depth": 6, "tree_method": "exact", "nthread": 1, "seed": seed}

    def fit(self, X: np.ndarray, y: np.ndarray) -> "XGBoost":
        """Choose the rounds by folds, and fit that many to all rows."""
        rows = xgboost.DMatrix(X, y)
        folds = list(KFold(FOLDS, shuffle=True, random_state=self.params["seed"]).split(X))
        curve = xgboost.cv(self.params, rows, ROUNDS, folds=folds, early_stopping_rounds=PATIENCE)
        self.booster_ = xgboost.train(self.params, rows, len(curve))
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return one prediction per row."""
        return self.booster_.predict(xgboost.DMatrix(X))


def make_lightgbm(seed: int) -> LightGBM:
    """Return LightGBM with early stopping."""
    return LightGBM(seed, patience=PATIENCE)


def make_forest(seed: int) -> RandomForestRegressor:
    """Return a forest of 500 trees with ranger's defaults: sqrt(p) candidates, no split of five rows or fewer."""
    return RandomForestRegressor(500, max_features="sqrt", min_samples_split=6, random_state=seed)


def make_knn(seed: int, scaled: bool = True) -> GridSearchCV:
    """Return nearest neighbours, K by 10-fold cross-validation; taken: standardised columns, or columns as they are."""
    model = make_pipeline(*([StandardScaler()] if scaled else []), KNeighborsRegressor())
    folds = KFold(FOLDS, shuffle=True, random_state=seed)
    grid = {"kneighborsregressor__n_neighbors": NEIGHBORS}
    return GridSearchCV(model, grid, cv=folds, scoring="neg_mean_squared_error")


def make_catboost(seed: int) -> Any:
    """Return CatBoost at its defaults."""
    from catboost import CatBoostRegressor  # noqa: PLC0415 - may be missing

    return CatBoostRegressor(random_seed=seed, verbose=False, thread_count=1, allow_writing_files=False)


def make_ebm(seed: int, **options: Any) -> Any:
    """Return an explainable boosting machine, at its defaults if no options are given."""
    from interpret.glassbox import ExplainableBoostingRegressor  # noqa: PLC0415 - may be missing

    return ExplainableBoostingRegressor(random_state=seed, n_jobs=1, **options)
