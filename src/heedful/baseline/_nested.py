"""Nested cross-validation: the training part of each fold chooses its own penalty, by folds of its own."""

import numpy as np

from heedful._folds import Split
from heedful._solver import Model, Scale
from heedful.baseline._global import GlobalFit, fit_global, link_left_out


def choose_in_folds(
    fit: GlobalFit, X: np.ndarray, inner: list[list[Split]], tol: float, n_jobs: int | None
) -> GlobalFit:
    """Return the fit with the models of the folds at penalties of their own.

    ``inner`` are the folds of each split's training part, in numbers of its rows.
    """
    parts = []
    for (train, _), own in zip(fit.splits, inner, strict=True):
        parts.append(
            fit_global(X[train], fit.family.part(train), fit.weight[train], own, None, tol, n_jobs, fit.constraints)
        )
    models = [on_scale(part, fit.scale) for part in parts]
    link, alphas = link_left_out(models, fit.splits, fit.scale.rows(X)), np.array([part.alpha for part in parts])
    return fit._replace(folds=models, fold_link=link, fold_alphas=alphas)


def on_scale(part: GlobalFit, scale: Scale) -> Model:
    """Return a model as one of rows and response on another scale."""
    coef = np.zeros((len(part.coef), scale.width))
    coef[:, : scale.center.size] = part.coef * scale.unit / scale.y_unit
    return Model((part.intercept + part.coef @ scale.center - scale.y_center) / scale.y_unit, coef)
