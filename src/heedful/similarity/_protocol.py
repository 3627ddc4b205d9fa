"""What a similarity must offer, and what all of them share."""

from typing import Any, Protocol

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_array

from heedful._checks import check_choice
from heedful._kernels.shapes import ScoreRows, dense_rows

TARGETS = ("response", "residual")


class Similarity(Protocol):
    """How alike a query and a training row are; fitted on the training table.

    ``takes`` is "codes" (one column per feature, categories as codes, missing as NaN: trees) or "dummies" (numbers
    only). ``weightings`` names the ways to weigh without a temperature. ``temperatures_`` is the grid for "auto".
    ``target`` may say "residual": it is fitted to what a linear baseline leaves of the response. ``keeps_rows`` says
    that the fitted object knows the training rows by their position. ``leaves_out`` may say False: it has no
    ``train_rows``. ``bytes_per_query`` is an upper estimate of the memory that one query's scores take.
    """

    takes: str
    weightings: tuple[str, ...]
    keeps_rows: bool
    temperatures_: tuple[float, ...]
    bytes_per_query: int

    def fit(self, X: np.ndarray, y: np.ndarray, sample_weight: np.ndarray | None = None) -> "Similarity":
        """Learn from the training rows."""

    def score_rows(self, X: np.ndarray) -> ScoreRows:
        """Return the scores of new rows against the training rows."""

    def train_rows(self, index: np.ndarray) -> ScoreRows:
        """Return the scores of training rows as if they were new: each one masked, and not seen where possible."""


class DenseSimilarity:
    """Scores of every pair; a training row is compared with all others but itself."""

    takes = "dummies"
    weightings: tuple[str, ...] = ()
    keeps_rows = False
    X_: np.ndarray

    def scores(self, X: Any) -> np.ndarray:
        """Return scores (n_query, n_train)."""
        raise NotImplementedError

    def score_rows(self, X: np.ndarray) -> ScoreRows:
        """Return the scores of new rows."""
        return dense_rows(self.scores(X))

    def train_rows(self, index: np.ndarray) -> ScoreRows:
        """Return the scores of training rows against all others."""
        scores = np.array(self.scores(self.X_[index]), dtype=np.float64)
        scores[np.arange(index.size), index] = -np.inf
        return dense_rows(scores)

    @property
    def bytes_per_query(self) -> int:
        """Upper estimate of the memory that one query's scores take."""
        return 24 * self.X_.shape[0]

    @property
    def temperatures_(self) -> tuple[float, ...]:
        """Multiples of the usual spread of one row's scores."""
        step = max(1, self.X_.shape[0] // 200)
        spread = float(np.median(np.std(self.scores(self.X_[::step]), axis=1)))
        return tuple(spread * factor for factor in (2.0, 1.0, 0.5, 0.25, 0.125)) if spread > 0 else (1.0,)


def wants_residuals(similarity: Any) -> bool:
    """Return whether a similarity is to be fitted to what the baseline leaves of the response."""
    return check_choice("target", getattr(similarity, "target", "response"), TARGETS) == "residual"


def check_rows(similarity: Any, X: Any, n_features: int, **how: Any) -> np.ndarray:
    """Return new rows as numbers, with as many columns as the training rows have."""
    X = check_array(X, input_name="X", **how)
    if X.shape[1] != n_features:
        name = type(similarity).__name__
        raise ValueError(f"`X` has {X.shape[1]} features, but {name} was fitted on {n_features} features.")
    return X


def as_matrix(rows: ScoreRows, n_train: int) -> sparse.csr_array:
    """Return sparse rows as a scipy matrix."""
    return sparse.csr_array((rows.score, rows.indices, rows.indptr), shape=(rows.indptr.size - 1, n_train))
