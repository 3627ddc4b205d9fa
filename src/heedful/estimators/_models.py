"""The models behind some predictions, as tables."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd


class LocalModels(NamedTuple):
    """Models of some queries on the original scale of the columns, indexed like the queries.

    ``link`` is ``intercept + (coef * design).sum(axis=1)``: the prediction itself for numbers and survival, its
    log-odds for two classes. With more classes ``prediction``, ``link`` and ``intercept`` have a column for each, and
    ``coef`` has two levels of columns, class and feature. ``design`` holds the queries as the models see them: one
    column per level of a category, missing numbers filled in, far values pulled back.

    Without ``slopes`` the models are not linear: ``coef`` holds the importance of each column in the query's model,
    and intercepts are NaN. ``models`` are the fitted learners where they were to be kept.
    """

    prediction: pd.Series | pd.DataFrame
    link: pd.Series | pd.DataFrame
    intercept: pd.Series | pd.DataFrame
    coef: pd.DataFrame
    mixing: pd.Series
    baseline_prediction: pd.Series | pd.DataFrame
    local_intercept: pd.Series | pd.DataFrame
    local_coef: pd.DataFrame
    baseline_intercept: float | pd.Series
    baseline_coef: pd.Series
    design: pd.DataFrame
    slopes: bool
    models: list[Any]


class Frames:
    """Turns arrays with queries first and outputs after them into tables."""

    def __init__(self, index: pd.Index, features: list[str], outputs: list | None):
        self.index, self.features, self.outputs = index, features, outputs

    def per_output(self, values: np.ndarray, name: str) -> pd.Series | pd.DataFrame:
        """Return (n_query, n_outputs) as a column, or as one for each class."""
        if self.outputs is None:
            return pd.Series(values[:, -1], self.index, name=name)
        return pd.DataFrame(values, self.index, self.outputs)

    def per_feature(self, values: np.ndarray) -> pd.DataFrame:
        """Return (n_query, n_outputs, n_features) with a column per feature, or per class and feature."""
        return pd.DataFrame(values.reshape(values.shape[0], -1), self.index, self.columns)

    def series(self, values: np.ndarray) -> pd.Series:
        """Return one value per output."""
        return pd.Series(values, self.outputs)

    @property
    def columns(self) -> pd.Index:
        """Names of the coefficients."""
        if self.outputs is None:
            return pd.Index(self.features)
        return pd.MultiIndex.from_product([self.outputs, self.features], names=["class", "feature"])
