"""Fit paths of penalties, one for each row of weights, under any family."""

import warnings
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from heedful import _blocks, _kernels
from heedful._kernels.shapes import GAUSSIAN, MULTINOMIAL, Outcome, Rule, Table
from heedful._responses import Response
from heedful._solver.table import RowsByBlocks, Scale, build_table
from heedful._solver.weights import WeightRows


class Model(NamedTuple):
    """A linear predictor on the table's scale: intercepts (n_outputs,) and coefficients (n_outputs, n_features).

    As the start of many fits it may have one more axis in front: a model for each.
    """

    intercept: np.ndarray
    coef: np.ndarray

    def link(self, x: np.ndarray) -> np.ndarray:
        """Return the linear predictor (n_rows, n_outputs) of rows on the table's scale, with or without its padding."""
        return self.intercept + x @ self.coef[:, : x.shape[1]].T


class Paths(NamedTuple):
    """Fits on the table's scale: intercepts (n_fit, n_penalty, n_outputs), coefficients with features as last axis."""

    intercept: np.ndarray
    coef: np.ndarray
    n_failed: int

    def unscaled(self, scale: Scale) -> tuple[np.ndarray, np.ndarray]:
        """Return intercepts and coefficients on the original scale."""
        coef = scale.original(self.coef)
        return scale.y_center + scale.y_unit * self.intercept - coef @ scale.center, coef

    def model(self, fit: int, penalty: int) -> Model:
        """Return one fit at one penalty."""
        return Model(self.intercept[fit, penalty], self.coef[fit, penalty])

    def last(self) -> Model:
        """Return each fit at its last penalty, to go on from."""
        return Model(self.intercept[:, -1], self.coef[:, -1])


def no_model(n_outputs: int, width: int) -> Model:
    """Return the model to start from when nothing is known."""
    return Model(np.zeros(n_outputs), np.zeros((n_outputs, width)))


def fit_paths(
    weights: WeightRows,
    table: Table,
    outcome: Outcome,
    penalties: np.ndarray,
    rule: Rule,
    start: Model,
    n_jobs: int | None = None,
) -> Paths:
    """Fit a path of penalties (descending, on the table's scale) for each row of weights, in threads.

    The table's response is that of a squared loss; any other loss looks at ``outcome``.
    """
    n_fit, width = weights.background.size, start.coef.shape[-2] * start.coef.shape[-1]
    per_fit = 8 * width * penalties.size + 12 * max(1, weights.excess.size // max(n_fit, 1))
    blocks = _blocks.cut(n_fit, per_fit, n_jobs)
    shared = (weights, table, outcome, penalties, rule, start)
    parts = list(_blocks.run(_fit_block, blocks, *shared, n_jobs=n_jobs))
    intercept, coef, failed = (np.concatenate(column) for column in zip(*parts, strict=True))
    if outcome.kind == MULTINOMIAL:
        intercept -= intercept.mean(axis=2, keepdims=True)
        coef -= _common_shift(coef)
    return Paths(intercept, coef, int(failed.sum()))


def _fit_block(block, weights, table, outcome, penalties, rule, start):
    part = weights.block(block)
    if outcome.kind != GAUSSIAN:
        n_fit = weights.background.size
        n_outputs, width = start.coef.shape[-2:]
        intercept = np.broadcast_to(start.intercept, (n_fit, n_outputs))[block]
        coef = np.broadcast_to(start.coef, (n_fit, n_outputs, width))[block]
        return _kernels.newton_rows(*part, table, outcome, penalties, rule, intercept, coef)
    coef, mean, y_mean, failed = _kernels.lasso_rows(*part, table, penalties, rule._replace(start=start.coef[0]))
    intercept = y_mean[:, None] - np.einsum("qtj,qj->qt", coef, mean)
    return intercept[:, :, None], coef[:, :, None, :], failed


def _common_shift(coef: np.ndarray) -> np.ndarray:
    """Return what to take off the classes' coefficients (axis 2) of each column.

    Probabilities know them up to a common shift. Every shift between the two middle ones has the smallest penalty: of
    two classes the middle is taken, so that neither is preferred, of more the one nearest to none, which keeps zeros.
    """
    n_classes = coef.shape[2]
    ordered = np.sort(coef, axis=2)
    low, high = ordered[:, :, [(n_classes - 1) // 2]], ordered[:, :, [n_classes // 2]]
    return (low + high) / 2 if n_classes == 2 else np.clip(0.0, low, high)


def working_tables(
    X: RowsByBlocks,
    family: Response,
    link: np.ndarray,
    weight: np.ndarray,
    scale: Scale,
    beside: np.ndarray | None = None,
) -> tuple[Table, ...]:
    """Return one table per output whose weighted lasso is one Newton step of the family's loss from ``link``.

    Columns are those of ``X``, then those ``beside``.
    """
    scale = scale._replace(y_center=0.0, y_unit=1.0)
    curve = family.hessian(link, weight)
    if curve is None:
        return (build_table(X, family.residual(np.zeros(link.shape), weight)[:, 0], weight, scale, beside=beside),)
    response = link + family.residual(link, weight) / curve
    return tuple(build_table(X, response[:, k], weight, scale, curve[:, k], beside) for k in range(family.n_outputs))


def warn_unconverged(n_failed: int, n_fit: int, max_iter: int) -> None:
    """Turn the kernels' count of unconverged fits into one warning."""
    if n_failed:
        warnings.warn(
            f"{n_failed} of {n_fit} lasso fits stopped before they converged (max_iter={max_iter}). Raise the penalty "
            "or `tol`.",
            ConvergenceWarning,
            stacklevel=3,
        )
