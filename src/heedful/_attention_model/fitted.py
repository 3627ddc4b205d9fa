"""A fitted attention model, asked about queries: predictions, attention, local models, intervals, explanations."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_consistent_length

from heedful import _blocks
from heedful._attention_model.around import column_weights
from heedful._attention_model.attribution import Game, add_at_places, drop_noise
from heedful._attention_model.centred import centre_outputs
from heedful._attention_model.effects import explained_effects
from heedful._attention_model.held_out import read_held_out
from heedful._attention_model.moves import Moves
from heedful._attention_model.parts import in_parts
from heedful._attention_model.plain import tell_coding
from heedful._attention_model.pool import Pool
from heedful._attention_model.queries import Answer, Ask, BlockAnswer, Heads, QueryBatch, answer, known_attention
from heedful._attention_model.shapley import shapley_values
from heedful._attention_model.small import SmallModels, fit_small
from heedful._attention_model.tables import GlobalCoef, LocalModels, explain_models, shape_tables, table_models
from heedful._attention_model.what_if import WhatIf
from heedful._file_checks import require, require_indices, require_numbers
from heedful._intervals.calibration import Calibration, Residuals, calibrate
from heedful._intervals.spread import Columns
from heedful._models.protocol import FittedModels, Problem, Run, View
from heedful._responses import Measured, Response, with_offset
from heedful._solver import warn_unconverged
from heedful._training_table import TrainingTable
from heedful._tuning.adaptive import Evidence, RowErrors
from heedful._tuning.grid import Grid
from heedful._tuning.guard import mean_gain
from heedful._tuning.shares import OutOfFold
from heedful._tuning.tune import Tuned
from heedful.attention import Attention
from heedful.baseline._folds import Split
from heedful.explain import Explanation
from heedful.explain._attribution import Attribution, Pending

MAX_ITER = 10_000
# Queries beyond what contributions were checked on of which the model itself is asked: at most, and of a hundred.
MOST_ASKED, ASKED_OF_HUNDRED = 10, 5
# Of fewer queries nobody can say which of two models is better.
FEWEST_JUDGED = 10
Table: TypeAlias = pd.DataFrame | np.ndarray


class UnseenResiduals(NamedTuple):
    """What models that did not see a training row leave of its response, and what they expected; NaN if there is none.

    With ``splits`` a row is compared with those of its training part only. Files of before know no expectations.
    """

    residual: np.ndarray
    splits: list[Split]
    expected: np.ndarray = np.empty(0)


class HeldOutValues(NamedTuple):
    """What models that did not see training rows, by number, predict of them: with attention and for all rows."""

    number: np.ndarray
    own: np.ndarray
    plain: np.ndarray


class FittedAttention:
    """Global and local models, similarities and heads with their shares.

    ``evidence`` is there if each query has a mixing of its own, ``residuals`` if there are intervals. Rows are scored
    for these when the first is asked for: that takes as long as a fifth of a fit.
    """

    tuned: Tuned
    unseen: dict[str, float] | None = None
    evidence: Evidence | RowErrors | None = None
    residuals: UnseenResiduals | None = None
    held_out: HeldOutValues | None = None
    _calibration: Calibration | None = None
    _game: Game | None = None
    _moves: Moves | None = None
    _column_weight: np.ndarray | None = None

    def __init__(self, models: FittedModels, problem: Problem, grid: Grid, splits: list[Split]):
        self.models, self.problem, self.grid, self.splits = models, problem, grid, splits

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes without what can be made again."""
        made = ("_game", "_calibration", "_moves", "_column_weight")
        return {name: value for name, value in vars(self).items() if name not in made}

    def check_loaded(self) -> None:
        """Raise if parts that came from a file do not suit each other: kernels take them as they are."""
        n_rows = self.rows.weight.size
        require_numbers(self.tuned.share, self.grid.n_heads)
        require((self.tuned.share >= 0).all() and 0 <= self.tuned.guard <= 1, "shares are wrong")
        for similarity in self.grid.similarities:
            known = (getattr(similarity, name, None) for name in ("_n_train", "leaves_", "X_"))
            sizes = [entry if isinstance(entry, int) else np.shape(entry)[0] for entry in known if entry is not None]
            require(all(size == n_rows for size in sizes), "a similarity has other rows")
        weight = getattr(self.problem, "weight", None)
        require(weight is None or np.size(weight) == n_rows, "local models have other rows")
        if self.residuals is not None:
            residual, _, expected = self.residuals
            for values in (residual, expected) if expected.size else (residual,):
                right = values.shape == (n_rows,) and values.dtype == np.float64
                require(right, "residuals are those of other rows")
        if self.held_out is not None:
            number, own, plain = self.held_out
            require_indices(number, n_rows, number.size)
            right = own.shape == plain.shape == (number.size, self.response.n_values)
            require(right, "held-out predictions are those of other rows")

    @property
    def rows(self) -> TrainingTable:
        """The training rows."""
        return self.models.rows

    @property
    def response(self) -> Response:
        """The kind of response."""
        return self.models.response

    @property
    def leaves_out(self) -> bool:
        """Whether similarities can leave out a training row."""
        return all(entry.leaves_out for entry in self.grid.similarities)

    @property
    def best_head(self) -> int:
        """The head with the largest share, or the one with the smallest error if none is in use."""
        tuned = self.tuned
        return int(np.argmax(tuned.share) if tuned.share.any() else np.argmin(np.nan_to_num(tuned.error)))

    def heads_table(self) -> pd.DataFrame:
        """Return one row per head tried."""
        return self.grid.table(self.tuned.error, self.tuned.share)

    def read(self, table: Table) -> QueryBatch:
        """Return a checked table of queries, read once."""
        return self._batch(self.models.view(table))

    def read_rows(self, rows: Pool) -> QueryBatch:
        """Return rows that were read already."""
        return self._batch(self.models.view_of(rows.codes, rows.given))

    def _batch(self, view: View) -> QueryBatch:
        view = view._replace(base=self._base(view))
        return QueryBatch(view, self.models.seen(view, [entry.takes for entry in self.grid.similarities]))

    def _base(self, view: View) -> np.ndarray:
        """Return what the global model predicts: the lasso, or a blend of it with the additive and the smooth model."""
        base = (1 - self.tuned.additive - self.tuned.smooth) * view.base
        for share, values in ((self.tuned.additive, view.additive), (self.tuned.smooth, view.smooth)):
            base = base if values is None else base + share * values
        return base

    @property
    def base_coef(self) -> np.ndarray:
        """Return the coefficients (n_outputs, n_columns) of the global model; those of shapes come last."""
        return self._centred(self.fitted_coef, 0)

    @property
    def fitted_coef(self) -> np.ndarray:
        """Return the coefficients of the global model as they were fitted: those of classes have any sum."""
        models, share = self.models, self.tuned.additive
        if models.shapes is None:
            return models.coef
        return np.hstack([(1 - share) * models.coef, share * np.eye(len(models.coef))])

    @property
    def base_intercept(self) -> np.ndarray | None:
        """Return the intercepts (n_outputs,) of the global model, where it has any."""
        models, share = self.models, self.tuned.additive
        if models.intercept is None:
            return None
        start = models.intercept if models.shapes is None else models.shapes.start
        level = 0.0 if models.smooth is None else self.tuned.smooth * models.smooth.level
        return self._centred((1 - share) * models.intercept + share * start + level, 0)

    def _centred(self, values: np.ndarray, axis: int) -> np.ndarray:
        """Return slopes or intercepts of classes with a sum of zero; importances as they are."""
        return centre_outputs(values, axis) if self.models.linear else values

    def values(self, table: Table, run: Run) -> np.ndarray:
        """Return the predictions of queries, as blended; however many, they are not held all at once."""
        if self.tuned.mixing == 0:
            alone = self.tuned.additive == self.tuned.smooth == 0
            base = self.models.base_values if alone else lambda part: self._base(self.models.view(part))
            return np.concatenate([base(part) for part, _ in self._parts(table, run)])
        return self._in_parts(table, Ask(), run, lambda found, *_: found.value)

    def attention(self, table: Table, run: Run) -> Attention:
        """Return the weights (n_query, n_train) that heads, blended by their shares, give to the rows as given."""
        found = self.ask(self.read(table), Ask(models=False, attention=True), run)
        return self.rows.give_back(known_attention(found))

    @property
    def moves(self) -> Moves:
        """How columns move around a query."""
        if self._moves is None:
            self._moves = Moves(self.rows)
        return self._moves

    @property
    def column_weight(self) -> np.ndarray:
        """How much each column of the table may change predictions; 0 if it cannot."""
        if self._column_weight is None:
            self._column_weight = column_weights(self)
        return self._column_weight

    def columns_to_move(self, most: int) -> np.ndarray:
        """Return the columns of the table that can change a prediction, at most so many: the most important ones."""
        weight = self.column_weight
        used = np.flatnonzero(weight > 0) if weight.any() else np.arange(1)
        return np.sort(used[np.argsort(-weight[used], kind="stable")[:most]])

    def local_models(self, table: Table, max_terms: int, keep_models: bool, run: Run) -> LocalModels:
        """Return the small model of each query, and the global, the local and the blended one."""
        batch = self.read(table)
        found = self.ask(batch, Ask(coef=True), run, keep_models=keep_models)
        self.warn(found.n_failed, batch.size)
        small = self._small_models(table, batch, found, max_terms, run)
        tables = self._tables(table, batch, found, small)
        return tables._replace(values=self._given(table), coding=tell_coding(self.models))

    def _small_models(self, table: Table, batch: QueryBatch, found: Answer, most: int, run: Run) -> SmallModels | None:
        """Return the small models of queries; None where the models have no slopes of the table's columns."""
        if not self.models.by_column:
            return None
        return fit_small(self, batch.view.codes, self.models.given_rows(table), found.value, most, run)

    def explain(
        self,
        table: Table,
        y: Any,
        offset: np.ndarray | None,
        method: str,
        max_terms: int,
        run: Run,
    ) -> Explanation:
        """Return what the predictions of queries were made of; with ``y`` also how good they are."""
        # contributions are worked out later, of the queries as they are now
        table = table.copy()
        batch = self.read(table)
        found = self.ask(batch, Ask(coef=True, attention=True), run)
        self.warn(found.n_failed, batch.size)
        small = self._small_models(table, batch, found, max_terms, run)
        tables = self._tables(table, batch, found, small, offset)
        losses = {} if y is None else self._losses(y, offset, found)
        known, mass = known_attention(found), self.rows.weight.mean()
        work = partial(self._attribute, table, batch, found, method, run)
        shown = {
            "mean": known @ self.models.train_design() / mass,
            "attention": self.rows.give_back(known),
            "train": self.models.train_frame(),
            "heads": self.heads_table(),
            "context": self.rows.context(batch.view.codes, tables.coef.index),
            "train_context": self.rows.given_context(),
            "values": self._given(table),
            "train_values": self.rows.given_values(),
            "sources": self._sources(),
            "attribution": Pending(work),
            "ask": WhatIf(self, batch.view.codes, self.models.given_rows(table), offset, run._replace(verbose=0)),
            "seen": pd.Series(are_rows_of(batch.view.codes, self.rows.codes), tables.coef.index, name="seen"),
        }
        if small is not None:
            shown["tell_effects"] = partial(
                explained_effects, self, found, batch.view.codes, small.effect, tables.coef.index
            )
        shown |= shape_tables(self.models, tables, self.base_coef) | losses
        if self.held_out is not None and self.response.task != "effect":
            shown["held_out"] = read_held_out(self)
        if offset is not None:
            shown["offset"] = pd.Series(offset, tables.coef.index, name="offset")
        return explain_models(tables, self.response, shown)

    def game(self, run: Run) -> Game:
        """Return the model as a function of its columns, made once: it does not depend on the queries."""
        if self._game is None:
            self._game = Game(self, run)
        return self._game

    def _attribute(self, table: Table, batch: QueryBatch, found: Answer, method: str, run: Run) -> Attribution:
        """Return what each column of the table adds to the predictions of queries."""
        game, link = self.game(run._replace(verbose=0)), self.problem.family.link_of(found.value)
        models = self.models
        queries = Pool(self.rows.read(table), models.given_rows(table), models.given_columns)
        error, checked = None, np.ones(batch.size, dtype=bool)
        if method == "fast":
            total, far = game.judged(batch, queries.codes, link)
            checked, asked = far <= 1.0, worst_of(far, 0 if models.slow else MOST_ASKED)
            if asked.size:
                part = queries.take(asked)
                total[asked] = shapley_values(game, self.read_rows(part), part, link[asked])[0]
                checked[asked] = True
        else:
            total, error = shapley_values(game, batch, queries, link)
        total = drop_noise(total, total, link)
        mixing = found.mixing[:, None, None]
        both = (1 - mixing) * self.base_coef + mixing * found.coef
        terms = game.model_terms(batch.view, *np.split(both, [len(models.names)], axis=2))
        if terms is None:
            return Attribution(game.compared.base, total, None, None, error, checked)
        if self.tuned.mixing == 0:
            # one model for all rows: nothing comes through attention
            rest = (total - terms.columns)[:, :, self.rows.model_columns]
            levels = add_at_places(self.rows, batch.view.codes, terms.levels, rest)
            return Attribution(game.compared.base, total, total, levels, error, checked)
        smooth = (1 - mixing) * game.smooth_terms(queries.codes, link.shape)
        model = total - drop_noise(total - terms.columns - smooth, total, link)
        levels = add_at_places(self.rows, batch.view.codes, terms.levels, smooth[:, :, self.rows.model_columns])
        return Attribution(game.compared.base, total, model, levels, error, checked)

    def _given(self, table: Table) -> pd.DataFrame:
        """Return queries as they were given, under the names of the training rows' columns."""
        names = self.rows.reader.names
        return table.set_axis(names, axis=1) if isinstance(table, pd.DataFrame) else pd.DataFrame(table, columns=names)

    def _sources(self) -> pd.Series:
        """Return the column of the table that each column of the models comes from; trees come from none."""
        rows, models = self.rows, self.models
        if models.by_column:
            names = np.asarray(rows.plain_names, dtype=object)[rows.model_sources]
        else:
            known = set(rows.reader.names)
            names = [name if name in known else None for name in models.names]
        return pd.Series(names, models.names, dtype=object, name="source")

    def calibration(self, run: Run) -> Calibration:
        """Return residuals of unseen rows as scores, and what tells the spread of queries."""
        if self.residuals is None:
            raise ValueError(
                "`predict_interval` needs predictions of left-out rows, and a fit with a fixed `mixing` of one head "
                "makes none: nothing was to be chosen. Fit with `mixing='auto'`."
            )
        if self._calibration is None:
            attend = self.attend_left_out if self.leaves_out and self.tuned.mixing > 0 else None
            (residual, splits, expected), rows = self.residuals, self.rows
            columns = self._noise_columns(rows.codes, expected)
            known = Residuals(np.arange(residual.size), np.abs(residual), rows.weight, columns, splits)
            self._calibration = calibrate(known, attend, run.n_jobs)
        return self._calibration

    def _noise_columns(self, codes: np.ndarray, expected: np.ndarray) -> Columns:
        """Return what may tell the noise of rows: the columns that similarities see, and the prediction if known."""
        seen, categories = self.rows.seen_codes(codes), self.rows.seen_unordered
        if self.residuals is None or not self.residuals.expected.size:
            return Columns(seen, categories)
        return Columns(np.column_stack([seen, expected]), np.append(categories, False))

    def intervals(self, table: Table, offset: np.ndarray | None, coverage: float, run: Run) -> np.ndarray:
        """Return the ends (n_query, 2) of intervals around predictions."""
        calibration, response = self.calibration(run), self.response
        if not isinstance(response, Measured):
            raise TypeError(f"Responses of task {response.task!r} have no intervals.")

        def ends(found: Answer, batch: QueryBatch, rows: slice) -> np.ndarray:
            own = None if offset is None else offset[rows]
            expected = self.response.expected(found.value, own)[:, 0]
            width = calibration.by_columns(self._noise_columns(batch.view.codes, expected).table)
            width = width * found.summary if calibration.attends else width
            return response.around(found.value[:, 0], own, reach * width)

        reach = calibration.reach(coverage)
        ask = Ask(summary=partial(_attended_block, calibration)) if calibration.attends else Ask()
        return self._in_parts(table, ask, run, ends)

    def summarise(
        self,
        table: Table,
        summary: Callable[[QueryBatch, BlockAnswer], np.ndarray],
        bytes_per_query: int,
        run: Run,
        *,
        attends: bool = False,
    ) -> np.ndarray:
        """Return what ``summary`` makes of the models and the attention of each block of queries.

        With ``attends`` attention is that of the best head where no head is in use.
        """
        batch = self.read(table)
        ask = Ask(summary=partial(summary, batch), bytes_per_query=bytes_per_query)
        found = self.ask(batch, ask, run, attends=attends)
        self.warn(found.n_failed, batch.size)
        return found.summary

    def left_out(self, number: np.ndarray) -> QueryBatch:
        """Return training rows, each to be left out."""
        view = self.models.train_view()._replace(x=number, base=np.zeros((number.size, 0)))
        return QueryBatch(view, [number] * len(self.grid.groups), number)

    def attend_left_out(self, number: np.ndarray) -> Attention:
        """Return the attention of training rows, each left out, over distinct rows."""
        return known_attention(self.ask(self.left_out(number), Ask(models=False, attention=True), Run()))

    def adapt_left_out(self, number: np.ndarray, run: Run) -> np.ndarray:
        """Return the mixing of training rows, each left out."""
        return self.ask(self.left_out(number), Ask(models=False), run).mixing

    def heads(self, keep_models: bool = False, attends: bool = False) -> Heads:
        """Return the heads in use."""
        tuned, mixing = self.tuned, self.tuned.mixing
        heed = tuned.share
        if mixing == 0 and (attends or self.models.attends_when_idle):
            heed = np.eye(self.grid.n_heads)[self.best_head]
        share = tuned.share / mixing if mixing > 0 else tuned.share
        problem = self.models.to_predict(self.problem, keep_models)
        return Heads(self.grid, problem, share, heed, mixing, tuned.guard, self.evidence)

    def ask(self, batch: QueryBatch, ask: Ask, run: Run, *, keep_models: bool = False, attends: bool = False) -> Answer:
        """Return what is asked of a batch; the heads' part is the global model's where no head is used."""
        with _blocks.one_blas_thread():
            found = answer(batch, self.heads(keep_models, attends), ask, run)
        if not ask.models:
            return found
        if self.tuned.mixing > 0:
            return found._replace(coef=self._centred(self.models.original(found.coef), 1) if ask.coef else found.coef)
        coef = np.tile(self.base_coef, (batch.size, 1, 1)) if ask.coef else found.coef
        return found._replace(value=found.base, local=found.base, coef=coef)

    def _parts(self, table: Table, run: Run) -> Any:
        # codes, design and what local models take; coefficients are let go of block by block
        n_numbers = 4 * table.shape[1] + 4 * len(self.models.names) + len(self.grid.groups) + self.response.n_values
        return in_parts(table, 8 * n_numbers, run.verbose)

    def _in_parts(
        self, table: Table, ask: Ask, run: Run, read: Callable[[Answer, QueryBatch, slice], np.ndarray]
    ) -> np.ndarray:
        """Return what is read off the answers to a table that comes in parts, each with its place in the table."""
        parts, n_failed, n_done = [], 0, 0
        for part, verbose in self._parts(table, run):
            batch = self.read(part)
            found = self.ask(batch, ask, run._replace(verbose=verbose))
            parts.append(read(found, batch, slice(n_done, n_done + batch.size)))
            n_done += batch.size
            n_failed += found.n_failed
        self.warn(n_failed, len(table))
        return np.concatenate(parts)

    def warn(self, n_failed: int, n_query: int) -> None:
        """Warn once of local fits that did not converge."""
        warn_unconverged(n_failed, n_query * int((self.tuned.share > 0).sum()), MAX_ITER)

    def _tables(
        self,
        table: Table,
        batch: QueryBatch,
        found: Answer,
        small: SmallModels | None = None,
        offset: np.ndarray | None = None,
    ) -> LocalModels:
        index = table.index if isinstance(table, pd.DataFrame) else pd.RangeIndex(batch.size)
        design = self.models.design(table, batch.view)
        base = GlobalCoef(self.base_intercept, self.base_coef, self.tuned.smooth)
        return table_models(index, self.models, self.problem.family, design, batch.view, base, found, small, offset)

    def _losses(self, y: Any, offset: np.ndarray | None, found: Answer) -> dict[str, Any]:
        """Return the response of queries under their labels, and the losses of the blend and of the global model."""
        encoded = with_offset(self.response.encode(y), offset)
        check_consistent_length(found.value, encoded)
        family = self.problem.family.new_rows(encoded)
        own, plain = (family.observed(part) for part in (found.value, found.base))
        rows = OutOfFold(np.empty((own.size, 0)), plain, family, np.ones(own.size))
        error = mean_gain(rows, own, reported=True)[1] if own.size >= FEWEST_JUDGED else np.inf
        losses = {"loss": family.reported(own), "baseline_loss": family.reported(plain)}
        alone = family.reported_alone()
        return {"y": y, **losses, **({} if alone is None else {"null_loss": alone}), "loss_error": error}


def are_rows_of(codes: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Return whether rows of codes are among known ones, cell by cell; missing cells are equal."""
    # adding 0 turns -0 into 0, and one pattern of bits stands for all missing cells
    keys = (np.ascontiguousarray(np.where(np.isnan(part), np.nan, part) + 0.0) for part in (codes, known))
    own, others = ({} if not part.size else [row.tobytes() for row in part] for part in keys)
    found = set(others)
    return np.array([row in found for row in own], dtype=bool) if own else np.zeros(len(codes), dtype=bool)


def worst_of(far: np.ndarray, most: int) -> np.ndarray:
    """Return the queries that are farthest beyond what is known: so many, and of a hundred queries so many, at most."""
    number = min(most, -(-far.size * ASKED_OF_HUNDRED // 100))
    order = np.argsort(-far, kind="stable")[:number]
    return np.sort(order[far[order] > 1.0])


def _attended_block(calibration: Calibration, found: BlockAnswer) -> np.ndarray:
    return calibration.attended(known_attention(found))
