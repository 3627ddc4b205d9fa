"""A fitted attention model, asked about queries: predictions, attention, intervals."""

from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from heedful import _blocks
from heedful._file_checks import require, require_indices, require_numbers
from heedful._flow.adaptive import Evidence, RowErrors
from heedful._flow.heads import Grid
from heedful._flow.held_out import HeldOutResiduals, HeldOutValues
from heedful._flow.importance import column_weights
from heedful._flow.intervals import Calibration, Residuals, calibrate
from heedful._flow.kinds import FittedModels, Problem, Run, View
from heedful._flow.near import can_share, near_values
from heedful._flow.parts import in_parts
from heedful._flow.predict import (
    BlockPrediction,
    Heads,
    Prediction,
    QueryBatch,
    Wanted,
    centre_outputs,
    known_attention,
    predict_blocks,
)
from heedful._flow.rows import CodedRows
from heedful._flow.spread import Columns
from heedful._flow.table import TrainingTable
from heedful._flow.tune import Tuned
from heedful._folds import Split
from heedful._responses import Response
from heedful._solver.paths import warn_unconverged
from heedful.attention import Attention

MAX_ITER = 10_000
Table: TypeAlias = pd.DataFrame | np.ndarray


class FittedAttention:
    """Global and local models, similarities and heads with their shares.

    ``evidence`` is there if each query has a mixing of its own, ``residuals`` if there are intervals. Rows are scored
    for these when the first is asked for: that takes as long as a fifth of a fit.
    """

    tuned: Tuned
    unseen: dict[str, float] | None = None
    evidence: Evidence | RowErrors | None = None
    residuals: HeldOutResiduals | None = None
    held_out: HeldOutValues | None = None
    _calibration: Calibration | None = None

    def __init__(self, models: FittedModels, problem: Problem, grid: Grid, splits: list[Split]):
        self.models, self.problem, self.grid, self.splits = models, problem, grid, splits

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes without what can be made again."""
        made = ("_calibration", "column_weight", "cache")
        return {name: value for name, value in vars(self).items() if name not in made}

    @cached_property
    def cache(self) -> dict[str, Any]:
        """What those who wanted keep of the model, as it takes a while to work out; it is neither copied nor saved."""
        return {}

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
            for values in (self.residuals.residual, self.residuals.expected):
                right = values.shape == (n_rows,) and values.dtype == np.float64
                require(right, "residuals are those of other rows")
        if self.held_out is not None:
            number, attended, plain = self.held_out
            require_indices(number, n_rows, number.size)
            right = attended.shape == plain.shape == (number.size, self.response.n_values)
            require(right, "held-out predictions are those of other rows")

    @property
    def rows(self) -> TrainingTable:
        return self.models.rows

    @property
    def response(self) -> Response:
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
        return self.grid.table(self.tuned.error, self.tuned.share)

    def read(self, table: Table) -> QueryBatch:
        """Return a checked table of queries, read once."""
        return self._batch(self.models.view(table))

    def read_rows(self, rows: CodedRows) -> QueryBatch:
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
        values, n_failed = [], 0
        for batch, part_run, _ in self._batches(table, run):
            prediction = self.predict(batch, Wanted(), part_run)
            values.append(prediction.value)
            n_failed += prediction.n_failed
        self.warn(n_failed, len(table))
        return np.concatenate(values)

    def attention(self, table: Table, run: Run) -> Attention:
        """Return the weights (n_query, n_train) that heads, blended by their shares, give to the rows as given."""
        prediction = self.predict(self.read(table), Wanted(models=False, attention=True), run)
        return self.rows.give_back(known_attention(prediction))

    @cached_property
    def column_weight(self) -> np.ndarray:
        """How much each column of the table may change predictions; 0 if it cannot."""
        return column_weights(self.models, self.problem, self.grid, self.tuned, self.base_coef)

    def calibration(self, run: Run) -> Calibration:
        """Return residuals of held-out rows as scores, and the model of the spread of queries."""
        if self.residuals is None:
            raise ValueError(
                "`predict_interval` needs predictions of held-out rows, got none: with one head and a fixed `mixing` "
                "nothing is tuned. Fit with `mixing='auto'`."
            )
        if self._calibration is None:
            attend = self.attend_left_out if self.leaves_out and self.tuned.mixing > 0 else None
            (residual, splits, expected), rows = self.residuals, self.rows
            columns = self._noise_columns(rows.codes, expected)
            known = Residuals(np.arange(residual.size), np.abs(residual), rows.weight, columns, splits)
            self._calibration = calibrate(known, attend, run.n_jobs)
        return self._calibration

    def _noise_columns(self, codes: np.ndarray, expected: np.ndarray) -> Columns:
        """Return predictors of the noise of rows: the columns of the similarities, and predictions."""
        seen, categories = self.rows.seen_codes(codes), self.rows.seen_unordered
        return Columns(np.column_stack([seen, expected]), np.append(categories, False))

    def intervals(self, table: Table, offset: np.ndarray | None, coverage: float, run: Run) -> np.ndarray:
        """Return the ends (n_query, 2) of intervals around predictions."""
        calibration, response = self.calibration(run), self.response
        quantile = calibration.quantile(coverage)
        wanted = Wanted()
        if calibration.attends:
            wanted = Wanted(summary=lambda prediction: calibration.attended(known_attention(prediction)))
        ends, n_failed = [], 0
        for batch, part_run, rows in self._batches(table, run):
            prediction, known = self.predict(batch, wanted, part_run), None if offset is None else offset[rows]
            expected = self.response.expected(prediction.value, known)[:, 0]
            width = calibration.by_columns(self._noise_columns(batch.view.codes, expected).table)
            width = width * prediction.summary if calibration.attends else width
            ends.append(response.interval(prediction.value[:, 0], known, quantile * width))
            n_failed += prediction.n_failed
        self.warn(n_failed, len(table))
        return np.concatenate(ends)

    def summarise(
        self,
        table: Table,
        summary: Callable[[QueryBatch, BlockPrediction], np.ndarray],
        bytes_per_query: int,
        run: Run,
        *,
        attends: bool = False,
    ) -> np.ndarray:
        """Return what ``summary`` makes of the models and the attention of each block of queries.

        With ``attends`` attention is that of the best head where no head is in use.
        """
        batch = self.read(table)
        wanted = Wanted(summary=partial(summary, batch), bytes_per_query=bytes_per_query)
        prediction = self.predict(batch, wanted, run, attends=attends)
        self.warn(prediction.n_failed, batch.size)
        return prediction.summary

    def left_out(self, number: np.ndarray) -> QueryBatch:
        """Return training rows, each to be left out."""
        view = self.models.train_view()._replace(x=number, base=np.zeros((number.size, 0)))
        return QueryBatch(view, [number] * len(self.grid.groups), number)

    def attend_left_out(self, number: np.ndarray) -> Attention:
        """Return the attention of training rows, each left out, over distinct rows."""
        return known_attention(self.predict(self.left_out(number), Wanted(models=False, attention=True), Run()))

    def adapt_left_out(self, number: np.ndarray, run: Run) -> np.ndarray:
        """Return the mixing of training rows, each left out."""
        return self.predict(self.left_out(number), Wanted(models=False), run).mixing

    def heads(self, keep_models: bool = False, attends: bool = False) -> Heads:
        tuned, mixing = self.tuned, self.tuned.mixing
        attention_share = tuned.share
        if mixing == 0 and (attends or self.models.attends_when_idle):
            attention_share = np.eye(self.grid.n_heads)[self.best_head]
        share = tuned.share / mixing if mixing > 0 else tuned.share
        problem = self.models.to_predict(self.problem, keep_models)
        return Heads(self.grid, problem, share, attention_share, mixing, tuned.guard, self.evidence)

    def predict(
        self, batch: QueryBatch, wanted: Wanted, run: Run, *, keep_models: bool = False, attends: bool = False
    ) -> Prediction:
        """Return what is wanted of a batch; the heads' part is the global model's where no head is used."""
        with _blocks.one_blas_thread():
            prediction = predict_blocks(batch, self.heads(keep_models, attends), wanted, run)
        if not wanted.models:
            return prediction
        if self.tuned.mixing > 0:
            return prediction._replace(
                coef=self._centred(self.models.original(prediction.coef), 1) if wanted.coef else prediction.coef
            )
        coef = np.tile(self.base_coef, (batch.size, 1, 1)) if wanted.coef else prediction.coef
        return prediction._replace(value=prediction.base, local=prediction.base, coef=coef)

    def predict_near(self, queries: CodedRows, rows: CodedRows, source: np.ndarray, run: Run) -> np.ndarray:
        """Return what is predicted of rows, each near the query that ``source`` names: from the query's own fits."""
        heads = self.heads()
        if self.tuned.mixing == 0 or not can_share(heads):
            return self.predict(self.read_rows(rows), Wanted(), run).value
        order, n_query = np.argsort(source, kind="stable"), len(queries.codes)
        # read together: what it takes to read few rows is the same for one and for many
        batch = self.read_rows(queries.beside(rows))
        with _blocks.one_blas_thread():
            parts = batch.take(slice(0, n_query)), batch.take(n_query + order)
            local = near_values(*parts, source[order], heads, run)
        values = np.empty(local.shape)
        values[order] = local
        return (1 - heads.mixing) * batch.view.base[n_query:] + heads.mixing * values

    def _parts(self, table: Table, run: Run) -> Any:
        # codes, design and what local models take; coefficients are let go of block by block
        n_numbers = 4 * table.shape[1] + 4 * len(self.models.names) + len(self.grid.groups) + self.response.n_values
        return in_parts(table, 8 * n_numbers, run.verbose)

    def _batches(self, table: Table, run: Run) -> Iterator[tuple[QueryBatch, Run, slice]]:
        """Yield a table in parts, read, with how much each shows and its place in the table."""
        n_done = 0
        for part, verbose in self._parts(table, run):
            batch = self.read(part)
            yield batch, run._replace(verbose=verbose), slice(n_done, n_done + batch.size)
            n_done += batch.size

    def warn(self, n_failed: int, n_query: int) -> None:
        """Warn once of local fits that did not converge."""
        warn_unconverged(n_failed, n_query * int((self.tuned.share > 0).sum()), MAX_ITER)
