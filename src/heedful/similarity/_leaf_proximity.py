"""Rows in the leaves of a fitted ensemble: which rows share a leaf, and sums over them."""

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from heedful import _kernels
from heedful._file_checks import require, require_indices
from heedful._kernels.shapes import ScoreRows
from heedful.similarity._protocol import Similarity

# Rows whose codes are compared in one go at most, as measured: more leave the processor's caches. No power of two, so
# that the rows of different trees do not compete for the same lines of a cache; and how many it takes in one step.
WIDTH, STEP = 3360, 32
# Codes of padding and of leaves without a training row: no two of them are equal.
NO_ROW, NO_TREE, NOBODY = 255, 254, 253
# Weights of colder softmaxes could be too small for numbers, if a query meets nobody often.
COLDEST = 0.002


class LeafProximity(Similarity):
    """Score two rows by the share of trees in which they end in the same leaf; rows are given by their leaves.

    Leaves (n_rows, n_tree) are numbers that a leaf has in the whole ensemble, of which there are ``n_leaves``. The
    trees have seen none of the rows, so a training row is scored like any other, and only its own row is masked.
    """

    takes = "leaves"
    temperatures_ = (1.0, 0.3, 0.2, 0.1, 0.05, 0.03)
    label = "leaves"

    def __init__(self, n_leaves: int):
        self.n_leaves = n_leaves

    def fit(self, X, y=None, sample_weight=None):
        """Keep the leaves of the training rows."""
        self.leaves_ = X
        used = [np.unique(column) for column in X.T]
        # where leaves are few they are large, and most rows meet somewhere: then codes are compared
        self.few_leaves = max(part.size for part in used) <= NOBODY
        if self.few_leaves:
            self._code = np.full(self.n_leaves, NOBODY, np.uint8)
            for part in used:
                self._code[part] = np.arange(part.size)
            self._train = self._pack(X)
        return self

    def check_loaded(self) -> None:
        """Raise if what came from a file has rows in leaves that are not there."""
        if not hasattr(self, "leaves_"):
            return
        require_indices(self.leaves_, self.n_leaves, *self.leaves_.shape[:2])
        require(self.leaves_.dtype == np.int32 or not self.leaves_.size, "leaves are something else")
        if self.few_leaves:
            require_indices(self._code, 256, self.n_leaves)
            right = self._code.dtype == np.uint8 and self._train.dtype == np.uint8
            require(right and np.array_equal(self._pack(self.leaves_), self._train), "codes of leaves are wrong")

    @property
    def bytes_per_query(self) -> int:
        """Upper estimate of the memory that one query takes."""
        n_train, n_tree = self.leaves_.shape
        return 2 * n_train + 8 * n_tree if self.few_leaves else 24 * n_train

    def score_rows(self, X):
        """Return the scores of new rows."""
        return LeafScores(self, X, np.empty(0, np.int64))

    def train_rows(self, index):
        """Return the scores of training rows, own row masked."""
        return LeafScores(self, self.leaves_[index], index)

    def score(self, leaves: np.ndarray, own: np.ndarray) -> ScoreRows:
        """Return sparse scores of rows, by buckets of leaves; ``own`` names those that are training rows."""
        train = (*self._buckets, self.leaves_.shape[0])
        inside = np.zeros((own.size, leaves.shape[1]), dtype=bool)
        indptr, indices, score, _ = _kernels.leaf_score_rows(np.ascontiguousarray(leaves.T), own, inside, *train)
        return ScoreRows(indptr, indices, score, np.empty(0))

    def sums(self, leaves: np.ndarray, own: np.ndarray, columns: np.ndarray, temperatures: list[float]) -> np.ndarray:
        """Return sums (n_query, n_temperature, n_column) of columns (n_train, n_column) under softmax weights.

        Weights are relative to that of a row that is met in every tree. Codes of leaves are compared: there must be few
        leaves, and no temperature below ``COLDEST``.
        """
        n_tree, (n_train, n_column) = leaves.shape[1], columns.shape
        queries = np.full((leaves.shape[0], -(-n_tree // 4) * 4), NO_TREE, np.uint8)
        queries[:, :n_tree] = self._code[leaves]
        n_part, _, width = self._train.shape
        rows = np.zeros((n_part * width, n_column + n_column % 2))
        rows[:n_train, :n_column] = columns
        values = np.ascontiguousarray(rows.reshape(n_part, width, -1).transpose(0, 2, 1))
        tables = np.exp((np.arange(n_tree + 1) / n_tree - 1.0) / np.reshape(temperatures, (-1, 1)))
        return _kernels.proximity_sum_rows(queries, own, self._train, tables, values)[:, :, :n_column]

    def _pack(self, leaves: np.ndarray) -> np.ndarray:
        """Return the codes of the training rows in equal parts (n_part, n_tree, width), trees filled up to fours."""
        n_train, n_tree = leaves.shape
        n_part = -(-n_train // WIDTH)
        width = -(-n_train // (n_part * STEP)) * STEP
        codes = np.full((n_part * width, -(-n_tree // 4) * 4), NO_ROW, np.uint8)
        codes[:n_train, :n_tree] = self._code[leaves]
        return np.ascontiguousarray(codes.reshape(n_part, width, -1).transpose(0, 2, 1))

    @cached_property
    def _buckets(self) -> tuple[np.ndarray, ...]:
        train = np.ascontiguousarray(self.leaves_.T)
        return _kernels.bucket_rows(train, self.n_leaves, np.zeros(train.shape, np.uint8))


class LeafScores:
    """Scores of a block of rows, as ``ScoreRows``, that are worked out only if somebody looks at them.

    Sums under softmax weights do not need them where leaves are few.
    """

    def __init__(self, proximity: LeafProximity, leaves: np.ndarray, own: np.ndarray):
        self._proximity, self._leaves, self._own = proximity, leaves, own

    def can_sum(self, temperatures: list[float]) -> bool:
        """Return whether sums can be had without scores."""
        return self._proximity.few_leaves and min(temperatures) >= COLDEST

    def sums(self, columns: np.ndarray, temperatures: list[float]) -> np.ndarray:
        """Return sums (n_query, n_temperature, n_column), see :meth:`LeafProximity.sums`."""
        return self._proximity.sums(self._leaves, self._own, columns, temperatures)

    @cached_property
    def scores(self) -> ScoreRows:
        """The scores themselves."""
        return self._proximity.score(self._leaves, self._own)

    def __iter__(self) -> Iterator[np.ndarray]:
        return iter(self.scores)

    def __getattr__(self, name: str) -> np.ndarray:
        if name not in ScoreRows._fields:
            raise AttributeError(name)
        return getattr(self.scores, name)
