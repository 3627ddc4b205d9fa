"""Rounds of boosting: slopes of all models, the stump of each, and what it adds to them."""

from typing import NamedTuple

import numpy as np
from joblib import effective_n_jobs
from tqdm.auto import tqdm

from heedful import _blocks, _kernels
from heedful._kernels.shapes import StumpRule, StumpTable, StumpWork
from heedful._trees.bins import Binned
from heedful._trees.early_stopping import EVERY, EarlyStopping
from heedful._trees.protocol import Boosting, Response

CODES = 256
# The start of a model that has seen a single class: log-odds of 30 are a probability that is still less than 1.
FARTHEST = 30.0
# What a level of a category beyond two gains by chance, as its levels are sorted by the very slopes that they part: of
# the mean squared error, 2 / pi in theory, less what any column gains by its choice of a cut. Half of it gave the least
# test error for 10 and 60 levels, with and without a signal; none overfits, and a ridge on levels does not help.
BY_CHANCE = 0.5
# Linear predictors up to which the slopes of all models are worked out in one go: calls cost more than rows there. More
# are worked out model by model, which threads share.
FEW = 2**17


class Part:
    """The rows of one model, those of positive weight, with its start and the unit of its slopes."""

    def __init__(self, family: Response, weight: np.ndarray, rows: np.ndarray):
        inside = np.zeros(weight.size, dtype=bool)
        inside[rows] = True
        kept = np.flatnonzero(inside & (weight > 0.0))
        self.rows = slice(None) if kept.size == weight.size else kept
        family, self.weight = family.part(kept), weight[kept]
        with np.errstate(divide="ignore"):
            self.start = np.nan_to_num(family.null_link(self.weight), posinf=FARTHEST, neginf=-FARTHEST)
        level = np.tile(self.start, (kept.size, 1))
        self.unit = family.dispersion(level, self.weight)
        self.is_square = family.hessian(level, self.weight) is None


class Slopes:
    """Gradients and hessians of some models at all rows, worked out together."""

    def __init__(self, family: Response, weight: np.ndarray, parts: list[Part]):
        weights = np.zeros((weight.size, len(parts)))
        for m, part in enumerate(parts):
            weights[part.rows, m] = part.weight
        self.family, self.weight, self.unit = family, weights, np.array([part.unit for part in parts])
        if family.row_by_row:
            self.weight, self.unit = weights.reshape(-1, 1), np.tile(self.unit, weight.size)[:, None]
            self.family = family.part(np.repeat(np.arange(weight.size), len(parts)))

    def write(self, link: np.ndarray, out: np.ndarray, chance: np.ndarray, *, new_hessian: bool) -> None:
        """Write minus the gradient, if asked to the hessian of each row, and what a level gains by chance."""
        flat = link.reshape(len(self.weight), -1)
        weight = self.weight[:, 0] if self.family.row_by_row else self.weight
        residual = self.family.residual(flat, weight) / self.unit
        slope = self.weight * residual
        out[:, 0] = slope.reshape(link.shape)
        if new_hessian:
            hessian = self.family.hessian(flat, weight)
            curve = self.weight * (np.ones(flat.shape) if hessian is None else hessian / self.unit)
            out[:, 1] = curve.reshape(link.shape)
            self.curve = curve.reshape(link.shape).sum(axis=0)
        chance[:] = BY_CHANCE * (slope * residual).reshape(link.shape).sum(axis=0) / self.curve


class Rounds(NamedTuple):
    """Stumps of all series: column, side of each code, and step of each side; rounds come first."""

    columns: np.ndarray
    sides: np.ndarray
    steps: np.ndarray

    def shapes(self, k: int, n_rounds: int, n_columns: int) -> np.ndarray:
        total = np.zeros((n_columns, CODES))
        column, side, step = (part[:n_rounds, k] for part in self)
        for j in np.unique(column[column >= 0]):
            rounds = np.flatnonzero(column == j)
            total[j] = step[rounds[:, None], side[rounds]].sum(axis=0)
        return total


