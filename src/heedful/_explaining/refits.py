"""Intervals of local coefficients and how often each is selected, from the rows that a query attends to.

Coefficients are those of a step of least squares under sharpened attention (``debiased.py``). Random draws of the noise
of its gradient, each with a lasso on the same Gram matrix, tell which columns are selected again and again.
"""

from typing import NamedTuple, Self

import numpy as np
from scipy import stats

from heedful import _kernels
from heedful._explaining.debiased import LocalRows, WorkingRows, sharpen, take_step
from heedful._kernels.shapes import Table
from heedful.attention import Attention

# Penalty of the draws, in standard deviations of the gradient (benchmarks/certainty).
PENALTY = 0.75
# Below this, in units of the table, an effect is rounding.
ROUNDING = 1e-7
TOL, MAX_ITER = 1e-6, 1000


class Refits(NamedTuple):
    """What the refits of all queries share: training rows for each output, coverage and standard normal draws."""

    rows: WorkingRows
    coverage: float
    draws: np.ndarray

    @classmethod
    def of_tables(
        cls, tables: tuple[Table, ...], weight: np.ndarray, n_columns: int, coverage: float, n_draws: int
    ) -> Self:
        """Return refits of the first columns of some tables, one for each output."""
        draws = np.random.default_rng(0).standard_normal((n_draws, n_columns))
        return cls(WorkingRows.of_tables(tables, weight, n_columns), coverage, draws)

    def of(self, attention: Attention, start: np.ndarray) -> np.ndarray:
        """Return estimates, lower and upper ends and frequencies (n_query, n_outputs, n_columns, 4) of queries.

        ``start`` (n_query, n_outputs, n_columns) are the coefficients to start from. A column that does not vary among
        a query's rows keeps its own, between infinite ends; so do all columns of a query with too few rows.
        """
        found = np.empty((*start.shape, 4))
        for q, own in enumerate(attention.toarray()):
            weight = sharpen(own, self.rows.weight)
            for k in range(start.shape[1]):
                found[q, k] = self._refit(self.rows.local(weight, k), start[q, k])
        return found

    def _refit(self, rows: LocalRows, start: np.ndarray) -> np.ndarray:
        found = np.column_stack(
            [start, np.full(start.size, -np.inf), np.full(start.size, np.inf), np.zeros(start.size)]
        )
        if not rows.enough:
            return found
        estimate, noise, inverse = _debias(rows, start[rows.varies])
        variance = np.einsum("ij,ij->i", inverse @ noise, inverse)
        width = stats.norm.ppf((1 + self.coverage) / 2) * np.sqrt(variance)
        often = _select(rows, noise, self.draws[:, rows.varies])
        found[rows.varies] = np.column_stack([estimate, estimate - width, estimate + width, often])
        return found


def _debias(rows: LocalRows, start: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return coefficients without shrinkage, the covariance of the gradient, and what turns it into theirs.

    Dividing by the share of the step that reaches a column itself makes up for its ridge.
    """
    step = take_step(rows, start)
    reached = np.einsum("ij,ji->i", step.inverse, rows.gram)
    score = rows.x * step.noise[:, None]
    return start + step.added / reached, score.T @ score, step.inverse / reached[:, None]


def _select(rows: LocalRows, noise: np.ndarray, draws: np.ndarray) -> np.ndarray:
    """Return the share of draws in which a lasso gives each column a coefficient."""
    spread = np.sqrt(rows.weight @ rows.y**2)
    deviation = np.sqrt(np.diag(noise))
    scale = np.where(deviation > 0, deviation, 1.0)
    root = np.linalg.cholesky(noise / np.outer(scale, scale) + ROUNDING * np.eye(scale.size))
    penalty = np.maximum(PENALTY * deviation, ROUNDING * spread * np.sqrt(np.diag(rows.gram)))
    how = (penalty, TOL * max(spread, 1e-300), MAX_ITER)
    start = _lassos(rows.gram, rows.cov[None], np.zeros(scale.size), *how)[0]
    covs = rows.cov + (draws @ root.T) * deviation
    return (_lassos(rows.gram, covs, start, *how) != 0).mean(axis=0)


def _lassos(
    gram: np.ndarray, covs: np.ndarray, start: np.ndarray, penalty: np.ndarray, tol: float, max_iter: int
) -> np.ndarray:
    return _kernels.refit_rows(gram, np.ascontiguousarray(covs), penalty, start, tol, max_iter)
