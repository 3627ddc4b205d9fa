"""Shares of heads: non-negative, at most one in sum, the rest is the baseline's."""

from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls

from heedful._folds import by_group
from heedful._responses import Response

MAX_STEPS = 100
# A head pays this many standard errors of its gain over the baseline: a gain that a few rows make is worth less.
CAUTION = 0.5
# Heads that differ by less than this part of their deviation are one.
SAME = 1e-6


class Whole(NamedTuple):
    """All values of out-of-fold predictions: of heads (n_rows, n_heads, n_values) and baseline (n_rows, n_values)."""

    heads: np.ndarray
    baseline: np.ndarray


class OutOfFold(NamedTuple):
    """Out-of-fold predictions of heads (n_rows, n_heads) and baseline, as the loss looks at them, and the response.

    ``shaped`` says which heads use shapes; empty stands for none. ``groups`` are numbers of groups of rows that are not
    independent of each other; None if all rows are. ``whole`` is there for several classes: the loss looks at one.
    ``number`` are the rows' positions in the training table; empty if nobody asks.
    """

    heads: np.ndarray
    baseline: np.ndarray
    family: Response
    weight: np.ndarray
    shaped: np.ndarray = np.empty(0, dtype=bool)
    groups: np.ndarray | None = None
    whole: Whole | None = None
    number: np.ndarray = np.empty(0, np.int64)

    def part(self, rows: np.ndarray) -> "OutOfFold":
        """Return some of the rows, without the whole of their predictions."""
        groups = None if self.groups is None else self.groups[rows]
        family, weight, number = (
            self.family.part(rows),
            self.weight[rows],
            self.number[rows if self.number.size else []],
        )
        return OutOfFold(self.heads[rows], self.baseline[rows], family, weight, self.shaped, groups, number=number)

    def known(self, *others: np.ndarray) -> np.ndarray:
        """Return which rows all predictions are known of, those of ``others`` (n_rows, k) too."""
        parts = (self.heads, self.baseline[:, None], *others)
        return np.flatnonzero(np.logical_and.reduce([np.isfinite(part).all(axis=1) for part in parts]))

    def mean_loss(self, values: np.ndarray) -> np.ndarray:
        """Return the weighted mean loss of values (n_rows,) or (n_rows, k)."""
        return self.weight @ self.family.losses(values).value / self.weight.sum()


def repeats(oof: OutOfFold) -> np.ndarray:
    """Return which heads predict the same as an earlier one, as where no model uses a column or a shape function.

    Rounding would say which of the two has a share.
    """
    repeated = np.zeros(oof.heads.shape[1], dtype=bool)
    for j in range(1, repeated.size):
        head = oof.heads[:, [j]]
        repeated[j] = (np.abs(head - oof.heads[:, :j]).max(axis=0) <= SAME * head.std()).any()
    return repeated


def head_errors(oof: OutOfFold) -> np.ndarray:
    """Return the weighted mean loss of each head: the squared error, the log loss."""
    return oof.mean_loss(oof.heads)


def head_costs(oof: OutOfFold, columns: np.ndarray) -> np.ndarray:
    """Return the standard error of each column's mean gain over the baseline."""
    weight = oof.weight / oof.weight.sum()
    gain = oof.family.losses(columns).value - oof.family.losses(oof.baseline).value[:, None]
    return np.sqrt((by_group(weight[:, None] * (gain - weight @ gain), oof.groups) ** 2).sum(axis=0))


def simplex_qp(products: np.ndarray, cost: np.ndarray | None = None) -> np.ndarray:
    """Return the convex weights ``u`` that minimise ``u' M u / 2 + cost' u``, for ``M`` products of residual columns.

    With ``M = R'R``, non-negative least squares of (0, 1) on (R; 1') has its minimum along the same direction. As
    weights sum to one, a cost can be written into M, and so can a constant that keeps M from turning negative.
    """
    if cost is not None and np.ptp(cost) > 0:
        extra = cost - cost.min()
        products = products + extra[:, None] + extra + 20.0 * extra.max()
    value, vector = np.linalg.eigh(products / max(np.trace(products) / len(products), 1e-300))
    root = np.sqrt(np.maximum(value, 0.0))[:, None] * vector.T
    system = np.vstack([root, np.ones(len(products))])
    target = np.zeros(len(system))
    target[-1] = 1.0
    share, _ = nnls(system, target, maxiter=100 * len(products))
    return share / share.sum()


