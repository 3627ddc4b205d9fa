"""One penalised model for all rows, of any family, with its cross-validated penalty, by glmnet's rules."""

from typing import Any, NamedTuple

import numpy as np

from heedful._file_checks import require_numbers
from heedful._folds import Split, average_out_of_fold, fold_weights
from heedful._kernels.shapes import GAUSSIAN, Rule, Table
from heedful._responses import Response
from heedful._solver.constraints import Constraints, check_outputs, make_rule
from heedful._solver.paths import Model, Paths, fit_paths, no_model, warn_unconverged, working_tables
from heedful._solver.table import Scale, build_table, flat_scale, measure
from heedful._solver.weights import WeightRows, whole_table
from heedful._solver.working import SQUARES, fit_family

N_ALPHAS, MAX_ITER = 100, 10_000
# A loss that is not a square is followed down the path in pieces, to so many times the tolerance but no more than the
# loosest, until it has not improved for one.
PIECE, LOOSER, LOOSEST = 20, 1e4, 1e-3
# With more columns than this (squares, other losses) pieces are short: the end of the path, with most columns active,
# is dear. Kernels keep covariances of all columns up to there.
WIDE, VERY_WIDE, SHORT_PIECE, PATIENCE = 40, 100, 5, 15


class GlobalFit(NamedTuple):
    """A fitted model on the table's scale, with the models of the folds at the same penalty.

    ``tables`` are those of one Newton step from the model: one per output; none if they were let go of. ``fold_link``
    is the linear predictor of rows by folds that left them out, NaN for rows that were never left out.
    ``constraints`` are what coefficients must keep to. ``fold_alphas`` are the penalties of the folds where each has
    chosen its own. Where tables were cut down, ``kept`` are the rows that they still hold, ascending.
    """

    family: Response
    scale: Scale
    weight: np.ndarray
    tables: tuple[Table, ...]
    alphas: np.ndarray
    error: np.ndarray
    alpha: float
    model: Model
    intercept: np.ndarray
    coef: np.ndarray
    splits: list[Split]
    folds: list[Model]
    fold_link: np.ndarray
    constraints: Constraints
    fold_alphas: np.ndarray = np.empty(0)
    kept: np.ndarray | None = None

    @property
    def looks_at_rows(self) -> bool:
        """Whether a prediction of a row that is left out looks at others one by one, not only at sums over all."""
        return self.family.outcome.kind != GAUSSIAN or not self.tables[0].scatter.size

    def without_rows(self) -> "GlobalFit":
        """Return the fit without the rows of its tables where their sums do."""
        if self.looks_at_rows:
            return self
        (table,) = self.tables
        return self._replace(tables=(table._replace(packed=table.packed[:0].copy()),))

    def with_rows(self, rows: np.ndarray, X: np.ndarray) -> "GlobalFit":
        """Return a fit without rows with those that are to be predicted, each left out; ``X`` are their columns."""
        if self.looks_at_rows:
            return self
        (table,) = self.tables
        part = table._replace(y=table.y[rows], prior=table.prior[rows])
        return self._replace(tables=(part.with_features(self.scale.rows(X)),), kept=rows)

    def check_loaded(self) -> None:
        """Raise if a model that came from a file has other columns than its scale."""
        n_outputs, n_columns = len(self.coef), self.scale.center.size
        require_numbers(self.scale.center, n_columns)
        require_numbers(self.scale.unit, n_columns)
        require_numbers(self.coef, n_outputs, n_columns)
        require_numbers(self.intercept, n_outputs)
        self.constraints.check_columns(n_columns)


def fit_global(
    X: np.ndarray,
    family: Response,
    weight: np.ndarray,
    splits: list[Split],
    alpha: float | None,
    tol: float,
    n_jobs: int | None,
    constraints: Constraints,
) -> GlobalFit:
    """Fit the path of penalties to all rows and to the folds; keep the penalty with the smallest loss left out."""
    check_outputs(family, constraints)
    scale = measure(X, family.response, weight)
    family = family.scaled(scale.y_center, scale.y_unit)
    table = build_table(X, family.response, weight, scale)
    # a view: a copy of a large table is large
    x = table.packed[:, : scale.center.size]
    rule = make_rule(scale, constraints, weighted=True, start=np.zeros(scale.width), tol=tol, max_iter=MAX_ITER)
    if alpha is None:
        path = penalty_path(entry_penalties(x, family, weight, scale, constraints, rule), X.shape)
    else:
        path = np.array([alpha / scale.y_unit])
    folds, error = _search(family, table, x, weight, splits, path, rule, n_jobs)
    whole, best = _fit_whole(family, table, x, weight, path[: int(np.argmin(error)) + 1], rule)
    warn_unconverged(folds.n_failed + whole.n_failed, (len(splits) + 1) * error.size, MAX_ITER)
    intercept, coef = whole.unscaled(scale)
    model, parts = whole.model(0, -1), [folds.model(k, best) for k in range(len(splits))]
    link, squares = model.link(x), family.outcome.kind == GAUSSIAN
    return GlobalFit(
        family=family.anchored(link, weight),
        scale=scale,
        weight=weight,
        tables=(table,) if squares else working_tables(X, family, link, weight, scale),
        alphas=path[: error.size] * scale.y_unit,
        error=error,
        alpha=float(path[best] * scale.y_unit),
        model=model,
        intercept=intercept[0, -1],
        coef=constraints.within(coef[0, -1]),
        splits=splits,
        folds=parts,
        fold_link=link_left_out(parts, splits, x),
        constraints=constraints,
    )


