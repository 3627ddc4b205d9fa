"""Boosted proximity: the share of a booster's trees in which two rows end in the same leaf."""

from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array, check_is_fitted, has_fit_parameter

from heedful import _kernels
from heedful._checks import check_choice, check_number, check_weights
from heedful._ensembles import ACCEPTED, Ensemble, is_ensemble, is_fitted, read_ensemble
from heedful._file_checks import require_indices
from heedful._kernels.shapes import ScoreRows, dense_rows
from heedful._optional import import_optional
from heedful._undo import all_or_nothing
from heedful.similarity._protocol import Similarity, check_rows

ROWS_FOR_THREADS = 10_000


class BoostedProximity(Similarity):
    """Score two rows by the share of a booster's trees with a common leaf.

    Boosters have no out-of-bag rows, so training rows are scored by cross-fitting: by the trees of a booster that was
    fitted without the row's fold, and never against themselves.

    Parameters
    ----------
    estimator : estimator, default=None
        A booster or forest of scikit-learn, LightGBM, XGBoost or CatBoost. A fitted one is used as it
        is, otherwise a clone is fitted. None is LightGBM with 300 rounds and 8 leaves.
    cv : int, default=5
        Number of folds to score training rows.
    task : {"auto", "regression", "classification"}, default="auto"
        Kind of LightGBM; "auto" uses a classifier for text and boolean responses.
    n_jobs : int, default=None
        Threads of LightGBM; None means one.
    random_state : int, RandomState instance or None, default=None
        Seed of LightGBM and of the folds.

    Attributes
    ----------
    estimator_ : estimator
        The fitted booster.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.ensemble import GradientBoostingRegressor
    >>> X = np.array([[0.0], [0.1], [1.0], [1.1]])
    >>> booster = GradientBoostingRegressor(n_estimators=5, max_depth=1)
    >>> BoostedProximity(booster, cv=2, random_state=0).fit(X, [0.0, 0.0, 5.0, 5.0]).scores([[0.05]])
    array([[1., 1., 0., 0.]])
    """

    takes = "codes"
    weightings = ("share",)
    temperatures_ = (0.3, 0.1, 0.05, 0.03)

    def __init__(self, estimator=None, *, cv=5, task="auto", n_jobs=None, random_state=None):
        self.estimator = estimator
        self.cv = cv
        self.task = task
        self.n_jobs = n_jobs
        self.random_state = random_state

    @all_or_nothing
    def fit(self, X, y, sample_weight=None):
        """Fit boosters to all rows and to folds; store their leaves."""
        X = check_array(X, dtype=np.float64, ensure_all_finite="allow-nan", input_name="X")
        weight, y = check_weights(sample_weight, X.shape[0]), np.asarray(y)
        seed = draw_seed(self.random_state)
        template = self._template(y, seed)
        self.estimator_ = self.estimator if self.keeps_rows else fit_part(template, X, y, weight)
        self._leaves, self._fold_leaves = Leaves(read_ensemble(self.estimator_), X), []
        if hasattr(template, "fit"):
            self._fold = deal_folds(y, is_classifier(template), self.cv, seed)
            self._fold_leaves = [self._fit_fold(k, template, X, y, weight) for k in range(self._fold.max() + 1)]
        self.X_ = X
        return self

    def scores(self, X: Any) -> np.ndarray:
        """Return the scores of new rows (n_query, n_train)."""
        check_is_fitted(self)
        X = check_rows(self, X, self.X_.shape[1], dtype=np.float64, ensure_all_finite="allow-nan")
        return self._leaves.score(X)

    def oob_scores(self) -> np.ndarray:
        """Return the scores of training rows by boosters that did not see them.

        Returns
        -------
        ndarray of shape (n_train, n_train)
            Scores; 0 for the own row.
        """
        check_is_fitted(self)
        scores = self._score_train(np.arange(self.X_.shape[0]))
        np.fill_diagonal(scores, 0.0)
        return scores

    def score_rows(self, X: np.ndarray) -> ScoreRows:
        """Return the scores of new rows."""
        return dense_rows(self._leaves.score(X))

    def train_rows(self, index: np.ndarray) -> ScoreRows:
        """Return the scores of training rows by boosters that did not see them."""
        scores = self._score_train(index)
        scores[np.arange(index.size), index] = -np.inf
        return dense_rows(scores)

    def _score_train(self, index: np.ndarray) -> np.ndarray:
        if not self._fold_leaves:
            name = type(self.estimator).__name__
            raise ValueError(
                f"`cv='oob'` needs an estimator that can be fitted on folds, got a bare {name}. Use LGBMRegressor, "
                "XGBRegressor or the like."
            )
        scores, fold = np.empty((index.size, self.X_.shape[0])), self._fold[index]
        for k in np.unique(fold):
            scores[fold == k] = self._fold_leaves[k].score(self.X_[index[fold == k]])
        return scores

    @property
    def keeps_rows(self) -> bool:
        """Whether a fitted booster was handed in."""
        return self.estimator is not None and is_fitted(self.estimator)

    @property
    def label(self) -> str:
        """Short name in tables of heads."""
        return "boosted" if self.estimator is None else f"boosted({type(self.estimator).__name__})"

    def _template(self, y: np.ndarray, seed: int) -> Any:
        check_choice("task", self.task, ("auto", "regression", "classification"))
        if self.estimator is not None:
            if not is_ensemble(self.estimator):
                raise TypeError(f"`estimator` must be {ACCEPTED}, got {self.estimator!r}.")
            return self.estimator
        labels = self.task == "classification" or (self.task == "auto" and y.dtype.kind not in "fiu")
        return default_booster(labels, y.size, self.n_jobs, seed, "similarity='boosted'")

    def _fit_fold(self, k, template, X, y, weight):
        part = self._fold != k
        return Leaves(read_ensemble(fit_part(template, X[part], y[part], weight[part])), X)


