"""A lasso that is taken back to one number for all rows, as far as rows left out do not speak for its slopes."""

from typing import Any

import numpy as np

from heedful._folds import Split, by_group
from heedful._solver import Family, Model, PseudoOutcomes
from heedful.baseline._global import link_left_out
from heedful.baseline._lasso import LassoBaseline

# Mean gains over one number for all rows, in standard errors, at which slopes are not believed, and believed in full.
NOTHING, ALL = 0.0, 3.0


class GuardedLasso(LassoBaseline):
    """Fit a lasso to all rows, and shrink its slopes if they hardly pay.

    Parameters
    ----------
    alpha, tol, n_jobs, random_state, penalty_factor, limits, groups
        As in :class:`heedful.baseline.LassoBaseline`.
    level : float, default=None
        The one number for all rows, if it is known that there is only one.

    Attributes
    ----------
    guard_ : float
        What slopes were multiplied by, between 0 and 1. The others are those of
        :class:`heedful.baseline.LassoBaseline`.

    Notes
    -----
    With t the mean gain over the mean of the other folds, in standard errors: slopes are 0 up to t = 0, and as the
    lasso has them from t = 3 on. Responses with little signal need that, as the pseudo-outcomes of a treatment effect:
    most of what a lasso finds there by cross-validation is noise. Local models around it are doubted more as well.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 3))
    >>> GuardedLasso(random_state=0).fit(X, X[:, 0] + rng.normal(size=100)).guard_
    1.0
    >>> GuardedLasso(random_state=0).fit(X, rng.normal(size=100)).guard_ < 0.5
    True
    """

    _family = PseudoOutcomes

    def __init__(
        self,
        alpha="auto",
        *,
        tol=1e-7,
        n_jobs=None,
        random_state=None,
        penalty_factor=None,
        limits=None,
        groups=None,
        level=None,
    ):
        shared = {"penalty_factor": penalty_factor, "limits": limits, "groups": groups}
        super().__init__(alpha, tol=tol, n_jobs=n_jobs, random_state=random_state, **shared)
        self.level = level

    def _fit_family(
        self,
        X: np.ndarray,
        family: Family,
        weight: np.ndarray,
        splits: list[Split] | None,
        key: np.ndarray,
        inner: list[list[Split]] | None = None,
    ) -> Any:
        """Fit the lasso, then take its slopes back; return what the lasso does."""
        observations = super()._fit_family(X, family, weight, splits, key, inner)
        fit = self.fit_
        if self.level is not None:
            self._set_level(float(self.level))
            return observations
        y, n_columns = self._scaled_response(), fit.model.coef.shape[1]
        means = [float(np.average(y[train], weights=fit.weight[train])) for train, _ in fit.splits]
        plain = [Model(np.full(1, mean), np.zeros((1, n_columns))) for mean in means]
        flat = link_left_out(plain, fit.splits, np.zeros((y.size, n_columns)))
        self.guard_ = slope_guard(y, fit.fold_link[:, 0], flat[:, 0], fit.weight, self._row_groups)
        # the zero of the table's scale is the weighted mean of the response
        self.fit_ = fit._replace(
            model=self._shrink(fit.model, 0.0),
            intercept=fit.intercept + (1.0 - self.guard_) * (fit.coef @ fit.scale.center[: fit.coef.shape[1]]),
            coef=self.guard_ * fit.coef,
            folds=[self._shrink(model, mean) for model, mean in zip(fit.folds, means, strict=True)],
            fold_link=flat + self.guard_ * (fit.fold_link - flat),
        )
        return observations

    def predict_left_out(self, rows: np.ndarray | None = None) -> np.ndarray:
        """Return predictions of training rows, each by the model of all others.

        Parameters
        ----------
        rows : ndarray of int, default=None
            Numbers of the training rows; None means all.

        Returns
        -------
        ndarray of shape (n_rows, 1)
            Predictions.
        """
        found, fit = super().predict_left_out(rows), self.fit_
        if self.level is not None:
            return np.full_like(found, self.level)
        rows = np.arange(fit.weight.size) if rows is None else rows
        rest = np.maximum(fit.weight.sum() - fit.weight[rows], 1e-300)
        alone = fit.family.values((-fit.weight * self._scaled_response())[rows, None] / rest[:, None])
        return alone + self.guard_ * (found - alone)

    def _set_level(self, level: float) -> None:
        """Let every model say one number for all rows."""
        fit, self.guard_ = self.fit_, 0.0
        scaled = (level - fit.scale.y_center) / fit.scale.y_unit
        flat = Model(np.full(1, scaled), np.zeros_like(fit.model.coef))
        self.fit_ = fit._replace(
            model=flat,
            intercept=np.full(1, level),
            coef=np.zeros_like(fit.coef),
            folds=[flat] * len(fit.folds),
            fold_link=np.where(np.isnan(fit.fold_link), np.nan, scaled),
        )

    def _scaled_response(self) -> np.ndarray:
        """Return the response in units of the linear predictor."""
        fit = self.fit_
        return fit.family.residual(np.zeros((fit.weight.size, 1)), fit.weight)[:, 0]

    def _shrink(self, model: Model, mean: float) -> Model:
        """Return a model of rows with this mean response whose slopes are taken back."""
        return Model(mean + self.guard_ * (model.intercept - mean), self.guard_ * model.coef)


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
