"""Boosted stumps on binned columns: additive models, one of all rows and one for each fold, grown round by round."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from tqdm.auto import tqdm

from heedful import _blocks, _kernels
from heedful._kernels.shapes import StumpWork
from heedful._trees.bins import Binned, Bins

CODES = 256
# The start of a model that has seen a single class: log-odds of 30 are a probability that is still less than 1.
FARTHEST = 30.0
# What a level of a category beyond two gains by chance, as its levels are sorted by the very slopes that they part: of
# the mean squared error, 2 / pi in theory, less what any column gains by its choice of a cut. Half of it gave the least
# test error for 10 and 60 levels, with and without a signal; none overfits, and a ridge on levels does not help.
BY_CHANCE = 0.5
# Rounds after which curvatures are worked out anew, and left-out losses at most: both cost more than slopes do.
EVERY = 8
# Linear predictors up to which all models are worked out in one go: calls cost more than rows there.
FEW = 2**17


class Response(Protocol):
    """What stumps ask of a family; see ``Family`` in ``_solver``."""

    n_outputs: int
    farthest_step: float
    row_by_row: bool

    @property
    def response(self) -> np.ndarray:
        """Return the numbers that set the unit of the linear predictor: zeros if it has its own."""

    def scaled(self, center: float, unit: float) -> Any:
        """Return the family with a linear predictor in these units."""

    def part(self, rows: np.ndarray) -> Any:
        """Return the family of some of the rows."""

    def null_link(self, weight: np.ndarray) -> np.ndarray:
        """Return the linear predictor (n_outputs,) of the model without columns."""

    def residual(self, link: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Return minus the slope of each row's loss (n_rows, n_outputs).

        Of a family that is not row by row, columns are models, whose weights (n_rows, n_models) may differ.
        """

    def hessian(self, link: np.ndarray, weight: np.ndarray) -> np.ndarray | None:
        """Return the curvature of each row's loss; None if it is 1 everywhere."""

    def dispersion(self, link: np.ndarray, weight: np.ndarray) -> float:
        """Return the unit of slopes and curvatures."""

    def left_out_loss(self, train: np.ndarray, test: np.ndarray, weight: np.ndarray) -> Callable:
        """Return what gives the weighted loss of test rows, in sum, for models of the training rows."""


class Fold(Protocol):
    """Rows to fit on and rows to predict; see ``Split`` in ``baseline``."""

    @property
    def train(self) -> np.ndarray:
        """Rows to fit on."""

    @property
    def test(self) -> np.ndarray:
        """Rows to predict."""


class Boosting(NamedTuple):
    """How stumps are boosted: at most ``n_rounds``, until the left-out loss has not improved for ``patience`` of them.

    ``ridge`` is added to the curvature of a side before its step, ``least`` what a side must have of it; both count in
    rows of weight 1 under squared error, and in less than rows where a loss is flatter. Slopes and curvatures of losses
    with a unit, such as those of costs, are divided by their dispersion, so that no currency changes a curve.
    """

    n_rounds: int = 800
    learning_rate: float = 0.15
    ridge: float = 1.0
    least: float = 3.0
    patience: int = 40


@dataclass
class Stumps:
    """An additive model: ``start`` (n_outputs,), and what each code of a column adds to it.

    ``shapes`` (n_columns, 256, n_outputs) have weighted mean 0 over the training rows, each; the last code of a column
    stands for missing cells. A code that no training row has, unless it lies in the order of numbers, got no step.
    """

    start: np.ndarray
    shapes: np.ndarray
    bins: Bins

    def link(self, rows: Binned) -> np.ndarray:
        """Return the linear predictor of rows (n_rows, n_outputs): the start, and one look-up for each column."""
        total = np.tile(self.start, (len(rows), 1))
        for shape, codes in zip(self.shapes, rows.codes.T, strict=True):
            total += shape[codes]
        return total


# A judge of the number of rounds: rows, and which fold's model is to predict them.
Judge = tuple[int, np.ndarray]


class BoostedFolds(NamedTuple):
    """The model of all rows, that of each fold, and what they say of left-out rows.

    ``link`` (n_rows, n_outputs) is the linear predictor of each row by the folds that left it out, on average; NaN for
    rows in no fold. ``loss`` is the weighted mean loss of left-out rows after 0, 1, ... rounds, ``n_rounds`` the number
    with the smallest, which all models have; without folds it is empty. ``best`` is the number that each group of
    judges alone takes, and ``after`` gives the model of a fold after any number of rounds.
    """

    model: Stumps | None
    folds: list[Stumps]
    link: np.ndarray
    loss: np.ndarray
    n_rounds: int
    best: list[int]
    after: Callable[[int, int], Stumps]