class Group:
    """Some of the models as they grow: one thread works on all of them, and on no others."""

    def __init__(self, rows: Binned, family: Response, weight: np.ndarray, parts: list[Part], *, small: bool):
        starts = np.stack([part.start for part in parts])
        n_rows, self.n_series = len(rows), starts.size
        self.link, self.derivatives = np.tile(starts, (n_rows, 1, 1)), np.zeros((n_rows, 2, *starts.shape))
        self.chance, together = np.empty(starts.shape), len(parts) if small else 1
        models = (slice(m, m + together) for m in range(0, len(parts), together))
        self.slopes = [(some, Slopes(family, weight, parts[some])) for some in models]
        n_bins = int((rows.bins.sizes + 1).sum())
        self.work = StumpWork(
            tally=np.zeros((CODES, 2 * self.n_series)),
            hessians=np.empty((n_bins, self.n_series)),
            inverses=np.empty((n_bins, 2, self.n_series)),
            running=np.empty((5, self.n_series)),
            order=np.empty(CODES, np.int64),
            best=np.empty(self.n_series),
        )

    def grow(self, links: np.ndarray, table: StumpTable, rule: StumpRule, size: int, new_hessian: bool) -> Rounds:
        """Return the stumps of so many rounds; the linear predictors after each go to ``links``, if it has room."""
        stumps = no_stumps(size, self.n_series)
        for some, slopes in self.slopes:
            out = self.derivatives[:, :, some]
            slopes.write(self.link[:, some], out, self.chance[some], new_hessian=new_hessian)
        derivatives, link = (part.reshape(len(part), -1) for part in (self.derivatives, self.link))
        state = (derivatives, new_hessian, self.chance.reshape(-1), rule, self.work)
        _kernels.stump_rows(table, *state, *stumps, link, links.reshape(-1, *link.shape))
        return stumps


def boost(
    rows: Binned,
    stopping: EarlyStopping,
    parts: list[Part],
    how: Boosting,
    verbose: int,
    signs: np.ndarray | None,
    n_jobs: int | None,
) -> Rounds:
    """Return the stumps of each round; early stopping knows the loss before the first and after each of them."""
    family, weight = stopping.family, stopping.weight
    small = weight.size * len(parts) * family.n_outputs <= FEW
    n_groups = 1 if small else min(effective_n_jobs(n_jobs), len(parts))
    shared = [parts[len(parts) * k // n_groups : len(parts) * (k + 1) // n_groups] for k in range(n_groups)]
    groups = [Group(rows, family, weight, some, small=small) for some in shared]
    numbers = (how.ridge, how.min_hessian, how.learning_rate, family.farthest_step, BY_CHANCE)
    rule = StumpRule(*map(float, numbers))
    signs = np.zeros(rows.shape[1]) if signs is None else np.asarray(signs, dtype=np.float64)
    table = StumpTable(rows.columns, rows.bins.categories, rows.bins.sizes, signs)
    kept = stopping.size if stopping.mass > 0.0 else 0
    room = [np.empty((kept, *group.link.shape)) for group in groups]
    found, number, ended = [no_stumps(0, sum(group.n_series for group in groups))], 0, False
    # slopes of squares follow from steps, and rounds need not come back for them
    at_once = EVERY if parts[0].is_square else 1
    if kept:
        stopping.add([group.link[None] for group in groups])
    with tqdm(total=how.n_rounds, desc="stumps", unit="round", disable=not verbose) as bar:
        while number < how.n_rounds and not ended:
            start, stop = number, min(number + stopping.size, number - number % EVERY + EVERY, how.n_rounds)
            while number < stop and not ended:
                size = min(at_once, stop - number)
                tasks = [(group, links[number - start :][:size]) for group, links in zip(groups, room, strict=True)]
                grown = _blocks.side_by_side(Group.grow, tasks, table, rule, size, number % EVERY == 0, n_jobs=n_jobs)
                stumps = Rounds(*(np.concatenate(part, axis=1) for part in zip(*grown, strict=True)))
                none = np.flatnonzero((stumps.columns < 0).all(axis=1))
                # the first round that finds no stump is the last one
                size, ended = (int(none[0]) + 1, True) if none.size else (size, False)
                found.append(Rounds(*(part[:size] for part in stumps)))
                number += size
                bar.update(size)
            if kept:
                stopping.add([links[: number - start] for links in room])
                ended = stopping.over(how.patience) or ended
    return Rounds(*(np.concatenate(part) for part in zip(*found, strict=True)))


def no_stumps(n_rounds: int, n_series: int) -> Rounds:
    shape = (n_rounds, n_series)
    return Rounds(np.empty(shape, np.int64), np.zeros((*shape, CODES), np.uint8), np.zeros((*shape, 3)))
