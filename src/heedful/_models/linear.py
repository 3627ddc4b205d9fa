"""Linear models: one lasso for all rows, and local lassos near it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from heedful._checks import check_count, check_grid, check_number, is_word
from heedful._kernels.shapes import Rule, Table
from heedful._models.linear_fits import LinearProblem
from heedful._models.protocol import FittedModels, Looks, Problem, Run, View, rows_to_try
from heedful._models.screening import narrow_problem
from heedful._responses import Response, unit_response
from heedful._solver import build_table
from heedful._training_table import TrainingTable
from heedful.baseline._folds import Split
from heedful.baseline._model import GlobalModel
from heedful.similarity import Similarity, TeacherSimilarity

TOL, MAX_ITER = 1e-7, 10_000
# Local models use so many columns by default, ranked by what so many rows see of them.
MOST_COLUMNS, LOOKED_AT = 40, 200


@dataclass(eq=False, repr=False, kw_only=True)
class LocalLasso(BaseEstimator):
    """Hold the settings of local lassos, for ``local`` of an attention lasso.

    Parameters
    ----------
    alpha_ratio : float, list of float or "auto", default="auto"
        Local penalty divided by the baseline's; 1.0 is the paper's. Infinity makes the local model one without columns:
        a weighted mean, the share of each class, the ratio of observed to expected events.
    max_extrapolation : float or None, default=0.5
        How far outside the range of what it was fitted to a linear model may go, in widths of that range: a query's
        value outside its column's training range, a local prediction outside the responses attended to (the range
        being two standard deviations to each side). Farther ones are pulled back. None sets no limit.
    tuning_rows : int or None, default=10_000
        Training rows on which heads are tried, drawn at random from a larger table; None tries all.
    exact : bool, default=False
        Fit the local models of ``predict`` to convergence. The default takes one Newton step from the baseline, at the
        price of a local lasso; tuning always does. For numbers both are the same.
    max_features : int, None or "auto", default="auto"
        Most columns, dummies counted, that local models use: those with the largest local coefficients. The others keep
        the baseline's part. None uses all; "auto" is 40, and all with ``heads="single"`` or ``exact=True``.

    Examples
    --------
    >>> from heedful import AttentionLasso
    >>> AttentionLasso("single", temperature=1.0, cv=10, local=LocalLasso(alpha_ratio=1.0))
    AttentionLasso(cv=10, heads='single', local=LocalLasso(alpha_ratio=1.0),
                   temperature=1.0)
    """

    alpha_ratio: Any = "auto"
    max_extrapolation: float | None = 0.5
    tuning_rows: int | None = 10_000
    exact: bool = False
    max_features: int | str | None = "auto"


def check_local(local: LocalLasso) -> tuple[float, ...] | None:
    """Check every setting; return the ratios to try, None for "auto"."""
    if local.max_extrapolation is not None:
        check_number("max_extrapolation", local.max_extrapolation, 0.0, np.inf, hint="None sets no limit.")
    if local.tuning_rows is not None:
        check_number("tuning_rows", local.tuning_rows, 10, np.inf, hint="None tries heads on all rows.")
    if local.max_features is not None and not is_word(local.max_features, "auto"):
        check_count("max_features", local.max_features, 1, "None uses all columns, 'auto' at most 40 of them.")
    hint = "1.0 is the paper's shared penalty."
    return None if is_word(local.alpha_ratio, "auto") else check_grid("alpha_ratio", local.alpha_ratio, hint)


def most_columns(local: LocalLasso, many: bool) -> int | None:
    """Return how many columns local models may use; None for all, as one head and fits to convergence do by default."""
    if not is_word(local.max_features, "auto"):
        return None if local.max_features is None else int(local.max_features)
    return MOST_COLUMNS if many and not local.exact else None


class LinearModels:
    """Local lassos: the kind of models of attention lassos of every response."""

    few_heads, has_residuals, keeps_table = False, True, False

    def __init__(self, alpha: float | str, local: LocalLasso, *, most: int | None = None, anchors: bool = False):
        self.alpha, self.local, self.most, self.anchors = alpha, local, most, anchors

    def fit(self, rows: TrainingTable, response: Response, splits: list[Split], run: Run) -> "FittedLinear":
        """Fit the lasso for all rows."""
        baseline = response.baseline(self.alpha, TOL, run.n_jobs)
        design = rows.labelled(rows.model_rows(rows.codes))
        baseline.fit(design, response.decode(rows.y), rows.weight, splits=splits)
        return FittedLinear(rows, response, baseline, self.local, self.most)


class FittedLinear(FittedModels):
    """A lasso for all rows, and what local lassos need of it."""

    linear = True

    def __init__(
        self, rows: TrainingTable, response: Response, baseline: GlobalModel, local: LocalLasso, most: int | None
    ):
        super().__init__(rows, response)
        self.baseline, self.local, self.most = baseline, local, most
        self.names, self.coef, self.intercept = rows.names, baseline.fit_.coef, baseline.fit_.intercept

    def make_problem(self, ratios: np.ndarray, fixed: bool, seed: np.random.RandomState) -> LinearProblem:
        """Return lassos under the penalties of the ratios, as one Newton step from the baseline."""
        fit, reach = self.baseline.fit_, self.local.max_extrapolation
        ones = fit.scale.pad(np.ones(fit.scale.center.size))
        # how far from the mean response it attends to a head may predict, in standard deviations
        rule = Rule(ones, False, fit.model.coef[0], TOL, MAX_ITER, np.inf if reach is None else 2.0 + 4.0 * reach)
        finite = np.isfinite(ratios)
        penalties = np.where(finite, np.where(finite, ratios, 1.0) * fit.alpha / fit.scale.y_unit, np.inf)
        parts = (fit.family, fit.weight, fit.tables, fit.model, rule, penalties, fit.family.means())
        tried = rows_to_try(self.local.tuning_rows, self.rows.weight.size, seed)
        return LinearProblem(*parts, tried=tried, folds=tuple(fit.folds))

    def to_predict(self, problem: Problem, keep_models: bool = False) -> Problem:
        """Return lassos to fit to convergence if that is asked for."""
        if not (self.local.exact and isinstance(problem, LinearProblem)):
            return problem
        return problem.to_convergence(self._exact_table())

    def narrow(self, problem: Problem, splits: list[Split], looks: Looks) -> Problem:
        """Return lassos of the columns with the largest local coefficients, if there are more than may be used."""
        if self.most is None or len(self.names) <= self.most or not isinstance(problem, LinearProblem):
            return problem
        rows = np.unique(np.linspace(0, self.rows.weight.size - 1, LOOKED_AT).astype(np.int64))
        return narrow_problem(problem, self.most, splits, looks(rows), rows)

    def _exact_table(self) -> Table:
        fit = self.baseline.fit_
        scale = fit.scale._replace(center=np.zeros(fit.scale.width), unit=np.ones(fit.scale.width))
        return build_table(fit.tables[0].x, np.zeros(fit.weight.size), fit.weight, scale)

    def left_out(self, problem: Problem, out_of_bag: bool, run: Run) -> np.ndarray:
        """Return predictions by lassos of all other rows, or of the other folds."""
        if not out_of_bag or not isinstance(problem, LinearProblem):
            return self.baseline.predict_fold()
        values = np.full((self.rows.weight.size, self.response.n_values), np.nan)
        values[problem.tried] = self.baseline.predict_left_out(problem.tried)
        return values

    def residuals(self) -> np.ndarray:
        """Return residuals by folds, in the units of the linear predictor; in-sample ones for rows of no fold."""
        fit = self.baseline.fit_
        link = np.where(np.isfinite(fit.fold_link), fit.fold_link, fit.model.link(fit.tables[0].x))
        # a baseline that fits to the last bit leaves nothing, not noise to grow trees on
        left = np.round(fit.family.residual(link, fit.weight), 9)
        columns = [unit_response(column, self.rows.weight) for column in left.T]
        return columns[0] if len(columns) == 1 else np.column_stack(columns)

    def pulls(self, similarities: Sequence[Similarity]) -> list[float]:
        """Return how many times the lasso's error is that of a teacher; one that is no better has no pull."""
        left_out = self.baseline.cv_error_.min() / self.baseline.fit_.scale.y_unit**2
        return [
            left_out / entry.teacher_loss_ if isinstance(entry, TeacherSimilarity) and entry.anchor else 0.0
            for entry in similarities
        ]

    def view(self, table: pd.DataFrame | np.ndarray) -> View:
        """Return queries as dummies, far values pulled back."""
        codes = self.rows.read(table)
        design = self.rows.model_rows(codes, self.local.max_extrapolation)
        return View(codes, design, self.baseline.fit_.scale.rows(design), self.baseline.values(design))

    def train_design(self) -> np.ndarray:
        """Return the training rows as dummies."""
        return self.rows.model_rows(self.rows.codes)

    def original(self, coef: np.ndarray) -> np.ndarray:
        """Return coefficients per original unit of a column and of the response."""
        return self.baseline.fit_.scale.original(coef)
