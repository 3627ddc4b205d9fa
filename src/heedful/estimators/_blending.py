"""From queries to blended values: what a fitted model says of rows, and which training rows it attends to."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from heedful import _blocks
from heedful._models.blocks import Queries, blended_attention, fit_heads
from heedful._models.protocol import Problem
from heedful._solver import warn_unconverged
from heedful._tuning.adaptive import Evidence, adapt
from heedful._tuning.grid import Grid
from heedful.attention import Attention
from heedful.estimators._parts import in_parts
from heedful.estimators._training import Training

MAX_ITER = 10_000


class View(NamedTuple):
    """Queries as numbers to show (``design``), as the local models take them (``x``), and as the baseline does."""

    design: np.ndarray
    x: Any
    table: Any = None


class Blend(NamedTuple):
    """Predictions of some queries and the models behind them; ``local`` is the heads' part, ``value`` the blend.

    Values are what is blended: predictions, class probabilities, log hazards. Coefficients (n_query, n_outputs,
    n_features) are per original unit of a column, or the importance of each column.
    """

    design: np.ndarray
    value: np.ndarray
    mixing: np.ndarray
    base: np.ndarray
    local: np.ndarray
    local_coef: np.ndarray
    models: list[Any]
    n_failed: int


class Blending:
    """The part of a fitted attention model that predicts; a subclass knows its kind of models."""

    similarity_: list[Any]
    mixing_: float
    guard_: float
    n_features_in_: int
    n_jobs: Any
    verbose: Any
    _training: Training
    _grid: Grid
    _share: np.ndarray
    _evidence: Evidence | None
    _problem: Any

    def _predict_problem(self) -> Problem:
        """Return the local models to fit in ``predict``."""
        return self._problem

    def _view(self, X: Any, codes: np.ndarray) -> View:
        """Return queries as the models take them."""
        raise NotImplementedError

    def _base_values(self, view: View) -> np.ndarray:
        """Return what the baseline says of queries, as blended."""
        raise NotImplementedError

    def _base_coef(self) -> np.ndarray:
        """Return the coefficients (n_outputs, n_features) of the baseline, or its importances."""
        raise NotImplementedError

    def _original(self, coef: np.ndarray) -> np.ndarray:
        """Return coefficients as the heads give them per original unit of a column."""
        return coef

    def _names(self) -> list[str]:
        """Return the names of the columns that the models use."""
        return self._training.names

    def _values(self, X: Any) -> np.ndarray:
        """Return the predictions of queries, as blended; however many, their models are not held all at once."""
        check_is_fitted(self)
        # coefficients of each similarity, their sum, and what it takes to put them together
        n_numbers = (4 + len(self.similarity_)) * len(self._names()) * self._problem.family.n_values
        parts, n_failed = [], 0
        for part, verbose in in_parts(X, 8 * (4 * self.n_features_in_ + n_numbers), self.verbose):
            blend = self._blend(part, verbose)
            parts.append(blend.value)
            n_failed += blend.n_failed
        value = np.concatenate(parts)
        self._warn(n_failed, value.shape[0])
        return value

    def _warn(self, n_failed: int, n_query: int) -> None:
        """Warn once of local fits that did not converge."""
        warn_unconverged(n_failed, n_query * int((self._share > 0).sum()), MAX_ITER)

    def _blend(self, X: Any, verbose: int = 0) -> Blend:
        """Return the predictions of queries and the models behind them."""
        check_is_fitted(self)
        codes = self._training.read(self, X)
        with _blocks.one_blas_thread():
            view = self._view(X, codes)
            base = self._base_values(view)
            local, local_coef, models, n_failed = self._local(codes, view, base, verbose)
            mixing = self._mix(codes)
        value = (1 - mixing)[:, None] * base + mixing[:, None] * local
        return Blend(view.design, value, mixing, base, local, local_coef, models, n_failed)

    def _local(
        self, codes: np.ndarray, view: View, base: np.ndarray, verbose: int
    ) -> tuple[np.ndarray, np.ndarray, list[Any], int]:
        """Return the heads' blended values and coefficients, kept models, and how many fits failed.

        Values and coefficients are the baseline's if no head is used.
        """
        if self.mixing_ == 0:
            return base, np.tile(self._base_coef(), (codes.shape[0], 1, 1)), [], 0
        problem, fits = self._predict_problem(), []
        shares = self._grid.split(self._share / self.mixing_)
        for similarity, weightings, share in zip(self.similarity_, self._grid.weightings, shares, strict=True):
            if share.any():
                queries = Queries(view.x, seen=self._training.seen_rows(codes, similarity))
                how = {"n_jobs": self.n_jobs, "verbose": verbose}
                fits.append(fit_heads(similarity, weightings, problem, queries, share > 0, share, **how))
        value, coef = np.zeros(base.shape), np.zeros(fits[0].coef.shape)
        for part in fits:
            value += part.value
            coef += part.coef
        models = [model for part in fits for model in part.models]
        return value, self._original(coef), models, sum(part.n_failed for part in fits)

    def _mix(self, codes: np.ndarray) -> np.ndarray:
        """Return the heads' share for each query."""
        return np.full(codes.shape[0], self.mixing_) if self._evidence is None else self._adapt(self._queries(codes))

    def _adapt(self, queries: list[Queries]) -> np.ndarray:
        """Return a share of the heads for each query by what was found of the rows it attends to."""
        blocks = _blocks.cut(queries[0].x.shape[0], 24 * self._training.weight.size, self.n_jobs)
        return np.concatenate(list(_blocks.run(_mix_block, blocks, self, queries, self._evidence, n_jobs=self.n_jobs)))

    def _queries(self, codes: np.ndarray) -> list[Queries]:
        """Return the rows once for each similarity."""
        seen = [self._training.seen_rows(codes, entry) for entry in self.similarity_]
        return [Queries(rows, rows) for rows in seen]

    def _train_queries(self, rows: np.ndarray) -> list[Queries]:
        """Return training rows, each to be left out, once for each similarity."""
        return [Queries(rows, rows, number=rows)] * len(self.similarity_)

    def _attend(self, queries: list[Queries], block: slice) -> Attention:
        """Return the blended attention over distinct training rows."""
        return blended_attention(self.similarity_, self._grid, self._share, self._problem.weight, queries, block)


def _mix_block(block: slice, model: Blending, queries: list[Queries], evidence: Evidence) -> np.ndarray:
    # the guard's doubt holds for each query as for all
    return model.guard_ * adapt(model._attend(queries, block), evidence)
