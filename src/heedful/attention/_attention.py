"""Attention weights of many queries, held sparsely over a background."""

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import add

import numpy as np
from scipy import sparse

from heedful._show import Shown, Sketch, count, middle_and_range


class Attention(Shown):
    """Weights of the training rows for each query; they sum to one.

    Rows that share no leaf with a query all have the same small weight, which is stored once per query; ``weights``
    stores the other rows.

    Parameters
    ----------
    weights : csr_array of shape (n_query, n_train)
        Weights of the stored rows.
    background : ndarray of shape (n_query,)
        Weight of a row that is not stored, before ``sample_weight``.
    sample_weight : ndarray of shape (n_train,)
        Sample weights with mean one: a row that is not stored has weight ``background[q] * sample_weight[i]``.

    Examples
    --------
    >>> from heedful.attention import attend
    >>> a = attend([[0.5, 0.0, 0.25, 0.0]], temperature=0.25)
    >>> a.toarray().round(3)
    array([[0.61 , 0.083, 0.225, 0.083]])
    >>> a.n_eff.round(2)
    array([2.29])
    """

    def __init__(self, weights: sparse.csr_array, background: np.ndarray, sample_weight: np.ndarray):
        self.weights = weights
        self.background = background
        self.sample_weight = sample_weight

    @property
    def shape(self) -> tuple[int, int]:
        """Number of queries and of training rows, (n_query, n_train)."""
        return self.weights.shape

    @property
    def n_eff(self) -> np.ndarray:
        """Effective sample size of each query, ``1 / sum(weight ** 2)``."""
        stored = self._sum(self.weights.data**2)
        unstored = self.background**2 * np.maximum((self.sample_weight**2).sum() - self._stored_prior(2), 0.0)
        return 1.0 / (stored + unstored)

    def _sketch(self) -> Sketch:
        n_query, n_train = self.shape
        facts = [("effective sample size", middle_and_range(self.n_eff))]
        title = f"Attention of {count(n_query, 'query', 'queries')} to {count(n_train, 'training row')}"
        return Sketch(title, facts, "Look at top(query), toarray(), n_eff")

    def excess(self) -> sparse.csr_array:
        """Return what the stored weights add to the background.

        Returns
        -------
        csr_array of shape (n_query, n_train)
            Stored weights minus the background; negative where a row has less.
        """
        added = self.weights.data - self._stored_background()
        return sparse.csr_array((added, self.weights.indices, self.weights.indptr), shape=self.shape)

    def toarray(self) -> np.ndarray:
        """Return the weights of all training rows.

        Returns
        -------
        ndarray of shape (n_query, n_train)
            Weights that sum to one for each query.
        """
        dense = self.background[:, None] * self.sample_weight
        row = np.repeat(np.arange(self.shape[0]), np.diff(self.weights.indptr))
        dense[row, self.weights.indices] = self.weights.data
        return dense

    def row(self, query: int) -> np.ndarray:
        """Return the weights of all training rows for one query.

        Parameters
        ----------
        query : int
            Position of the query.

        Returns
        -------
        ndarray of shape (n_train,)
            Weights that sum to one.
        """
        dense = self.background[query] * self.sample_weight
        stored = slice(*self.weights.indptr[query : query + 2])
        dense[self.weights.indices[stored]] = self.weights.data[stored]
        return dense

    def __matmul__(self, values: np.ndarray) -> np.ndarray:
        """Return the weighted sums of ``values`` (n_train,) or (n_train, k) for each query."""
        values = np.asarray(values, dtype=np.float64)
        return self.excess() @ values + np.multiply.outer(self.background, self.sample_weight @ values)

    def within(self, rows: np.ndarray) -> "Attention":
        """Return the attention restricted to some training rows.

        Parameters
        ----------
        rows : ndarray of int
            Positions of the training rows to keep.

        Returns
        -------
        Attention
            Weights (n_query, n_rows), normalised again; equal if none of the rows had weight.
        """
        if rows.size == self.shape[1]:
            return self
        part = Attention(sparse.csr_array(self.weights[:, rows]), self.background, self.sample_weight[rows])
        total = part.sample_weight.sum()
        kept = part._sum(part.weights.data) + part.background * np.maximum(total - part._stored_prior(1), 0.0)
        lost = kept < 1e-12
        scale = np.where(lost, 0.0, 1.0 / np.where(lost, 1.0, kept))
        excess = sparse.csr_array(sparse.diags_array(scale) @ part.excess())
        return over_background(excess, np.where(lost, 1.0 / total, scale * part.background), part.sample_weight)

    def without(self, rows: np.ndarray) -> "Attention":
        """Return the attention with one training row left out for each query.

        Parameters
        ----------
        rows : ndarray of int of shape (n_query,)
            Position of the training row to leave out for each query.

        Returns
        -------
        Attention
            Weights (n_query, n_train), normalised again; 0 for the rows left out.
        """
        excess = self.excess()
        stored = excess.indices == np.repeat(rows, np.diff(excess.indptr))
        weight = self._sum(np.where(stored, excess.data, 0.0)) + self.background * self.sample_weight[rows]
        taken = sparse.csr_array((weight, rows, np.arange(rows.size + 1)), shape=self.shape)
        scale = 1.0 / (1.0 - weight)
        excess = sparse.csr_array(sparse.diags_array(scale) @ (excess - taken))
        return over_background(excess, scale * self.background, self.sample_weight)

    def evened(self, share: np.ndarray) -> "Attention":
        """Return the attention with a part of it spread equally over all rows.

        Parameters
        ----------
        share : ndarray of shape (n_query,)
            Share of the weights that each query keeps; 0 gives equal weights.

        Returns
        -------
        Attention
            Weights (n_query, n_train) that sum to one.
        """
        background = share * self.background + (1 - share) / self.sample_weight.sum()
        excess = sparse.csr_array(sparse.diags_array(share) @ self.excess())
        return over_background(excess, background, self.sample_weight)

    def top(self, query: int, k: int = 10) -> tuple[np.ndarray, np.ndarray]:
        """Return the stored training rows with the largest weights for one query.

        Parameters
        ----------
        query : int
            Position of the query.
        k : int, default=10
            Number of rows; fewer are returned if fewer are stored.

        Returns
        -------
        rows, weights : ndarray
            Positions of the training rows, the largest weight first, and their weights.
        """
        part = slice(self.weights.indptr[query], self.weights.indptr[query + 1])
        weight, rows = self.weights.data[part], self.weights.indices[part]
        order = np.lexsort((rows, -weight))[:k]
        return rows[order], weight[order]

    def _sum(self, data: np.ndarray) -> np.ndarray:
        """Return the sum of ``data`` over the stored rows of each query."""
        query = np.repeat(np.arange(self.shape[0]), np.diff(self.weights.indptr))
        return np.bincount(query, weights=data, minlength=self.shape[0])

    def _stored_prior(self, power: int) -> np.ndarray:
        return self._sum(self.sample_weight[self.weights.indices] ** power)

    def _stored_background(self) -> np.ndarray:
        return np.repeat(self.background, np.diff(self.weights.indptr)) * self.sample_weight[self.weights.indices]


