"""Attention models whose baseline and local models are linear."""

import numpy as np

from heedful._kernels.shapes import Rule, Table
from heedful._models.linear import LinearProblem
from heedful._solver import build_table
from heedful.estimators._attention import AttentionModel
from heedful.estimators._blending import MAX_ITER, View
from heedful.estimators._settings import Settings, check_linear
from heedful.estimators._training import rows_to_try, unit_response

TOL = 1e-7


class LinearAttention(AttentionModel):
    """One lasso for all rows and local lassos; a subclass knows its response."""

    _leaves_residuals = True

    def __init__(
        self,
        heads="multi",
        similarity="forest",
        temperature="auto",
        alpha="auto",
        alpha_ratio="auto",
        mixing="auto",
        similarity_features=None,
        model_features=None,
        cv="oob",
        tuning_rows=10_000,
        max_extrapolation=0.5,
        verbose=0,
        n_jobs=None,
        random_state=None,
    ):
        self.heads = heads
        self.similarity = similarity
        self.temperature = temperature
        self.alpha = alpha
        self.alpha_ratio = alpha_ratio
        self.mixing = mixing
        self.similarity_features = similarity_features
        self.model_features = model_features
        self.cv = cv
        self.tuning_rows = tuning_rows
        self.max_extrapolation = max_extrapolation
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _make_baseline(self):
        """Return the global model to fit."""
        raise NotImplementedError

    def _check_settings(self, groups) -> Settings:
        return check_linear(self, groups)

    def _fit_baseline(self, rows):
        self.baseline_ = self._make_baseline()
        design = rows.labelled(rows.model_rows(rows.codes))
        self.baseline_.fit(design, self._given_response(rows.y), rows.weight, splits=self._splits)
        self.alpha_ = self.baseline_.alpha_

    def _make_problem(self, rows, seed) -> LinearProblem:
        fit, ratios = self.baseline_.fit_, self._grid.ratios
        ones = fit.scale.pad(np.ones(fit.scale.center.size))
        rule = Rule(ones, False, fit.model.coef[0], TOL, MAX_ITER, self._reach)
        finite = np.isfinite(ratios)
        penalties = np.where(finite, np.where(finite, ratios, 1.0) * self.alpha_ / fit.scale.y_unit, np.inf)
        parts = (fit.family, fit.weight, fit.tables, fit.model, rule, penalties, fit.family.means())
        tried = rows_to_try(self.tuning_rows, rows.weight.size, seed)
        return LinearProblem(*parts, tried=tried, folds=tuple(fit.folds))

    def _predict_problem(self) -> LinearProblem:
        rule = self._problem.rule._replace(reach=self._reach)
        return self._problem._replace(rule=rule, exact=self._exact_table())

    def _base_unseen(self, rows):
        if not isinstance(self.cv, str):
            return self.baseline_.predict_fold()
        tried = self._problem.tried
        values = np.full((rows.weight.size, self._problem.family.n_values), np.nan)
        values[tried] = self.baseline_.predict_left_out(tried)
        return values

    def _residuals(self, rows):
        """Return residuals by folds, in the units of the linear predictor; in-sample ones for rows of no fold."""
        fit = self.baseline_.fit_
        link = np.where(np.isfinite(fit.fold_link), fit.fold_link, fit.model.link(fit.tables[0].x))
        # a baseline that fits to the last bit leaves nothing, not noise to grow trees on
        left = np.round(fit.family.residual(link, fit.weight), 9)
        columns = [unit_response(column, rows.weight) for column in left.T]
        return columns[0] if len(columns) == 1 else np.column_stack(columns)

    def _view(self, X, codes) -> View:
        design = self._training.model_rows(codes, self.max_extrapolation)
        return View(design, self.baseline_.fit_.scale.rows(design))

    def _base_values(self, view):
        return self.baseline_.values(view.design)

    def _base_coef(self):
        return self.baseline_.fit_.coef

    def _base_intercept(self, frames):
        base = self.baseline_.fit_.intercept
        return float(base[0]) if frames.outputs is None else frames.series(base)

    def _original(self, coef):
        return self.baseline_.fit_.scale.original(coef)

    @property
    def _reach(self) -> float:
        """How far from the mean response it attends to a head may predict, in standard deviations."""
        return np.inf if self.max_extrapolation is None else 2.0 + 4.0 * self.max_extrapolation

    def _exact_table(self) -> Table | None:
        """Return the training rows for fits to convergence; None where one step is exact or enough."""
        if not getattr(self, "exact", False):
            return None
        fit = self.baseline_.fit_
        scale = fit.scale._replace(center=np.zeros(fit.scale.width), unit=np.ones(fit.scale.width))
        return build_table(fit.tables[0].x, np.zeros(fit.weight.size), fit.weight, scale)