class _Part:
    """The rows of one model: those of positive weight, and their family."""

    def __init__(self, family: Response, weight: np.ndarray, rows: np.ndarray):
        inside = np.zeros(weight.size, dtype=bool)
        inside[rows] = True
        own = np.flatnonzero(inside & (weight > 0.0))
        self.rows = slice(None) if own.size == weight.size else own
        self.family, self.weight = family.part(own), weight[own]
        with np.errstate(divide="ignore"):
            self.start = np.nan_to_num(self.family.null_link(self.weight), posinf=FARTHEST, neginf=-FARTHEST)
        level = np.tile(self.start, (own.size, 1))
        self.unit = self.family.dispersion(level, self.weight)
        self.is_square = self.family.hessian(level, self.weight) is None

    def pull(self, link: np.ndarray, out: np.ndarray, *, bend: bool) -> np.ndarray:
        """Write minus the slope and, if asked to, the curvature of each row; return what a level gains by chance."""
        own, weight = np.ascontiguousarray(link[self.rows]), self.weight[:, None]
        residual = self.family.residual(own, self.weight) / self.unit
        slope = weight * residual
        out[self.rows, 0] = slope
        if bend:
            hessian = self.family.hessian(own, self.weight)
            out[self.rows, 1] = curve = weight * (np.ones(slope.shape) if hessian is None else hessian / self.unit)
            self.curve = curve.sum(axis=0)
        return BY_CHANCE * (slope * residual).sum(axis=0) / self.curve


class _Pulls:
    """Slopes and curvatures of all models."""

    def __init__(self, family: Response, weight: np.ndarray, parts: list[_Part]):
        self.parts, self.together = parts, None
        if weight.size * len(parts) * family.n_outputs > FEW:
            return
        own = np.zeros((weight.size, len(parts)))
        for m, part in enumerate(parts):
            own[part.rows, m] = part.weight
        self.weight, self.unit = own, np.array([part.unit for part in parts])
        self.together = family
        if family.row_by_row:
            self.weight, self.unit = own.reshape(-1, 1), np.tile(self.unit, weight.size)[:, None]
            self.together = family.part(np.repeat(np.arange(weight.size), len(parts)))

    def pull(self, link: np.ndarray, out: np.ndarray, chance: np.ndarray, *, bend: bool) -> None:
        """Write minus the slope, if asked to the curvature of each row, and what a level gains by chance."""
        if self.together is None:
            for m, part in enumerate(self.parts):
                chance[m] = part.pull(link[:, m], out[:, :, m], bend=bend)
            return
        flat = link.reshape(len(self.weight), -1)
        weight = self.weight[:, 0] if self.together.row_by_row else self.weight
        residual = self.together.residual(flat, weight) / self.unit
        slope = self.weight * residual
        out[:, 0] = slope.reshape(link.shape)
        if bend:
            hessian = self.together.hessian(flat, weight)
            curve = np.ones(flat.shape) if hessian is None else hessian / self.unit
            out[:, 1] = (self.weight * curve).reshape(link.shape)
            self.curve = out[:, 1].sum(axis=0)
        chance[:] = BY_CHANCE * (slope * residual).reshape(link.shape).sum(axis=0) / self.curve


class _Rounds:
    """Stumps of all series as they are found: column, side of each code, and step of each side; rounds come first."""

    def __init__(self, columns: np.ndarray, sides: np.ndarray, steps: np.ndarray):
        self.columns, self.sides, self.steps = columns, sides, steps

    def shapes(self, k: int, n_rounds: int, n_columns: int) -> np.ndarray:
        """Return the sum of the first stumps of one series (n_columns, 256)."""
        total = np.zeros((n_columns, CODES))
        column, step, side = (part[:n_rounds, k] for part in (self.columns, self.steps, self.sides))
        for j in np.unique(column[column >= 0]):
            own = np.flatnonzero(column == j)
            total[j] = step[own[:, None], side[own]].sum(axis=0)
        return total