def blend_attention(parts: Iterable[tuple[sparse.csr_array, np.ndarray]], sample_weight: np.ndarray) -> Attention:
    """Return the sum of attentions: of each the excess weights and the background, as ``weigh_each`` yields them."""
    excesses, backgrounds = zip(*parts, strict=True)
    excess, background = reduce(add, excesses), reduce(add, backgrounds)
    return over_background(sparse.csr_array(excess), background / sample_weight.sum(), sample_weight)


def stack_attention(parts: Sequence[Attention]) -> Attention | None:
    """Return the attention of several blocks of queries below each other; None if there are no blocks."""
    if len(parts) < 2:
        return parts[0] if parts else None
    weights = sparse.csr_array(sparse.vstack([part.weights for part in parts], format="csr"))
    background = np.concatenate([part.background for part in parts])
    return Attention(weights, background, parts[0].sample_weight)


def over_background(excess: sparse.csr_array, background: np.ndarray, sample_weight: np.ndarray) -> Attention:
    """Return attention from excess weights over the background of each query, its weight of a row not stored."""
    weights = excess.copy()
    weights.sort_indices()
    base = np.repeat(background, np.diff(weights.indptr)) * sample_weight[weights.indices]
    weights.data += base
    # a masked row is its background taken away again; rounding must leave nothing of it
    weights.data[weights.data < 1e-14 * base] = 0.0
    return Attention(weights, background, sample_weight)
