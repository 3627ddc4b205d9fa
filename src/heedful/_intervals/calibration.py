"""Prediction intervals: residuals of unseen rows, and where each stands among those of the rows like it.

The rank of a row is the weight that its attention gives to rows with smaller residuals. Training rows that were left
out and new rows rank alike, whatever the attention is. So an interval ends where the query's own attention has as much
weight inside as a share ``coverage`` of the training rows had, and one row more is counted for the query itself.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from heedful import _blocks
from heedful._intervals.ecdf import WeightedECDF
from heedful.attention import Attention
from heedful.baseline._folds import Split

# How local intervals are is judged by the pinball loss of these quantiles of absolute residuals.
LEVELS = (0.8, 0.9, 0.95)
# An interval looks at so many effective rows at least; some of the weight is always spread over all rows.
FEWEST, MOST_LOCAL = 30.0, 0.95
# Ranks of so many rows tell coverage within a point; each costs the attention of a query.
RANKED = 2000

# From numbers of training rows to their attention to all training rows, as if they were new.
Attend = Callable[[np.ndarray], Attention]


class Calibration(NamedTuple):
    """Absolute residuals (``size``) of the training rows ``known``, and the ranks of some of them.

    ``n_rows`` is how many effective rows an interval looks at; infinite if it looks at all rows alike.
    """

    known: np.ndarray
    size: np.ndarray
    known_weight: np.ndarray
    rank: np.ndarray
    weight: np.ndarray
    n_rows: float

    @property
    def order(self) -> WeightedECDF:
        """Return the residuals in order."""
        return WeightedECDF(self.size, self.known_weight)

    def level(self, coverage: float) -> float:
        """Return up to which rank a share ``coverage`` of the rows and one more lies; infinite if rows are too few."""
        order = np.argsort(self.rank, kind="stable")
        mass = np.cumsum(self.weight[order])
        needed = coverage * (mass[-1] + self.weight.mean())
        place = int(np.searchsorted(mass, needed * (1 - 1e-12)))
        return np.inf if place == mass.size else float(self.rank[order[place]])


class Peers(NamedTuple):
    """Training rows to rank and those that they are compared with, whose residuals are in ``order``.

    ``own`` says that a row is one of the others itself: it is then left out.
    """

    rows: np.ndarray
    size: np.ndarray
    others: np.ndarray
    order: WeightedECDF
    own: bool
    choices: list[float]


def calibrate(
    residual: np.ndarray, weight: np.ndarray, attend: Attend | None, splits: list[Split], n_jobs: int | None
) -> Calibration:
    """Rank residuals (NaN where there is none) and choose how local intervals are.

    Without ``attend`` all rows are alike. With ``splits`` a row is compared with those of its training part only.
    """
    known = np.flatnonzero(np.isfinite(residual))
    size, prior = np.abs(residual[known]), weight[known]
    plain = Calibration(known, size, prior, plain_ranks(size, prior), prior, np.inf)
    choices = row_choices(prior)
    if attend is None or len(choices) == 1:
        return plain
    found = []
    for rows, others in compared(known, splits):
        order = WeightedECDF(np.abs(residual[others]), weight[others])
        peers = Peers(rows, np.abs(residual[rows]), others, order, not splits, choices)
        blocks = _blocks.cut(rows.size, 24 * weight.size, n_jobs)
        found += list(_blocks.run(_rank_block, blocks, peers, attend, n_jobs=n_jobs, label="ranks"))
    if not found:
        return plain
    rows, rank, loss = (np.concatenate(column) for column in zip(*found, strict=True))
    best = most_local(loss, weight[rows])
    return plain if best == 0 else plain._replace(rank=rank[:, best], weight=weight[rows], n_rows=choices[best])


class Widths:
    """How far intervals of one coverage reach to each side: the ``same`` for all queries, or by their attention."""

    def __init__(self, calibration: Calibration, coverage: float):
        self._calibration, self._level = calibration, calibration.level(coverage)
        self._order = calibration.order
        self.same: float | None = None
        if np.isinf(self._level) or np.isinf(calibration.n_rows):
            self.same = np.inf if np.isinf(self._level) else self._order.plain_quantile(self._level)

    def of(self, attention: Attention) -> np.ndarray:
        """Return how far the intervals of queries reach."""
        known, n_rows = self._calibration.known, self._calibration.n_rows
        return self._order.quantile(localise(attention.within(known), n_rows), self._level)


def plain_ranks(size: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return the share of weight that other rows with smaller residuals have."""
    others = weight.sum() - weight
    return WeightedECDF(size, weight).prior_below(size) / np.where(others > 0, others, 1.0)