class Leaves:
    """An ensemble and the leaves that the training rows have in it."""

    def __init__(self, ensemble: Ensemble, X: np.ndarray) -> None:
        self._ensemble, self._train = ensemble, ensemble.leaves(X)

    def check_loaded(self) -> None:
        """Raise if what came from a file has rows in leaves that are not there."""
        require_indices(self._train, self._ensemble.n_leaves, self._ensemble.n_trees, self._train.shape[-1])

    def score(self, X: np.ndarray) -> np.ndarray:
        """Return the share of trees in which rows meet the training rows (n_rows, n_train)."""
        return _kernels.shared_leaf_rows(self._ensemble.leaves(X), self._train)


def default_booster(labels: bool, n_rows: int, n_jobs: int | None, seed: int, who: str) -> Any:
    """Return LightGBM with 300 rounds of 8 leaves, quiet and the same on any number of threads.

    Leaves of 20 rows, LightGBM's default, would be most of a small table; its threads wait for each other on one.
    """
    lightgbm = import_optional("lightgbm", "lightgbm", who)
    return (lightgbm.LGBMClassifier if labels else lightgbm.LGBMRegressor)(
        n_estimators=300,
        num_leaves=8,
        min_child_samples=min(max(n_rows // 20, 5), 20),
        n_jobs=1 if n_jobs is None or n_rows < ROWS_FOR_THREADS else n_jobs,
        random_state=seed,
        deterministic=True,
        force_col_wise=True,
        verbose=-1,
    )


def draw_seed(random_state: Any) -> int:
    """Return one seed for boosters and folds."""
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def deal_folds(y: np.ndarray, labels: bool, n_folds: Any, seed: int) -> np.ndarray:
    """Return the fold of each row; labels are spread evenly if each has a row for every fold."""
    n_folds = min(int(check_number("cv", n_folds, 2, np.inf, hint="Use 5.")), y.size)
    even = labels and np.unique(y, return_counts=True)[1].min() >= n_folds
    splitter = (StratifiedKFold if even else KFold)(n_folds, shuffle=True, random_state=seed)
    fold = np.empty(y.size, np.int64)
    for k, (_, test) in enumerate(splitter.split(np.empty((y.size, 1)), y)):
        fold[test] = k
    return fold


def fit_part(template: Any, X: np.ndarray, y: np.ndarray, weight: np.ndarray) -> Any:
    """Return a clone fitted to rows: a classifier to labels numbered from 0, with weights if it takes them."""
    if is_classifier(template):
        y = np.unique(y, return_inverse=True)[1]
    elif y.dtype.kind not in "fiu":
        y = np.unique(y, return_inverse=True)[1].astype(np.float64)
    weighted = np.ptp(weight) > 0 and has_fit_parameter(template, "sample_weight")
    return clone(template).fit(X, y, **({"sample_weight": weight} if weighted else {}))
