"""Weights of many fits, of any kind a user may give, as kernels take them."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from heedful.attention import Attention


class WeightRows(NamedTuple):
    """Weights of many fits: an excess over a background share of the prior; empty ``indices`` mean every row."""

    indptr: np.ndarray
    indices: np.ndarray
    excess: np.ndarray
    background: np.ndarray

    def block(self, part: slice) -> "WeightRows":
        """Return the weights of some of the fits."""
        start, stop = self.indptr[part.start], self.indptr[part.stop]
        indices = self.indices[start:stop] if self.indices.size else self.indices
        indptr = self.indptr[part.start : part.stop + 1] - start
        return WeightRows(indptr, indices, self.excess[start:stop], self.background[part])

    def excess_matrix(self, n_train: int) -> sparse.csr_array:
        """Return the excess weights as a matrix (n_fit, n_train)."""
        return sparse.csr_array((self.excess, self.indices, self.indptr), shape=(self.background.size, n_train))


def whole_table(n_fit: int = 1) -> WeightRows:
    """Return the weights of fits that weigh every row by its prior."""
    return WeightRows(np.zeros(n_fit + 1, np.int64), np.zeros(1, np.int32), np.empty(0), np.ones(n_fit))


def weight_rows(excess: sparse.csr_array, background: np.ndarray) -> WeightRows:
    """Return excess weights (n_fit, n_train) over background shares of the prior."""
    return WeightRows(excess.indptr.astype(np.int64), excess.indices.astype(np.int32), excess.data, background)


def read_weights(weights: Any, n_train: int) -> tuple[WeightRows, np.ndarray]:
    """Return weights of any accepted kind as rows over a background, and the prior weights of the background."""
    if not isinstance(weights, Attention) and not sparse.issparse(weights):
        weights = np.asarray(weights, dtype=np.float64)
    if len(weights.shape) != 2 or weights.shape[1] != n_train:
        raise ValueError(
            f"`weights` must have shape (n_query, {n_train}), one column per row of `X`, got {weights.shape}."
        )
    if isinstance(weights, Attention):
        background = weights.background * weights.sample_weight.sum()
        return weight_rows(weights.excess(), background), weights.sample_weight
    nothing, prior = np.zeros(weights.shape[0]), np.ones(n_train)
    if sparse.issparse(weights):
        matrix = sparse.csr_array(weights, dtype=np.float64, copy=True)
        matrix.sum_duplicates()
        matrix.data /= np.repeat(_row_sums(matrix.sum(axis=1), matrix.data), np.diff(matrix.indptr))
        return weight_rows(matrix, nothing), prior
    excess = np.ascontiguousarray(weights / _row_sums(weights.sum(axis=1), weights)[:, None]).ravel()
    indptr = np.arange(weights.shape[0] + 1, dtype=np.int64) * n_train
    return WeightRows(indptr, np.empty(0, np.int32), excess, nothing), prior


def _row_sums(sums: np.ndarray, values: np.ndarray) -> np.ndarray:
    # a sum is finite only if its terms are: one pass less over a large matrix
    if not np.isfinite(sums).all() or values.min(initial=0.0) < 0:
        raise ValueError("`weights` must be finite and >= 0.")
    if (sums <= 0).any():
        raise ValueError(f"`weights` must have a positive sum in each row; row {int(np.argmin(sums))} sums to 0.")
    return sums
