"""Forest proximity: the share of trees in which two rows end in the same leaf."""

from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.special import ndtri
from sklearn.base import is_regressor
from sklearn.utils.validation import check_array, check_is_fitted

from heedful._checks import check_choice, check_number, check_weights
from heedful._frames import row_blocks
from heedful._kernels.shapes import ScoreRows
from heedful._trees import Binned, Bins
from heedful._undo import all_or_nothing
from heedful.similarity._given_forest import GivenForest, is_fitted_forest
from heedful.similarity._own_forest import OwnForest
from heedful.similarity._protocol import TARGETS, Similarity, as_matrix

# Trees are grown on so many scores at most: more cost time, and of many columns most are noise.
MOST_SCORES = 8


class ForestProximity(Similarity):
    """Score two rows by the share of trees in which they end in the same leaf.

    Scores are sparse: a query takes time in proportion to the size of its leaves, not to the number of training rows.
    Training rows are scored out of bag, by the trees that did not draw them, and never against themselves.

    Trees are grown on columns cut into at most 255 bins, so the unit of a column does not matter. Missing cells go to
    the side with the better split. Categories are split by the mean response of their levels, whatever their number
    and names, if an estimator got them in a frame.

    Parameters
    ----------
    n_estimators : int or "auto", default=500
        Number of trees. "auto" is that of a default forest: 114, or 41 for ``target="scores"``; beyond 20,000 rows
        fewer, down to a quarter of them from 80,000 rows on.
    max_features : {"sqrt", "log2"}, int, float or None, default="sqrt"
        Candidate features per split. Fewer make the trees, and so the scores, smoother.
    min_samples_split : int or float, default=6
        Draws that a node needs to be split; a row that was drawn twice counts twice. 6 is the rule of R's ranger for
        regression. Larger leaves spread the scores over more rows.
    min_samples_leaf : int or float, default=1
        Smallest number of draws in a leaf.
    max_samples : int, float, None or "auto", default="auto"
        Rows drawn for each tree; None draws as many as there are, "auto" at most 20,000.
    leaf_rows : int, float, None or "auto", default="auto"
        Largest number of training rows that a leaf stores, chosen at random: an int is a number, a float a multiple of
        the rows that the tree drew in the leaf, None no limit. Fewer rows take less time and memory. "auto" is None for
        up to 20,000 rows and where ``max_samples`` is given; else it is 1.0, or 3.0 with ``n_estimators="auto"``.
    forest : estimator, default=None
        A scikit-learn forest to use instead of the built-in trees. A fitted forest is used as it is and must have been
        fitted on the same rows in the same order; otherwise a clone is fitted. With sample weights, scikit-learn 1.9
        and later draw rows in proportion to them; earlier versions draw uniformly and use the weights in splits.
    target : {"response", "residual", "scores"}, default="response"
        What the trees are grown on, in estimators with local lassos. "residual": out-of-fold residuals of the global
        lasso, so rows are similar if they deviate from it in the same way. "scores": these residuals and their products
        with each column, the gradient of the loss in the coefficients. Trees are grown on the eight scores of largest
        mean square together, so rows are similar if they need similar coefficients, even with the same mean response.
        Use large leaves for scores, about 20 draws.
    ranks : bool, default=False
        Grow a regression forest on normal scores of the ranks of the response, so that a few very large responses do
        not dominate the similarity.
    task : {"auto", "regression", "classification"}, default="auto"
        Kind of forest; "auto" uses a classification forest for text and boolean responses.
    n_jobs : int, default=None
        Number of trees grown in parallel.
    random_state : int, RandomState instance or None, default=None
        Seed of the forest.

    Attributes
    ----------
    forest_ : object
        The fitted forest: ``apply(X)`` returns leaves, ``feature_importances_`` the reduction of squared error by each
        column. It is the scikit-learn forest if one was given.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [1.0], [1.1]])
    >>> proximity = ForestProximity(50, min_samples_split=2, random_state=0).fit(X, [0.0, 0.0, 5.0, 5.0])
    >>> proximity.scores([[0.05]]).toarray() > 0.5
    array([[ True,  True, False, False]])

    The slope of the second column depends on the sign of the first column, but the mean response does not. Scores find
    the two groups:

    >>> from heedful import AttentionLasso
    >>> X = np.random.default_rng(0).normal(size=(300, 3))
    >>> y = np.where(X[:, 0] > 0, 2.0, -2.0) * X[:, 1]
    >>> scores = ForestProximity(50, target="scores", max_features=1.0, min_samples_leaf=20)
    >>> model = AttentionLasso(similarity=scores, random_state=0).fit(X, y)
    >>> model.local_models([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]]).coef["x1"].round().tolist()
    [2.0, -2.0]
    """

    _grown: OwnForest | GivenForest

    target = "response"
    weightings = ("share", "leaf")

    def __init__(
        self,
        n_estimators=500,
        *,
        max_features="sqrt",
        min_samples_split=6,
        min_samples_leaf=1,
        max_samples="auto",
        leaf_rows="auto",
        forest=None,
        target="response",
        ranks=False,
        task="auto",
        n_jobs=None,
        random_state=None,
    ):
        self.n_estimators = n_estimators
        self.max_features = max_features
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_samples = max_samples
        self.leaf_rows = leaf_rows
        self.forest = forest
        self.target = target
        self.ranks = ranks
        self.task = task
        self.n_jobs = n_jobs
        self.random_state = random_state

    @all_or_nothing
    def fit(self, X, y, sample_weight=None):
        """Grow the forest and sort the training rows into its leaves."""
        check_choice("target", self.target, TARGETS)
        check_choice("task", self.task, ("auto", "regression", "classification"))
        if isinstance(self.max_samples, str):
            check_choice("max_samples", self.max_samples, ("auto",))
        if isinstance(self.leaf_rows, str):
            check_choice("leaf_rows", self.leaf_rows, ("auto",))
        elif self.leaf_rows is not None:
            check_number("leaf_rows", self.leaf_rows, 1, np.inf, hint="None keeps all rows.")
        settings = self.get_params(deep=False)
        if self.forest is None:
            if not isinstance(X, Binned):
                X = check_array(X, dtype=np.float64, ensure_all_finite="allow-nan", input_name="X")
            weight, y = check_weights(sample_weight, len(X)), self._outputs(y, sample_weight)
            if not isinstance(X, Binned):
                X = Bins().fit(X, np.zeros(X.shape[1], dtype=bool), weight).transform(X)
            self._grown = OwnForest(X, y, weight, settings, self._verbose)
        else:
            weight = check_weights(sample_weight, np.shape(X)[0])
            y = strongest_scores(np.asarray(y), weight) if self.target == "scores" else np.asarray(y)
            ranked = self.ranks and is_regressor(self.forest) and y.dtype.kind in "fiu"
            self._grown = GivenForest(X, normal_scores(y, weight) if ranked else y, weight, settings)
        self._n_train = weight.size
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_grown")

    @property
    def forest_(self) -> Any:
        """The fitted forest."""
        return self._grown.forest

    def scores(self, X: Any) -> sparse.csr_array:
        """Return the scores of new rows as a sparse matrix (n_query, n_train)."""
        check_is_fitted(self)
        return as_matrix(self.score_rows(X), self._n_train)

    def oob_scores(self) -> sparse.csr_array:
        """Return the out-of-bag scores of the training rows.

        Returns
        -------
        csr_array of shape (n_train, n_train)
            Scores without the own row.
        """
        check_is_fitted(self)
        rows = self.train_rows(np.arange(self._n_train))
        stored = rows.score > -np.inf
        query = np.repeat(np.arange(self._n_train), np.diff(rows.indptr))
        entries = (rows.score[stored], (query[stored], rows.indices[stored]))
        return sparse.csr_array(entries, shape=(self._n_train,) * 2)

    def score_rows(self, X: Any) -> ScoreRows:
        """Return the scores of new rows, with the forest's own prediction weights."""
        return self._score(self._grown.read(X, self), np.empty(0, np.int64))

    def train_rows(self, index: np.ndarray) -> ScoreRows:
        """Return the out-of-bag scores of training rows, own row masked."""
        if not self.leaves_out:
            raise ValueError("`cv='oob'` needs a forest with bootstrap=True, got bootstrap=False. Set `cv=10`.")
        return self._score(self._grown.train(index), index)

    @property
    def takes(self) -> str:
        """What rows look like to it: in bins, or in codes for scikit-learn."""
        return "bins" if self.forest is None else "codes"

    @property
    def keeps_rows(self) -> bool:
        """Whether a fitted forest was handed in."""
        return is_fitted_forest(self.forest)

    @property
    def leaves_out(self) -> bool:
        """Whether training rows can be scored as if they were new."""
        return self._grown.leaves_out

    @property
    def label(self) -> str:
        """Short name in tables of heads."""
        features = self.max_features if self.forest is None else "given"
        every = features is None or (isinstance(features, float) and features == 1.0)
        grown_on = {"residual": "residuals, ", "scores": "scores, "}.get(self.target, "")
        return f"forest({grown_on}{'all' if every else features})"

    @property
    def temperatures_(self) -> tuple[float, ...]:
        """Temperatures that "auto" tries, fewer for forests of scores."""
        return (0.3, 0.1, 0.03) if self.target == "scores" else (0.3, 0.2, 0.1, 0.05, 0.03)

    @property
    def bytes_per_query(self) -> int:
        """Upper estimate of the memory that one query's scores take."""
        return 24 * min(self._n_train, 20 * self._grown.n_trees)

    @property
    def index(self) -> OwnForest | None:
        """Our own trees and their rows; None of other forests."""
        return self._grown if isinstance(self._grown, OwnForest) else None

    def _outputs(self, y: Any, sample_weight: Any) -> np.ndarray:
        """Return what trees are grown to: numbers, their ranks, or a column of zeros and ones for each class."""
        weight = check_weights(sample_weight, len(y))
        y = np.asarray(strongest_scores(y, weight) if self.target == "scores" else y)
        if self.task == "classification" or (self.task == "auto" and y.dtype.kind not in "fiu"):
            number = np.unique(y, return_inverse=True)[1]
            n_classes = number.max() + 1
            # the second of two columns would say the same again
            return np.eye(n_classes)[number][:, 1:] if n_classes == 2 else np.eye(n_classes)[number]
        if y.dtype.kind not in "fiu":
            y = np.unique(y, return_inverse=True)[1]
        y = np.asarray(y, dtype=np.float64)
        return normal_scores(y, weight) if self.ranks else y

    def _score(self, rows: Any, own: np.ndarray) -> ScoreRows:
        scores = self._grown.index.score(self._grown.leaves(rows), own)
        return scores._replace(leaf=scores.leaf * self._grown.per_weight[scores.indices])


def normal_scores(y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return the normal quantiles of the weighted ranks, column by column; equal values have equal scores."""
    if y.ndim > 1:
        return np.column_stack([normal_scores(column, weight) for column in y.T])
    _, number = np.unique(y, return_inverse=True)
    mass = np.bincount(number, weights=weight)
    below = (np.cumsum(mass) - mass / 2) / mass.sum()
    return ndtri(np.clip(below, 1e-9, 1 - 1e-9))[number]


def strongest_scores(y: Any, weight: np.ndarray) -> Any:
    """Return the scores of largest mean square, in their order.

    The product of a residual and a column is larger than those of others where the residual grows with the column, as
    it does where the coefficient differs between rows. Others are noise that hides where to split.
    """
    if np.ndim(y) == 1:
        return y
    y = np.asarray(y) if isinstance(y, list | tuple | pd.DataFrame) else y
    square = np.sum([weight[rows] @ y[rows] ** 2 for rows in row_blocks(y.shape)], axis=0) / weight.sum()
    # equal ones, as those of a column that is there twice, must not be told apart by their last bits
    first = np.sort(np.argsort(-square.round(9), kind="stable")[:MOST_SCORES])
    return y[:, first]
