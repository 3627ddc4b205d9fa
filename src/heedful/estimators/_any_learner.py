"""Attention for any learner: one fit per query to the training rows that matter for it (Algorithm 1)."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np

from heedful._attention_model.settings import Settings, check_learner, check_settings
from heedful._checks import check_number
from heedful._models.learners import LearnerModels
from heedful._responses import Classification, Regression
from heedful._solver import check_takes_weights
from heedful._undo import all_or_nothing
from heedful.estimators._base import AttentionEstimator, Given, whole_seed


@dataclass(eq=False, repr=False)
class AttentionRegressor(AttentionEstimator):
    """Predict each row by a learner fitted to the rows that matter for it.

    A similarity says which training rows matter; the learner is fitted once to all rows and once for each query, under
    the query's weights; both predictions are blended. One way to attend is chosen, as a learner per query is dear.

    Parameters
    ----------
    estimator : estimator, default=None
        Any regressor whose ``fit`` takes ``sample_weight``; a Pipeline passes it to its last step. LightGBM and XGBoost
        get categories as numbers and bin the table once; any other gets the table as it was given. None is a LightGBM
        of 8 leaves and at most 100 rounds: as many as are best for left-out rows, for the local models too.
    similarity : str, object, callable or list of them, default="forest"
        Who is alike: see :class:`heedful.AttentionLasso`. The best one is chosen.
    temperature : float, list of float or "auto", default="auto"
        Softmax temperatures to try; lower attends to fewer rows. "auto" tries a few.
    mixing : float, list of float, "auto", "adaptive" or "weighted", default="auto"
        Share of the local learners: see :class:`heedful.AttentionLasso`.
    features : list, callable or dict, default=None
        Columns to use, or ``{"similarity": ..., "model": ...}``: see :class:`heedful.AttentionLasso`.
    cv : "oob", int, splitter or iterable, default="oob"
        How unseen rows are predicted for tuning: each left out on its own, or by folds.
    tuning_rows : int or None, default=200
        Training rows on which temperatures and mixing are tried, drawn at random; each costs one fit per temperature.
        None tries all.
    trim_weight : float, default=0.01
        Rows of small weight that together hold at most this share of a query's weight are left out of its fit.
    verbose : int, default=0
        1 shows progress.
    n_jobs : int, default=None
        Threads: None is one, -1 all cores. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of forests and folds.

    Attributes
    ----------
    baseline_ : estimator
        The learner for all rows.
    similarity_, heads_, mixing_, guard_, unseen_error_
        As in :class:`heedful.AttentionLasso`.

    References
    ----------
    Craig and Tibshirani, "Supervised learning pays attention", arXiv 2512.09912, Algorithm 1.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import Ridge
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3))
    >>> y = np.where(X[:, 0] > 0, 3, -3) * X[:, 1] + 0.1 * rng.normal(size=200)
    >>> model = AttentionRegressor(Ridge(), random_state=0).fit(X[:150], y[:150])
    >>> bool(model.score(X[150:], y[150:]) > 0.5 > model.baseline_.score(X[150:], y[150:]))
    True
    """

    estimator: Any = None
    similarity: Any = "forest"
    _: KW_ONLY
    temperature: Any = "auto"
    mixing: Any = "auto"
    features: Any = None
    cv: Any = "oob"
    tuning_rows: int | None = 200
    trim_weight: float = 0.01
    verbose: int = 0
    n_jobs: int | None = None
    random_state: Any = None

    @all_or_nothing
    def fit(self, X, y, sample_weight=None, groups=None) -> Self:
        """Fit to training rows.

        The parameters are those of :meth:`heedful.AttentionLasso.fit`.

        Returns
        -------
        self : the fitted estimator
        """
        kind, settings = plan_learners(self, groups)
        given = Given(sample_weight, groups, self.features, self.cv, self.random_state)
        return self._fit(X, y, given, lambda _: Regression(), kind, settings)


@dataclass(eq=False, repr=False)
class AttentionClassifier(AttentionEstimator):
    """Predict classes by a learner fitted to the rows that matter for each row.

    The parameters are those of :class:`heedful.AttentionRegressor`, with a classifier that has ``predict_proba``;
    probabilities are blended, and log loss decides.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    baseline_, similarity_, heads_, mixing_, guard_, unseen_error_
        As in :class:`heedful.AttentionRegressor`; errors in ``heads_`` are log losses.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> y = np.where(X[:, 0] * X[:, 1] > 0, "same", "other")
    >>> model = AttentionClassifier(LogisticRegression(), random_state=0).fit(X[:200], y[:200])
    >>> bool(model.score(X[200:], y[200:]) > 0.8 > model.baseline_.score(X[200:], y[200:]))
    True
    """

    estimator: Any = None
    similarity: Any = "forest"
    _: KW_ONLY
    temperature: Any = "auto"
    mixing: Any = "auto"
    features: Any = None
    cv: Any = "oob"
    tuning_rows: int | None = 200
    trim_weight: float = 0.01
    verbose: int = 0
    n_jobs: int | None = None
    random_state: Any = None

    @all_or_nothing
    def fit(self, X, y, sample_weight=None, groups=None) -> Self:
        """Fit to training rows.

        The parameters are those of :meth:`heedful.AttentionLasso.fit`.

        Returns
        -------
        self : the fitted estimator
        """
        kind, settings = plan_learners(self, groups)
        given = Given(sample_weight, groups, self.features, self.cv, self.random_state)
        return self._fit(X, y, given, Classification.learn, kind, settings)

    def _predicts(self) -> str:
        return "classifier"


def plan_learners(model: AttentionRegressor | AttentionClassifier, groups: Any) -> tuple[LearnerModels, Settings]:
    """Check every argument of a model with local learners."""
    if model.estimator is not None:
        check_takes_weights(model.estimator)
        check_learner(model.estimator, model)
    check_number("trim_weight", model.trim_weight, 0.0, 0.5, hint="0 keeps all rows in every fit.")
    if model.tuning_rows is not None:
        check_number("tuning_rows", model.tuning_rows, 10, np.inf, hint="None tries heads on all rows.")
    kind = LearnerModels(model.estimator, model.trim_weight, model.tuning_rows, whole_seed(model.random_state))
    return kind, check_settings(model.similarity, model.temperature, model.mixing, model.cv, groups, kind)
