"""Ways to turn one query's scores into weights, alone or times a kernel of the distance between rows."""

from collections.abc import Iterator
from operator import mul
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from heedful import _kernels
from heedful._checks import check_positive, check_weights
from heedful._kernels.shapes import LEAF, SHARE, SOFTMAX, ScoreRows, dense_rows
from heedful.attention._attention import Attention, blend_attention


class Weighting(NamedTuple):
    """One way to weigh: ``softmax`` at a temperature, ``share`` of the row sum, or the forest's ``leaf`` weights.

    Where rows have a place, each is multiplied by a ``kernel`` of the distance, which falls by the factor e over a
    ``width``; the kernel may also stand alone.
    """

    name: str
    temperature: float = np.nan
    width: float = np.inf

    @property
    def kind(self) -> int:
        """Return the compiled function's number for this weighting."""
        return {"softmax": SOFTMAX, "share": SHARE, "leaf": LEAF}[self.name]


def kinds_of(weightings: list[Weighting]) -> tuple[np.ndarray, np.ndarray]:
    """Return kinds and temperatures of weightings as kernels take them."""
    kinds, temperatures = zip(
        *((weighting.kind, float(weighting.temperature)) for weighting in weightings), strict=True
    )
    return np.array(kinds), np.array(temperatures)


def weigh(rows: ScoreRows, weighting: Weighting, sample_weight: np.ndarray) -> tuple[sparse.csr_array, np.ndarray]:
    """Return excess weights (n_query, n_train) over the background, and that of each query."""
    return next(weigh_each(rows, [weighting], np.ones(1), sample_weight))


def weigh_each(
    rows: ScoreRows, weightings: list[Weighting], shares: np.ndarray, sample_weight: np.ndarray
) -> Iterator[tuple[sparse.csr_array, np.ndarray]]:
    """Yield what ``weigh`` returns, of weightings with the same scores in sum, each times its share."""
    total, n_query = float(sample_weight.sum()), rows.indptr.size - 1
    for at, scored, ways in kernel_parts(rows, weightings, shares > 0):
        scores = (scored.indptr, scored.indices, scored.score, scored.leaf)
        weights = _kernels.weigh_rows(*scores, sample_weight, total, *kinds_of(ways))
        excess, background = (sum(map(mul, shares[at], part)) for part in weights)
        everyone = scored.indices.size == 0 and scored.score.size > 0
        indices = np.tile(np.arange(sample_weight.size, dtype=np.int32), n_query) if everyone else scored.indices
        yield sparse.csr_array((excess, indices, scored.indptr), (n_query, sample_weight.size)), background


def attend(scores: Any, temperature: float = 1.0, sample_weight: Any = None) -> Attention:
    """Turn scores into attention weights by a row-wise softmax.

    Parameters
    ----------
    scores : array-like or sparse matrix of shape (n_query, n_train)
        Similarity of each query to each training row. Entries that a sparse matrix does not store count as 0; a score
        of ``-inf`` masks the row.
    temperature : float, default=1.0
        Scores are divided by it first. Lower concentrates the weights on fewer rows.
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
    return blend_attention([weigh(rows, Weighting("softmax", temperature), sample_weight)], sample_weight)


def with_kernel(rows: ScoreRows, weighting: Weighting) -> tuple[ScoreRows, Weighting]:
    """Return scores with the kernel in them, and the weighting that makes the product of them.

    Shares and leaf weights stay as sparse as they are. A softmax has a weight for every row.
    """
    if np.isinf(weighting.width):
        return rows, weighting
    near = rows.near.reshape(rows.indptr.size - 1, -1) / weighting.width
    if weighting.name in ("share", "leaf"):
        return _multiply(rows, weighting, near), Weighting(weighting.name)
    scores = _every_score(rows, near.shape)
    masked = scores == -np.inf
    logits = near if weighting.name == "kernel" else scores / weighting.temperature + near
    return dense_rows(np.where(masked, -np.inf, logits)), Weighting("softmax", 1.0)


def kernel_parts(
    rows: ScoreRows, weightings: list[Weighting], wanted: np.ndarray
) -> Iterator[tuple[np.ndarray, ScoreRows, list[Weighting]]]:
    """Return numbers of wanted weightings that share scores, with the kernel in these: those without, then others."""
    used = np.flatnonzero(wanted)
    plain = [w for w in used if weightings[w].width == np.inf]
    if plain:
        yield np.array(plain), rows, [weightings[w] for w in plain]
    for w in used:
        if weightings[w].width < np.inf:
            weighted, weighting = with_kernel(rows, weightings[w])
            yield np.array([w]), weighted, [weighting]


def _every_score(rows: ScoreRows, shape: tuple[int, ...]) -> np.ndarray:
    """Return the scores of all training rows; those that are not stored are 0."""
    if rows.indices.size == 0 and rows.score.size:
        return rows.score.reshape(shape)
    scores = np.zeros(shape)
    scores[_query(rows), rows.indices] = rows.score
    return scores


def _multiply(rows: ScoreRows, weighting: Weighting, near: np.ndarray) -> ScoreRows:
    """Return rows whose shares or leaf weights are multiplied by the kernel, relative to the nearest that has one."""
    query, value = _query(rows), rows.leaf if weighting.name == "leaf" else rows.score
    logit = near[query, rows.indices] if rows.indices.size else near.ravel()[: value.size]
    usable = (value > 0) & (rows.score > -np.inf)
    nearest = np.full(near.shape[0], -np.inf)
    np.maximum.at(nearest, query[usable], logit[usable])
    product = value.copy()
    # without the nearest, all weights of a query far from its rows would be too small for numbers
    product[usable] *= np.exp(logit[usable] - nearest[query[usable]])
    return rows._replace(**{"leaf" if weighting.name == "leaf" else "score": product})


def _query(rows: ScoreRows) -> np.ndarray:
    return np.repeat(np.arange(rows.indptr.size - 1), np.diff(rows.indptr))
