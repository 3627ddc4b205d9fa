"""A smooth model for all rows: kernel ridge, with a length for each column, of what the lasso leaves.

The kernel is Gaussian. Lengths come from its own fits: a column in which the last fit was steep gets a shorter one
(recursive feature machines). Width and penalty are those of the smallest leave-one-out error, which has a closed form.
Other losses than squares are replaced by their expansion to second order, at the lasso and twice again.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import cholesky, eigh, solve_triangular

from heedful import _kernels
from heedful._file_checks import require, require_numbers
from heedful._folds import Split, average_out_of_fold, cut_all_rows
from heedful.baseline import GlobalFit, fit_global

# Rows that kernels are centred at (Nystroem's approximation), and rows that are fitted, at most.
CENTRES, MOST_ROWS = 200, 2000
# Times that lengths are learned, from so many rows at most.
ROUNDS, LENGTH_ROWS, LENGTH_CENTRES = 3, 500, 100
# Parts of equal size that a column is cut into to see what it explains by itself. All lengths start equal where columns
# are no more than these.
PARTS, FEW_COLUMNS = 8, 8
# Multiples of the median distance, and penalties, that are tried.
WIDTHS = (0.7, 1.4)
PENALTIES = 10.0 ** np.arange(-3.0, 2.1, 0.5)
# Columns whose squared slope is less than this part of the largest are left out.
FLAT = 1e-4
# Folds in which the model is tried, and rows that it takes at least.
FOLDS, FEWEST_ROWS = 4, 20
# A kernel that takes less than this part off the leave-one-out error, for which it was chosen, takes none off new rows.
LEAST_GAIN = 0.02
# Newton steps of losses that are not squares, and how far on the linear predictor each is believed.
STEPS, STEP = 3, 2.0
JITTER, CLOSE, LEAST_LEFT, TINY, ROUNDING = 1e-6, 1e-12, 1e-3, 1e-300, 1e-9
SEED = 0


class Kernel(NamedTuple):
    """A sum of Gaussian kernels: what columns are multiplied with, centres (multiplied), their coefficients, slopes.

    ``slope`` is the root mean square, over the rows fitted, of the derivative by each column; ``most`` is the largest
    value either way.
    """

    scale: np.ndarray
    centres: np.ndarray
    coef: np.ndarray
    slope: np.ndarray
    most: float = np.inf

    def values(self, x: np.ndarray) -> np.ndarray:
        used = self.scale > 0
        total = np.zeros((len(x), self.coef.shape[1]))
        _kernels.kernel_sum_rows(x[:, used] * self.scale[used], self.centres[:, used], self.coef, total)
        return np.clip(total, -self.most, self.most)


@dataclass
class Smooth:
    """Kernel ridge of what the lasso leaves, on the scale of the linear predictor.

    ``level`` (n_outputs,) is added to it; ``train`` (n_rows, n_outputs) is what lasso and kernel together predict of a
    training row that neither has seen.
    """

    kernel: Kernel
    level: np.ndarray
    train: np.ndarray

    @property
    def slope(self) -> np.ndarray:
        return self.kernel.slope

    def check_loaded(self) -> None:
        scale, centres, coef, slope, most = self.kernel
        require(most > 0, "a smooth model has no room")
        require_numbers(scale, scale.size)
        require_numbers(slope, scale.size)
        require_numbers(centres, len(centres), scale.size)
        require_numbers(coef, len(centres), self.level.size)
        require_numbers(self.level, self.level.size)
        require(self.train.ndim == 2 and self.train.shape[1] == self.level.size, "a smooth model has other outputs")

    def added(self, x: np.ndarray) -> np.ndarray:
        """Return what is added to the linear predictor of the lasso, for rows on the common scale."""
        return self.level + self.kernel.values(x[:, : self.kernel.scale.size])


def fit_smooth(fit: GlobalFit, design: np.ndarray, splits: list[Split], tol: float) -> Smooth | None:
    """Fit kernels to what a lasso leaves of its rows; None if there is too little of either.

    Folds have lassos, lengths, widths and penalties of their own: a row that is left out influences none of them.
    """
    kernel = _fit_kernel(fit, design)
    if kernel is None:
        return None

    def predict(_: int, split: Split) -> np.ndarray:
        train, test = split
        everyone = Split(np.arange(train.size), np.arange(train.size))
        rows = (design[train], fit.family.part(train), fit.weight[train])
        lasso = fit_global(*rows, [everyone], fit.alpha, tol, None, fit.constraints)
        link, of_fold = lasso.intercept + design[test] @ lasso.coef.T, _fit_kernel(lasso, design[train])
        if of_fold is None:
            return link
        return link + of_fold.values(lasso.scale.rows(design[test])[:, : of_fold.scale.size])

    link = average_out_of_fold(merge_folds(splits, len(design)), predict, (len(design), len(fit.coef)))
    level = np.zeros(len(fit.coef))
    if not fit.family.has_level:
        known = np.isfinite(link[:, 0])
        weight = fit.weight[known]
        level = fit.family.part(known).attended_level(link[known, 0], weight / weight.sum(), weight)
    return Smooth(kernel, level, link + level)


def merge_folds(splits: list[Split], n_rows: int) -> list[Split]:
    """Return fewer and larger folds where they cut all rows into parts; others as they are."""
    if len(splits) <= FOLDS or not cut_all_rows(splits, n_rows):
        return splits
    parts = [np.sort(np.concatenate([split.test for split in splits[k::FOLDS]])) for k in range(FOLDS)]
    return [Split(np.setdiff1d(np.arange(n_rows), part), part) for part in parts]


def _fit_kernel(fit: GlobalFit, design: np.ndarray) -> Kernel | None:
    """Return kernel ridge of a lasso's working residuals, in units of the linear predictor: Newton steps from it."""
    x = fit.scale.rows(design)
    link, x, order = fit.model.link(x), x[:, : design.shape[1]], np.lexsort(design.T)
    order = order[fit.weight[order] > 0]
    if order.size < FEWEST_ROWS or np.abs(fit.family.residual(link, fit.weight)).max() < ROUNDING:
        return None
    # rows are drawn from an order that does not depend on how they were given
    drawn, known = _draw(order, MOST_ROWS), (fit.model.coef[:, : x.shape[1]] ** 2).sum(axis=0)
    added, kernel = np.zeros(link.shape), None
    for number in range(1, STEPS + 1):
        residual = fit.family.residual(link + added, fit.weight)
        bend = fit.family.hessian(link + added, fit.weight)
        # one curvature for all outputs, the largest: kernels are then the same for all of them
        curve = np.ones(len(x)) if bend is None else bend.max(axis=1)
        target = added + residual / curve[:, None]
        kernel = fit_kernel(x[drawn], target[drawn], (fit.weight * curve)[drawn], known)
        if kernel is None or bend is None:
            break
        kernel = kernel._replace(most=number * STEP)
        added = kernel.values(x)
    unit = fit.scale.y_unit
    return None if kernel is None else kernel._replace(coef=kernel.coef * unit, slope=kernel.slope * unit)