def fit_stumps(
    rows: Binned,
    family: Response,
    weight: np.ndarray,
    splits: Sequence[Fold],
    how: Boosting | None = None,
    verbose: int = 0,
    judges: Sequence[Sequence[Judge]] | None = None,
    whole: bool = True,
    signs: np.ndarray | None = None,
) -> BoostedFolds:
    """Boost stumps on all rows and on the training part of each split together, and stop where left-out rows say so.

    One round gives every output of every model the stump with the largest Newton gain. Linear predictors are on the
    original scale of the response. A row of weight 2 counts as the row twice, one of weight 0 not at all. Sums follow
    the order of the rows, so another order changes their last digits; of stumps whose gains differ by less than 1e-9
    of them the first is taken, so that it changes no stump unless two are that close to this limit.

    ``judges`` are groups of rows that say, each group alone, where to stop; rounds end when all of them have. None
    stands for one group, the rows that each fold leaves out. Without ``whole`` there is no model of all rows. Curves of
    numbers whose entry of ``signs`` is 1 never fall, those of -1 never rise; missing cells may have any value.
    """
    how, weight = how or Boosting(), np.asarray(weight, dtype=np.float64)
    center, unit = _unit(family.response, weight)
    inner = family.scaled(center, unit)
    fitted = [*([np.arange(weight.size)] if whole else []), *(split.train for split in splits)]
    parts = [_Part(inner, weight, part) for part in fitted]
    starts = np.stack([part.start for part in parts])
    everyone = [list(enumerate(split.test for split in splits))] if splits else []
    groups = everyone if judges is None else [*judges]
    race = _Race(inner, weight, splits, groups)
    with _blocks.one_blas_thread():
        rounds = _boost(rows, race, parts, starts, how, verbose, signs)
    n_rounds = int(np.argmin(np.nan_to_num(race.loss, nan=np.inf))) if race.loss.size else len(rounds.columns)

    def after(fold: int, number: int) -> Stumps:
        m = fold + whole
        series = range(m * inner.n_outputs, (m + 1) * inner.n_outputs)
        shapes = np.stack([rounds.shapes(k, number, rows.shape[1]) for k in series], axis=-1)
        return _centred(center + unit * starts[m], unit * shapes, rows, parts[m])

    folds = [after(k, n_rounds) for k in range(len(splits))]
    link = _out_of_fold(folds, splits, rows, inner.n_outputs)
    model = after(-1, n_rounds) if whole else None
    return BoostedFolds(model, folds, link, race.loss, n_rounds, race.best(how.patience), after)