def _search(
    family: Response,
    table: Table,
    x: np.ndarray,
    weight: np.ndarray,
    splits: list[Split],
    path: np.ndarray,
    rule: Rule,
    n_jobs: int | None,
) -> tuple[Paths, np.ndarray]:
    """Return the paths of the folds and the loss of left-out rows at each penalty tried."""
    weights, start = fold_weights(splits, weight), no_model(family.n_outputs, table.mean.size)
    squares = family.outcome.kind == GAUSSIAN
    wide = table.mean.size > (WIDE if squares else VERY_WIDE)
    if squares and not wide:
        folds = fit_family(weights, table, family, path, rule, start, n_jobs)
        return folds, _left_out_error(folds, splits, family, x, weight)
    parts, errors = [], np.empty(0)
    loose = rule if squares else loosen(rule)
    piece, patience = (SHORT_PIECE, PATIENCE) if wide else (PIECE, PIECE)
    for first in range(0, path.size, piece):
        part = path[first : first + piece]
        parts.append(fit_family(weights, table, family, part, loose, start, n_jobs))
        errors = np.append(errors, _left_out_error(parts[-1], splits, family, x, weight))
        if np.argmin(errors) < errors.size - patience:
            break
        # lassos of squares share a start, which makes no difference to where they end
        start = parts[-1].model(0, -1) if squares else parts[-1].last()
    intercept, coef = (np.concatenate(pieces, axis=1) for pieces in zip(*(part[:2] for part in parts), strict=True))
    return Paths(intercept, coef, sum(part.n_failed for part in parts)), errors


def _fit_whole(
    family: Response, table: Table, x: np.ndarray, weight: np.ndarray, path: np.ndarray, rule: Rule
) -> tuple[Paths, int]:
    """Fit all rows down to the last penalty of a path at which the response keeps its total; return its place too."""
    start, last = no_model(family.n_outputs, table.mean.size), path.size - 1
    if family.outcome.kind == GAUSSIAN:
        return fit_family(whole_table(), table, family, path, rule, start), last
    loose = fit_family(whole_table(), table, family, path, loosen(rule), start)
    while last > 0 and not family.keeps_total(loose.model(0, last).link(x), weight):
        last -= 1
    return fit_family(whole_table(), table, family, path[last : last + 1], rule, loose.model(0, last)), last


def loosen(rule: Rule) -> Rule:
    """Return the rule by which a path is followed."""
    return rule._replace(tol=max(rule.tol, min(LOOSER * rule.tol, LOOSEST)))


def left_out_link(fit: GlobalFit, rows: np.ndarray, tol: float, n_jobs: int | None) -> np.ndarray:
    """Return the linear predictor (n_rows, n_outputs) of rows, each by the model of all others, at the same penalty.

    Exact for a squared loss. For others it is one Newton step, on all rows but one, from the model of the fold that
    left the row out. Heads that leave out one row are held against this: the folds' models have seen fewer rows and
    would look worse.
    """
    if fit.family.outcome.kind == GAUSSIAN:
        return _left_out(fit.tables, rows, fit.model, fit, tol, n_jobs)
    link = np.full((fit.weight.size, len(fit.tables)), np.nan)
    x = fit.tables[0].x
    flat = flat_scale(x.shape[1])
    for split, model in zip(fit.splits, fit.folds, strict=True):
        tables = working_tables(x, fit.family, model.link(x), fit.weight, flat)
        test = np.intersect1d(split.test, rows)
        link[test] = _left_out(tables, test, model, fit, tol, n_jobs)
    return link[rows]


