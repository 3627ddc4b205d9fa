"""One learner of any kind per query, fitted to the training rows under its weights (Algorithm 1)."""

import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone

from heedful import _blocks
from heedful._flow import BlockFits, FittedModels, HeldOut, Problem, Run, TrainingTable, Variants, View, rows_to_try
from heedful._folds import Split, average_out_of_fold
from heedful._frames import freeze, take, thaw
from heedful._kernels.shapes import ScoreRows
from heedful._responses import Response, knows_numbers
from heedful._solver.boosters import takes_codes
from heedful._solver.contract import check_uses_weights, fit_weighted
from heedful._solver.learners import make_learner, with_every_class
from heedful.attention import Weighting, blend_attention, weigh
from heedful.baseline import choose_rounds, small_booster

ONE = np.ones((1, 1))
EQUAL = [Weighting("softmax", 1.0)]


@dataclass(eq=False, repr=False, kw_only=True)
class LocalLearner(BaseEstimator):
    """Settings of the local learners, for ``local`` of an attention learner.

    Parameters
    ----------
    tuning_rows : int or None, default=200
        Number of training rows, drawn at random, on which temperatures and mixing are tuned; each costs one fit per
        temperature. None uses all.
    trim_weight : float, default=0.01
        Rows of small weight that together have at most this share of a query's weight are left out of its fit.

    Examples
    --------
    >>> from heedful import AttentionRegressor
    >>> AttentionRegressor(local=LocalLearner(tuning_rows=100))
    AttentionRegressor(local=LocalLearner(tuning_rows=100))
    """

    tuning_rows: int | None = 200
    trim_weight: float = 0.01


@dataclass(eq=False)
class LearnerModels:
    """Local learners: clones of one estimator, a small LightGBM if there is None."""

    estimator: Any
    local: LocalLearner
    random_state: int | None

    few_heads, anchors, has_residuals = True, False, False

    @property
    def keeps_table(self) -> bool:
        """Return whether the learner takes text and categories."""
        return self.estimator is not None and not takes_codes(self.estimator)

    def fit(self, rows: TrainingTable, response: Response, splits: list[Split], run: Run) -> "FittedLearners":
        learner = self.estimator
        if learner is None:
            learner = default_booster(rows, response, splits, self.random_state)
        return FittedLearners(rows, response, splits, learner, self)


class FittedLearners(FittedModels):
    """The learner of all rows, and its clones of others."""

    slow = True

    def __init__(self, rows: TrainingTable, response: Response, splits: list[Split], learner: Any, kind: LearnerModels):
        super().__init__(rows, response)
        self.learner, self.kind, self.splits = learner, kind, splits
        self.no_gaps = response.classes is not None and knows_numbers(learner)
        if self.no_gaps:
            check_every_class(rows, response)
        check_uses_weights(learner, self._table(), learned_rows(response, rows.y).y)
        self.baseline = self._fit_plain(np.arange(rows.weight.size))
        self.names = rows.plain_names

    def _table(self) -> Any:
        return self.rows.table if self.kind.keeps_table else self.rows.plain_rows(self.rows.codes)

    def _fit_plain(self, part: np.ndarray) -> Any:
        return fit_part(self.learner, self._table(), self.rows, self.response, part, every_class=self.no_gaps)

    def make_problem(self, variants: Variants, fixed: bool, seed: np.random.RandomState) -> "LearnerProblem":
        rows = self.rows
        tried = rows_to_try(self.kind.local.tuning_rows, rows.weight.size, seed)
        parts = (self._table(), learned_rows(self.response, rows.y), rows.weight, rows.counts)
        problem = LearnerProblem(self.learner, *parts, tried, self.kind.local.trim_weight)
        self.coef = problem.importance[None]
        return problem

    def to_predict(self, problem: Any, keep_models: bool = False) -> "LearnerProblem":
        return problem if keep_models == problem.keep else replace(problem, keep=keep_models)

    def left_out(self, problem: Problem, out_of_bag: bool, run: Run) -> np.ndarray:
        if out_of_bag:
            return leave_one_out(problem, run)
        table = self._table()

        def predict(_: int, split: Split) -> np.ndarray:
            seen = np.unique(self.rows.y[split.train])
            if self.response.classes is not None and seen.size == 1:
                # few learners can be fitted to a single class, and those say what is certain in ways of their own
                return np.tile(np.eye(self.response.n_values)[int(seen[0])], (split.test.size, 1))
            return self.response.learner_values(self._fit_plain(split.train), take(table, split.test))

        return average_out_of_fold(self.splits, predict, (self.rows.weight.size, self.response.n_values))

    def given_rows(self, table: pd.DataFrame | np.ndarray) -> Any:
        return self.rows.given_rows(table) if self.kind.keeps_table else None

    def train_given(self, problem: Any) -> Any:
        return problem.table if self.kind.keeps_table else None

    def view_of(self, codes: np.ndarray, given: Any) -> View:
        design = self.rows.plain_rows(codes)
        x = design if given is None else given
        return View(codes, design, x, self.response.learner_values(self.baseline, x))