def _draw(rows: np.ndarray, most: int) -> np.ndarray:
    if rows.size <= most:
        return rows
    return rows[np.sort(np.random.RandomState(SEED).choice(rows.size, most, replace=False))]


def fit_kernel(x: np.ndarray, z: np.ndarray, weight: np.ndarray, known: np.ndarray) -> Kernel | None:
    """Return kernel ridge of a response (n_rows, n_outputs) under weights; None if it explains nothing of it.

    Lengths start from what columns explain by themselves, ``known`` of it already.
    """
    weight = weight / weight.mean()
    alone = known + explained_alone(x, z, weight)
    alone /= alone.max() or 1.0
    squared = np.maximum(alone, min(1.0, FEW_COLUMNS / alone.size) ** 2)
    some = _draw(np.arange(len(x)), LENGTH_ROWS)
    for number in range(ROUNDS):
        kernel, _ = _ridge(x[some], z[some], weight[some], np.sqrt(squared), 1.0, LENGTH_CENTRES)
        top = (kernel.slope**2).max()
        if not top > 0:
            return None
        squared = kernel.slope**2 / top
        if number < ROUNDS - 1:
            squared = np.maximum(squared, alone)
        squared[squared < FLAT] = 0.0
    tried = [_ridge(x, z, weight, np.sqrt(squared), width, CENTRES) for width in WIDTHS]
    kernel, error = min(tried, key=lambda pair: pair[1])
    return None if error > 1.0 - LEAST_GAIN else kernel


