"""The base of all similarities."""

import copy
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_array

from heedful._checks import check_choice
from heedful._kernels.shapes import ScoreRows, dense_rows

TARGETS = ("response", "residual", "scores")


class Similarity(BaseEstimator):
    """The similarity of two rows: base class of every similarity.

    A subclass needs ``fit``, which stores the training rows as ``X_``, and ``scores``, which compares new rows with all
    of them; larger means more similar. Everything else has a default that an attribute or a property may override: the
    form of the rows, the target, the temperatures, and how training rows are scored as if they were new. See
    ``docs/extending.md``.

    Examples
    --------
    >>> import numpy as np
    >>> class Nearness(Similarity):
    ...     def fit(self, X, y=None, sample_weight=None):
    ...         self.X_ = np.asarray(X)
    ...         return self
    ...     def scores(self, X):
    ...         return -np.abs(np.asarray(X)[:, None, :] - self.X_).sum(axis=2)
    >>> Nearness().fit([[0.0], [2.0]]).scores([[1.5]])
    array([[-1.5, -0.5]])
    """

    X_: np.ndarray
    # whether what takes long shows how far it is; set by the estimator that fits it
    _verbose = 0

    @property
    def takes(self) -> str:
        """Form of the rows.

        "dummies": numeric, with a 0/1 column for each level. "codes": one column per feature, categories as codes,
        missing cells as NaN. "bins": these codes cut into bins, as for the built-in trees.
        """
        return "dummies"

    @property
    def target(self) -> str:
        """What it is fitted to: "response", or a baseline's "residual" or "scores"."""
        return "response"

    @property
    def weightings(self) -> tuple[str, ...]:
        """Ways to weigh without a temperature: "share" of the row sum, "leaf"."""
        return ()

    @property
    def keeps_rows(self) -> bool:
        """Whether it came fitted and knows the training rows by position."""
        return False

    @property
    def leaves_out(self) -> bool:
        """Whether ``train_rows`` can score training rows as if they were new."""
        return True

    @property
    def anchor(self) -> bool:
        """Whether local models also see what a teacher predicts of their query."""
        return False

    @property
    def label(self) -> str:
        """Short name in tables of heads."""
        return type(self).__name__

    @property
    def temperatures_(self) -> tuple[float, ...]:
        """Temperatures that "auto" tries: multiples of the spread of scores."""
        step = max(1, self.X_.shape[0] // 200)
        spread = float(np.median(np.std(self.scores(self.X_[::step]), axis=1)))
        return tuple(spread * factor for factor in (2.0, 1.0, 0.5, 0.25, 0.125)) if spread > 0 else (1.0,)

    @property
    def bytes_per_query(self) -> int:
        """Upper estimate of the memory that one query's scores take."""
        return 24 * self.X_.shape[0]

    @property
    def places(self) -> tuple[Any, ...]:
        """Columns in which rows have a distance, by which a kernel weighs them."""
        return ()

    @property
    def widths_(self) -> tuple[float, ...]:
        """Widths of the kernel to try, the widest first; infinity is no kernel."""
        return (np.inf,)

    def label_at(self, width: float) -> str:
        """Return the short name in tables of heads, with a kernel of this width.

        Parameters
        ----------
        width : float
            One of ``widths_``.

        Returns
        -------
        str
            The name.
        """
        return self.label

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "Similarity":
        """Learn from the training rows.

        Parameters
        ----------
        X : array-like of shape (n_train, n_features)
            Training rows, in the form named by ``takes``.
        y : array-like of shape (n_train,), default=None
            The target named by ``target``, on a unit scale; text for labels.
        sample_weight : array-like of shape (n_train,), default=None
            Sample weights.

        Returns
        -------
        self : the fitted estimator
        """
        raise NotImplementedError(f"{type(self).__name__} must have `fit(X, y, sample_weight)`.")

    def scores(self, X: Any) -> Any:
        """Return the similarity of new rows to all training rows.

        Parameters
        ----------
        X : array-like of shape (n_query, n_features)
            New rows.

        Returns
        -------
        ndarray or sparse matrix of shape (n_query, n_train)
            Scores; ``-inf`` masks a training row, and entries that a sparse matrix does not store are 0.
        """
        raise NotImplementedError(f"{type(self).__name__} must have `scores(X)`.")

    def score_rows(self, X: np.ndarray) -> ScoreRows:
        """Return the scores of a block of new rows as kernels take them.

        Parameters
        ----------
        X : ndarray of shape (n_query, n_features)
            New rows.

        Returns
        -------
        ScoreRows
            Scores, by default of every pair.
        """
        return dense_rows(self.scores(X))

    def train_rows(self, index: np.ndarray) -> ScoreRows:
        """Return the scores of training rows as if they were new.

        Parameters
        ----------
        index : ndarray of int
            Which training rows.

        Returns
        -------
        ScoreRows
            Their scores against all others.
        """
        scores = np.array(self.scores(self.X_[index]), dtype=np.float64)
        scores[np.arange(index.size), index] = -np.inf
        return dense_rows(scores)

    def with_columns(self, names: list[str]) -> "Similarity":
        """Return the similarity to fit to columns of these names.

        Parameters
        ----------
        names : list of str
            Names of the columns that ``fit`` will see.

        Returns
        -------
        Similarity
            Not fitted.
        """
        return self

    def check_columns(self, names: list[str], numbers: dict[str, np.ndarray]) -> None:
        """Raise if a column whose distances are needed is not numeric.

        Parameters
        ----------
        names : list of str
            Names of the columns that ``fit`` will see.
        numbers : dict of str to ndarray
            Values of the training rows in columns of numbers or dates, NaN for missing.
        """

    def seeded(self, n_jobs: int | None, random_state: int) -> "Similarity":
        """Return a copy to fit with jobs and seed filled in where they are None.

        Parameters
        ----------
        n_jobs : int or None
            Threads.
        random_state : int
            Seed.

        Returns
        -------
        Similarity
            Not fitted.
        """
        other, settings = copy.copy(self), self.get_params(deep=False)
        for name, value in (("n_jobs", n_jobs), ("random_state", random_state)):
            if name in settings and settings[name] is None:
                setattr(other, name, value)
        return other


def refit(similarity: Similarity, X: np.ndarray, y: np.ndarray, sample_weight: np.ndarray) -> Similarity:
    """Return a clone fitted to other rows; one that was handed in fitted has seen them all."""
    other = clone(similarity)
    if other.keeps_rows:
        raise ValueError(
            f"`cv` with folds needs a similarity that can be fitted again, got {similarity!r}, which has seen all "
            "rows. Use LGBMRegressor, XGBRegressor or the like instead of a bare booster."
        )
    return other.fit(X, y, sample_weight)


def target_of(similarity: Similarity) -> str:
    """Return what a similarity is to be fitted to, one of ``TARGETS``."""
    return check_choice("target", similarity.target, TARGETS)


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
