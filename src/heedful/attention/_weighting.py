"""Ways to turn one query's scores into weights, and the function that does it for a matrix of scores."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from heedful import _kernels
from heedful._checks import check_positive, check_weights
from heedful._kernels.shapes import LEAF, SHARE, SOFTMAX, ScoreRows, dense_rows
from heedful.attention._attention import Attention, blend_attention


class Weighting(NamedTuple):
    """Name one way to turn scores into weights.

    Parameters
    ----------
    name : {"softmax", "share", "leaf"}
        Softmax at a temperature, scores divided by their sum, or the forest's own prediction weights.
    temperature : float, default=nan
        Temperature of the softmax; the others have none.

    Examples
    --------
    >>> Weighting("softmax", 0.1).temperature
    0.1
    >>> Weighting("share")
    Weighting(name='share', temperature=nan)
    """

    name: str
    temperature: float = np.nan

    @property
    def kind(self) -> int:
        """Number that the kernels know this weighting by."""
        return {"softmax": SOFTMAX, "share": SHARE, "leaf": LEAF}[self.name]


def weigh(rows: ScoreRows, weighting: Weighting, sample_weight: np.ndarray) -> tuple[sparse.csr_array, np.ndarray]:
    """Turn scores into bumps over a background of equal weights.

    Parameters
    ----------
    rows : ScoreRows
        Scores of the queries, as ``score_rows`` of a similarity returns them.
    weighting : Weighting
        How to turn scores into weights.
    sample_weight : ndarray of shape (n_train,)
        Sample weights with mean one.

    Returns
    -------
    bumps : csr_array of shape (n_query, n_train)
        What stored rows have more than the background.
    background : ndarray of shape (n_query,)
        Share of the weight that is spread over all rows by ``sample_weight``.

    Examples
    --------
    >>> from heedful.similarity import GaussianSimilarity
    >>> gaussian = GaussianSimilarity(standardize=False).fit([[0.0], [2.0]])
    >>> rows = gaussian.score_rows(np.array([[0.0]]))
    >>> bumps, background = weigh(rows, Weighting("softmax", 1.0), np.ones(2))
    >>> bumps.toarray().round(3), background
    (array([[0.881, 0.119]]), array([0.]))
    """
    bumps, backgrounds = _kernels.weigh_rows(
        *rows, sample_weight, float(sample_weight.sum()), weighting.kind, float(weighting.temperature)
    )
    n_query = rows.indptr.size - 1
    everyone = rows.indices.size == 0 and rows.score.size > 0
    indices = np.tile(np.arange(sample_weight.size, dtype=np.int32), n_query) if everyone else rows.indices
    return sparse.csr_array((bumps, indices, rows.indptr), shape=(n_query, sample_weight.size)), backgrounds


def attend(scores: Any, temperature: float = 1.0, sample_weight: Any = None) -> Attention:
    """Turn scores into attention weights by a row-wise softmax.

    Parameters
    ----------
    scores : array-like or sparse matrix of shape (n_query, n_train)
        How alike each query and each training row are. Entries that a sparse matrix does not store count as 0; a
        score of ``-inf`` masks the row.
    temperature : float, default=1.0
        Scores are divided by it first. Lower attends to fewer rows.
    sample_weight : array-like of shape (n_train,), default=None
        Multiplies the weights before they are normalised.

    Returns
    -------
    Attention
        Weights that sum to one for each query.

    Examples
    --------
    >>> attend([[0.0, 1.0]], temperature=0.5).toarray().round(3)
    array([[0.119, 0.881]])
    """
    temperature = check_positive("temperature", temperature)
    if sparse.issparse(scores):
        matrix = sparse.csr_array(scores, dtype=np.float64, copy=True)
        matrix.sum_duplicates()
        rows = ScoreRows(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data, np.empty(0))
        n_train = matrix.shape[1]
    else:
        dense = np.asarray(scores, dtype=np.float64)
        if dense.ndim != 2:
            raise ValueError(f"`scores` must be a matrix (n_query, n_train), got {dense.ndim} dimensions.")
        rows, n_train = dense_rows(dense), dense.shape[1]
    if np.isnan(rows.score).any() or np.isposinf(rows.score).any():
        raise ValueError("`scores` must not hold NaN or +inf. Use -inf to mask a row.")
    sample_weight = check_weights(sample_weight, n_train)
    sample_weight = sample_weight / sample_weight.mean()
    bumps, background = weigh(rows, Weighting("softmax", temperature), sample_weight)
    return blend_attention([(1.0, bumps, background)], sample_weight)
