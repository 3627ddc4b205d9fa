"""Forest proximity: the share of trees in which two rows end in the same leaf."""

from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import ndtri
from sklearn.base import clone, is_regressor
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array, check_is_fitted

from heedful import _kernels
from heedful._checks import check_choice, check_number, check_weights
from heedful._ensembles import flatten
from heedful._kernels.shapes import ScoreRows
from heedful._undo import all_or_nothing
from heedful.similarity._leaf_index import count_draws, index_all, index_some
from heedful.similarity._protocol import TARGETS, Similarity, as_matrix, check_rows

# Rows that a tree draws where more would cost memory and time for little: benchmarks/scale.
MOST_DRAWN = 20_000


class ForestProximity(Similarity):
    """Score two rows by the share of trees in which they end in the same leaf.

    Scores come from leaf buckets as sparse rows: a query costs the size of its leaves, however many training rows
    there are. Training rows are scored out of bag: by the trees that did not draw them, and never against themselves.

    Parameters
    ----------
    n_estimators : int, default=500
        Number of trees.
    max_features : {"sqrt", "log2"}, int, float or None, default="sqrt"
        Candidate features per split. Fewer make the trees, and so the scores, smoother.
    min_samples_split : int or float, default=5
        Smallest node that is split, as in R's ranger. Larger leaves spread the scores over more rows.
    min_samples_leaf : int or float, default=1
        Smallest leaf.
    max_samples : int, float, None or "auto", default="auto"
        Rows drawn for each tree; None draws as many as there are, "auto" no more than 20,000.
    leaf_rows : int, "drawn", None or "auto", default="auto"
        Training rows that a leaf keeps at most, a random choice of them; None keeps all, "drawn" as many as the tree
        drew in the leaf. Fewer take less time and memory in large tables. "auto" is "drawn" where "auto" limits
        ``max_samples``, and keeps all rows elsewhere.
    forest : estimator, default=None
        A scikit-learn forest to use instead. One that is fitted is taken as it is, and must have been fitted on the
        very rows, in their order, that this object is fitted on; any other serves as a template.
    target : {"response", "residual"}, default="response"
        What an estimator with local lassos fits it to: the response, or what its baseline leaves of it, each row by a
        baseline that did not see the row. Rows are then alike if they depart from the baseline in the same way.
    ranks : bool, default=False
        Grow a regression forest on normal scores of the ranks of the response. A few very large responses then do not
        decide who is alike.
    task : {"auto", "regression", "classification"}, default="auto"
        Kind of forest; "auto" takes a classification forest for text and boolean responses.
    n_jobs : int, default=None
        Trees grown at the same time.
    random_state : int, RandomState instance or None, default=None
        Seed of the forest.

    Attributes
    ----------
    forest_ : estimator
        The fitted forest.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [1.0], [1.1]])
    >>> proximity = ForestProximity(50, min_samples_split=2, random_state=0).fit(X, [0.0, 0.0, 5.0, 5.0])
    >>> proximity.scores([[0.05]]).toarray() > 0.5
    array([[ True,  True, False, False]])
    """

    takes = "codes"
    target = "response"
    weightings = ("share", "leaf")
    temperatures_ = (0.3, 0.2, 0.1, 0.05, 0.03)

    def __init__(
        self,
        n_estimators=500,
        *,
        max_features="sqrt",
        min_samples_split=5,
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
        given = check_array(X, ensure_all_finite="allow-nan", input_name="X")
        X = check_array(given, dtype=np.float32, ensure_all_finite="allow-nan", input_name="X")
        weight = check_weights(sample_weight, X.shape[0])
        check_choice("target", self.target, TARGETS)
        self._check_sizes()
        self._check_forest(X)
        self.forest_ = self.forest if self.keeps_rows else self._grow(X, np.asarray(y), weight)
        self._sort_leaves(X, weight)
        # not the numbers that trees see, so that forests of one estimator hold the same rows once
        self._X = given
        return self

    def scores(self, X: Any) -> sparse.csr_array:
        """Return the scores of new rows as a sparse matrix (n_query, n_train)."""
        check_is_fitted(self)
        X = check_rows(self, X, self._X.shape[1], dtype=np.float32, ensure_all_finite="allow-nan")
        return as_matrix(self.score_rows(X), self._X.shape[0])

    def oob_scores(self) -> sparse.csr_array:
        """Return the out-of-bag scores of the training rows.

        Returns
        -------
        csr_array of shape (n_train, n_train)
            Scores without the own row.
        """
        check_is_fitted(self)
        rows = self.train_rows(np.arange(self._X.shape[0]))
        stored = rows.score > -np.inf
        query = np.repeat(np.arange(self._X.shape[0]), np.diff(rows.indptr))
        entries = (rows.score[stored], (query[stored], rows.indices[stored]))
        return sparse.csr_array(entries, shape=(self._X.shape[0],) * 2)

    def score_rows(self, X: np.ndarray) -> ScoreRows:
        """Return the scores of new rows, with the forest's own prediction weights."""
        return self._score(X, np.empty(0, np.int64))

    def train_rows(self, index: np.ndarray) -> ScoreRows:
        """Return the out-of-bag scores of training rows, own row masked."""
        if not self.forest_.bootstrap:
            raise ValueError("`cv='oob'` needs a forest with bootstrap=True, got one without. Set `cv=10`.")
        return self._score(self._X[index], index)

    @property
    def keeps_rows(self) -> bool:
        """Whether a fitted forest was handed in."""
        return self.forest is not None and hasattr(self.forest, "estimators_")

    @property
    def leaves_out(self) -> bool:
        """Whether training rows can be scored as if they were new."""
        return bool(self.forest_.bootstrap)

    @property
    def label(self) -> str:
        """Short name in tables of heads."""
        features = self.max_features if self.forest is None else "given"
        every = features is None or (isinstance(features, float) and features == 1.0)
        return f"forest({'residuals, ' if self.target == 'residual' else ''}{'all' if every else features})"

    @property
    def bytes_per_query(self) -> int:
        """Upper estimate of the memory that one query's scores take."""
        return 24 * min(self._X.shape[0], 20 * len(self.forest_.estimators_))

    def _check_sizes(self) -> None:
        if isinstance(self.max_samples, str):
            check_choice("max_samples", self.max_samples, ("auto",))
        if isinstance(self.leaf_rows, str):
            check_choice("leaf_rows", self.leaf_rows, ("auto", "drawn"))
        elif self.leaf_rows is not None:
            check_number("leaf_rows", self.leaf_rows, 1, np.inf, hint="None keeps all rows.")

    def _check_forest(self, X: np.ndarray) -> None:
        if self.forest is not None and not (hasattr(self.forest, "apply") and hasattr(self.forest, "bootstrap")):
            raise TypeError(f"`forest` must be a random forest of scikit-learn, got {self.forest!r}.")
        if self.keeps_rows and self.forest.n_features_in_ != X.shape[1]:
            raise ValueError(f"`forest` was fitted on {self.forest.n_features_in_} columns, got {X.shape[1]}.")

    def _grow(self, X, y, weight):
        """Return a forest fitted to the rows."""
        check_choice("task", self.task, ("auto", "regression", "classification"))
        if self.forest is not None:
            forest = clone(self.forest)
            if is_regressor(forest) and y.dtype.kind not in "fiu":
                y = np.unique(y, return_inverse=True)[1].astype(np.float64)
        else:
            labels = self.task == "classification" or (self.task == "auto" and y.dtype.kind not in "fiu")
            forest = (RandomForestClassifier if labels else RandomForestRegressor)(
                n_estimators=self.n_estimators,
                max_features=self.max_features,
                min_samples_split=self.min_samples_split,
                min_samples_leaf=self.min_samples_leaf,
                max_samples=self._n_drawn(X.shape[0]),
                bootstrap=True,
                n_jobs=self.n_jobs,
                random_state=self.random_state,
            )
        if self.ranks and is_regressor(forest):
            y = normal_scores(y, weight)
        return forest.fit(X, y, sample_weight=None if np.ptp(weight) == 0 else weight)

    def _n_drawn(self, n_train: int) -> int | float | None:
        """Return how many rows each tree draws, as scikit-learn takes it."""
        if isinstance(self.max_samples, str):
            return MOST_DRAWN if self._draws_fewer(n_train) else None
        return self.max_samples

    def _draws_fewer(self, n_train: int) -> bool:
        """Return whether the rows are too many to draw as many for each tree."""
        return self.forest is None and isinstance(self.max_samples, str) and n_train > MOST_DRAWN

    def _sort_leaves(self, X: np.ndarray, weight: np.ndarray) -> None:
        """Build the index: the training rows of each leaf of each tree, all or some, and how much they count."""
        *trees, n_leaves = flatten(self.forest_.estimators_)
        self._trees = tuple(trees)
        drawn = self._drawn(X.shape[0])
        self._check_rows(X, drawn)
        auto = isinstance(self.leaf_rows, str) and self.leaf_rows == "auto"
        if self.leaf_rows is None or (auto and not self._draws_fewer(X.shape[0])):
            counts = count_draws(drawn, X.shape[0]) if drawn else np.tile(weight, (len(self._trees[2]), 1))
            self._index = index_all(self._leaves(X), n_leaves, counts)
            # draws follow the sample weights already, and local fits multiply by them again
            self._per_weight = weight.mean() / np.where(weight > 0, weight, 1.0)
        else:
            seed = check_random_state(self.random_state)
            self._index = index_some(self._trees, X, drawn, self._room(), seed, self.n_jobs)
            self._per_weight = np.ones(X.shape[0])

    def _room(self) -> list[np.ndarray]:
        """Return how many rows each leaf may keep, one array per tree."""
        leaves = [(tree.tree_.children_left < 0, tree.tree_.n_node_samples) for tree in self.forest_.estimators_]
        if isinstance(self.leaf_rows, str):
            return [sizes[leaf].astype(np.int64) for leaf, sizes in leaves]
        return [np.full(leaf.sum(), int(self.leaf_rows), np.int64) for leaf, _ in leaves]

    def _check_rows(self, X: np.ndarray, drawn: list[np.ndarray]) -> None:
        """Raise if a forest that was handed in does not find as many drawn rows in its first leaves as it had."""
        if not self.keeps_rows or not drawn:
            return
        for tree, rows in zip(self.forest_.estimators_, drawn, strict=True):
            leaf = tree.tree_.apply(X)
            found = np.bincount(leaf[np.unique(rows)], minlength=tree.tree_.node_count)
            if not np.array_equal(found[leaf], tree.tree_.n_node_samples[leaf]):
                raise ValueError(
                    "`forest` was fitted on other rows than those given. Hand in a forest fitted on the same rows."
                )

    def _drawn(self, n_train: int) -> list[np.ndarray]:
        """Return the rows that each tree drew; nothing for a forest without draws."""
        if not self.forest_.bootstrap:
            return []
        drawn = self.forest_.estimators_samples_
        last = max(rows.max() for rows in drawn)
        if last >= n_train or (self.forest_.max_samples is None and drawn[0].size != n_train):
            raise ValueError(
                f"`forest` was fitted on another number of rows than the {n_train} given. Hand in one of the same rows."
            )
        return drawn

    def _leaves(self, X: np.ndarray) -> np.ndarray:
        """Return the leaf of every row in every tree (n_tree, n_rows)."""
        return _kernels.leaf_rows(np.ascontiguousarray(X, dtype=np.float32), *self._trees)

    def _score(self, X: np.ndarray, own: np.ndarray) -> ScoreRows:
        rows = self._index.score(self._leaves(X), own)
        return rows._replace(leaf=rows.leaf * self._per_weight[rows.indices])


def normal_scores(y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return the normal quantiles of the weighted ranks, column by column; equal values have equal scores."""
    if y.ndim > 1:
        return np.column_stack([normal_scores(column, weight) for column in y.T])
    _, number = np.unique(y, return_inverse=True)
    mass = np.bincount(number, weights=weight)
    below = (np.cumsum(mass) - mass / 2) / mass.sum()
    return ndtri(np.clip(below, 1e-9, 1 - 1e-9))[number]
