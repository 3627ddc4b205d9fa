"""Local coefficients without shrinkage, from the rows that a query attends to, and their noise.

Attention is squared, or raised to a smaller power where few rows would be left, so that rows which are only somewhat
alike have less of a say than in the prediction: a bias that is small compared with the noise is what an interval needs.
Under these weights a step of least squares undoes the shrinkage of the lassos. Its noise is that of the gradient, whose
covariance follows from the residuals.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from typing import NamedTuple

import numpy as np
from scipy import optimize
from scipy.linalg import blas, lapack

from heedful._kernels.shapes import Table
from heedful.attention import Attention

# Attention is raised to this power if so many effective rows are left (benchmarks/certainty); far fewer tell nothing.
POWER, ENOUGH_ROWS, FEWEST_ROWS = 2.0, 15.0, 3.0
# Rows whose weight is this small compared with the largest add nothing.
NEGLIGIBLE = 1e-9
# Noise of the background is left out below this part of each variance.
SILENT = 1e-6
# Ridge in units of a column's variance, divided by the effective rows; what one row weighs in its own fit at most.
RIDGE, MOST_LEVERAGE = 0.1, 0.95
# Below this, in units of the table, a variance is 0.
CONSTANT = 1e-10


class Moments(NamedTuple):
    """Weighted sums of products about a mean: of columns, of columns and the response, and of the response."""

    gram: np.ndarray
    cov: np.ndarray
    spread: float

    def residual(self, coef: np.ndarray) -> float:
        """Return the weighted sum of squared residuals that coefficients leave."""
        return self.spread + float(coef @ (self.gram @ coef - 2 * self.cov))


class LocalRows(NamedTuple):
    """Training rows under the weights of one query, which sum to one, and what they tell of columns that vary.

    Rows that are not ``near`` belong to the background, whose weights are a multiple of the prior. ``far`` is its part
    of the moments ``all``. ``single`` returns the packed rows in single precision.
    """

    table: Table
    single: Callable[[], np.ndarray]
    prior: np.ndarray
    weight: np.ndarray
    near: np.ndarray
    n_eff: float
    varies: np.ndarray
    mean: np.ndarray
    y_mean: float
    all: Moments
    far: Moments

    @property
    def enough(self) -> bool:
        return self.n_eff >= FEWEST_ROWS and bool(self.varies.any())

    def most_noise(self, coef: np.ndarray, through: np.ndarray) -> np.ndarray:
        """Return about how much the background adds to the variance of ``through' gradient`` at most, by moments."""
        curve = 1.0 / self.table.inverse.min() if self.table.inverse.size else 1.0
        along = np.einsum("ij,ij->j", through, self.far.gram @ through)
        return curve / self.table.total * self.far.residual(coef) * along


class WorkingRows(NamedTuple):
    """Training rows as the solver keeps them, a table for each output; ``n_columns`` of their columns are looked at.

    ``weight`` are the sample weights: a row of weight 2 is the row twice.
    """

    tables: tuple[Table, ...]
    weight: np.ndarray
    n_columns: int

    def each(
        self, attention: Attention, queries: Iterable[int], used: np.ndarray | None = None
    ) -> Iterator[tuple[int, int, LocalRows]]:
        """Yield positions of each query and output with the rows that have weight there.

        ``used`` (n_query, n_outputs, n_columns) says which columns to look at; all if it is not given.
        """
        singles = [cache(partial(table.packed.astype, np.float32)) for table in self.tables]
        for q in queries:
            weight = sharpen(attention.row(q), self.weight)
            weight[weight <= NEGLIGIBLE * weight.max()] = 0.0
            apart = np.ones(weight.size, dtype=bool)
            apart[attention.weights.indices[slice(*attention.weights.indptr[q : q + 2])]] = False
            for k, table in enumerate(self.tables):
                looked_at = np.ones(self.n_columns, dtype=bool) if used is None else used[q, k]
                yield q, k, _local_rows(table, singles[k], self.weight, weight, apart, looked_at)


def _local_rows(
    table: Table,
    single: Callable[[], np.ndarray],
    prior: np.ndarray,
    weight: np.ndarray,
    apart: np.ndarray,
    looked_at: np.ndarray,
) -> LocalRows:
    """Return rows under some weights; those that are ``apart`` have a multiple of the prior."""
    n_eff, columns = effective_rows(weight, prior), np.flatnonzero(looked_at)
    weight = weight / table.inverse if table.inverse.size else weight
    weight = weight / weight.sum()
    least, first = NEGLIGIBLE * weight.max(), apart.argmax()
    base = weight[first] / table.prior[first] if apart[first] and table.scatter.size else 0.0
    if (weight < base * table.prior - least).any():
        base = 0.0
    excess, share = weight - base * table.prior, base * table.total
    near = np.flatnonzero(excess > least)
    # rows first: they lie side by side in memory
    x, y, excess = table.packed[near][:, columns], table.y[near], excess[near]
    mean, y_mean = excess @ x + share * table.mean[columns], float(excess @ y + share * table.y_mean)
    x, y = x - mean, y - y_mean
    # a matrix times its own transpose takes half the time of any other product
    rooted = x * np.sqrt(excess)[:, None]
    every = Moments(rooted.T @ rooted, (y * excess) @ x, float(excess @ y**2))
    if share > 0:
        # see _kernels/moments.py
        shift, y_shift = table.mean[columns] - mean, table.y_mean - y_mean
        gram = table.scatter[columns][:, columns] + np.outer(shift, shift)
        cov, spread = table.cross[columns] + shift * y_shift, table.y_scatter + y_shift**2
        far = Moments(share * gram, share * cov, share * spread)
        every = Moments(every.gram + far.gram, every.cov + far.cov, every.spread + far.spread)
    else:
        far = Moments(np.zeros_like(every.gram), np.zeros(columns.size), 0.0)
    moves = np.diag(every.gram) > CONSTANT
    if not moves.all():
        every, far = (Moments(part.gram[np.ix_(moves, moves)], part.cov[moves], part.spread) for part in (every, far))
    varies = looked_at.copy()
    varies[looked_at] = moves
    return LocalRows(table, single, prior, weight, near, n_eff, varies, mean[moves], y_mean, every, far)


