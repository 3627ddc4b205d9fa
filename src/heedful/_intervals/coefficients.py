"""Intervals of local coefficients and how often each is selected, from the rows that a query attends to.

Attention is squared, or raised to a smaller power where few rows would be left, so that rows which are only somewhat
alike have less of a say than in the prediction: a bias that is small beside the noise is what an interval needs. Under
these weights a step of least squares undoes the shrinkage of the lassos. Its noise is that of the gradient, whose
covariance the residuals tell; random draws of it, each with a lasso on the same Gram matrix, tell which columns are
selected again and again.
"""

from typing import NamedTuple, Self

import numpy as np
from scipy import stats

from heedful import _kernels
from heedful._kernels.shapes import Table
from heedful.attention import Attention

# Attention is raised to this power if so many effective rows are left (benchmarks/certainty); far fewer tell nothing.
POWER, ENOUGH_ROWS, FEWEST_ROWS = 2.0, 15.0, 3.0
HALVINGS = 30
# Rows whose weight is this small beside the largest add nothing.
NEGLIGIBLE = 1e-9
# Ridge in units of a column's variance, divided by the effective rows; what one row weighs in its own fit at most.
RIDGE, MOST_LEVERAGE = 0.1, 0.95
# Penalty of the draws, in standard deviations of the gradient (benchmarks/certainty).
PENALTY = 0.75
# Below these, in units of the table, a variance is 0, and an effect is rounding.
CONSTANT, ROUNDING = 1e-10, 1e-7
TOL, MAX_ITER = 1e-6, 1000


class _Moments(NamedTuple):
    """Rows of one query, centred, with weights that sum to one; covariances of columns that vary."""

    x: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    gram: np.ndarray
    cov: np.ndarray


class Refits(NamedTuple):
    """What the refits of all queries share: training rows for each output, coverage and standard normal draws.

    ``weight`` are the sample weights: a row of weight 2 is the row twice.
    """

    x: np.ndarray
    responses: list[np.ndarray]
    curves: list[np.ndarray | None]
    weight: np.ndarray
    coverage: float
    draws: np.ndarray

    @classmethod
    def of_tables(
        cls, tables: tuple[Table, ...], weight: np.ndarray, n_columns: int, coverage: float, n_draws: int
    ) -> Self:
        """Return refits of the first columns of some tables, one for each output."""
        curves = [1.0 / table.inverse if table.inverse.size else None for table in tables]
        draws = np.random.default_rng(0).standard_normal((n_draws, n_columns))
        return cls(tables[0].packed[:, :n_columns], [table.y for table in tables], curves, weight, coverage, draws)

    def of(self, attention: Attention, start: np.ndarray) -> np.ndarray:
        """Return estimates, lower and upper ends and frequencies (n_query, n_outputs, n_columns, 4) of queries.

        ``start`` (n_query, n_outputs, n_columns) are the coefficients to start from. A column that does not vary among
        a query's rows keeps its own, between infinite ends; so do all columns of a query with too few rows.
        """
        found = np.empty((*start.shape, 4))
        for q, own in enumerate(attention.toarray()):
            for k in range(start.shape[1]):
                found[q, k] = self._refit(sharpen(own, self.weight), k, start[q, k])
        return found

    def _refit(self, weight: np.ndarray, output: int, start: np.ndarray) -> np.ndarray:
        kept = np.flatnonzero(weight > NEGLIGIBLE * weight.max())
        x, y, weight, prior = self.x[kept], self.responses[output][kept], weight[kept], self.weight[kept]
        n_eff = effective_rows(weight, prior)
        weight = weight / weight.sum()
        curve = self.curves[output]
        if curve is not None:
            weight = weight * curve[kept] / (weight @ curve[kept])
        found = np.column_stack(
            [start, np.full(start.size, -np.inf), np.full(start.size, np.inf), np.zeros(start.size)]
        )
        varies, rows = _moments(x, y, weight)
        if n_eff < FEWEST_ROWS or not varies.any():
            return found
        estimate, noise, inverse = _debias(rows, prior, start[varies], n_eff)
        variance = np.einsum("ij,ij->i", inverse @ noise, inverse)
        width = stats.norm.ppf((1 + self.coverage) / 2) * np.sqrt(variance)
        often = _select(rows, noise, self.draws[:, varies])
        found[varies] = np.column_stack([estimate, estimate - width, estimate + width, often])
        return found


def effective_rows(weight: np.ndarray, prior: np.ndarray) -> float:
    """Return how many rows of prior weight one weights stand for."""
    return float(weight.sum() ** 2 / (weight**2 / prior).sum())


def sharpen(attention: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """Return the attention of a query squared, or raised to the power from 1 to 2 at which enough rows are left."""
    each = attention / prior
    each = each / each.max()
    low, high = 1.0, POWER
    if effective_rows(prior * each**high, prior) >= ENOUGH_ROWS:
        return prior * each**high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        enough = effective_rows(prior * each**middle, prior) >= ENOUGH_ROWS
        low, high = (middle, high) if enough else (low, middle)
    return prior * each**low


def _moments(x: np.ndarray, y: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, _Moments]:
    """Return which columns vary, and the moments of these."""
    x, y = x - weight @ x, y - weight @ y
    varies = weight @ x**2 > CONSTANT
    x = np.ascontiguousarray(x[:, varies])
    weighted = x * weight[:, None]
    return varies, _Moments(x, y, weight, weighted.T @ x, weighted.T @ y)


def _debias(
    rows: _Moments, prior: np.ndarray, start: np.ndarray, n_eff: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return coefficients without shrinkage, the covariance of the gradient, and what turns it into theirs.

    A small ridge keeps the step finite where columns depend on each other, and dividing by the share of it that reaches
    a column itself makes up for it. Residuals are those of rows that are left out (HC3).
    """
    x, y, weight, gram, cov = rows
    inverse = np.linalg.inv(gram + np.diag(RIDGE / n_eff * np.diag(gram)))
    step, reached = inverse @ (cov - gram @ start), np.einsum("ij,ji->i", inverse, gram)
    leverage = weight / prior * (1.0 + np.einsum("ij,ij->i", x @ inverse, x))
    left = (y - x @ (start + step)) / (1.0 - np.minimum(leverage, MOST_LEVERAGE))
    score = x * (weight * left / np.sqrt(prior))[:, None]
    return start + step / reached, score.T @ score, inverse / reached[:, None]


def _select(rows: _Moments, noise: np.ndarray, draws: np.ndarray) -> np.ndarray:
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