def minimise_on_simplex(oof: OutOfFold, columns: np.ndarray, cost: np.ndarray) -> np.ndarray:
    """Return the convex weights of columns whose blend has the smallest mean loss plus cost.

    Newton steps: each replaces the loss by a square, whose minimum over the hull is known. A squared loss takes one.
    """
    share = np.full(columns.shape[1], 1.0 / columns.shape[1])
    weight = oof.weight / oof.weight.sum()
    best = oof.mean_loss(columns @ share) + cost @ share
    for _ in range(MAX_STEPS):
        blend = columns @ share
        _, gradient, hessian = oof.family.losses(blend)
        away = columns - (blend - gradient / hessian)[:, None]
        target = simplex_qp(away.T @ (away * (weight * hessian)[:, None]), cost)
        for step in 0.5 ** np.arange(12):
            there = (1 - step) * share + step * target
            gain = best - oof.mean_loss(columns @ there) - cost @ there
            if gain > 1e-9 * abs(best):
                break
        else:
            break
        share, best = there, best - gain
    return share


def without_extremes(oof: OutOfFold) -> OutOfFold:
    """Return the rows with less weight for those that no head comes near to: few of them must not rule all shares."""
    return oof._replace(weight=oof.weight * oof.family.robust_weight(oof.heads.mean(axis=1), oof.weight))


def fit_many(oof: OutOfFold, mixing: float | None) -> np.ndarray:
    """Return the shares of all heads that minimise the loss of the blend, a cautious price on each head added.

    With ``mixing`` given, the heads' shares sum to it; otherwise the baseline competes as one more column.
    """
    oof = without_extremes(oof)
    if mixing is None:
        columns = np.column_stack([oof.heads, oof.baseline])
        return minimise_on_simplex(oof, columns, CAUTION * head_costs(oof, columns))[:-1]
    columns = (1 - mixing) * oof.baseline[:, None] + mixing * oof.heads
    return mixing * minimise_on_simplex(oof, columns, CAUTION * head_costs(oof, columns))


def fit_both(oof: OutOfFold, mixing: float | None) -> np.ndarray:
    """Return the mean of the shares of all heads and of those without shapes alone.

    Neither is better on most tables, and rows left out do not always know which: their mean is seldom far below the
    better one (benchmarks/defaults).
    """
    every = fit_many(oof, mixing)
    if not oof.shaped.any():
        return every
    lines = np.zeros(every.size)
    lines[~oof.shaped] = fit_many(oof._replace(heads=oof.heads[:, ~oof.shaped]), mixing)
    return (every + lines) / 2


def best_mixing(oof: OutOfFold, heads: np.ndarray) -> np.ndarray:
    """Return how far to go from the baseline to each column of ``heads``, between 0 and 1: Newton steps, kept inside.

    The loss is convex along the way, so a step that leaves the bracket around the minimum is replaced by its middle.
    """
    step = heads - oof.baseline[:, None]
    low, high = np.zeros(heads.shape[1]), np.ones(heads.shape[1])
    mixing = np.full(heads.shape[1], 0.5)
    for _ in range(MAX_STEPS):
        _, gradient, hessian = oof.family.losses(oof.baseline[:, None] + mixing * step)
        down = oof.weight @ (gradient * step)
        bend = oof.weight @ (hessian * step**2)
        low, high = np.where(down < 0, mixing, low), np.where(down > 0, mixing, high)
        new = np.where(bend > 0, mixing - down / np.where(bend > 0, bend, 1.0), 0.0)
        new = np.clip(new, 0.0, 1.0)
        new = np.where((new < low) | (new > high), (low + high) / 2, new)
        if np.abs(new - mixing).max(initial=0.0) <= 1e-12:
            break
        mixing = new
    return mixing


def fit_one(oof: OutOfFold, mixing: float | None) -> np.ndarray:
    """Return the share of the single best head at its best mixing, at the same price."""
    n_heads = oof.heads.shape[1]
    share = best_mixing(oof, oof.heads) if mixing is None else np.full(n_heads, mixing)
    there = oof.baseline[:, None] + share * (oof.heads - oof.baseline[:, None])
    best = int(np.argmin(oof.mean_loss(there) + CAUTION * head_costs(oof, there)))
    return np.where(np.arange(n_heads) == best, share, 0.0)


def fit_listed(oof: OutOfFold, mixings: tuple[float, ...]) -> np.ndarray:
    """Return the share of the head with the smallest error at one of some mixings."""
    step = oof.heads - oof.baseline[:, None]
    error = np.array([oof.mean_loss(oof.baseline[:, None] + mixing * step) for mixing in mixings])
    at, best = np.unravel_index(np.argmin(error), error.shape)
    return np.where(np.arange(step.shape[1]) == best, mixings[at], 0.0)
