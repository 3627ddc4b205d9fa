"""Shares of heads: non-negative, at most one in sum, the rest is the baseline's."""

from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls

from heedful.local import Family

MAX_STEPS = 100


class Outside(NamedTuple):
    """What heads (n_rows, n_heads) and baseline say of training rows that they did not see, and what happened."""

    heads: np.ndarray
    baseline: np.ndarray
    family: Family
    weight: np.ndarray

    def part(self, rows: np.ndarray) -> "Outside":
        """Return some of the rows."""
        return Outside(self.heads[rows], self.baseline[rows], self.family.part(rows), self.weight[rows])

    def mean_loss(self, values: np.ndarray) -> np.ndarray:
        """Return the weighted mean loss of values (n_rows,) or (n_rows, k)."""
        return self.weight @ self.family.losses(values).value / self.weight.sum()


def head_errors(outside: Outside) -> np.ndarray:
    """Return the weighted mean loss of each head: the squared error, the log loss."""
    return outside.mean_loss(outside.heads)


def smallest_in_hull(products: np.ndarray) -> np.ndarray:
    """Return the convex weights ``u`` that minimise ``u' M u``, for ``M`` the products of residual columns.

    With ``M = R'R``, non-negative least squares of (0, 1) on (R; 1') has its minimum along the same direction.
    """
    value, vector = np.linalg.eigh(products / max(np.trace(products) / len(products), 1e-300))
    root = np.sqrt(np.maximum(value, 0.0))[:, None] * vector.T
    system = np.vstack([root, np.ones(len(products))])
    target = np.zeros(len(system))
    target[-1] = 1.0
    share, _ = nnls(system, target, maxiter=100 * len(products))
    return share / share.sum()


def best_in_hull(outside: Outside, columns: np.ndarray) -> np.ndarray:
    """Return the convex weights of columns whose blend has the smallest loss.

    Newton steps: each replaces the loss by a square, whose minimum over the hull is known. A squared loss takes one.
    """
    share = np.full(columns.shape[1], 1.0 / columns.shape[1])
    loss = outside.mean_loss(columns @ share)
    for _ in range(MAX_STEPS):
        blend = columns @ share
        _, slope, curve = outside.family.losses(blend)
        away = columns - (blend - slope / curve)[:, None]
        target = smallest_in_hull(away.T @ (away * (outside.weight * curve)[:, None]))
        share, gain = _walk(outside, columns, share, target, loss)
        loss -= gain
        if gain <= 1e-9 * abs(loss) or np.ptp(curve) == 0:
            break
    return np.where(share > 1e-9, share, 0.0) / share[share > 1e-9].sum()


def _walk(outside: Outside, columns, share, target, loss) -> tuple[np.ndarray, float]:
    """Go towards the target as far as the loss falls: all the way, or half of it, and so on; return share and gain."""
    for step in 0.5 ** np.arange(12):
        there = (1 - step) * share + step * target
        gain = loss - outside.mean_loss(columns @ there)
        if gain > 0:
            return there, float(gain)
    return share, 0.0


def fit_many(outside: Outside, mixing: float | None) -> np.ndarray:
    """Return the shares of all heads that minimise the loss of the blend.

    With ``mixing`` given, the heads' shares sum to it; otherwise the baseline competes as one more column.
    """
    if mixing is None:
        return best_in_hull(outside, np.column_stack([outside.heads, outside.baseline]))[:-1]
    columns = (1 - mixing) * outside.baseline[:, None] + mixing * outside.heads
    return mixing * best_in_hull(outside, columns)


def best_mixing(outside: Outside, heads: np.ndarray) -> np.ndarray:
    """Return how far to go from the baseline to each column of ``heads``, between 0 and 1: Newton steps, kept inside.

    The loss is convex along the way, so a step that leaves the bracket around the minimum is replaced by its middle.
    """
    step = heads - outside.baseline[:, None]
    low, high = np.zeros(heads.shape[1]), np.ones(heads.shape[1])
    mixing = np.full(heads.shape[1], 0.5)
    for _ in range(MAX_STEPS):
        _, slope, curve = outside.family.losses(outside.baseline[:, None] + mixing * step)
        down = outside.weight @ (slope * step)
        bend = outside.weight @ (curve * step**2)
        low, high = np.where(down < 0, mixing, low), np.where(down > 0, mixing, high)
        new = np.where(bend > 0, mixing - down / np.where(bend > 0, bend, 1.0), 0.0)
        new = np.clip(new, 0.0, 1.0)
        new = np.where((new < low) | (new > high), (low + high) / 2, new)
        if np.abs(new - mixing).max(initial=0.0) <= 1e-12:
            break
        mixing = new
    return mixing


def fit_one(outside: Outside, mixing: float | None) -> np.ndarray:
    """Return the share of the single best head at its best mixing."""
    n_heads = outside.heads.shape[1]
    share = best_mixing(outside, outside.heads) if mixing is None else np.full(n_heads, mixing)
    step = outside.heads - outside.baseline[:, None]
    best = int(np.argmin(outside.mean_loss(outside.baseline[:, None] + share * step)))
    return np.where(np.arange(n_heads) == best, share, 0.0)
