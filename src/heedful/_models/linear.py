"""Linear models: one lasso for all rows, and local lassos near it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from heedful._checks import (
    check_choice,
    check_count,
    check_grid,
    check_number,
    check_positive,
    check_tuning_rows,
    is_word,
)
from heedful._file_checks import require, require_numbers
from heedful._flow import FittedModels, LinearRows, Run, ScoresOf, TrainingTable, Variants, View, rows_to_try
from heedful._folds import Split, inner_splits
from heedful._frames import center_and_unit, row_blocks
from heedful._kernels.shapes import GAUSSIAN
from heedful._models.constraints import check_coefficient_settings, constrain_columns
from heedful._models.design import Design, Scores
from heedful._models.linear_fits import LinearProblem, scale_penalties
from heedful._models.screening import narrow_problem
from heedful._models.shapes import Shapes, fit_shapes, table_curves
from heedful._models.smooth import Smooth, fit_smooth
from heedful._responses import Response, unit_response
from heedful._solver.constraints import make_rule
from heedful._solver.paths import Model, working_tables
from heedful.baseline import GlobalModel, global_model
from heedful.similarity import Similarity, TeacherSimilarity

MAX_ITER = 10_000
# Local models use so many columns by default, ranked by what so many rows see of them.
MOST_COLUMNS, LOOKED_AT = 40, 200
# Additive models of larger tables are fitted to so many rows; smooth models have at most as many.
SHAPE_ROWS = 50_000
ONE_STEP = "one Newton step from the global model"


@dataclass(eq=False, repr=False, kw_only=True)
class LocalLasso(BaseEstimator):
    """Settings of the local lassos, for ``local`` of an attention lasso.

    Parameters
    ----------
    alpha_ratio : float, list of float or "auto", default="auto"
        Local penalty divided by the penalty of the global lasso; 1.0 is the paper's. With infinity the local model has
        no columns: a weighted mean, class frequencies, or the ratio of observed to expected events.
    max_extrapolation : float or None, default=0.5
        How far a linear model may extrapolate, in widths of the training range: values of a query are clipped at this
        distance outside the range of their column, and local predictions at this distance outside the weighted
        responses (their range being two standard deviations to each side of the mean). None sets no limit.
    tuning_rows : int or None, default=5_000
        Number of training rows on which heads are tuned, drawn at random from a larger table; None uses all. The
        additive model is fitted to 50,000 rows, or to this many if that is more; with None to all rows.
    exact : bool or "tuning", default=False
        Fit the local models to convergence: each minimises its weighted loss plus the penalty. The default takes one
        Newton step from the global model: it minimises the second-order expansion of the loss there. It predicts as
        well at the cost of one lasso, with other coefficients. With True, tuning still takes one step; with "tuning"
        it converges too. For regression with squared error all are the same.
    n_screened : int, None or "auto", default="auto"
        Number of columns, counting dummies, that local models may change: those with the largest coefficients in
        screening fits. The other columns keep their coefficients of the global lasso. None uses all; "auto" is 40, and
        all with ``heads="single"`` or ``exact=True``.
    shapes : bool, default=True
        Also fit an additive model, a sum of one shape function per column. It is a second global model, and one more
        column that heads may use. With ``heads="multi"`` only; False is the paper's method.
    smooth : bool, default=True
        Also fit a smooth model, a third global model: kernel ridge regression on the residuals of the lasso, with a
        length scale for each column. Its share in the blend is fitted to held-out rows. With ``heads="multi"`` only,
        where ``mixing`` is chosen, up to 50,000 rows, and without ``limits``, which it cannot satisfy.
    penalty : {"lasso", "group"}, default="lasso"
        "group" is the group lasso: the levels of a category enter or leave each model together.
    penalty_factor : dict, default=None
        Factors of the penalty by column name or position; 0 means no penalty. As in glmnet, they are divided by their
        mean.
    limits : dict, default=None
        Limits of the coefficients of numeric columns, by name or position: "+", "-", or a pair (low, high) that
        contains 0. They hold for the global model, for every local model and for the blend; shape functions of columns
        with a sign are monotone. For fixed weights of the training rows the prediction is then monotone in such a
        column; the weights themselves may change with it. Not for multiclass classification.
    standardize : {"global", "weighted"}, default="global"
        Scale of the penalised coefficients: columns are divided once by their standard deviation, or in each fit by
        the weighted one, as in glmnet and in the paper. For responses other than regression, "weighted" needs
        ``exact="tuning"``.
    tol : float, default=1e-7
        Convergence tolerance of local and global fits: see :func:`heedful.local_lasso`.

    Examples
    --------
    >>> from heedful import AttentionLasso
    >>> AttentionLasso(heads="single", temperature=1.0, cv=10, local=LocalLasso(alpha_ratio=1.0))
    AttentionLasso(cv=10, heads='single', local=LocalLasso(alpha_ratio=1.0),
                   temperature=1.0)
    """

    alpha_ratio: Any = "auto"
    max_extrapolation: float | None = 0.5
    tuning_rows: int | None = 5_000
    exact: bool | str = False
    n_screened: int | str | None = "auto"
    shapes: bool = True
    smooth: bool = True
    penalty: str = "lasso"
    penalty_factor: Any = None
    limits: Any = None
    standardize: str = "global"
    tol: float = 1e-7


def check_local(local: LocalLasso) -> tuple[float, ...] | None:
    """Check every setting; return the ratios to try, None for "auto"."""
    if local.max_extrapolation is not None:
        check_number("max_extrapolation", local.max_extrapolation, 0.0, np.inf, hint="None sets no limit.")
    check_tuning_rows(local.tuning_rows)
    if local.n_screened is not None and not is_word(local.n_screened, "auto"):
        check_count("n_screened", local.n_screened, 1, "None uses all columns, 'auto' at most 40 of them.")
    for name in ("shapes", "smooth"):
        if not isinstance(getattr(local, name), bool | np.bool_):
            raise TypeError(f"`{name}` must be True or False, got {getattr(local, name)!r}.")
    if not isinstance(local.exact, bool | np.bool_) and not is_word(local.exact, "tuning"):
        raise ValueError(f"`exact` must be True, False or 'tuning', got {local.exact!r}.")
    check_choice("standardize", local.standardize, ("global", "weighted"))
    check_positive("tol", local.tol, "1e-7 is the default.")
    check_coefficient_settings(local)
    hint = "1.0 is the paper's shared penalty."
    return None if is_word(local.alpha_ratio, "auto") else check_grid("alpha_ratio", local.alpha_ratio, hint)


def most_columns(local: LocalLasso, many: bool) -> int | None:
    """Return how many columns local models may use; None for all, as one head and fits to convergence do by default."""
    if not is_word(local.n_screened, "auto"):
        return None if local.n_screened is None else int(local.n_screened)
    return MOST_COLUMNS if many and not local.exact else None


@dataclass(eq=False)
class LinearModels:
    """Local lassos: the kind of models of attention lassos of every response."""

    alpha: float | str
    local: LocalLasso
    most: int | None = None
    shapes: bool = False
    smooth: bool = False
    anchors: bool = False

    few_heads, has_residuals, keeps_table = False, True, False

    def fit(self, rows: TrainingTable, response: Response, splits: list[Split], run: Run) -> "FittedLinear":
        nested = is_word(self.alpha, "nested")
        alpha = "auto" if nested else self.alpha
        baseline, signs = global_model(response, alpha=alpha, tol=self.local.tol, n_jobs=run.n_jobs), None
        constraints = constrain_columns(self.local, rows)
        if constraints is not None:
            baseline.penalty_factor, baseline.limits, baseline.groups, signs = constraints
        design = validate_data(baseline, rows.labelled(rows.model_rows(rows.codes)), dtype=np.float64)
        inner = inner_splits(splits, rows.splits, response.strata(rows.y)) if nested else None
        baseline._fit_encoded(design, response, rows.y, rows.weight, splits, inner, rows.groups)
        shapes, smooth = None, None
        if self.shapes:
            drawn = None if self.local.tuning_rows is None else max(SHAPE_ROWS, self.local.tuning_rows)
            shapes = fit_shapes(rows, baseline.fit_.family, splits, run.verbose, signs, drawn, run.n_jobs)
        if self.smooth and rows.weight.size <= SHAPE_ROWS:
            smooth = fit_smooth(baseline.fit_, design, splits, self.local.tol)
        if shapes is not None:
            # local models have rows of their own; forests are grown in the meantime
            baseline.fit_ = baseline.fit_.without_rows()
        most = None if constraints is not None and constraints.needs_all else self.most
        return FittedLinear(rows, response, baseline, self.local, most, shapes, smooth)


class FittedLinear(FittedModels):
    """A lasso for all rows, an additive and a smooth model beside it or not, and what local lassos need of them."""

    linear = by_column = True
    shapes: Shapes | None
    smooth: Smooth | None
    rival = "one lasso for all rows"

    def __init__(
        self,
        rows: TrainingTable,
        response: Response,
        baseline: GlobalModel,
        local: LocalLasso,
        most: int | None,
        shapes: Shapes | None,
        smooth: Smooth | None,
    ):
        super().__init__(rows, response)
        self.rival = f"one {response.words.lasso} for all rows"
        self.baseline, self.local, self.most, self.shapes, self.smooth = baseline, local, most, shapes, smooth
        self.names, self.coef, self.intercept = rows.names, baseline.fit_.coef, baseline.fit_.intercept
        self.scale, self.places = baseline.fit_.scale, (0, 0)
        if shapes is not None:
            center, unit = center_and_unit(shapes.train, rows.weight)
            unit = np.append(self.scale.unit, np.where(unit > 0, unit, 1.0))
            self.scale = self.scale._replace(center=np.append(self.scale.center, center), unit=unit)
            self.places = (len(self.names), self.scale.center.size)

    @property
    def local_name(self) -> str:
        """What the local models are: of a loss that is not a square, one step or converged."""
        if not self._takes_steps:
            return "weighted lassos"
        return f"weighted lassos, {'converged' if self.local.exact else ONE_STEP}"

    @property
    def _takes_steps(self) -> bool:
        """Whether one Newton step is not the minimum itself."""
        return self.baseline.fit_.family.outcome.kind != GAUSSIAN

    def check_loaded(self) -> None:
        require_numbers(self.scale.center, self.scale.center.size)
        require_numbers(self.scale.unit, self.scale.center.size)
        if self.shapes is not None:
            same = len(self.shapes.curves) == len(self.rows.plain_names) and len(self.shapes.train) == len(self.rows.y)
            require(same and self.shapes.start.size == len(self.coef), "shapes are those of another table")
            require(self.scale.center.size == len(self.names) + len(self.coef), "columns have no units")
        if self.smooth is not None:
            same = self.smooth.kernel.scale.size == len(self.names) and self.smooth.level.size == len(self.coef)
            require(same and len(self.smooth.train) == len(self.rows.y), "a smooth model is that of another table")

    def finish(self) -> None:
        """Free the baseline's rows: with an additive model, local models have their own rows."""
        if self.shapes is not None:
            self.baseline.fit_ = self.baseline.fit_._replace(tables=())

    def make_problem(self, variants: Variants, fixed: bool, seed: np.random.RandomState) -> LinearProblem:
        """Return lassos under the penalties of the ratios, as one Newton step from the baseline."""
        fit, reach, ratios = self.baseline.fit_, self.local.max_extrapolation, variants.ratios
        start = self._widen(fit.model)
        # how far from the mean response it attends to a head may predict, in standard deviations
        far = np.inf if reach is None else 2.0 + 4.0 * reach
        constraints = fit.constraints.widened(self.places[1] - self.places[0])
        weighted = self.local.standardize == "weighted"
        how: dict[str, Any] = {"tol": self.local.tol, "max_iter": MAX_ITER, "max_range": far}
        rule = make_rule(self.scale, constraints, weighted=weighted, start=start.coef[0], **how)
        penalties, *by_fold = (
            scale_penalties(ratios, alpha / fit.scale.y_unit) for alpha in (fit.alpha, *fit.fold_alphas)
        )
        tried = rows_to_try(self.local.tuning_rows, self.rows.weight.size, seed)
        if self.shapes is None:
            tables = fit.tables
        else:
            design, beside = Design(self.rows), self.shapes.train
            blocks = row_blocks((fit.weight.size, fit.scale.width))
            link = np.concatenate([fit.model.link(fit.scale.rows(design[rows])) for rows in blocks])
            self.baseline.fit_ = fit.with_rows(tried, design[tried])
            tables = working_tables(design, fit.family, link, fit.weight, self.scale, beside)
        parts = (fit.family, fit.weight, tables, start, rule, penalties, fit.family.means())
        folds = tuple(self._widen(model) for model in fit.folds)
        converges = self._takes_steps and is_word(self.local.exact, "tuning")
        left: dict[str, Any] = {"folds": folds, "fold_penalties": tuple(by_fold), "converges": converges}
        return LinearProblem(*parts, tried=tried, shaped=variants.shaped, shapes=self.places, **left)

    def _widen(self, model: Model) -> Model:
        """Return a model of the columns of the table as one that has the shapes too, with coefficients of 0."""
        n_names = len(self.names)
        coef = np.zeros((model.coef.shape[0], self.scale.width))
        coef[:, :n_names] = model.coef[:, :n_names]
        return Model(model.intercept, coef)

    def linear_rows(self, problem: Any) -> LinearRows:
        return LinearRows(problem.tables, self.scale.unit[: len(self.names)] / self.scale.y_unit)

    def to_predict(self, problem: Any, keep_models: bool = False) -> LinearProblem:
        """Return lassos to fit to convergence, if requested; with squared error one step converges."""
        return problem.to_convergence() if self.local.exact and self._takes_steps else problem

    def narrow(self, problem: Any, splits: list[Split], looks: ScoresOf) -> LinearProblem:
        """Return lassos of the columns with the largest local coefficients, if there are more than may be used."""
        if self.most is None or len(self.names) <= self.most:
            return problem
        rows = np.unique(np.linspace(0, self.rows.weight.size - 1, LOOKED_AT).astype(np.int64))
        return narrow_problem(problem, self.most, splits, looks(rows), rows)

    def left_out(self, problem: Any, out_of_bag: bool, run: Run) -> np.ndarray:
        if not out_of_bag:
            return self.baseline.predict_fold()
        values = np.full((self.rows.weight.size, self.response.n_values), np.nan)
        values[problem.tried] = self.baseline.predict_left_out(problem.tried)
        return values

    def residuals(self) -> np.ndarray:
        """Return residuals by folds, in the units of the linear predictor; in-sample ones for rows of no fold."""
        fit = self.baseline.fit_
        link, known = fit.fold_link, np.isfinite(fit.fold_link)
        if not known.all():
            link = np.where(known, link, fit.model.link(fit.scale.rows(self.train_design())))
        # a baseline that fits to the last bit leaves nothing, not noise to grow trees on
        residual = np.round(fit.family.residual(link, fit.weight), 9)
        columns = [unit_response(column, self.rows.weight) for column in residual.T]
        return columns[0] if len(columns) == 1 else np.column_stack(columns)

    def scores(self) -> Scores:
        return Scores(self.residuals(), Design(self.rows), self.baseline.fit_.scale)

    def anchor_weights(self, similarities: Sequence[Similarity]) -> list[float]:
        """Return the weight of a teacher, by the ratio of the lasso's error to its error; 0 if it is no better."""
        left_out = self.baseline.cv_error_.min() / self.baseline.fit_.scale.y_unit**2
        return [
            left_out / entry.teacher_loss_ if isinstance(entry, TeacherSimilarity) and entry.anchor else 0.0
            for entry in similarities
        ]

    def view_of(self, codes: np.ndarray, given: Any) -> View:
        """Return rows as dummies, far values clipped, and with the values of the additive and the smooth model."""
        design = self.rows.model_rows(codes, self.local.max_extrapolation)
        base, additive, smooth, wide, bins = self.baseline.values(design), None, None, design, None
        if self.shapes is not None:
            bins = self.rows.model_bins(codes)
            link = self.shapes.link(bins.codes)
            wide, additive = np.hstack([design, link]), self.values_of(link)
        x = self.scale.rows(wide)
        if self.smooth is not None:
            smooth = self.values_of(self.baseline.link(design) + self.smooth.added(x))
        return View(codes, design, x, base, additive=additive, smooth=smooth, bins=bins)

    def values_of(self, link: np.ndarray) -> np.ndarray:
        return self.baseline.fit_.family.scaled(0.0, 1.0).values(link)

    def shape_parts(self, codes: np.ndarray) -> np.ndarray:
        return self._known_shapes().parts(self.rows.model_bins(codes).codes)

    def curves(self, share: np.ndarray) -> pd.DataFrame:
        return table_curves(self._known_shapes(), self.rows, self.response.outputs, share)

    def _known_shapes(self) -> Shapes:
        if self.shapes is None:
            raise ValueError("There are no shapes: fit with heads='multi' and LocalLasso(shapes=True).")
        return self.shapes

    def others_left_out(self) -> dict[str, np.ndarray]:
        both = {"additive": self.shapes, "smooth": self.smooth}
        return {name: self.values_of(model.train) for name, model in both.items() if model is not None}

    def train_design(self) -> np.ndarray:
        return self.rows.model_rows(self.rows.codes)

    def original(self, coef: np.ndarray) -> np.ndarray:
        """Return coefficients per original unit of a column and of the response; shapes come last."""
        return self.scale.original(coef)
