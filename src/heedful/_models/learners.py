"""One learner of any kind per query, fitted to the training rows under its weights (Algorithm 1)."""

import copy
from typing import Any

import numpy as np
import pandas as pd

from heedful._frames import freeze, take, thaw
from heedful._kernels.shapes import ScoreRows
from heedful._models.blocks import Queries, fit_heads
from heedful._models.protocol import BlockFits, HeldOut
from heedful._solver import Classes, Numbers, make_learner
from heedful.attention import Weighting, blend_attention, weigh
from heedful.baseline import Split

NOTHING = np.empty((0, 0))


class LearnerProblem:
    """Learners to fit to a table; heads are tried on the training rows ``tried``, as each costs a fit.

    ``table`` is an array or a frame, as the learner takes it, which sees each row as often as ``counts`` says. Rows
    that together have no more than ``trim_weight`` of a query's weight are left out of its fit.
    """

    largest_block = 16

    def __init__(
        self,
        learner: Any,
        table: Any,
        family: Numbers | Classes,
        weight: np.ndarray,
        counts: np.ndarray,
        tried: np.ndarray,
        trim_weight: float,
    ):
        self.template, self.table, self.family, self.weight = learner, table, family, weight
        self.counts, self.tried, self.trim_weight, self.keep = counts, tried, trim_weight, False
        self._copies = np.repeat(np.arange(weight.size), counts)
        self._make()

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes without the learner, a frame as arrays: skops cannot save one."""
        state = {name: value for name, value in vars(self).items() if name != "learner"}
        return state | {"table": freeze(self.table) if isinstance(self.table, pd.DataFrame) else self.table}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state | {"table": thaw(state["table"])})
        self._make()

    def _make(self) -> None:
        rows = (take(self.table, self._copies), self.family.y[self._copies], self._spread(self.weight))
        n_classes = self.family.n_values if self.family.n_values > 1 else None
        self.learner = make_learner(self.template, *rows, n_classes=n_classes, trim_weight=self.trim_weight)

    @property
    def importance(self) -> np.ndarray:
        """Share of each column in the plain learner."""
        return self.learner.refit(self._spread(self.weight), take(self.table, slice(0, 1))).importance

    def _spread(self, weight: np.ndarray) -> np.ndarray:
        """Return the weight of each copy of a row."""
        return (weight / self.counts)[self._copies]

    def fit(self, rows, x, weightings, wanted, shares, anchor=None) -> BlockFits:
        """Fit a block query by query."""
        values = np.full((x.shape[0], *wanted.shape, self.family.n_values), np.nan)
        coef, models = np.zeros((x.shape[0], 1, self.learner.n_features)), []
        for w in np.flatnonzero(wanted.any(axis=1)):
            weights = blend_attention([(1.0, *weigh(rows, weightings[w], self.weight))], self.weight).toarray()
            for q in range(x.shape[0]):
                refit = self.learner.refit(self._spread(weights[q]), take(x, slice(q, q + 1)))
                values[q, w] = refit.value
                coef[q, 0] += shares[w].sum() * refit.importance
                # a copy lets go of what the booster was trained with
                models += [copy.copy(refit.model)] if self.keep else []
        return BlockFits(values, coef, models=tuple(models))

    def keeping(self, keep: bool) -> "LearnerProblem":
        """Return the same problem that keeps the fitted learners, or not."""
        other = copy.copy(self)
        other.keep = keep
        return other

    def held_out(self, splits: list[Split]) -> list[HeldOut]:
        """Return the rows to try heads on: a learner whose own row is masked has not seen what happened to it."""
        return [HeldOut(self, take(self.table, self.tried), self.tried)]

    def fold(self, number: int, split: Split) -> HeldOut:
        """Return the learners of the fold's training part."""
        train, test = split.train, np.intersect1d(split.test, self.tried)
        part = (take(self.table, train), self.family.part(train), self.weight[train], self.counts[train])
        problem = LearnerProblem(self.template, *part, np.empty(0, np.int64), self.trim_weight)
        return HeldOut(problem, take(self.table, test), test)


class Everyone:
    """A similarity by which all rows are alike; a training row is masked for itself."""

    bytes_per_query = 24

    def train_rows(self, index: np.ndarray) -> ScoreRows:
        """Return nothing but the masks."""
        masks = np.full(index.size, -np.inf)
        return ScoreRows(np.arange(index.size + 1), index.astype(np.int32), masks, np.empty(0))


def leave_one_out(problem: LearnerProblem, n_jobs: int | None, verbose: int) -> np.ndarray:
    """Return what the plain learner of all other rows says of the rows to try heads on; NaN for the rest."""
    values = np.full((problem.weight.size, problem.family.n_values), np.nan)
    one, weightings = np.ones((1, 1)), [Weighting("softmax", 1.0)]
    for part in problem.held_out([]):
        queries = Queries(part.x, NOTHING, number=part.number)
        how = (Everyone(), weightings, part.problem, queries, one > 0, one)
        values[part.number] = fit_heads(*how, n_jobs=n_jobs, verbose=verbose).value
    return values