def _left_out(tables, rows: np.ndarray, start: Model, fit: GlobalFit, tol: float, n_jobs: int | None) -> np.ndarray:
    """Return the linear predictor of some rows, each by the lassos of tables without it."""
    link = np.empty((rows.size, len(tables)))
    penalty = np.array([fit.alpha / fit.scale.y_unit])
    rule = make_rule(fit.scale, fit.constraints, weighted=False, start=start.coef[0], tol=tol, max_iter=MAX_ITER)
    at = rows if fit.kept is None else np.searchsorted(fit.kept, rows)
    for k, table in enumerate(tables):
        prior = table.prior[at]
        rest = np.maximum(table.total - prior, 1e-300)
        alone = prior >= table.total
        excess = np.where(alone, 0.0, -prior / rest)
        background = np.where(alone, 1.0, table.total / rest)
        weights = WeightRows(np.arange(rows.size + 1), at.astype(np.int32), excess, background)
        of_output = Model(start.intercept[k : k + 1], np.ascontiguousarray(start.coef[k : k + 1]))
        fits = fit_paths(weights, table, SQUARES, penalty, rule, of_output, n_jobs)
        link[:, k] = fits.intercept[:, 0, 0] + (table.rows(at) * fits.coef[:, 0, 0]).sum(axis=1)
    return link


def entry_penalties(
    x: np.ndarray, family: Response, weight: np.ndarray, scale: Scale, constraints: Constraints, rule: Rule
) -> np.ndarray:
    """Return the penalty at which each column would enter the model of those that are not penalised, with any sign."""
    n_columns, link = scale.center.size, None
    free = np.flatnonzero(constraints.factors(n_columns) == 0)
    if free.size:
        units, flat = Scale(np.zeros(free.size), scale.unit[free], 0.0, scale.y_unit), flat_scale(free.size)
        start = no_model(family.n_outputs, flat.width)
        how: dict[str, Any] = {"start": start.coef[0], "tol": rule.tol, "max_iter": MAX_ITER}
        free_rule = make_rule(units, constraints.part(free), weighted=False, **how)
        table = build_table(x[:, free], (family.response - scale.y_center) / scale.y_unit, weight, flat)
        fits = fit_family(whole_table(), table, family, np.zeros(1), free_rule, start)
        link = fits.model(0, 0).link(table.x)
    return constraints.entry(null_gradient(x, family, weight, link))


def null_gradient(x: np.ndarray, family: Response, weight: np.ndarray, link: np.ndarray | None = None) -> np.ndarray:
    """Return minus the slope of the weighted mean loss by each coefficient; None is the model without columns."""
    if link is None:
        link = np.tile(family.null_link(weight), (x.shape[0], 1))
    return x.T @ (weight[:, None] * family.residual(link, weight)) / weight.sum()


def penalty_path(entries: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """Return glmnet's path: 100 penalties from the smallest that silences every column, down to a fraction of it."""
    top = float(np.abs(entries).max(initial=0.0))
    if top < 1e-12:
        return np.zeros(1)
    smallest = 1e-4 if shape[0] > shape[1] else 1e-2
    return top * np.geomspace(1.0, smallest, N_ALPHAS)


def _left_out_error(
    folds: Paths, splits: list[Split], family: Response, x: np.ndarray, weight: np.ndarray
) -> np.ndarray:
    """Return the weighted mean loss of left-out rows at each penalty."""
    total, mass = np.zeros(folds.coef.shape[1]), 0.0
    for split, intercept, coef in zip(splits, folds.intercept, folds.coef, strict=True):

        def links(rows: np.ndarray, intercept: np.ndarray = intercept, coef: np.ndarray = coef) -> np.ndarray:
            flat = x[rows] @ coef.reshape(-1, coef.shape[-1])[:, : x.shape[1]].T
            return intercept + flat.reshape(rows.size, *coef.shape[:-1])

        total += family.left_out_loss(split.train, split.test, weight)(links)
        mass += weight[split.test].sum()
    return total / mass


def link_left_out(folds: list[Model], splits: list[Split], x: np.ndarray) -> np.ndarray:
    """Return the linear predictor of left-out rows, averaged where a row is left out more than once."""
    shape = (x.shape[0], folds[0].intercept.size)
    return average_out_of_fold(splits, lambda k, split: folds[k].link(x[split.test]), shape)


def choose_in_folds(
    fit: GlobalFit, X: np.ndarray, inner: list[list[Split]], tol: float, n_jobs: int | None
) -> GlobalFit:
    """Return the fit with the models of the folds at penalties of their own, as in nested cross-validation.

    ``inner`` are the folds of each split's training part, in numbers of its rows.
    """
    parts = []
    for (train, _), own in zip(fit.splits, inner, strict=True):
        parts.append(
            fit_global(X[train], fit.family.part(train), fit.weight[train], own, None, tol, n_jobs, fit.constraints)
        )
    models = [_on_scale(part, fit.scale) for part in parts]
    link, alphas = link_left_out(models, fit.splits, fit.scale.rows(X)), np.array([part.alpha for part in parts])
    return fit._replace(folds=models, fold_link=link, fold_alphas=alphas)


def _on_scale(part: GlobalFit, scale: Scale) -> Model:
    """Return a model as one of rows and response on another scale."""
    coef = np.zeros((len(part.coef), scale.width))
    coef[:, : scale.center.size] = part.coef * scale.unit / scale.y_unit
    return Model((part.intercept + part.coef @ scale.center - scale.y_center) / scale.y_unit, coef)
