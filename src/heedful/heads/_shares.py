"""Shares of heads: non-negative, at most one in sum, the rest is the baseline's."""

from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls


class Outside(NamedTuple):
    """What is known of training rows from models that did not see them."""

    heads: np.ndarray
    baseline: np.ndarray
    y: np.ndarray
    weight: np.ndarray

    def part(self, rows: np.ndarray) -> "Outside":
        """Return some of the rows."""
        return Outside(*(values[rows] for values in self))


def head_errors(outside: Outside) -> np.ndarray:
    """Return the weighted mean squared error of each head."""
    return np.average((outside.heads - outside.y[:, None]) ** 2, axis=0, weights=outside.weight)


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


def fit_many(outside: Outside, mixing: float | None) -> np.ndarray:
    """Return the shares of all heads that minimise the squared error of the blend.

    With ``mixing`` given, the heads' shares sum to it; otherwise the baseline competes as one more column.
    """
    residual = outside.baseline - outside.y
    if mixing is None:
        columns = np.column_stack([outside.heads - outside.y[:, None], residual])
    else:
        columns = (1 - mixing) * residual[:, None] + mixing * (outside.heads - outside.y[:, None])
    share = smallest_in_hull(columns.T @ (columns * outside.weight[:, None]))
    return share[:-1] if mixing is None else mixing * share


def fit_one(outside: Outside, mixing: float | None) -> np.ndarray:
    """Return the share of the single best head, the best mixing of each head being known in closed form."""
    step = outside.heads - outside.baseline[:, None]
    residual = outside.y - outside.baseline
    weight = outside.weight[:, None]
    slope, curve = (weight * step * residual[:, None]).sum(axis=0), (weight * step**2).sum(axis=0)
    if mixing is None:
        share = np.clip(slope / np.where(curve > 0, curve, np.inf), 0.0, 1.0)
    else:
        share = np.full(curve.size, mixing)
    best = int(np.argmax(2 * share * slope - share**2 * curve))
    return np.where(np.arange(curve.size) == best, share, 0.0)
