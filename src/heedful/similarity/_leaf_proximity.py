"""Rows by the leaves that a fitted ensemble puts them in: who meets whom, and sums over those who meet."""

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from heedful import _kernels
from heedful._kernels.shapes import ScoreRows

# Rows whose codes are compared in one go at most, as measured: more leave the processor's caches. No power of two, so
# that the rows of different trees do not compete for the same lines of a cache; and how many it takes in one step.
WIDTH, STEP = 3360, 32
# Codes of padding and of leaves without a training row: no two of them are equal.
NO_ROW, NO_TREE, NOBODY = 255, 254, 253
# Weights of colder softmaxes could be too small for numbers, if a query meets nobody often.
COLDEST = 0.002


class LeafProximity:
    """Score two rows, given by their leaves, by the share of trees they share.

    For ensembles whose trees have seen none of the rows: a training row is scored like any other, and only its own row
    is masked.

    Parameters
    ----------
    leaves : ndarray of int of shape (n_train, n_tree)
        Leaves of the training rows, by numbers that a leaf has in the whole ensemble.
    n_leaves : int
        Number of leaves in the ensemble.

    Examples
    --------
    >>> met = LeafProximity(np.array([[0, 2], [0, 3], [1, 3]]), 4)
    >>> met.score(np.array([[0, 3]]), np.empty(0, np.int64)).score
    array([0.5, 1. , 0.5])
    """

    takes = "leaves"
    weightings: tuple[str, ...] = ()
    temperatures_ = (1.0, 0.3, 0.2, 0.1, 0.05, 0.03)
    keeps_rows = False

    def __init__(self, leaves: np.ndarray, n_leaves: int):
        self.leaves, self._n_leaves = leaves, n_leaves
        used = [np.unique(column) for column in leaves.T]
        # where leaves are few they are large, and most rows meet somewhere: then codes are compared
        self.few_leaves = max(part.size for part in used) <= NOBODY
        if self.few_leaves:
            self._code = np.full(n_leaves, NOBODY, np.uint8)
            for part in used:
                self._code[part] = np.arange(part.size)
            self._train = self._pack(leaves)

    @property
    def bytes_per_query(self) -> int:
        """Upper estimate of the memory that one query takes."""
        n_train, n_tree = self.leaves.shape
        return 2 * n_train + 8 * n_tree if self.few_leaves else 24 * n_train

    def score_rows(self, leaves: np.ndarray) -> "LeafScores":
        """Return the scores of new rows, worked out when they are looked at.

        Parameters
        ----------
        leaves : ndarray of int of shape (n_query, n_tree)
            Leaves of the rows.

        Returns
        -------
        LeafScores
            Scores (n_query, n_train).
        """
        return LeafScores(self, leaves, np.empty(0, np.int64))

    def train_rows(self, index: np.ndarray) -> "LeafScores":
        """Return the scores of training rows, own row masked.

        Parameters
        ----------
        index : ndarray of int
            Numbers of the training rows.

        Returns
        -------
        LeafScores
            Scores (n_rows, n_train).
        """
        return LeafScores(self, self.leaves[index], index)

    def score(self, leaves: np.ndarray, own: np.ndarray) -> ScoreRows:
        """Return the scores of rows by looking up who is in their leaves.

        Parameters
        ----------
        leaves : ndarray of int of shape (n_query, n_tree)
            Leaves of the rows.
        own : ndarray of int of shape (n_query,) or (0,)
            Training row that each row is, and is not compared with; empty for new rows.

        Returns
        -------
        ScoreRows
            Scores (n_query, n_train) as sparse rows.
        """
        train = (*self._buckets, self.leaves.shape[0])
        inside = np.zeros((own.size, leaves.shape[1]), dtype=bool)
        indptr, indices, score, _ = _kernels.leaf_score_rows(np.ascontiguousarray(leaves.T), own, inside, *train)
        return ScoreRows(indptr, indices, score, np.empty(0))

    def sums(self, leaves: np.ndarray, own: np.ndarray, columns: np.ndarray, temperatures: list[float]) -> np.ndarray:
        """Return sums over the training rows under softmax weights.

        Codes of leaves are compared: there must be few leaves, and no temperature below 0.002.

        Parameters
        ----------
        leaves : ndarray of int of shape (n_query, n_tree)
            Leaves of the rows.
        own : ndarray of int of shape (n_query,) or (0,)
            Training row that each row is, and is not compared with; empty for new rows.
        columns : ndarray of shape (n_train, n_column)
            What is summed.
        temperatures : list of float
            Temperatures of the softmax.

        Returns
        -------
        ndarray of shape (n_query, n_temperature, n_column)
            Sums; weights are relative to that of a row that is met in every tree.
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
        train = np.ascontiguousarray(self.leaves.T)
        return _kernels.bucket_rows(train, self._n_leaves, np.zeros(train.shape, np.uint8))


class LeafScores:
    """Hold the scores of a block of rows, worked out if they are looked at.

    Stands in for ``ScoreRows``. Sums under softmax weights do not need scores where leaves are few.

    Parameters
    ----------
    meetings : LeafProximity
        The training rows by their leaves.
    leaves : ndarray of int of shape (n_query, n_tree)
        Leaves of the rows.
    own : ndarray of int of shape (n_query,) or (0,)
        Training row that each row is, and is not compared with; empty for new rows.

    Examples
    --------
    >>> rows = LeafProximity(np.array([[0, 2], [0, 3], [1, 3]]), 4).train_rows(np.array([0]))
    >>> rows.can_sum([0.1])
    True
    >>> rows.sums(np.ones((3, 1)), [1.0]).round(3)
    array([[[0.974]]])
    """

    def __init__(self, meetings: LeafProximity, leaves: np.ndarray, own: np.ndarray):
        self._meetings, self._leaves, self._own = meetings, leaves, own

    def can_sum(self, temperatures: list[float]) -> bool:
        """Return whether sums can be had without scores.

        Parameters
        ----------
        temperatures : list of float
            Temperatures of the softmax.

        Returns
        -------
        bool
            True where leaves are few and no temperature is too cold.
        """
        return self._meetings.few_leaves and min(temperatures) >= COLDEST

    def sums(self, columns: np.ndarray, temperatures: list[float]) -> np.ndarray:
        """Return sums over the training rows under softmax weights.

        Parameters
        ----------
        columns : ndarray of shape (n_train, n_column)
            What is summed.
        temperatures : list of float
            Temperatures of the softmax.

        Returns
        -------
        ndarray of shape (n_query, n_temperature, n_column)
            Sums; weights are relative to that of a row that is met in every tree.
        """
        return self._meetings.sums(self._leaves, self._own, columns, temperatures)

    @cached_property
    def scores(self) -> ScoreRows:
        """The scores themselves."""
        return self._meetings.score(self._leaves, self._own)

    def __iter__(self) -> Iterator[np.ndarray]:
        return iter(self.scores)

    def __getattr__(self, name: str) -> np.ndarray:
        if name not in ScoreRows._fields:
            raise AttributeError(name)
        return getattr(self.scores, name)
