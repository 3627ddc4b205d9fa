"""Intervals of local coefficients and how often each is selected, as a table.

Coefficients are those of a step of least squares under sharpened attention (``debiased.py``). Random draws of the noise
of its gradient, each with a lasso on the same Gram matrix, tell which columns are selected again and again.
"""

from functools import partial

import numpy as np
import pandas as pd
from scipy.special import ndtri

from heedful import _kernels
from heedful._explaining.debiased import Moments, Noise, WorkingRows, debias
from heedful._explaining.tables import index_features, labels_of
from heedful._flow import BlockPrediction, FittedAttention, Run, Wanted, centre_outputs, known_attention
from heedful.attention import Attention

COLUMNS = ["coef", "estimate", "low", "high", "frequency"]
# Penalty of the draws, in standard deviations of the gradient (benchmarks/certainty).
PENALTY = 0.75
# Below this, in units of the table, an effect is rounding.
ROUNDING = 1e-7
TOL, MAX_ITER = 1e-6, 1000


def coef_intervals(
    model: FittedAttention, table: pd.DataFrame | np.ndarray, coverage: float, n_draws: int, run: Run
) -> pd.DataFrame:
    """Return coefficients, estimates with their ends, and selection frequencies for each query and feature.

    Curves have no part in it: what they say of a column is part of its slope among the rows attended to.
    """
    models, weight, linear = model.models, model.rows.weight, model.models.linear_rows(model.problem)
    if linear is None:
        raise TypeError(f"Only linear models have coefficients with intervals, got {models!r}.")
    n_names, base_coef, unit = len(models.names), model.fitted_coef, linear.unit
    draws = np.random.default_rng(0).standard_normal((n_draws, n_names))
    refit = partial(refit_coefs, WorkingRows(linear.tables, weight, n_names), coverage, draws)

    def summary(block: BlockPrediction) -> np.ndarray:
        """Return the columns of the table (n_query, n_outputs, n_names, 5), in the user's units."""
        share = block.mixing[:, None, None]
        local = models.original(block.coef) if block.coef.size else base_coef
        coef = ((1 - share) * base_coef + share * local)[:, :, :n_names]
        refits = refit(known_attention(block), coef * unit)
        # refits of classes belong to coefficients as they were fitted; all move to where coefficients sum to zero
        moved = (coef - centre_outputs(coef, 1))[..., None]
        ends = np.concatenate([coef[..., None], refits[..., :3] / unit[:, None]], axis=3) - moved
        return np.concatenate([ends, refits[..., 3:]], axis=3)

    batch = model.read(table)
    result = model.predict(batch, Wanted(summary=summary, bytes_per_query=64 * weight.size), run)
    model.warn(result.n_failed, batch.size)
    places = index_features(model, labels_of(table), models.names)
    return pd.DataFrame(result.summary.reshape(-1, len(COLUMNS)), places, COLUMNS)


def refit_coefs(
    working: WorkingRows, coverage: float, draws: np.ndarray, attention: Attention, start: np.ndarray
) -> np.ndarray:
    """Return estimates, lower and upper ends and frequencies (n_query, n_outputs, n_columns, 4) of queries.

    ``start`` (n_query, n_outputs, n_columns) are the coefficients to start from, ``draws`` (n_draws, n_columns) are
    standard normal. A column that does not vary among a query's rows keeps its own coefficient, between infinite ends;
    so do all columns of a query with too few rows.
    """
    result = np.stack([start, np.full_like(start, -np.inf), np.full_like(start, np.inf), np.zeros_like(start)], axis=3)
    width = ndtri((1 + coverage) / 2)
    for q, k, rows in working.each(attention, range(len(start))):
        if rows.enough:
            varies = rows.varies
            debiased = debias(rows, start[q, k, varies], np.eye(varies.sum()))
            estimate, half = debiased.estimate, width * np.sqrt(debiased.variance)
            often = _select(rows.all, debiased.noise, draws[:, varies])
            result[q, k, varies] = np.column_stack([estimate, estimate - half, estimate + half, often])
    return result


def _select(moments: Moments, noise: list[Noise], draws: np.ndarray) -> np.ndarray:
    """Return the share of draws in which a lasso gives each column a coefficient."""
    gram, cov, variance = moments
    scores = [part.x * part.factor[:, None] for part in noise]
    covariance = sum((score.T @ score for score in scores), start=np.zeros_like(gram))
    spread, deviation = np.sqrt(variance), np.sqrt(np.diag(covariance))
    scale = np.where(deviation > 0, deviation, 1.0)
    root = np.linalg.cholesky(covariance / np.outer(scale, scale) + ROUNDING * np.eye(scale.size))
    penalty = np.maximum(PENALTY * deviation, ROUNDING * spread * np.sqrt(np.diag(gram)))
    how = (penalty, TOL * max(spread, 1e-300), MAX_ITER)
    start = _lassos(gram, cov[None], np.zeros(scale.size), *how)[0]
    covs = cov + (draws @ root.T) * deviation
    return (_lassos(gram, covs, start, *how) != 0).mean(axis=0)


def _lassos(
    gram: np.ndarray, covs: np.ndarray, start: np.ndarray, penalty: np.ndarray, tol: float, max_iter: int
) -> np.ndarray:
    return _kernels.refit_rows(gram, np.ascontiguousarray(covs), penalty, start, tol, max_iter)
