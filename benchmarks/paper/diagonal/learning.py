"""A diagonal attention matrix learned by gradient, on the error of local models of rows that were left out."""

from typing import Any

import numpy as np

from heedful.similarity import RidgeSimilarity, Similarity

# Ridge of the local models, in units of a standardised column's variance, so that each has a gradient.
RIDGE = 0.05
# The smallest entry to start from, as a part of the largest: logarithms are learned.
SMALLEST = 0.02
DECAY = (0.9, 0.99)


def left_out_error(
    log_diagonal: np.ndarray, X: np.ndarray, y: np.ndarray, rows: np.ndarray, distance: bool
) -> tuple[float, np.ndarray]:
    """Return the mean squared error of local ridge models of some rows, each without its own row, and its gradient.

    Scores are ``x' D z``, or minus the distance ``(x - z)' D (x - z)``; the model of a query is a ridge regression
    under the softmax of its scores.
    """
    diagonal, queries, at = np.exp(log_diagonal), X[rows], np.arange(rows.size)
    scores = (queries * diagonal) @ X.T
    if distance:
        scores = 2 * scores - (queries**2 @ diagonal)[:, None] - X**2 @ diagonal
    scores[at, rows] = -np.inf
    weight = np.exp(scores - scores.max(axis=1, keepdims=True))
    weight /= weight.sum(axis=1, keepdims=True)
    A, width = np.column_stack([np.ones(len(X)), X]), X.shape[1] + 1
    products = (A[:, :, None] * A[:, None, :]).reshape(len(X), -1)
    gram = (weight @ products).reshape(-1, width, width) + np.diag(np.append(0.0, np.full(width - 1, RIDGE)))
    sides = np.stack([weight @ (A * y[:, None]), A[rows]], axis=2)
    coef, pull = np.moveaxis(np.linalg.solve(gram, sides), 2, 0)
    off = (A[rows] * coef).sum(axis=1) - y[rows]
    # what one more unit of a row's weight, and then of its score, does to the prediction
    by_weight = (pull @ A.T) * (y - coef @ A.T)
    by_score = weight * (by_weight - (weight * by_weight).sum(axis=1, keepdims=True)) * (2 * off / rows.size)[:, None]
    cross = (queries * (by_score @ X)).sum(axis=0)
    slope = 2 * cross - by_score.sum(axis=1) @ queries**2 - by_score.sum(axis=0) @ X**2 if distance else cross
    return float(np.mean(off**2)), slope * diagonal


class LearnedDiagonal(Similarity):
    """Ridge attention whose diagonal goes on to be learned, jointly with local models, from where the ridge left it."""

    temperatures_ = (2.0, 1.0, 0.5)

    def __init__(self, distance=False, n_steps=150, batch=100, rate=0.1, random_state=None):
        self.distance = distance
        self.n_steps = n_steps
        self.batch = batch
        self.rate = rate
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "LearnedDiagonal":
        """Take steps (Adam) on random rows; keep the mean of the last half of them."""
        self.X_, y = np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64)
        start = RidgeSimilarity().fit(X, y, sample_weight)
        unit = self.X_.std(axis=0)
        self._center, self._unit = self.X_.mean(axis=0), np.where(unit > 0, unit, np.inf)
        spread = start.temperatures_[1] if start.diagonal_.any() else 1.0
        log = np.log(np.maximum(start.diagonal_, SMALLEST * max(start.diagonal_.max(), 1e-9)) / spread)
        rng, Z, rows = np.random.default_rng(self.random_state), self._standard(self.X_), np.arange(len(y))
        mean, square, path = np.zeros(log.size), np.zeros(log.size), []
        for step in range(1, self.n_steps + 1):
            drawn = rng.choice(rows, min(self.batch, rows.size), replace=False)
            _, slope = left_out_error(log, Z, y, drawn, self.distance)
            mean, square = (DECAY[0] * mean + (1 - DECAY[0]) * slope, DECAY[1] * square + (1 - DECAY[1]) * slope**2)
            moved = mean / (1 - DECAY[0] ** step) / (np.sqrt(square / (1 - DECAY[1] ** step)) + 1e-12)
            log = np.clip(log - self.rate * moved, -12.0, 6.0)
            path.append(log)
        self.diagonal_ = np.exp(np.mean(path[self.n_steps // 2 :], axis=0))
        return self

    def scores(self, X: Any) -> np.ndarray:
        """Return the scores of new rows (n_query, n_train)."""
        queries, train = self._standard(np.asarray(X, dtype=np.float64)), self._standard(self.X_)
        scores = (queries * self.diagonal_) @ train.T
        if not self.distance:
            return scores
        return 2 * scores - (queries**2 @ self.diagonal_)[:, None] - train**2 @ self.diagonal_

    def _standard(self, X: np.ndarray) -> np.ndarray:
        return (X - self._center) / self._unit
