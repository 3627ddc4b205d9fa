"""Local lassos under weights: one per query, by one Newton step or to convergence."""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from heedful import _kernels
from heedful._file_checks import require, require_indices, require_numbers
from heedful._flow import BlockFits, HeldOut
from heedful._folds import Split
from heedful._kernels.shapes import Heads, LeafRows, NearRows, Rule, Table
from heedful._responses import Response
from heedful._solver.constraints import append_groups, number_groups
from heedful._solver.paths import Model, Paths, fit_paths, working_tables
from heedful._solver.table import build_table, flat_scale
from heedful._solver.weights import WeightRows, weight_rows
from heedful._solver.working import fit_family
from heedful.attention import Attention, Weighting, kernel_parts, kinds_of, over_background, weigh

# Columns of local models up to which rows near a query are fitted from its own moments.
MOST_NEAR = 80


class LinearProblem(NamedTuple):
    """Local lassos near a global model: training rows on the table's scale, solver rule, penalties of the ratios.

    ``tables`` are those of one Newton step from the global model ``start``, one per output; ``means`` the columns whose
    weighted means make the heads of infinite penalty, None where the tables' own responses do. ``tried`` are the rows
    on which heads are tried, ``folds`` the global models of the folds, ``fold_penalties`` the penalties of each where
    they chose their own. ``exact`` is a table for fits to convergence, None for one step; ``converges`` says that heads
    are tried by such fits too.

    The columns from ``shapes[0]`` to ``shapes[1]``, the last but for padding, are the linear predictors of an additive
    model; only heads whose penalty is ``shaped`` use them.

    Of a wide table local models may use some ``columns`` only: ``narrow`` is then the problem of these alone, near the
    same global model of all. ``by_fold`` are the columns with which the rows of each fold are tried.
    """

    family: Response
    weight: np.ndarray
    tables: tuple[Table, ...]
    start: Model
    rule: Rule
    penalties: np.ndarray
    means: np.ndarray | None
    tried: np.ndarray
    shaped: np.ndarray
    shapes: tuple[int, int] = (0, 0)
    folds: tuple[Model, ...] = ()
    exact: Table | None = None
    largest_block: int = 512
    columns: np.ndarray | None = None
    by_fold: tuple[np.ndarray, ...] = ()
    narrow: "LinearProblem | None" = None
    fold_penalties: tuple[np.ndarray, ...] = ()
    converges: bool = False

    def check_loaded(self) -> None:
        n_train, width = self.weight.size, self.start.coef.shape[1]
        require_numbers(self.weight, n_train)
        for model in (self.start, *self.folds):
            require_numbers(model.coef, len(self.tables), width)
            require_numbers(model.intercept, len(self.tables))
        for table in (*self.tables, *(() if self.exact is None else (self.exact,))):
            check_table(table, n_train, width)
        require_numbers(self.rule.scale, width)
        require_numbers(self.rule.start, width)
        require(self.rule.limits is None or self.rule.limits.shape == (2, width), "limits are those of other columns")
        if self.rule.groups is not None:
            require_indices(self.rule.groups, width, width)
        require_indices(self.tried, n_train, self.tried.size)
        require(self.penalties.dtype == np.float64 and not np.isnan(self.penalties).any(), "penalties are missing")
        if self.means is not None:
            require_numbers(self.means, n_train, self.means.shape[-1])
        require(self.shaped.shape == self.penalties.shape and self.shaped.dtype == bool, "heads have no shapes")
        require(0 <= self.shapes[0] <= self.shapes[1] <= width, "shapes are elsewhere")
        for columns in () if self.columns is None else (self.columns, *self.by_fold):
            require_indices(columns, width, columns.size)

    @property
    def uses(self) -> np.ndarray:
        """How many columns the heads of each penalty use: without shapes those before them."""
        width = self.start.coef.shape[1]
        return np.where(self.shaped, width, self.shapes[0] if self.shaped.any() else width)

    def fit(self, rows, x, weightings, wanted, shares, anchor=None) -> BlockFits:
        lassos, means = self._split(wanted)
        problem, columns = self._narrowed(x)
        how = (rows, columns, weightings, problem, lassos, shares)
        link, coef, failed = _one_step(*how) if anchor is None and problem.exact is None else _one_by_one(*how, anchor)
        if problem.exact is None:
            self._limit_steps(link, x)
        for w in np.flatnonzero(means.any(axis=1)):
            excess, background = weigh(rows, weightings[w], self.weight)
            self._write_means(link[:, w], means[w], excess @ self.means + np.multiply.outer(background, self._overall))
        if self.columns is not None:
            every = np.zeros((*coef.shape[:2], self.start.coef.shape[1]))
            every[:, :, self.columns] = coef[:, :, : self.columns.size]
            coef = every
        return BlockFits(self.family.values(link), coef, failed)

    def _split(self, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return which wanted heads are lassos, and which are means of the response: those of infinite penalty."""
        means = np.isinf(self.penalties) & (self.means is not None)
        return wanted & ~means, wanted & means

    def _narrowed(self, x: np.ndarray) -> tuple["LinearProblem", np.ndarray]:
        """Return the problem of the columns that local models use, and rows as it takes them."""
        if self.narrow is None:
            return self, x
        return self.narrow, _pad(x[:, self.columns], self.narrow.start.coef.shape[1])

    def _limit_steps(self, link: np.ndarray, x: np.ndarray) -> None:
        """Clip linear predictors that lie farther from the global model's than one step may go."""
        if np.isfinite(self.family.farthest_step):
            # not by BLAS, whose last bits depend on how many queries there are
            start = (self.start.intercept + np.einsum("qj,kj->qk", x, self.start.coef))[:, None, None]
            np.clip(link, start - self.family.farthest_step, start + self.family.farthest_step, out=link)

    @property
    def _overall(self):
        return np.average(np.asarray(self.means), axis=0, weights=self.weight)

    def _write_means(self, link: np.ndarray, wanted: np.ndarray, means: np.ndarray) -> None:
        """Write heads without columns (n_query, n_variant, n_outputs): the link of weighted means of the response."""
        link[:, wanted] = self.family.mean_link(np.clip(means, 0.0, None), self._overall)[:, None, :]

    def fits_near(self) -> bool:
        problem = self.narrow or self
        free = problem.exact is None and problem.rule.limits is None and problem.rule.groups is None
        return free and bool(problem.tables[0].scatter.size) and problem.tables[0].mean.size <= MOST_NEAR

    def fit_near(self, rows: NearRows, forest: LeafRows, weightings: list[Weighting], wanted: np.ndarray) -> np.ndarray:
        x, (lassos, ends) = rows.moved, self._split(wanted)
        problem, columns = self._narrowed(x)
        used = np.flatnonzero(wanted.any(axis=1))
        heads = Heads(
            *kinds_of([weightings[w] for w in used]), problem.penalties, problem.uses, lassos[used], np.empty((0, 0))
        )
        means = np.zeros((self.weight.size, 0)) if self.means is None else self.means.reshape(self.weight.size, -1)
        link = np.full((len(x), *wanted.shape, len(problem.tables)), np.nan)
        averages = []
        for k, table in enumerate(problem.tables):
            rule = problem.rule._replace(start=np.ascontiguousarray(problem.start.coef[k]))
            # means are the same for all outputs
            part = (rows._replace(moved=columns), forest, table, self.weight, means[:, : None if k == 0 else 0])
            link[..., k][:, used], found = _kernels.near_rows(*part, heads, rule)
            averages.append(found)
        self._limit_steps(link, x)
        for at, w in enumerate(used):
            if self.means is not None and ends[w].any():
                self._write_means(link[:, w], ends[w], averages[0][:, at].reshape(len(x), *self.means.shape[1:]))
        return self.family.values(link)

    def on_columns(self, columns: np.ndarray, by_fold: tuple[np.ndarray, ...] = ()) -> "LinearProblem":
        """Return the problem whose local models have coefficients of some columns and of the shapes only."""
        kept = np.append(columns, np.arange(*self.shapes))
        narrow = self._of_columns(kept)._replace(shapes=(columns.size, kept.size))
        return self._replace(columns=kept, by_fold=by_fold, narrow=narrow)

    def to_convergence(self) -> "LinearProblem":
        if self.narrow is not None:
            return self._replace(narrow=self.narrow.to_convergence())
        x = self.tables[0].x
        return self._replace(exact=build_table(x, np.zeros(len(x)), self.weight, flat_scale(x.shape[1])))

    def _of_columns(self, columns: np.ndarray) -> "LinearProblem":
        width = flat_scale(columns.size).width
        start = Model(self.start.intercept, _pad(self.start.coef[:, columns], width))
        limits, groups = self.rule.limits, self.rule.groups
        rule = self.rule._replace(
            scale=_pad(self.rule.scale[columns], width),
            start=start.coef[0],
            limits=None if limits is None else _pad(limits[:, columns], width),
            groups=None if groups is None else number_groups(append_groups(groups[columns], width - columns.size)),
        )
        tables = tuple(_of_columns(table, columns) for table in self.tables)
        exact = None if self.exact is None else _of_columns(self.exact, columns)
        return self._replace(tables=tables, start=start, rule=rule, exact=exact, folds=())

    def held_out(self, splits: list[Split]) -> list[HeldOut]:
        """Return the rows to try heads on; one Newton step must not start at a model that has seen the row.

        So the rows of each fold start at the global model of the others. The start of a squared loss makes no
        difference, and all rows share one. Columns must not be chosen by the row either: each fold has its own.
        """
        (table, *_), everyone = self.tables, np.arange(self.weight.size)
        if self.means is not None:
            near = [self._near(everyone, k) for k in range(len(self.folds))]
        elif self.by_fold:
            near = [self.on_columns(columns) for columns in self.by_fold]
        else:
            return [HeldOut(self, table.rows(self.tried), self.tried)]
        parts = [np.intersect1d(test, self.tried) for _, test in splits]
        return [HeldOut(problem, table.rows(test), test) for problem, test in zip(near, parts, strict=True)]

    def fold(self, number: int, split: Split) -> HeldOut:
        test = np.intersect1d(split.test, self.tried)
        return HeldOut(self._near(split.train, number), self.tables[0].rows(test), test)

    def _near(self, part: np.ndarray, number: int) -> "LinearProblem":
        x, family, weight = self.tables[0].rows(part), self.family.part(part), self.weight[part]
        heads = (self.fold_penalties[number] if self.fold_penalties else self.penalties, self.shaped, self.shapes)
        problem = make_problem(x, family, weight, self.folds[number], self.rule, *heads)
        problem = problem.on_columns(self.by_fold[number]) if self.by_fold else problem
        return problem.to_convergence() if self.converges else problem


def make_problem(
    x: np.ndarray,
    family: Response,
    weight: np.ndarray,
    start: Model,
    rule: Rule,
    penalties: np.ndarray,
    shaped: np.ndarray | None = None,
    shapes: tuple[int, int] = (0, 0),
) -> LinearProblem:
    """Return the local problems of training rows on the table's scale, near the global model ``start``."""
    shaped = np.zeros(penalties.size, dtype=bool) if shaped is None else shaped
    link = start.link(x)
    family = family.anchored(link, weight)
    tables = working_tables(x, family, link, weight, flat_scale(x.shape[1]))
    tried = np.arange(weight.size)
    return LinearProblem(family, weight, tables, start, rule, penalties, family.means(), tried, shaped, shapes)


def scale_penalties(ratios: np.ndarray, penalty: float) -> np.ndarray:
    """Return ratios of a penalty; of one that is 0 an infinite ratio is infinite still."""
    finite = np.isfinite(ratios)
    return np.where(finite, np.where(finite, ratios, 1.0) * penalty, np.inf)


def _of_columns(table: Table, columns: np.ndarray) -> Table:
    curve = 1.0 / table.inverse if table.inverse.size else None
    weight = table.prior if curve is None else table.prior / curve
    return build_table(table.packed[:, columns], table.y, weight, flat_scale(columns.size), curve)


def _pad(values: np.ndarray, width: int) -> np.ndarray:
    """Return values with zeros for the padding, side by side in memory."""
    padded = np.zeros((*values.shape[:-1], width))
    padded[..., : values.shape[-1]] = values
    return padded


def _one_step(rows, x, weightings, problem, wanted, shares):
    """Fit by one Newton step from the global model: a weighted lasso for each output."""
    link, coef, failed = _nothing_fitted(problem, x, wanted)
    for at, scored, ways in kernel_parts(rows, weightings, wanted.any(axis=1)):
        scores = (scored.indptr, scored.indices, scored.score, scored.leaf)
        for k, table in enumerate(problem.tables):
            rule = problem.rule._replace(start=np.ascontiguousarray(problem.start.coef[k]))
            how = (table, *kinds_of(ways), problem.penalties, wanted[at], shares[at], rule, problem.uses)
            link[..., k][:, at], added, bad = _kernels.head_rows(*scores, x, *how)
            coef[:, k] += added
            failed += int(bad.sum())
    return link, coef, failed


def _nothing_fitted(problem, x, wanted):
    """Return linear predictors (n_query, n_weighting, n_variant, n_outputs), coefficients and failures to write to."""
    n_outputs = len(problem.tables)
    return np.full((len(x), *wanted.shape, n_outputs), np.nan), np.zeros((len(x), n_outputs, x.shape[1])), 0


def _one_by_one(rows, x, weightings, problem, wanted, shares, anchor):
    """Fit heads without and with shapes one after the other, as they share no covariances."""
    if not (wanted & problem.shaped).any():
        return _each_weighting(rows, x, weightings, problem, wanted, shares, anchor)
    link, coef, failed = _each_weighting(rows, x, weightings, problem, wanted & problem.shaped, shares, anchor)
    columns = np.arange(problem.shapes[0])
    plain, lines = problem._of_columns(columns), wanted & ~problem.shaped
    part = _pad(x[:, columns], plain.start.coef.shape[1])
    line_link, line_coef, line_failed = _each_weighting(rows, part, weightings, plain, lines, shares, anchor)
    coef[:, :, columns] += line_coef[:, :, columns]
    return np.where(lines[:, :, None], line_link, link), coef, failed + line_failed


def _each_weighting(rows, x, weightings, problem, wanted, shares, anchor):
    """Fit to convergence; or squared losses with what a teacher says of each query as one more row of its fit."""
    link, coef, failed = _nothing_fitted(problem, x, wanted)
    table = problem.exact if anchor is None else _with_queries(problem.tables[0], x, anchor.prediction)
    for w in np.flatnonzero(wanted.any(axis=1)):
        excess, background = weigh(rows, weightings[w], problem.weight)
        how = (problem.penalties[wanted[w]], problem.rule, problem.start)
        if anchor is None:
            paths = fit_family(weight_rows(excess, background), table, problem.family, *how)
            attention = over_background(excess, background / problem.weight.sum(), problem.weight)
            predicted = _levels(problem, table, paths, attention) + np.einsum("qtkj,qj->qtk", paths.coef, x)
            keep = np.ones(paths.coef.shape[:2])
        else:
            weights = _with_anchor(excess, background, problem.weight, anchor.weight)
            paths = fit_paths(weights, table, problem.family.outcome, *how)
            predicted, keep = _within_range(weights, table, paths, x, problem.rule.max_range)
        link[:, w, wanted[w]] = predicted
        coef += np.einsum("qtkj,qt,t->qkj", paths.coef, keep, shares[w, wanted[w]])
        failed += paths.n_failed
    return link, coef, failed


def _with_queries(table: Table, x: np.ndarray, prediction: np.ndarray) -> Table:
    """Return a table with queries as rows of no prior weight, whose response is a prediction."""
    n_train, n_query = table.packed.shape[0], len(x)
    packed = np.zeros((n_train + n_query, table.packed.shape[1]))
    packed[:n_train] = table.packed
    packed[n_train:, : table.y_column] = x[:, : table.y_column]
    packed[n_train:, table.y_column] = prediction
    return table._replace(
        packed=packed, y=np.append(table.y, prediction), prior=np.append(table.prior, np.zeros(n_query))
    )


def _within_range(weights, table, paths, x, max_range):
    """Return predictions within ``max_range`` deviations of the weighted mean, and what is kept of slopes."""
    excess, share = weights.excess_matrix(table.y.size), weights.background
    mean = excess @ table.y + share * table.y_mean
    square = excess @ table.y**2 + share * (table.y_scatter + table.y_mean**2)
    columns = np.zeros(x.shape)
    columns[:, : table.y_column] = excess @ table.packed[:, : table.y_column]
    columns += share[:, None] * table.mean
    away = np.einsum("qtkj,qj->qtk", paths.coef, x - columns)
    limit = max_range * np.sqrt(np.maximum(square - mean**2, 0.0))[:, None, None] if np.isfinite(max_range) else np.inf
    keep = np.minimum(1.0, limit / np.maximum(np.abs(away), 1e-300))
    return mean[:, None, None] + keep * away, keep[:, :, 0]


def _with_anchor(excess, background, sample_weight, anchor_weight) -> WeightRows:
    """Return weights that sum to one with an anchor per query, whose rows follow those of the table."""
    extra = anchor_weight / np.sqrt(over_background(excess, background / sample_weight.sum(), sample_weight).n_eff)
    keep = sparse.diags_array(1.0 / (1.0 + extra))
    return weight_rows(
        sparse.csr_array(sparse.hstack([keep @ excess, sparse.diags_array(extra / (1.0 + extra))])),
        background / (1.0 + extra),
    )


def _levels(problem: LinearProblem, table: Table, paths: Paths, attention: Attention) -> np.ndarray:
    """Return intercepts (n_query, n_penalty, n_outputs); of survival, at which as many events are expected as seen."""
    if problem.family.has_level:
        return paths.intercept
    link = paths.coef[:, :, 0] @ table.x.T
    return problem.family.attended_level(link, attention.toarray()[:, None, :], problem.weight)


def check_table(table: Table, n_train: int, width: int) -> None:
    """Raise if a table that came from a file has other rows or columns than its model."""
    require_numbers(table.packed, n_train, table.packed.shape[-1])
    inside = 0 <= table.y_column < table.packed.shape[1] and width <= table.packed.shape[1]
    require(inside and table.packed.flags.c_contiguous, "rows are packed in another way")
    for values in (table.y, table.prior):
        require_numbers(values, n_train)
    require_numbers(table.mean, width)
    require_numbers(table.cross, width if table.cross.size else 0)
    require_numbers(table.scatter, *((width, width) if table.scatter.size else table.scatter.shape))
    require_numbers(table.inverse, n_train if table.inverse.size else 0)
    ends = (table.total, table.y_mean, table.y_scatter, table.inverse_mean)
    require(np.isfinite(ends).all() and table.total > 0, "sums of rows are wrong")
