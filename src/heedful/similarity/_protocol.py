"""What a similarity must offer, and what all of them share."""

from typing import Any, Protocol

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_array

from heedful._checks import check_choice
from heedful._kernels.shapes import ScoreRows, dense_rows

TARGETS = ("response", "residual")


class Similarity(Protocol):
    """Say what a similarity must offer; it is fitted on the training table.

    ``takes`` is "codes" (one column per feature, categories as codes, missing as NaN: trees) or "dummies" (numbers
    only). ``weightings`` names the ways to weigh without a temperature. ``temperatures_`` is the grid for "auto".
    ``target`` may say "residual": it is fitted to what a linear baseline leaves of the response. ``keeps_rows`` says
    that the fitted object knows the training rows by their position. ``leaves_out`` may say False: it has no
    ``train_rows``. ``bytes_per_query`` is an upper estimate of the memory that one query's scores take.

    Examples
    --------
    For one that scores every pair, :class:`DenseSimilarity` has all but ``fit`` and ``scores``.

    >>> from heedful.similarity import GaussianSimilarity
    >>> gaussian = GaussianSimilarity()
    >>> gaussian.takes, gaussian.weightings, gaussian.keeps_rows
    ('dummies', (), False)
    """

    takes: str
    weightings: tuple[str, ...]
    keeps_rows: bool
    temperatures_: tuple[float, ...]
    bytes_per_query: int

    def fit(self, X: np.ndarray, y: np.ndarray, sample_weight: np.ndarray | None = None) -> "Similarity":
        """Learn from the training rows.

        Parameters
        ----------
        X : ndarray of shape (n_train, n_features)
            Training rows.
        y : ndarray of shape (n_train,)
            Response.
        sample_weight : ndarray of shape (n_train,), default=None
            Weights of the rows.

        Returns
        -------
        self : the fitted estimator
        """

    def score_rows(self, X: np.ndarray) -> ScoreRows:
        """Return the scores of new rows, as the kernels take them.

        Parameters
        ----------
        X : ndarray of shape (n_query, n_features)
            New rows, checked.

        Returns
        -------
        ScoreRows
            Scores (n_query, n_train) as sparse rows.
        """

    def train_rows(self, index: np.ndarray) -> ScoreRows:
        """Return the scores of training rows as if they were new.

        Parameters
        ----------
        index : ndarray of int
            Numbers of the training rows.

        Returns
        -------
        ScoreRows
            Scores (n_rows, n_train) as sparse rows; the own row is -inf, and not seen where possible.
        """


class DenseSimilarity:
    """Score every pair; a subclass adds ``fit`` and ``scores``.

    ``fit`` keeps the training rows as ``X_``. A training row is compared with all others but itself.

    Examples
    --------
    >>> import numpy as np
    >>> from heedful.similarity import DenseSimilarity
    >>> class Nearness(DenseSimilarity):
    ...     def fit(self, X, y=None, sample_weight=None):
    ...         self.X_ = X
    ...         return self
    ...
    ...     def scores(self, X):
    ...         return -abs(X[:, :1] - self.X_[:, 0])
    >>> nearness = Nearness().fit(np.array([[0.0], [3.0]]))
    >>> nearness.train_rows(np.array([0])).score
    array([-inf,  -3.])
    """

    takes = "dummies"
    weightings: tuple[str, ...] = ()
    keeps_rows = False
    X_: np.ndarray

    def scores(self, X: Any) -> np.ndarray:
        """Return the scores of new rows; a subclass says how.

        Parameters
        ----------
        X : array-like of shape (n_query, n_features)
            New rows.

        Returns
        -------
        ndarray of shape (n_query, n_train)
            Larger means more alike.
        """
        raise NotImplementedError

    def score_rows(self, X: np.ndarray) -> ScoreRows:
        """Return the scores of new rows, as the kernels take them.

        Parameters
        ----------
        X : ndarray of shape (n_query, n_features)
            New rows, checked.

        Returns
        -------
        ScoreRows
            Scores (n_query, n_train) as sparse rows.
        """
        return dense_rows(self.scores(X))

    def train_rows(self, index: np.ndarray) -> ScoreRows:
        """Return the scores of training rows against all others.

        Parameters
        ----------
        index : ndarray of int
            Numbers of the training rows.

        Returns
        -------
        ScoreRows
            Scores (n_rows, n_train) as sparse rows; the own row is -inf.
        """
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
    """Return whether a similarity is fitted to the baseline's residuals.

    Parameters
    ----------
    similarity : object
        A similarity; its ``target`` says so.

    Returns
    -------
    bool
        True for target="residual".

    Examples
    --------
    >>> from heedful.similarity import ForestProximity
    >>> wants_residuals(ForestProximity(target="residual")), wants_residuals(ForestProximity())
    (True, False)
    """
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