def explained_alone(x: np.ndarray, z: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return how much of a response the means of parts of each column explain, beyond what noise would."""
    share = weight / weight.sum()
    away = z - share @ z
    explained = np.zeros(x.shape[1])
    edges = np.quantile(x, np.arange(1, PARTS) / PARTS, axis=0)
    for j, column in enumerate(x.T):
        part = np.searchsorted(edges[:, j], column)
        mass = np.bincount(part, share)
        sums = np.array([np.bincount(part, share * one) for one in away.T])
        explained[j] = (sums[:, mass > 0] ** 2 / mass[mass > 0]).sum()
    by_chance = (PARTS - 1) * (share @ away**2).sum() * (share @ share)
    return np.maximum(explained - by_chance, 0.0)


def _ridge(
    x: np.ndarray, z: np.ndarray, weight: np.ndarray, scale: np.ndarray, width: float, n_centres: int
) -> tuple[Kernel, float]:
    """Return kernel ridge at a multiple of the median distance, with the penalty of the least leave-one-out error.

    The second is that error, as a share of the error without it.
    """
    used = np.flatnonzero(scale)
    points, root = x[:, used] * scale[used], np.sqrt(weight)[:, None]
    centres = points[_draw(np.arange(len(x)), n_centres)]
    inner = _distances(centres, centres)
    apart = inner[inner > CLOSE]
    unit = width * np.sqrt(np.median(apart)) if apart.size else 1.0
    near = np.exp(-_distances(points, centres) / unit**2)
    lower = cholesky(np.exp(-inner / unit**2) + JITTER * np.eye(len(centres)), lower=True)
    rows, target = near * root, z * root
    half = solve_triangular(lower, rows.T @ rows, lower=True)
    value, vector = eigh(solve_triangular(lower, half.T, lower=True))
    basis = solve_triangular(lower, vector, lower=True, trans="T")
    features = rows @ basis
    moment = features.T @ target
    shrunk = 1.0 / (np.maximum(value, 0.0) + PENALTIES[:, None])
    left = np.maximum(1.0 - features**2 @ shrunk.T, LEAST_LEFT)
    error = np.zeros(PENALTIES.size)
    for k in range(z.shape[1]):
        error += (((target[:, [k]] - features @ (shrunk * moment[:, k]).T) / left) ** 2).sum(axis=0)
    best = int(np.argmin(error))
    coef = basis @ (shrunk[best][:, None] * moment)
    slope = np.zeros((scale.size, z.shape[1]))
    for k in range(z.shape[1]):
        terms = near * coef[:, k]
        change = points * terms.sum(axis=1)[:, None] - terms @ centres
        slope[used, k] = weight @ change**2 / len(x)
    wide = np.zeros((len(centres), scale.size))
    wide[:, used] = centres / unit
    kernel = Kernel(scale / unit, wide, coef, 2.0 * (scale / unit) / unit * np.sqrt(slope.sum(axis=1)))
    return kernel, float(error[best] / max((target**2).sum(), TINY))


def _distances(rows: np.ndarray, others: np.ndarray) -> np.ndarray:
    both = (rows**2).sum(axis=1)[:, None] + (others**2).sum(axis=1)
    return np.maximum(both - 2.0 * rows @ others.T, 0.0)
