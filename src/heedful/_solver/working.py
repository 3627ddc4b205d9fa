"""Fit paths under any family: by the kernel of its loss, or where it has none by lassos of working responses."""

import numpy as np

from heedful._frames import center_and_unit
from heedful._kernels.shapes import GAUSSIAN, OTHER, Outcome, Rule, Table
from heedful._responses import Response
from heedful._solver.paths import Model, Paths, fit_paths, working_tables
from heedful._solver.table import flat_scale
from heedful._solver.weights import WeightRows, whole_table

SQUARES = Outcome(GAUSSIAN, np.empty(0), np.empty(0), np.empty(0, np.int64))
MOST_STEPS, HALVINGS = 100, 12


def fit_family(
    weights: WeightRows,
    table: Table,
    family: Response,
    penalties: np.ndarray,
    rule: Rule,
    start: Model,
    n_jobs: int | None = None,
) -> Paths:
    """Fit a path of penalties (descending, on the table's scale) for each row of weights.

    A family without a kernel of its own (``OTHER``) is fitted by Newton steps, each of which is a weighted lasso of the
    working response: slower, and the same minimum. It must have one output.
    """
    if family.outcome.kind != OTHER:
        return fit_paths(weights, table, family.outcome, penalties, rule, start, n_jobs)
    n_fit, width = weights.background.size, table.mean.size
    intercept, coef = np.empty((n_fit, penalties.size, 1)), np.empty((n_fit, penalties.size, 1, width))
    n_failed, x = 0, table.x
    starts = (np.broadcast_to(start.intercept, (n_fit, 1)), np.broadcast_to(start.coef, (n_fit, 1, width)))
    for q, model in enumerate(map(Model, *starts)):
        weight, fixed = everyone(weights, q, table), rule
        if rule.weighted_scale:
            fixed = rule._replace(scale=center_and_unit(x, weight)[1] * rule.scale, weighted_scale=False)
        for t, penalty in enumerate(penalties):
            model, converged = minimise(x, family, weight, penalty, fixed, model)
            intercept[q, t], coef[q, t] = model
            n_failed += not converged
    return Paths(intercept, coef, n_failed)


def minimise(
    x: np.ndarray, family: Response, weight: np.ndarray, penalty: float, rule: Rule, start: Model
) -> tuple[Model, bool]:
    """Return the penalised model of weighted rows, by Newton steps that are halved until they go down."""
    flat = flat_scale(x.shape[1])
    model, best = start, objective(x, family, weight, penalty, rule, start)
    for _ in range(MOST_STEPS):
        (table,) = working_tables(x, family, model.link(x), weight, flat)
        path = fit_paths(whole_table(), table, SQUARES, np.array([penalty]), rule, model)
        target, step = path.model(0, 0), 1.0
        for _ in range(HALVINGS):
            there = Model(*((1 - step) * old + step * new for old, new in zip(model, target, strict=True)))
            value = objective(x, family, weight, penalty, rule, there)
            if value <= best:
                break
            step /= 2
        else:
            return model, True
        moved = np.abs(there.link(x) - model.link(x)).max()
        model, best = there, value
        if moved <= 10 * rule.tol:
            return model, True
    return model, False


def objective(x: np.ndarray, family: Response, weight: np.ndarray, penalty: float, rule: Rule, model: Model) -> float:
    """Return the weighted mean loss plus the penalty of the coefficients."""
    losses = family.losses(family.observed(family.values(model.link(x)))).value
    size = np.abs(model.coef[0]) * rule.scale
    if rule.groups is not None:
        size = np.sqrt(np.bincount(rule.groups, weights=size**2))
    return float(weight @ losses / weight.sum() + (penalty * size[size > 0]).sum())


def everyone(weights: WeightRows, q: int, table: Table) -> np.ndarray:
    """Return the weight of every training row in one fit."""
    part = weights.block(slice(q, q + 1))
    dense = part.background[0] * table.prior / table.total
    if part.excess.size:
        rows = part.indices if part.indices.size else np.arange(table.prior.size)
        dense[rows] += part.excess
    return np.maximum(dense, 0.0)