class Noise(NamedTuple):
    """Columns of some rows, centred (n_rows, n_columns), and the factor by which each is part of a gradient's noise."""

    x: np.ndarray
    factor: np.ndarray


class Debiased(NamedTuple):
    """Contrasts of coefficients without shrinkage, their variances, and the noise that these come from."""

    estimate: np.ndarray
    variance: np.ndarray
    noise: list[Noise]


def debias(rows: LocalRows, start: np.ndarray, contrast: np.ndarray) -> Debiased:
    """Take a step of least squares from some coefficients and return contrasts (n_contrasts, n_columns) of them.

    A small ridge keeps the step finite where columns depend on each other; dividing by the share of the step that
    reaches a contrast itself makes up for it. Residuals are those of rows left out (HC3). Noise is quadratic in the
    weights: that of the background is left out where it is about a millionth of each variance at most, and has single
    precision elsewhere. Ends of intervals have five digits or more.
    """
    gram, cov, _ = rows.all
    ridge = RIDGE / rows.n_eff * np.diag(gram)
    # of U'U; below the diagonal it is 0
    upper = lapack.dtrtri(lapack.dpotrf(gram + np.diag(ridge))[0])[0]
    step = upper @ ((cov - gram @ start) @ upper)
    through = upper @ (contrast @ upper).T
    metric = contrast / np.diag(gram)
    # the step reaches inverse @ gram of the way, which is all of it but inverse @ ridge
    missed = np.einsum("ji,ij->i", through, ridge * metric)
    reached = 1.0 - missed / np.einsum("ij,ij->i", contrast, metric)
    noise = [_noise(rows, rows.near, rows.table.packed, upper, start + step)]
    variance = _variance(noise[0], through)
    if (rows.most_noise(start + step, through) > SILENT * variance).any():
        others = rows.weight > 0
        others[rows.near] = False
        noise.append(_noise(rows, np.flatnonzero(others), rows.single(), upper, start + step))
        variance = variance + _variance(noise[1], through)
    return Debiased(contrast @ start + contrast @ step / reached, variance / reached**2, noise)


def _noise(rows: LocalRows, some: np.ndarray, packed: np.ndarray, upper: np.ndarray, coef: np.ndarray) -> Noise:
    """Return the noise of some rows; ``upper`` times its transpose is the inverse of the Gram matrix."""
    kind = packed.dtype
    x = packed[some][:, np.flatnonzero(rows.varies)]
    x -= rows.mean.astype(kind)
    weight, prior = rows.weight[some], rows.prior[some]
    root = blas.get_blas_funcs("trmm", dtype=kind)(1.0, upper, x.T, trans_a=True).T
    leverage = weight / prior * (1.0 + np.einsum("ij,ij->i", root, root))
    left_out = (rows.table.y[some] - rows.y_mean - x @ coef.astype(kind)) / (1.0 - np.minimum(leverage, MOST_LEVERAGE))
    return Noise(x, weight * left_out / np.sqrt(prior))


def _variance(noise: Noise, through: np.ndarray) -> np.ndarray:
    return noise.factor**2 @ (noise.x @ through.astype(noise.x.dtype)) ** 2


def effective_rows(weight: np.ndarray, prior: np.ndarray) -> float:
    """Return how many rows of prior weight one weights stand for."""
    return float(weight.sum() ** 2 / (weight**2 / prior).sum())


def sharpen(attention: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """Return the attention of a query squared, or raised to the power from 1 to 2 at which enough rows are left."""
    each = attention / prior
    each = each / each.max()
    squared = prior * each**POWER
    if effective_rows(squared, prior) >= ENOUGH_ROWS:
        return squared
    each = np.log(np.maximum(each, np.finfo(float).tiny))

    def more(power: float) -> float:
        return effective_rows(prior * np.exp(power * each), prior) - ENOUGH_ROWS

    power = float(optimize.brentq(more, 1.0, POWER, xtol=1e-9)) if more(1.0) > 0 else 1.0
    return prior * np.exp(power * each)
