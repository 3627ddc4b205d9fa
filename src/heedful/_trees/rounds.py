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
# Linear predictors up to which all models are worked out in one go: calls cost more than rows there. Models of more are
# shared out among threads.
FEW = 2**17


class Part:
    """The rows of one model: those of positive weight, and their family."""

    def __init__(self, family: Response, weight: np.ndarray, rows: np.ndarray):
        inside = np.zeros(weight.size, dtype=bool)
        inside[rows] = True
        kept = np.flatnonzero(inside & (weight > 0.0))
        self.rows = slice(None) if kept.size == weight.size else kept
        self.family, self.weight = family.part(kept), weight[kept]
        with np.errstate(divide="ignore"):
            self.start = np.nan_to_num(self.family.null_link(self.weight), posinf=FARTHEST, neginf=-FARTHEST)
        level = np.tile(self.start, (kept.size, 1))
        self.unit = self.family.dispersion(level, self.weight)
        self.is_square = self.family.hessian(level, self.weight) is None

    def slopes(self, link: np.ndarray, out: np.ndarray, *, new_hessian: bool) -> np.ndarray:
        """Write minus the gradient and, if asked to, the hessian of each row; return what a level gains by chance."""
        link, weight = np.ascontiguousarray(link[self.rows]), self.weight[:, None]
        residual = self.family.residual(link, self.weight) / self.unit
        slope = weight * residual
        out[self.rows, 0] = slope
        if new_hessian:
            hessian = self.family.hessian(link, self.weight)
            out[self.rows, 1] = curve = weight * (np.ones(slope.shape) if hessian is None else hessian / self.unit)
            self.curve = curve.sum(axis=0)
        return BY_CHANCE * (slope * residual).sum(axis=0) / self.curve


class Slopes:
    """Gradients and hessians of some models, worked out one by one or, if they are small, together."""

    def __init__(self, family: Response, weight: np.ndarray, parts: list[Part], *, small: bool):
        self.parts, self.together = parts, None
        if not small:
            return
        weights = np.zeros((weight.size, len(parts)))
        for m, part in enumerate(parts):
            weights[part.rows, m] = part.weight
        self.weight, self.unit = weights, np.array([part.unit for part in parts])
        self.together = family
        if family.row_by_row:
            self.weight, self.unit = weights.reshape(-1, 1), np.tile(self.unit, weight.size)[:, None]
            self.together = family.part(np.repeat(np.arange(weight.size), len(parts)))

    def write(self, link: np.ndarray, out: np.ndarray, chance: np.ndarray, *, new_hessian: bool) -> None:
        """Write minus the gradient, if asked to the hessian of each row, and what a level gains by chance."""
        if self.together is None:
            for m, part in enumerate(self.parts):
                chance[m] = part.slopes(link[:, m], out[:, :, m], new_hessian=new_hessian)
            return
        flat = link.reshape(len(self.weight), -1)
        weight = self.weight[:, 0] if self.together.row_by_row else self.weight
        residual = self.together.residual(flat, weight) / self.unit
        slope = self.weight * residual
        out[:, 0] = slope.reshape(link.shape)
        if new_hessian:
            hessian = self.together.hessian(flat, weight)
            curve = np.ones(flat.shape) if hessian is None else hessian / self.unit
            out[:, 1] = (self.weight * curve).reshape(link.shape)
            self.curve = out[:, 1].sum(axis=0)
        chance[:] = BY_CHANCE * (slope * residual).reshape(link.shape).sum(axis=0) / self.curve


class Rounds(NamedTuple):
    """Stumps of all series: column, side of each code, and step of each side; rounds come first."""

    columns: np.ndarray
    sides: np.ndarray
    steps: np.ndarray

    def shapes(self, k: int, n_rounds: int, n_columns: int) -> np.ndarray:
        """Return the sum of the first stumps of one series (n_columns, 256)."""
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
        self.slopes, self.chance = Slopes(family, weight, parts, small=small), np.empty(starts.shape)
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
        self.slopes.write(self.link, self.derivatives, self.chance, new_hessian=new_hessian)
        slopes, link = (part.reshape(len(part), -1) for part in (self.derivatives, self.link))
        state = (slopes, new_hessian, self.chance.reshape(-1), rule, self.work)
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
    stopping.begin([group.link for group in groups])
    found, number = [no_stumps(0, sum(group.n_series for group in groups))], 0
    # slopes of squares follow from steps, and rounds need not come back for them
    at_once = EVERY if parts[0].is_square else 1
    with tqdm(total=how.n_rounds, desc="stumps", unit="round", disable=not verbose) as bar:
        while number < how.n_rounds:
            size = min(at_once, stopping.size - stopping.n_waiting, EVERY - number % EVERY, how.n_rounds - number)
            tasks = list(zip(groups, stopping.room(size), strict=True))
            grown = _blocks.side_by_side(Group.grow, tasks, table, rule, size, number % EVERY == 0, n_jobs=n_jobs)
            stumps = Rounds(*(np.concatenate(part, axis=1) for part in zip(*grown, strict=True)))
            none = np.flatnonzero((stumps.columns < 0).all(axis=1))
            # the first round that finds no stump is the last one
            size = int(none[0]) + 1 if none.size else size
            found.append(Rounds(*(part[:size] for part in stumps)))
            number += size
            bar.update(size)
            last = number == how.n_rounds or none.size > 0
            stopping.filled(size, last=last)
            if stopping.over(how.patience) or last:
                break
    return Rounds(*(np.concatenate(part) for part in zip(*found, strict=True)))


def no_stumps(n_rounds: int, n_series: int) -> Rounds:
    """Return room for the stumps of some rounds."""
    shape = (n_rounds, n_series)
    return Rounds(np.empty(shape, np.int64), np.zeros((*shape, CODES), np.uint8), np.zeros((*shape, 3)))
