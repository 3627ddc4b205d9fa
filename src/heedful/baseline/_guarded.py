"""Shrink the slopes of a global model unless held-out rows support them."""

from typing import NamedTuple

import numpy as np

from heedful._folds import by_group
from heedful._solver.paths import Model
from heedful.baseline._global import GlobalFit, link_left_out

# Mean gains over one number for all rows, in standard errors, at which slopes are not believed, and believed in full.
NOTHING, ALL = 0.0, 3.0


class SlopeGuard(NamedTuple):
    """What slopes were multiplied by, between 0 and 1; ``level`` is the one number for all rows, if it is known."""

    share: float
    level: float | None = None

    def left_out(self, fit: GlobalFit, rows: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Return predictions of training rows by the models of all others, with shrunk slopes."""
        if self.level is not None:
            return np.full_like(values, self.level)
        rest = np.maximum(fit.weight.sum() - fit.weight[rows], 1e-300)
        alone = fit.family.values((-fit.weight * scaled_response(fit))[rows, None] / rest[:, None])
        return alone + self.share * (values - alone)


def guard_slopes(fit: GlobalFit, level: float | None, groups: np.ndarray | None) -> tuple[GlobalFit, SlopeGuard]:
    """Return a lasso whose slopes are shrunk where held-out rows do not support them, and by how much.

    With t the mean gain over the mean of the other folds, in standard errors: slopes are 0 up to t = 0, and as the
    lasso has them from t = 3 on. Responses with little signal need that, as the pseudo-outcomes of a treatment effect:
    most of what a lasso finds there by cross-validation is noise. Local models around it are doubted more as well.
    """
    y, n_columns = scaled_response(fit), fit.model.coef.shape[1]
    if level is None:
        # the zero of the table's scale is the weighted mean of the response
        mean, means = 0.0, [float(np.average(y[train], weights=fit.weight[train])) for train, _ in fit.splits]
    else:
        mean = (level - fit.scale.y_center) / fit.scale.y_unit
        means = [mean] * len(fit.splits)
    plain = [Model(np.full(1, fold_mean), np.zeros((1, n_columns))) for fold_mean in means]
    flat = link_left_out(plain, fit.splits, np.zeros((y.size, n_columns)))
    share = 0.0 if level is not None else slope_guard(y, fit.fold_link[:, 0], flat[:, 0], fit.weight, groups)
    model, coef = _shrink(fit.model, mean, share), share * fit.coef
    guarded = fit._replace(
        model=model,
        intercept=fit.scale.y_center + fit.scale.y_unit * model.intercept - coef @ fit.scale.center,
        coef=coef,
        folds=[_shrink(fold, fold_mean, share) for fold, fold_mean in zip(fit.folds, means, strict=True)],
        fold_link=flat + share * (fit.fold_link - flat),
    )
    return guarded, SlopeGuard(share, level)


def scaled_response(fit: GlobalFit) -> np.ndarray:
    """Return the response in units of the linear predictor."""
    return fit.family.residual(np.zeros((fit.weight.size, 1)), fit.weight)[:, 0]


def _shrink(model: Model, mean: float, share: float) -> Model:
    """Return a model of rows with this mean response with shrunk slopes."""
    return Model(mean + share * (model.intercept - mean), share * model.coef)


def slope_guard(
    y: np.ndarray, sloped: np.ndarray, flat: np.ndarray, weight: np.ndarray, groups: np.ndarray | None = None
) -> float:
    """Return how far to go from flat to sloped predictions of rows that were left out, between 0 and 1."""
    known = np.isfinite(sloped)
    gain = (y - flat)[known] ** 2 - (y - sloped)[known] ** 2
    share = weight[known] / weight[known].sum()
    mean = float(share @ gain)
    away = by_group(share * (gain - mean), None if groups is None else groups[known])
    error = float(np.sqrt(away @ away))
    if error == 0:
        return float(mean > 0)
    return float(np.clip((mean / error - NOTHING) / (ALL - NOTHING), 0.0, 1.0))
