"""Training rows as the linear models see them, and their scores, made as they are asked for."""

from typing import Any

import numpy as np

from heedful._flow import TrainingTable
from heedful._frames import row_blocks
from heedful._solver.table import Scale

# Standard deviations at which residuals and columns are cut off in scores. A product with a column that is not cut off
# differs most between rows with large and with small values of that very column, and trees would split there.
FARTHEST_LEFT, FARTHEST_COLUMN = 1.5, 1.0


class Design:
    """Training rows as the linear models see them, made as they are asked for: no copy of a large table is made."""

    def __init__(self, rows: TrainingTable):
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows.codes)

    def __getitem__(self, some: slice | np.ndarray) -> np.ndarray:
        return self._rows.model_rows(self._rows.codes[some])


class Scores:
    """Minus the slopes of the loss by intercept and coefficients: residuals by folds, then times columns.

    Both factors are cut off. Those of an output are side by side. They are made as they are asked for: all of them take
    as much memory as the table, and forests are grown on few.
    """

    ndim = 2

    def __init__(self, residual: np.ndarray, design: Design, scale: Scale):
        self._residual = np.clip(residual.reshape(len(design), -1), -FARTHEST_LEFT, FARTHEST_LEFT)
        self._design, self._scale = design, scale
        self.shape = (len(design), self._residual.shape[1] * (1 + scale.center.size))

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, where: Any) -> np.ndarray:
        """Return the scores of some rows, or of some rows and columns."""
        rows, columns = where if isinstance(where, tuple) else (where, slice(None))
        number = np.arange(len(self))[rows]
        scores = np.empty((number.size, np.arange(self.shape[1])[columns].size))
        for block in row_blocks((number.size, self.shape[1])):
            scores[block] = self._of(number[block])[:, columns]
        return scores

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self[:, :].astype(dtype or np.float64, copy=False)

    def _of(self, rows: np.ndarray) -> np.ndarray:
        x = self._scale.rows(self._design[rows])[:, : self._scale.center.size]
        factors = np.hstack([np.ones((rows.size, 1)), np.clip(x, -FARTHEST_COLUMN, FARTHEST_COLUMN)])
        return np.round(self._residual[rows, :, None] * factors[:, None], 9).reshape(rows.size, -1)