def row_choices(weight: np.ndarray) -> list[float]:
    """Return the effective numbers of rows to try: all alike, then halves of them as long as they are not too few."""
    n_rows = effective(weight)
    halvings = int(np.log2(max(n_rows / FEWEST, 1.0)) + 1e-9)
    return [np.inf] + [n_rows / 2**k for k in range(1, halvings + 1)]


def effective(weight: np.ndarray) -> float:
    """Return the effective number of rows behind weights."""
    return float(weight.sum() ** 2 / (weight**2).sum())


def localise(attention: Attention, n_rows: float) -> Attention:
    """Return attention that is evened out, if need be, until each query looks at ``n_rows`` effective rows."""
    if np.isinf(n_rows):
        return attention.evened(np.zeros(attention.shape[0]))
    equal = attention.sample_weight / attention.sample_weight.sum()
    every, both = equal @ equal, attention @ equal
    # the sum of squared weights at a share s of the attention is every + 2 s slope + s^2 bend
    slope, bend = both - every, 1.0 / attention.n_eff - 2.0 * both + every
    room = max(1.0 / n_rows - every, 0.0)
    share = (np.sqrt(slope**2 + np.maximum(bend, 0.0) * room) - slope) / np.maximum(bend, 1e-300)
    return attention.evened(np.clip(share, 0.0, MOST_LOCAL))


def compared(known: np.ndarray, splits: list[Split]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return rows to rank with the rows to compare them with: all, or those that their fold was fitted to."""
    rows = known[np.unique(np.linspace(0, known.size - 1, min(known.size, RANKED)).astype(np.int64))]
    if not splits:
        return [(rows, known)]
    pairs = []
    for train, test in splits:
        part, others = np.intersect1d(rows, test), np.intersect1d(known, train)
        rows = np.setdiff1d(rows, part)
        if part.size and others.size >= FEWEST:
            pairs.append((part, others))
    return pairs


def most_local(loss: np.ndarray, weight: np.ndarray) -> int:
    """Return the last choice whose mean loss is within a standard error of the smallest."""
    weight = weight / weight.sum()
    means = weight @ loss
    excess = loss - loss[:, [int(np.argmin(means))]]
    error = np.sqrt((weight**2) @ (excess - weight @ excess) ** 2)
    return int(np.flatnonzero(weight @ excess <= error)[-1])


def _rank_block(block: slice, peers: Peers, attend: Attend) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rows of a block, and their ranks and losses (n_rows, n_choice)."""
    rows, size = peers.rows[block], peers.size[block]
    attention = attend(rows).within(peers.others)
    rank, loss = np.empty((2, rows.size, len(peers.choices)))
    for k, n_rows in enumerate(peers.choices):
        local = localise(attention, n_rows)
        local = local.without(np.searchsorted(peers.others, rows)) if peers.own else local
        rank[:, k] = peers.order.weight_below(local, size)
        found = zip(LEVELS, peers.order.quantiles(local, LEVELS), strict=True)
        loss[:, k] = sum(pinball(size - value, level) for level, value in found)
    return rows, rank, loss


def pinball(above: np.ndarray, level: float) -> np.ndarray:
    """Return the loss of a quantile that lies ``above`` below what was found."""
    return np.where(above > 0, level * above, (level - 1) * above)
