"""Prediction intervals: residuals of held-out rows, divided by how large each was expected to be.

The score of a row is its absolute residual over its spread, which is expected without this residual. New rows score as
left-out training rows did, so an interval reaches as many spreads of the query as a share ``coverage`` of these rows
had at most, and one row more is counted for the query itself. Where all spreads are equal, this is split conformal.
"""

import itertools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from heedful import _blocks
from heedful._flow.spread import Columns, ForestSpread, attended
from heedful._folds import Split
from heedful.attention import Attention

# To which powers expectations are raised; 0 leaves one out.
POWERS = np.linspace(0.0, 1.5, 16)
# What a likelihood must be better by, so that rounding does not decide.
ROUNDING = 1e-12
# A row is compared with so many others at least.
FEWEST = 30
# Scores of so many rows tell coverage within a point; each costs the attention of a query.
SCORED = 2000

# From numbers of training rows to their attention to the others, as if they were new.
Attend = Callable[[np.ndarray], Attention]


class Residuals(NamedTuple):
    """Training rows by their numbers: absolute residuals (NaN where there is none), sample weights and columns.

    With ``splits`` a row is compared with those of its training part only.
    """

    number: np.ndarray
    size: np.ndarray
    weight: np.ndarray
    columns: Columns
    splits: list[Split]

    @property
    def level(self) -> float:
        return float(np.average(self.size, weights=self.weight))

    def take(self, rows: np.ndarray) -> "Residuals":
        return Residuals(self.number[rows], self.size[rows], self.weight[rows], self.columns.take(rows), self.splits)


class Calibration(NamedTuple):
    """Scores of training rows with their sample weights, and what spreads of queries are made of.

    A spread is what the ``forest`` expects to the first of two ``powers``, times what the ``known`` rows that a query
    attends to have left to the second. Of powers 0 it is 1.
    """

    known: Residuals
    score: np.ndarray
    weight: np.ndarray
    powers: np.ndarray
    forest: ForestSpread | None

    @property
    def attends(self) -> bool:
        """Whether intervals depend on attention."""
        return bool(self.powers[1] > 0)

    def quantile(self, coverage: float) -> float:
        """Return the score that a share ``coverage`` of the rows and one more have at most; infinite if too few."""
        order = np.argsort(self.score, kind="stable")
        mass = np.cumsum(self.weight[order])
        needed = coverage * (mass[-1] + self.weight.mean())
        place = int(np.searchsorted(mass, needed * (1 - 1e-12)))
        return np.inf if place == mass.size else float(self.score[order[place]])

    def attended(self, attention: Attention) -> np.ndarray:
        """Return the mean residual of the known rows that queries attend to, to its power."""
        return attended(attention.within(self.known.number), self.known.size, self.known.level) ** self.powers[1]

    def by_columns(self, table: np.ndarray) -> np.ndarray:
        """Return what the forest expects of queries, to its power."""
        return np.ones(len(table)) if self.forest is None else self.forest.of(table) ** self.powers[0]


def calibrate(rows: Residuals, attend: Attend | None, n_jobs: int | None) -> Calibration:
    """Score residuals by spreads that are expected without them; without ``attend`` by the columns of rows only."""
    known = rows.take(np.flatnonzero(np.isfinite(rows.size)))
    plain = Calibration(known, known.size, known.weight, np.zeros(2), None)
    pairs = compared(known.number, rows.splits)
    if not pairs or known.level == 0:
        return plain
    forest = ForestSpread(known.columns, known.size, known.weight, n_jobs)
    spreads = []
    for part, others in pairs:
        peers = rows.take(others)
        if rows.splits:
            by_columns = ForestSpread(peers.columns, peers.size, peers.weight, n_jobs).of(rows.columns.table[part])
        else:
            by_columns = forest.of_left_out(np.searchsorted(known.number, part))
        around = np.ones(part.size) if attend is None else attended_left_out(part, peers, attend, n_jobs)
        spreads.append(np.log([by_columns, around]))
    scored, logs = rows.take(np.concatenate([part for part, _ in pairs])), np.concatenate(spreads, axis=1)
    powers = choose_powers(scored.size, logs, scored.weight)
    if not powers.any():
        return plain
    return Calibration(known, scored.size * np.exp(-powers @ logs), scored.weight, powers, forest)


def compared(known: np.ndarray, splits: list[Split]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return rows to score with the rows to compare them with: all, or those that their fold was fitted to."""
    rows = known[np.unique(np.linspace(0, known.size - 1, min(known.size, SCORED)).astype(np.int64))]
    if not splits:
        return [(rows, known)] if known.size >= FEWEST else []
    pairs = []
    for train, test in splits:
        part, others = np.intersect1d(rows, test), np.intersect1d(known, train)
        rows = np.setdiff1d(rows, part)
        if part.size and others.size >= FEWEST:
            pairs.append((part, others))
    return pairs


def attended_left_out(rows: np.ndarray, peers: Residuals, attend: Attend, n_jobs: int | None) -> np.ndarray:
    """Return the mean residual of the peers that each row attends to; no row attends to itself."""
    blocks = _blocks.cut(rows.size, 24 * peers.weight.size, n_jobs)
    means = _blocks.run(_attended_block, blocks, rows, peers, attend, n_jobs=n_jobs, label="spreads")
    return np.concatenate(list(means))


def _attended_block(block: slice, rows: np.ndarray, peers: Residuals, attend: Attend) -> np.ndarray:
    attention = attend(rows[block]).within(peers.number)
    if peers.splits:
        return attended(attention, peers.size, peers.level)
    place, total = np.searchsorted(peers.number, rows[block]), peers.weight.sum()
    level = (total * peers.level - peers.weight[place] * peers.size[place]) / (total - peers.weight[place])
    return attended(attention, peers.size, level)


def choose_powers(size: np.ndarray, logs: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return to which powers expectations, given as logarithms, are raised: those of the largest likelihood.

    It is that of exponential residuals whose mean is a multiple of the spread.
    """
    weight = weight / weight.sum()
    best, least = np.zeros(2), np.log(weight @ size)
    for powers in itertools.product(POWERS, POWERS):
        log = np.dot(powers, logs)
        loss = np.log(weight @ (size * np.exp(-log))) + weight @ log
        if loss < least - ROUNDING:
            best, least = np.array(powers), loss
    return best
