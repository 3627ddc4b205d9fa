"""What each column of the table adds to a prediction, from the mean over the training rows: Shapley values.

The linear predictor f of a query is the value of all of its cells together; that of some of them is the mean of f over
rows that have these cells from the query and the others from a training row. f is a sum of one function per column (the
lasso and the curves) and of a rest; trees are fitted to the rest, on rows mixed of two training rows. Shapley values of
the first are what the functions say, those of the trees are exact. What the trees miss of a query is known, and is
spread over the columns by how much the rest depends on each. Trees of the smooth model alone say what is its own part.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from heedful._flow import (
    CodedRows,
    FittedAttention,
    FittedModels,
    QueryBatch,
    Run,
    TrainingTable,
    View,
    Wanted,
    centre_outputs,
)
from heedful._trees import Binned, Bins, LeafTables, Surrogate, fit_surrogate

# Mixed rows on which trees are fitted, by the number of training rows; and training rows that a query is compared with.
FEWEST_MIXED, MIXED_PER_ROW, MOST_MIXED, MOST_COMPARED = 1000, 5, 4000, 2000
# The same where each row takes a fit of any learner.
SLOW_MIXED, SLOW_COMPARED = 300, 80
# Rows on which it is seen how much the rest depends on each column.
LOOKED_AT = 200
# One mixed row in so many is kept from the trees to see what they leave; a query of which they leave so many times
# more, and this part of what columns add, is beyond what they were checked on.
ONE_IN, FAR, LEAST_LEFT = 10, 3.0, 0.02
# Cells of mixed rows that are held at a time.
MOST_CELLS = 4_000_000
# What is below this part of the largest contribution, or of the linear predictor, is rounding.
NOISE, ROUNDING = 1e-12, 1e-14
SEED = 0


class Terms(NamedTuple):
    """What columns add by slopes and curves, less the mean over the training rows.

    By column of the table (n_rows, n_outputs, n_columns), and by column of the design.
    """

    columns: np.ndarray
    levels: np.ndarray


class Compared(NamedTuple):
    """Training rows that queries are compared with: their share, linear predictor, and the means of their models."""

    rows: CodedRows
    share: np.ndarray
    link: np.ndarray
    coef: np.ndarray
    multiple: np.ndarray
    design: np.ndarray
    curves: np.ndarray

    @property
    def base(self) -> np.ndarray:
        return self.share @ self.link


class ValueFunction:
    """A fitted model as a function of coalitions of the table's columns, the players, with trees that stand for it."""

    def __init__(self, fitted: FittedAttention, run: Run):
        self.fitted, self.run, models = fitted, run, fitted.models
        train = CodedRows(models.train_codes(), models.train_given(fitted.problem), models.given_columns)
        most = SLOW_COMPARED if models.slow else MOST_COMPARED
        self.compared = self._compare(train, *systematic(fitted.rows.weight, most))
        reader, weight = fitted.rows.reader, fitted.rows.weight
        # without attention only columns that the models use add anything
        self.idle = np.zeros(len(reader.names), dtype=bool)
        if fitted.tuned.mixing == 0 and models.by_column:
            self.idle = ~np.isin(np.arange(self.idle.size), fitted.rows.model_columns)
        self.bins = Bins().fit(np.where(self.idle, 0.0, train.codes), reader.unordered, weight)
        n_mixed = SLOW_MIXED if models.slow else min(MOST_MIXED, FEWEST_MIXED + MIXED_PER_ROW * weight.size)
        n_columns = train.codes.shape[1]
        mixed = mix_rows(weight, n_columns, n_mixed)
        self.trees = self._fit_trees(mixed, train, self.rest)
        self.smooth_trees = self._fit_trees(mixed, train, self.smooth_part) if fitted.tuned.smooth > 0 else []
        missed = self.missed_of(train, mix_rows(weight, n_columns, n_mixed // ONE_IN, SEED + 1))
        self.usually_missed = np.sqrt((missed**2).mean(axis=0))
        codes = self.binned(self.compared.rows.codes)
        self.tables: list[LeafTables] = [tree.leaf_tables(codes, self.compared.share) for tree in self.trees]
        self.smooth_tables = [tree.leaf_tables(codes, self.compared.share) for tree in self.smooth_trees]
        seen = codes[:: -(-len(codes) // LOOKED_AT)]
        self.reliance = np.stack([np.abs(table.values(seen)).mean(axis=0) for table in self.tables])

    def _compare(self, train: CodedRows, chosen: np.ndarray, share: np.ndarray) -> Compared:
        """Return the chosen training rows with their linear predictors and the mean of their models."""
        fitted, rows, links = self.fitted, train.take(chosen), []
        models, n_names = fitted.models, len(fitted.models.names)
        coef = design = curves = np.zeros(1)
        step = self._rows_at_a_time()
        for start in range(0, chosen.size, step):
            part = slice(start, start + step)
            batch = fitted.read_rows(rows.take(part))
            prediction = fitted.predict(batch, Wanted(coef=models.by_column), self.run)
            links.append(fitted.problem.family.link_of(prediction.value))
            if models.by_column:
                shares, mixing = share[part], prediction.mixing[:, None, None]
                coef = coef + np.tensordot(shares, (1 - mixing) * fitted.base_coef + mixing * prediction.coef, 1)
                design = design + shares @ batch.view.design
                curves = curves + np.tensordot(shares, curve_parts(models, batch.view), 1)
        slopes = np.split(coef, [n_names], axis=1) if models.by_column else [coef, coef]
        return Compared(rows, share, np.concatenate(links), slopes[0], slopes[1], design, curves)

    def _fit_trees(
        self, source: np.ndarray, train: CodedRows, function: Callable[[CodedRows], np.ndarray]
    ) -> list[Surrogate]:
        """Fit trees to a function of mixed rows (n_rows, n_outputs): one ensemble for each output."""
        codes, values = [], []
        for part in self._cut(source):
            mixed = train.mix(part)
            codes.append(mixed.codes)
            values.append(function(mixed))
        rows = self._bin(np.vstack(codes))
        return [fit_surrogate(rows, column, SEED) for column in np.vstack(values).T]

    def _rows_at_a_time(self) -> int:
        return max(64, MOST_CELLS // (len(self.fitted.models.names) + len(self.fitted.rows.reader.names)))

    def _cut(self, source: np.ndarray) -> list[np.ndarray]:
        return np.split(source, range(self._rows_at_a_time(), len(source), self._rows_at_a_time()))

    def binned(self, codes: np.ndarray) -> np.ndarray:
        return self._bin(codes).codes

    def _bin(self, codes: np.ndarray) -> Binned:
        return self.bins.transform(np.where(self.idle, 0.0, codes))

    def rest(self, rows: CodedRows) -> np.ndarray:
        """Return the difference of the linear predictors of rows from the global model (n_rows, n_outputs)."""
        batch = self.fitted.read_rows(rows)
        link = self.fitted.problem.family.link_of(self.fitted.predict(batch, Wanted(), self.run).value)
        return link - self.global_terms(batch.view, link.shape).sum(axis=2)

    def smooth_part(self, rows: CodedRows) -> np.ndarray:
        """Return what the smooth model adds to the linear predictors of the global model (n_rows, n_outputs)."""
        models = self.fitted.models
        if models.smooth is None:
            return np.zeros((len(rows.codes), len(models.coef)))
        return self.fitted.tuned.smooth * models.smooth.added(models.view_of(rows.codes, rows.given).x)

    def smooth_terms(self, codes: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        """Return what columns add by the smooth model in the global one (n_rows, n_outputs, n_columns)."""
        if not self.smooth_tables:
            return np.zeros((*shape, codes.shape[1]))
        binned = self.binned(codes)
        return np.stack([table.values(binned) for table in self.smooth_tables], axis=1)

    def missed_of(self, rows: CodedRows, source: np.ndarray) -> np.ndarray:
        """Return what global model and trees leave of the linear predictors of rows mixed from others."""
        # rows that come again, as all of the query's cells do, are asked about once
        cells = source if rows.given is not None else np.take_along_axis(rows.codes, source, axis=0)
        _, first, again = np.unique(cells, axis=0, return_index=True, return_inverse=True)
        parts = []
        for part in self._cut(source[first]):
            mixed = rows.mix(part)
            codes = self.binned(mixed.codes)
            parts.append(self.rest(mixed) - np.column_stack([tree.predict(codes) for tree in self.trees]))
        return np.vstack(parts)[again.ravel()]

    def global_terms(self, view: View, shape: tuple[int, ...]) -> np.ndarray:
        """Return what columns add in the global model (n_rows, n_outputs, n_columns), less means; 0 without slopes."""
        if not self.fitted.models.by_column:
            return np.zeros((*shape, len(self.fitted.rows.reader.names)))
        coef, multiple = np.split(self.fitted.base_coef, [len(self.fitted.models.names)], axis=1)
        return self.terms(view, coef[None], multiple[None]).columns

    def model_terms(self, view: View, coef: np.ndarray, multiple: np.ndarray) -> Terms | None:
        """Return what columns add by the mean of the query's own model and of the models of all rows."""
        if not self.fitted.models.by_column:
            return None
        compared = self.compared
        return self.terms(view, (coef + compared.coef) / 2, (multiple + compared.multiple) / 2)

    def terms(self, view: View, coef: np.ndarray, multiple: np.ndarray) -> Terms:
        """Return what columns add under slopes and multiples of the curves (n_rows or 1, n_outputs, ...)."""
        models, compared = self.fitted.models, self.compared
        rows, away = models.rows, view.design - compared.design
        levels = coef * away[:, None, :]
        sources, columns = rows.model_sources, rows.model_columns
        total = np.zeros((*levels.shape[:2], len(rows.reader.names)))
        starts = np.flatnonzero(np.diff(sources, prepend=-1))
        total[:, :, columns] = np.add.reduceat(levels, starts, axis=2)
        if models.shapes is not None:
            apart = curve_parts(models, view) - compared.curves
            bent = np.einsum("qkl,qjl->qkj", np.broadcast_to(multiple, (len(apart), *multiple.shape[1:])), apart)
            total[:, :, columns] += bent
            levels = add_at_places(rows, view.codes, levels, bent)
        return Terms(total, levels)

    def known_values(self, batch: QueryBatch, codes: np.ndarray, shape: tuple[int, ...]) -> tuple[Any, Any]:
        """Return Shapley values of the global model and of the trees (n_query, n_outputs, n_columns)."""
        binned = self.binned(codes)
        return self.global_terms(batch.view, shape), np.stack([table.values(binned) for table in self.tables], axis=1)

    def fast(self, batch: QueryBatch, codes: np.ndarray, link: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return what columns add to the linear predictors of queries (n_query, n_outputs, n_columns), and how far off.

        That is how far each query is beyond what the trees were checked on: more than 1 is.
        """
        plain, bent = self.known_values(batch, codes, link.shape)
        left = np.abs(link - self.compared.base - (plain + bent).sum(axis=2))
        bound = np.maximum(FAR * self.usually_missed, LEAST_LEFT * np.abs(plain + bent).sum(axis=2))
        far = (left / np.maximum(bound, NOISE * (1.0 + np.abs(link)))).max(axis=1)
        total = close(plain + bent, np.abs(bent) + self.reliance, link - self.compared.base)
        # Shapley values of linear predictors that sum to zero over classes do too
        return centre_outputs(total, 1), far


def close(values: np.ndarray, spread: np.ndarray, total: np.ndarray) -> np.ndarray:
    """Return values (..., n_columns) that add up to ``total``: what is missing is shared out by a spread."""
    # what rounding leaves has to go somewhere even if nothing has a share in it
    spread = np.where(spread.sum(axis=-1, keepdims=True) > 0, spread, np.abs(values))
    spread = np.where(spread.sum(axis=-1, keepdims=True) > 0, spread, 1.0)
    share = spread / spread.sum(axis=-1, keepdims=True)
    return values + share * (total - values.sum(axis=-1))[..., None]


def drop_noise(values: np.ndarray, whole: np.ndarray, link: np.ndarray) -> np.ndarray:
    """Return values (..., n_columns) with zeros for what is rounding, measured by the largest of the whole."""
    smallest = NOISE * np.abs(whole).max(axis=-1) + ROUNDING * np.abs(link)
    return np.where(np.abs(values) > smallest[..., None], values, 0.0)


def add_at_places(rows: TrainingTable, codes: np.ndarray, levels: np.ndarray, added: np.ndarray) -> np.ndarray:
    """Return what columns of the design add, with more of the models' columns at the levels that rows have."""
    place = np.broadcast_to(rows.model_places(codes)[:, None, :], added.shape)
    total = levels.copy()
    np.put_along_axis(total, place, np.take_along_axis(levels, place, axis=2) + added, axis=2)
    return total


def curve_parts(models: FittedModels, view: View) -> np.ndarray:
    """Return what the curves of the additive model add (n_rows, n_columns, n_outputs); nothing without any."""
    if models.shapes is None:
        return np.zeros((len(view.design), 0, len(models.coef)))
    return models.shape_parts(view.codes)


def systematic(weight: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and their shares of one: all of them, or as many as may be, at equal steps of the weight."""
    if weight.size <= most:
        return np.arange(weight.size), weight / weight.sum()
    reached = np.cumsum(weight) / weight.sum()
    drawn = np.searchsorted(reached, (np.arange(most) + 0.5) / most)
    rows, times = np.unique(np.minimum(drawn, weight.size - 1), return_counts=True)
    return rows, times / most


def mix_rows(weight: np.ndarray, n_columns: int, n_mixed: int, seed: int = SEED) -> np.ndarray:
    """Return for each cell of mixed rows one of two training rows; each number of columns of the first is as likely."""
    drawn = np.random.RandomState(seed)
    first, second = drawn.choice(weight.size, (2, n_mixed, 1), p=weight / weight.sum())
    order = np.argsort(drawn.random_sample((n_mixed, n_columns)), axis=1)
    return np.where(order < drawn.randint(0, n_columns + 1, (n_mixed, 1)), first, second)


def value_function_of(model: FittedAttention, run: Run) -> ValueFunction:
    """Return the value function of a model, made once: it does not depend on the queries."""
    if "value_function" not in model.cache:
        model.cache["value_function"] = ValueFunction(model, run)
    return model.cache["value_function"]