@dataclass(eq=False)
class LearnerProblem:
    """Learners to fit to a table; heads are tried on the training rows ``tried``, as each costs a fit.

    ``table`` is an array or a frame, as the learner takes it, which sees each row as often as ``counts`` says. Rows
    that together have no more than ``trim_weight`` of a query's weight are left out of its fit.
    """

    template: Any
    table: Any
    family: Response
    weight: np.ndarray
    counts: np.ndarray
    tried: np.ndarray
    trim_weight: float
    keep: bool = False

    largest_block = 16

    def __post_init__(self) -> None:
        self._copies = np.repeat(np.arange(self.weight.size), self.counts)
        rows = (take(self.table, self._copies), self.family.y[self._copies], self._spread(self.weight))
        n_classes = None if self.family.classes is None else self.family.n_values
        self.learner = make_learner(self.template, *rows, n_classes=n_classes, trim_weight=self.trim_weight)

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes without the learner, a frame as arrays: skops cannot save one."""
        state = {name: value for name, value in vars(self).items() if name != "learner"}
        return state | {"table": freeze(self.table) if isinstance(self.table, pd.DataFrame) else self.table}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state | {"table": thaw(state["table"])})
        self.__post_init__()

    @property
    def importance(self) -> np.ndarray:
        """Share of each column in the plain learner."""
        return self.learner.refit(self._spread(self.weight), take(self.table, slice(0, 1))).importance

    def _spread(self, weight: np.ndarray) -> np.ndarray:
        return (weight / self.counts)[self._copies]

    def fit(self, rows, x, weightings, wanted, shares, anchor=None) -> BlockFits:
        values = np.full((x.shape[0], *wanted.shape, self.family.n_values), np.nan)
        coef, models = np.zeros((x.shape[0], 1, self.learner.n_features)), []
        for w in np.flatnonzero(wanted.any(axis=1)):
            weights = blend_attention([weigh(rows, weightings[w], self.weight)], self.weight).toarray()
            for q, weight in enumerate(weights):
                refit = self.learner.refit(self._spread(weight), take(x, slice(q, q + 1)))
                values[q, w] = refit.value
                coef[q, 0] += shares[w].sum() * refit.importance
                # a copy lets go of what the booster was trained with
                models += [copy.copy(refit.model)] if self.keep else []
        return BlockFits(values, coef, models=tuple(models))

    def held_out(self, splits: list[Split]) -> list[HeldOut]:
        """Return the rows to try heads on: a learner whose own row is masked has not seen its response."""
        return [HeldOut(self, take(self.table, self.tried), self.tried)]

    def fold(self, number: int, split: Split) -> HeldOut:
        train, test = split.train, np.intersect1d(split.test, self.tried)
        part = (take(self.table, train), self.family.part(train), self.weight[train], self.counts[train])
        problem = LearnerProblem(self.template, *part, tried=np.empty(0, np.int64), trim_weight=self.trim_weight)
        return HeldOut(problem, take(self.table, test), test)


def leave_one_out(problem: Problem, run: Run) -> np.ndarray:
    """Return what the plain learner of all other rows predicts of the rows to try heads on; NaN for the rest."""
    values = np.full((problem.weight.size, problem.family.n_values), np.nan)
    for part in problem.held_out([]):
        blocks = _blocks.cut(part.number.size, 24, run.n_jobs, problem.largest_block)
        parts = _blocks.run(_leave_out_block, blocks, part, n_jobs=run.n_jobs, verbose=run.verbose, label="baseline")
        values[part.number] = np.concatenate(list(parts))
    return values


def _leave_out_block(block: slice, part: HeldOut) -> np.ndarray:
    """Return predictions of a block of training rows by all rows alike but the row itself, which is masked."""
    index = part.number[block]
    masks = np.full(index.size, -np.inf)
    alike = ScoreRows(np.arange(index.size + 1), index.astype(np.int32), masks, np.empty(0))
    fits = part.problem.fit(alike, take(part.x, block), EQUAL, ONE > 0, ONE, None)
    return fits.values[:, 0, 0]


def learned_rows(response: Response, encoded: np.ndarray) -> Response:
    """Return the rows with their loss; raise for a response that learners of any kind do not predict."""
    if not response.suits_learners:
        raise TypeError(f"`y` must hold numbers or classes for learners and trees, got a response of {response.task}.")
    return response.with_rows(encoded)


def default_booster(rows: TrainingTable, response: Response, splits: list[Split], random_state: int | None) -> Any:
    """Return a small LightGBM to fit, its number of rounds chosen by left-out rows."""
    n_classes = None if response.classes is None else response.classes.size
    rounds = choose_rounds(rows.plain_rows(rows.codes), rows.y, rows.weight, splits, n_classes)
    return small_booster("estimator=None", n_classes=n_classes, rounds=rounds, random_state=random_state)


def check_every_class(rows: TrainingTable, response: Response) -> None:
    """Raise if the weights leave a class without rows, for learners that cannot do without."""
    if response.classes is not None and np.unique(rows.y).size < response.classes.size:
        raise ValueError("`sample_weight` must leave rows of every class. Drop the rows of a class that has none.")


def fit_part(
    learner: Any, table: Any, rows: TrainingTable, response: Response, part: np.ndarray, *, every_class: bool
) -> Any:
    """Return a clone of a learner fitted to some rows, each as often as it was given; a single one twice.

    Learners ask for two rows at least, and many count rows in leaves, whatever their weights are. With ``every_class``
    the heaviest row of each class that the part lacks is fitted too.
    """
    if every_class:
        part = with_every_class(part, rows.weight, rows.y)
    counts = rows.counts[part]
    counts = np.maximum(counts, 2) if part.size == 1 else counts
    copies, weight = np.repeat(part, counts), np.repeat(rows.weight[part] / counts, counts)
    y = response.learner_target(learner, rows.y)
    return fit_weighted(clone(learner), take(table, copies), y[copies], weight)
