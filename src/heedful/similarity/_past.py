"""Attention to earlier rows only: training rows that are not earlier than the query are masked."""

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from heedful._kernels.shapes import ScoreRows
from heedful._trees import Binned
from heedful._undo import all_or_nothing
from heedful.similarity._protocol import as_matrix
from heedful.similarity._wrapping import WrappingSimilarity


class PastSimilarity(WrappingSimilarity):
    """Score rows by another similarity; mask rows not earlier than the query.

    Use it where predictions must not depend on later rows. The other similarity does not see the time. A query that is
    earlier than every training row gives all of them the same weight, as the global model does.

    Parameters
    ----------
    similarity : str, object, callable or list of them
        The similarity to mask: whatever estimators accept as ``similarity``. Outside an estimator it must be an object
        of heedful.similarity.
    time : str or int
        Column with the time of each row: its name, or its position among the columns that the similarity sees.

    Examples
    --------
    >>> import numpy as np
    >>> from heedful.similarity import GaussianSimilarity
    >>> past = PastSimilarity(GaussianSimilarity(), time=0).fit([[1.0, 5.0], [2.0, 5.0], [3.0, 6.0]], [0.0, 1.0, 2.0])
    >>> past.scores([[2.5, 5.0]]) == -np.inf
    array([[False, False,  True]])
    """

    def __init__(self, similarity, time):
        self.similarity = similarity
        self.time = time

    @property
    def label(self) -> str:
        """Short name in tables of heads."""
        return f"past({self.similarity.label})"

    def with_columns(self, names):
        """Return the similarity with the position of its time among the columns."""
        if not isinstance(self.time, str):
            return self
        if self.time not in names:
            raise ValueError(f"`time` names {self.time!r}, which the similarity does not see. It sees {names}.")
        return PastSimilarity(self.similarity, names.index(self.time))

    @all_or_nothing
    def fit(self, X, y=None, sample_weight=None):
        """Fit the other similarity to all columns but the time."""
        self._column = self.with_columns([]).time
        others, when = self._part(X)
        if np.isnan(when).any():
            raise ValueError("`time` must be known for every training row, got missing values. Drop those rows.")
        self.similarity_ = clone(self.similarity).fit(others, y, sample_weight)
        self._when = when
        return self

    def scores(self, X: Any) -> np.ndarray:
        """Return the scores of new rows (n_query, n_train); -inf masks a row."""
        check_is_fitted(self)
        return self.score_rows(X).score.reshape(len(X), -1)

    def score_rows(self, X: np.ndarray) -> ScoreRows:
        """Return the scores of new rows."""
        others, when = self._part(X)
        return self._mask(self.similarity_.score_rows(others), when)

    def train_rows(self, index: np.ndarray) -> ScoreRows:
        """Return the scores of training rows as if they were new."""
        return self._mask(self.similarity_.train_rows(index), self._when[index])

    @property
    def bytes_per_query(self) -> int:
        """Upper estimate of the memory that one query's scores take."""
        return 48 * self._when.size

    def _part(self, X: Any) -> tuple[Any, np.ndarray]:
        """Return the columns that the other similarity sees, and the time."""
        if isinstance(X, Binned):
            return X.without(self._column), X.numbers[:, self._column]
        X = np.asarray(X, dtype=np.float64)
        return np.delete(X, self._column, axis=1), X[:, self._column]

    def _mask(self, rows: ScoreRows, when: np.ndarray) -> ScoreRows:
        """Return scores of every row, in order, with -inf for those that are not earlier; an unknown time masks all."""
        n_train = self._when.size
        if rows.indices.size or rows.score.size == 0:
            score = as_matrix(rows, n_train).toarray()
            leaf = as_matrix(rows._replace(score=rows.leaf), n_train).toarray() if rows.leaf.size else rows.leaf
        else:
            score, leaf = rows.score.reshape(-1, n_train).copy(), rows.leaf
        score[~(self._when < when[:, None])] = -np.inf
        return ScoreRows(np.arange(when.size + 1) * n_train, np.empty(0, np.int32), score.ravel(), leaf.ravel())