class _Race:
    """Left-out losses of the models of folds, worked out for some rounds at a time: a loss that sorts does so once."""

    def __init__(self, family: Response, weight: np.ndarray, splits: Sequence[Fold], groups: Sequence[Sequence[Judge]]):
        self.family, self.weight, self.n_folds = family, weight, len(splits)
        self.groups = [
            [(k, family.left_out_loss(splits[k].train, rows, weight)) for k, rows in group] for group in groups
        ]
        self.mass = sum(weight[rows].sum() for group in groups for _, rows in group)
        round_bytes = 8 * weight.size * family.n_outputs * max(len(splits), 1)
        self.size = max(1, min(EVERY, _blocks.BUDGET // round_bytes))
        self.n_waiting = 0
        self.links = np.empty((0, weight.size, 0, family.n_outputs))
        self.losses = np.empty((len(groups), 0))
        self.end: int | None = None

    @property
    def loss(self) -> np.ndarray:
        """Weighted mean loss of all judges after each round."""
        return self.losses.sum(axis=0)[: self.end] / self.mass if self.mass > 0.0 else np.empty(0)

    def begin(self, link: np.ndarray) -> None:
        """Note the linear predictors (n_rows, n_models, n_outputs) before the first round, those of the folds last."""
        if self.mass > 0.0:
            self.links = np.empty((self.size, *link.shape))
            self.links[0] = link
            self.watch(1, last=True)

    def room(self, n_rounds: int) -> np.ndarray:
        """Return room for the linear predictors of so many rounds, or of fewer; of none if nobody watches."""
        return self.links[self.n_waiting : self.n_waiting + n_rounds]

    def watch(self, n_rounds: int, *, last: bool = False) -> None:
        """Note that the room has been filled by so many rounds."""
        if self.mass > 0.0:
            self.n_waiting += n_rounds
            if last or self.n_waiting == self.size:
                self.losses = np.hstack([self.losses, self._losses()])
                self.n_waiting = 0

    def over(self, patience: int) -> bool:
        """Return whether no group has had a better round for some time; what came later is forgotten."""
        if self.n_waiting:
            return False
        ends = _ends(self.losses, patience)
        if not ends.size or ends.max() > self.losses.shape[1]:
            return False
        self.end = int(ends.max())
        return True

    def best(self, patience: int) -> list[int]:
        """Return the best round of each group, of those until it had no better one for some time."""
        ends = _ends(self.losses, patience)
        known = np.nan_to_num(self.losses, nan=np.inf)
        return [int(np.argmin(loss[:end])) for loss, end in zip(known, ends, strict=True)]

    def _losses(self) -> np.ndarray:
        """Return the weighted loss of each group (n_groups, n_rounds) in the rounds that wait."""
        total = np.zeros((len(self.groups), self.n_waiting))
        links = self.links[: self.n_waiting, :, -self.n_folds :].transpose(2, 1, 0, 3)
        for sums, group in zip(total, self.groups, strict=True):
            for k, loss in group:
                sums += loss(links[k].__getitem__)
        return total


def _ends(losses: np.ndarray, patience: int) -> np.ndarray:
    """Return how many losses of each group there are until none was better for some time; if not yet, one too many."""
    number = np.arange(losses.shape[1])
    least = np.minimum.accumulate(losses, axis=1)
    better = np.full(losses.shape, True)
    better[:, 1:] = losses[:, 1:] < least[:, :-1]
    best = np.maximum.accumulate(np.where(better, number, 0), axis=1)
    late = np.full((len(losses), number.size + 1), True)
    late[:, :-1] = number - best >= patience
    return late.argmax(axis=1) + 1


def _boost(
    rows: Binned,
    race: _Race,
    parts: list[_Part],
    starts: np.ndarray,
    how: Boosting,
    verbose: int,
    signs: np.ndarray | None,
) -> _Rounds:
    """Return the stumps of each round; the race knows the left-out loss before the first and after each of them."""
    n_rows, n_series = len(rows), starts.size
    link = np.tile(starts, (n_rows, 1, 1))
    pull, chance = np.zeros((n_rows, 2, *starts.shape)), np.empty(starts.shape)
    n_bins = int((rows.bins.sizes + 1).sum())
    kept = np.zeros((CODES, 2 * n_series)), np.empty((n_bins, n_series)), np.empty((n_bins, 2, n_series))
    work = StumpWork(*kept, np.empty((5, n_series)), np.empty(CODES, np.int64), np.empty(9), np.empty(n_series))
    settings = np.array([how.ridge, how.least, how.learning_rate, race.family.farthest_step, BY_CHANCE])
    signs = np.zeros(rows.shape[1]) if signs is None else np.asarray(signs, dtype=np.float64)
    table = (rows.columns, rows.bins.categories, rows.bins.sizes, signs)
    flat, state = link.reshape(n_rows, -1), (chance.reshape(-1), settings, work)
    pulls, found = _Pulls(race.family, race.weight, parts), list[tuple[np.ndarray, ...]]()
    race.begin(link)
    number = 0
    # slopes of squares follow from steps, and rounds need not come back for them
    at_once = EVERY if parts[0].is_square else 1
    with tqdm(total=how.n_rounds, desc="stumps", unit="round", disable=not verbose) as bar:
        while number < how.n_rounds:
            size = min(at_once, race.size - race.n_waiting, EVERY - number % EVERY, how.n_rounds - number)
            stumps = _no_stumps(size, n_series)
            pulls.pull(link, pull, chance, bend=number % EVERY == 0)
            links = race.room(size).reshape(-1, n_rows, n_series)
            _kernels.stump_rows(*table, pull.reshape(n_rows, -1), number % EVERY == 0, *state, *stumps, flat, links)
            nothing = np.flatnonzero((stumps[0] < 0).all(axis=1))
            # the first round that finds no stump is the last one
            size = int(nothing[0]) + 1 if nothing.size else size
            found.append(tuple(part[:size] for part in stumps))
            number += size
            bar.update(size)
            last = number == how.n_rounds or nothing.size > 0
            race.watch(size, last=last)
            if race.over(how.patience) or last:
                break
    return _Rounds(*(np.concatenate(part) for part in zip(*(found or [_no_stumps(0, n_series)]), strict=True)))


def _no_stumps(n_rounds: int, n_series: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return room for the columns, sides and steps of some rounds."""
    shape = (n_rounds, n_series)
    return np.empty(shape, np.int64), np.zeros((*shape, CODES), np.uint8), np.zeros((*shape, 3))


def _unit(y: np.ndarray, weight: np.ndarray) -> tuple[float, float]:
    """Return the weighted mean and standard deviation; 1 in place of 0."""
    center = float(np.average(y, weights=weight))
    largest = float(np.abs(y - center)[weight > 0.0].max())
    if largest == 0.0:
        return center, 1.0
    return center, largest * float(np.sqrt(np.average(((y - center) / largest) ** 2, weights=weight)))


def _centred(start: np.ndarray, shapes: np.ndarray, rows: Binned, part: _Part) -> Stumps:
    """Return the model with the means of its shapes over the training rows moved to its start."""
    total = part.weight.sum()
    for shape, codes in zip(shapes, rows.codes[part.rows].T, strict=True):
        mean = np.bincount(codes, weights=part.weight, minlength=CODES) @ shape / total
        shape -= mean
        start = start + mean
    return Stumps(start, shapes, rows.bins)


def _out_of_fold(folds: list[Stumps], splits: Sequence[Fold], rows: Binned, n_outputs: int) -> np.ndarray:
    """Return the linear predictor of left-out rows, averaged where a row is left out more than once."""
    total, times = np.zeros((len(rows), n_outputs)), np.zeros((len(rows), 1))
    for model, split in zip(folds, splits, strict=True):
        total[split.test] += model.link(rows[split.test])
        times[split.test] += 1
    return np.where(times > 0, total / np.maximum(times, 1), np.nan)
