"""Local coefficients without shrinkage, from the rows that a query attends to, and their noise.

Attention is squared, or raised to a smaller power where few rows would be left, so that rows which are only somewhat
alike have less of a say than in the prediction: a bias that is small compared with the noise is what an interval needs.
Under these weights a step of least squares undoes the shrinkage of the lassos. Its noise is that of the gradient, whose
covariance follows from the residuals.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple, Self

import numpy as np
from scipy import optimize
from scipy.linalg import lapack

from heedful._kernels.shapes import Table
from heedful.attention import Attention

# Attention is raised to this power if so many effective rows are left (benchmarks/certainty); far fewer tell nothing.
POWER, ENOUGH_ROWS, FEWEST_ROWS = 2.0, 15.0, 3.0
# Rows whose weight is this small compared with the largest add nothing.
NEGLIGIBLE = 1e-9
# Ridge in units of a column's variance, divided by the effective rows; what one row weighs in its own fit at most.
RIDGE, MOST_LEVERAGE = 0.1, 0.95
# Below this, in units of the table, a variance is 0.
CONSTANT = 1e-10


class LocalRows(NamedTuple):
    """Rows of one query, centred, with weights that sum to one; covariances of the columns looked at that vary."""

    varies: np.ndarray
    x: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    prior: np.ndarray
    n_eff: float
    gram: np.ndarray
    cov: np.ndarray

    @property
    def enough(self) -> bool:
        return self.n_eff >= FEWEST_ROWS and bool(self.varies.any())


class WorkingRows(NamedTuple):
    """Training rows with the working response and the curvature of each output.

    ``weight`` are the sample weights: a row of weight 2 is the row twice.
    """

    x: np.ndarray
    responses: list[np.ndarray]
    curves: list[np.ndarray | None]
    weight: np.ndarray

    @classmethod
    def of_tables(cls, tables: tuple[Table, ...], weight: np.ndarray, n_columns: int) -> Self:
        """Return the first columns of some tables, one for each output."""
        curves = [1.0 / table.inverse if table.inverse.size else None for table in tables]
        return cls(tables[0].packed[:, :n_columns], [table.y for table in tables], curves, weight)

    def each(
        self, attention: Attention, queries: Iterable[int], used: np.ndarray | None = None
    ) -> Iterator[tuple[int, int, LocalRows]]:
        """Yield positions of each query and output with the rows that have weight there.

        ``used`` (n_query, n_outputs, n_columns) says which columns to look at; all if it is not given.
        """
        for q in queries:
            weight = sharpen(attention.row(q), self.weight)
            for k in range(len(self.responses)):
                yield q, k, self._local(weight, k, None if used is None else used[q, k])

    def _local(self, weight: np.ndarray, output: int, used: np.ndarray | None) -> LocalRows:
        kept = weight > NEGLIGIBLE * weight.max()
        kept = slice(None) if kept.all() else np.flatnonzero(kept)
        looked_at = np.ones(self.x.shape[1], dtype=bool) if used is None else used
        # rows first: they lie side by side in memory
        x, y, weight, prior = self.x[kept], self.responses[output][kept], weight[kept], self.weight[kept]
        x = x if looked_at.all() else x[:, looked_at]
        n_eff = effective_rows(weight, prior)
        weight = weight / weight.sum()
        curve = self.curves[output]
        if curve is not None:
            weight = weight * curve[kept] / (weight @ curve[kept])
        x, y = x - weight @ x, y - weight @ y
        # a matrix times its own transpose takes half the time of any other product
        rooted = x * np.sqrt(weight)[:, None]
        gram, cov = rooted.T @ rooted, (y * weight) @ x
        moves = np.diag(gram) > CONSTANT
        if not moves.all():
            x, gram, cov = np.ascontiguousarray(x[:, moves]), gram[np.ix_(moves, moves)], cov[moves]
        varies = looked_at.copy()
        varies[looked_at] = moves
        return LocalRows(varies, x, y, weight, prior, n_eff, gram, cov)


class Debiased(NamedTuple):
    """Contrasts of coefficients without shrinkage, their variances, and the noise of each row.

    A row's part in the noise of the gradient is ``noise[i] * x[i]``.
    """

    estimate: np.ndarray
    variance: np.ndarray
    noise: np.ndarray


def debias(rows: LocalRows, start: np.ndarray, contrast: np.ndarray) -> Debiased:
    """Take a step of least squares from some coefficients and return contrasts (n_contrasts, n_columns) of them.

    A small ridge keeps the step finite where columns depend on each other; dividing by the share of the step that
    reaches a contrast itself makes up for it. Residuals are those of rows left out (HC3).
    """
    x, weight, gram = rows.x, rows.weight, rows.gram
    ridge = RIDGE / rows.n_eff * np.diag(gram)
    inverse = _inverse(gram + np.diag(ridge))
    step = inverse @ (rows.cov - gram @ start)
    through = x @ inverse
    leverage = weight / rows.prior * (1.0 + np.einsum("ij,ij->i", through, x))
    left_out = (rows.y - x @ (start + step)) / (1.0 - np.minimum(leverage, MOST_LEVERAGE))
    noise = weight * left_out / np.sqrt(rows.prior)
    metric = contrast / np.diag(gram)
    # the step reaches inverse @ gram of the way, which is all of it but inverse @ ridge
    missed = np.einsum("ij,ij->i", (contrast @ inverse) * ridge, metric)
    reached = 1.0 - missed / np.einsum("ij,ij->i", contrast, metric)
    variance = contrast**2 @ (noise**2 @ through**2)
    pairs = np.count_nonzero(contrast, axis=1) > 1
    if pairs.any():
        variance[pairs] = noise**2 @ (through @ contrast[pairs].T) ** 2
    return Debiased(contrast @ start + contrast @ step / reached, variance / reached**2, noise)


def _inverse(gram: np.ndarray) -> np.ndarray:
    """Return the inverse of a positive definite matrix, in less than half the time of ``np.linalg.inv``."""
    # below the diagonal the factor is 0, and stays so
    upper = lapack.dpotri(lapack.dpotrf(gram)[0], overwrite_c=True)[0]
    inverse = upper + upper.T
    np.fill_diagonal(inverse, np.diag(upper))
    return inverse


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
