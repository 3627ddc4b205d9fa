"""What explanations need of a fitted model: to read rows, to predict them, and what it was fitted to."""

from typing import Any, Protocol

import numpy as np
import pandas as pd

from heedful._flow import (
    CodedRows,
    FittedModels,
    HeldOutValues,
    Prediction,
    Problem,
    QueryBatch,
    Run,
    TrainingTable,
    Tuned,
    Wanted,
)
from heedful._responses import Response


class FittedModel(Protocol):
    """A global model (``models``), local models (``problem``) and the shares of both (``tuned``), asked about rows.

    ``base_coef`` (n_outputs, n_columns) and ``base_intercept`` are those of the global model, ``fitted_coef`` as it was
    fitted: those of classes have any sum. ``column_weight`` says how much each column of the table may change a
    prediction. ``unseen`` and ``held_out`` are errors on and predictions of training rows by models that did not see
    them, if there are any. ``cache`` keeps what is worked out once.
    """

    tuned: Tuned
    unseen: dict[str, float] | None
    held_out: HeldOutValues | None

    @property
    def models(self) -> FittedModels: ...

    @property
    def problem(self) -> Problem: ...

    @property
    def rows(self) -> TrainingTable: ...

    @property
    def response(self) -> Response: ...

    @property
    def base_coef(self) -> np.ndarray: ...

    @property
    def fitted_coef(self) -> np.ndarray: ...

    @property
    def base_intercept(self) -> np.ndarray | None: ...

    @property
    def column_weight(self) -> np.ndarray: ...

    @property
    def cache(self) -> dict[str, Any]: ...

    def heads_table(self) -> pd.DataFrame:
        """Return one row per head tried."""

    def read(self, table: pd.DataFrame | np.ndarray) -> QueryBatch:
        """Return a checked table of queries, read once."""

    def read_rows(self, rows: CodedRows) -> QueryBatch:
        """Return rows that were read already."""

    def left_out(self, number: np.ndarray) -> QueryBatch:
        """Return training rows, each to be left out."""

    def predict(self, batch: QueryBatch, wanted: Wanted, run: Run, *, keep_models: bool = False) -> Prediction:
        """Return predictions of a batch, and what else is wanted: coefficients, attention."""

    def predict_near(self, queries: CodedRows, rows: CodedRows, source: np.ndarray, run: Run) -> np.ndarray:
        """Return what is predicted of rows, each near the query that ``source`` names."""

    def warn(self, n_failed: int, n_query: int) -> None:
        """Warn once of local fits that did not converge."""
