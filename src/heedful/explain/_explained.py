"""``Explained``: the facts behind predictions, and what follows from them alone."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from heedful._frames import center_and_unit
from heedful._responses import Words
from heedful._show import Shown
from heedful.explain._attribution import Deferred


@dataclass(frozen=True, repr=False)
class Explained(Shown):
    """The facts of an ``Explanation``, which says what each of them is."""

    prediction: pd.Series | pd.DataFrame
    link: pd.Series | pd.DataFrame
    intercept: pd.Series | pd.DataFrame
    coef: pd.DataFrame
    design: pd.DataFrame
    mixing: pd.Series
    n_eff: pd.Series
    baseline_prediction: pd.Series | pd.DataFrame
    baseline_coef: pd.Series
    local_coef: pd.DataFrame
    lasso_intercept: pd.Series | pd.DataFrame
    lasso_coef: pd.DataFrame
    lasso_design: pd.DataFrame
    mean: pd.DataFrame
    attention: Any
    train: pd.DataFrame
    heads: pd.DataFrame
    values: pd.DataFrame
    sources: pd.Series
    y: pd.Series | pd.DataFrame | None = None
    loss: pd.Series | None = None
    baseline_loss: pd.Series | None = None
    task: str = "regression"
    words: Words | None = None
    slopes: bool = True
    context: pd.DataFrame | None = None
    train_context: pd.DataFrame | None = None
    multiple: pd.Series | pd.DataFrame | None = None
    shape: pd.DataFrame | None = None
    curves: pd.DataFrame | None = None
    train_values: pd.DataFrame | None = None
    start: pd.Series | pd.DataFrame | None = None
    terms: pd.DataFrame | None = None
    reference: pd.DataFrame | None = None
    fidelity: pd.Series | None = None
    effect: pd.DataFrame | None = None
    attribution: Deferred | None = None
    ask: Any = None
    compute_effects: Any = None
    offset: pd.Series | None = None
    local_name: str = ""
    seen: pd.Series | None = None
    loss_error: float | None = None
    null_loss: pd.Series | None = None
    predict_survival: Any = None
    held_out: Any = None

    @property
    def index(self) -> pd.Index:
        """Labels of the queries."""
        return self.coef.index

    @property
    def features(self) -> list[str]:
        """Names of the columns of ``coef``."""
        return list(self.design.columns)

    @property
    def lasso_features(self) -> list[str]:
        """Names of the columns of ``lasso_coef``: a category has one for each level."""
        return list(self.lasso_design.columns)

    @property
    def outputs(self) -> list | None:
        """Labels of the classes if there is a model for each, else None."""
        return list(self.link.columns) if isinstance(self.link, pd.DataFrame) else None

    @property
    def alone(self) -> bool:
        """Whether the global model predicts alone: ``mixing`` is 0."""
        return bool((self.mixing == 0).all())

    @property
    def n_nonzero(self) -> pd.Series:
        """Number of columns in the model of each query."""
        nonzero = (self.coef.to_numpy().reshape(len(self.coef), -1, len(self.features)) != 0).any(axis=1)
        return pd.Series(nonzero.sum(axis=1), self.index, name="n_nonzero")

    def scaled_coef(self) -> pd.DataFrame:
        """Return the lassos' coefficients per standard deviation of their column.

        Returns
        -------
        DataFrame
            Shaped like ``lasso_coef``; deviations are those among the queries. Importances stay as they are.
        """
        return self.lasso_coef * self._coef_unit()

    def unit(self) -> np.ndarray:
        """Return the standard deviation of each column of the lassos' design.

        Returns
        -------
        ndarray of shape (n_features,)
            Deviations among the queries; 1 for constant columns.
        """
        deviation = center_and_unit(self.lasso_design.to_numpy())[1]
        return np.where(deviation > 0, deviation, 1.0)

    def _coef_unit(self) -> np.ndarray:
        """Return :meth:`unit` for each column of ``lasso_coef``; 1 for importances."""
        n_columns = self.lasso_coef.shape[1]
        return np.tile(self.unit(), n_columns // len(self.lasso_features)) if self.slopes else np.ones(n_columns)

    def _known_rows(self) -> pd.DataFrame:
        if self.train_values is None:
            raise ValueError("The cells of the training rows are not known: the model stores only their leaves.")
        return self.train_values
