"""Training rows on a common scale, with their sums under the prior weights, as the kernels take them."""

from typing import NamedTuple, Protocol

import numpy as np

from heedful._frames import center_and_unit, row_blocks
from heedful._kernels.shapes import Table, pack, unpack

# Few columns are padded with zeros to a multiple of this: vector instructions then leave no rest.
LANE, PADDED_UP_TO = 8, 40


class RowsByBlocks(Protocol):
    """Rows of which blocks are asked for, an array or what makes them then."""

    def __len__(self) -> int: ...

    def __getitem__(self, some: slice) -> np.ndarray: ...


class Scale(NamedTuple):
    """Centre and unit of the columns and of the response; a constant column has unit 1."""

    center: np.ndarray
    unit: np.ndarray
    y_center: float
    y_unit: float

    @property
    def width(self) -> int:
        """Number of columns on the common scale, padding included."""
        p = self.center.size
        return p + (-p % LANE if p <= PADDED_UP_TO else 0)

    def rows(self, X: np.ndarray) -> np.ndarray:
        """Return rows on the common scale, padded."""
        rows = np.zeros((X.shape[0], self.width))
        np.subtract(X, self.center, out=rows[:, : X.shape[1]])
        rows[:, : X.shape[1]] /= self.unit
        return rows

    def pad(self, values: np.ndarray) -> np.ndarray:
        """Return one value per column of the common scale."""
        return np.pad(np.asarray(values, dtype=np.float64), (0, self.width - self.center.size))

    def original(self, coef: np.ndarray) -> np.ndarray:
        """Return coefficients per original unit of their column and of the response, without padding."""
        return coef[..., : self.center.size] * (self.y_unit / self.unit)


def flat_scale(n_columns: int) -> Scale:
    """Return the scale of columns that are to stay as they are."""
    return Scale(np.zeros(n_columns), np.ones(n_columns), 0.0, 1.0)


def measure(X: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None) -> Scale:
    """Return weighted means and standard deviations (divisor: the sum of weights) of columns and response."""
    (center, unit), (y_center, y_unit) = (center_and_unit(part, weight) for part in (X, y[:, None]))
    unit, y_unit = (np.where(part > 0, part, 1.0) for part in (unit, y_unit))
    return Scale(center, unit, float(y_center[0]), float(y_unit[0]))


def build_table(
    X: RowsByBlocks,
    y: np.ndarray,
    weight: np.ndarray,
    scale: Scale,
    curve: np.ndarray | None = None,
    beside: np.ndarray | None = None,
) -> Table:
    """Return rows on ``scale`` with the sums that every query's background needs.

    With ``curve``, the curvature of each row's loss, ``y`` is the working response and the prior is weight x curvature.
    ``beside`` are further columns (n_rows, k).
    """
    n_rows, n_columns, width = len(X), scale.center.size, scale.width
    prior = np.array(weight if curve is None else weight * curve, dtype=np.float64)
    z = np.ascontiguousarray((y - scale.y_center) / scale.y_unit)
    total = float(prior.sum())
    y_mean = float(prior @ z / total)
    share, residual = prior / total, z - y_mean
    packed, y_column = pack(z, n_columns, width)
    blocks = row_blocks((n_rows, width))
    mean, tall = np.zeros(width), n_columns < n_rows
    for rows in blocks:
        x = scale.rows(X[rows] if beside is None else np.hstack([X[rows], beside[rows]]))
        packed[rows, :y_column] = x[:, :y_column]
        mean += prior[rows] @ x
    mean /= total
    scatter, cross = np.zeros((width, width) if tall else (0, 0)), np.zeros(width)
    for rows in blocks:
        if len(blocks) > 1:
            x = unpack(packed[rows], y_column, width)
        centred = x - mean
        weighted = centred * share[rows, None]
        if tall:
            scatter += weighted.T @ centred
        cross += weighted.T @ residual[rows]
    spread = float(share @ residual**2)
    inverse = np.empty(0) if curve is None else 1.0 / curve
    inverse_mean = 1.0 if curve is None else float(weight.sum()) / total
    return Table(packed, y_column, z, prior, total, mean, y_mean, scatter, cross, spread, inverse, inverse_mean)
