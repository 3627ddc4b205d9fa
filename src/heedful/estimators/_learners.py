"""Attention for any learner: one fit per query to the training rows that matter for it (Algorithm 1)."""

from typing import Any

import numpy as np
from sklearn.base import clone

from heedful._checks import check_number
from heedful._frames import take
from heedful._models.learners import LearnerProblem, leave_one_out
from heedful._solver import check_heeds_weights, check_takes_weights, fit_weighted, takes_codes
from heedful.estimators._attention import AttentionModel
from heedful.estimators._blending import View
from heedful.estimators._plain import copies, default_booster, predict_left_out
from heedful.estimators._responses import LabelResponse, NumberResponse
from heedful.estimators._settings import Settings, check_kind, check_settings
from heedful.estimators._training import Training, rows_to_try


class LearnerAttention(AttentionModel):
    """A learner for all rows and one per query; a subclass knows its response."""

    _slopes = False
    _few_heads = True

    def __init__(
        self,
        estimator=None,
        similarity="forest",
        temperature="auto",
        mixing="auto",
        similarity_features=None,
        model_features=None,
        cv="oob",
        tuning_rows=200,
        trim_weight=0.01,
        keep_models=False,
        verbose=0,
        n_jobs=None,
        random_state=None,
    ):
        self.estimator = estimator
        self.similarity = similarity
        self.temperature = temperature
        self.mixing = mixing
        self.similarity_features = similarity_features
        self.model_features = model_features
        self.cv = cv
        self.tuning_rows = tuning_rows
        self.trim_weight = trim_weight
        self.keep_models = keep_models
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _check_settings(self, groups) -> Settings:
        if self.estimator is not None:
            check_takes_weights(self.estimator)
            check_kind(self)
        check_number("trim_weight", self.trim_weight, 0.0, 0.5, hint="0 keeps all rows in every fit.")
        return check_settings(self, groups, many=False, ratios=(1.0,))

    def _takes_table(self) -> bool:
        return self.estimator is not None and not takes_codes(self.estimator)

    def _fit_baseline(self, rows):
        default = self.estimator is None
        self._learner = default_booster(self, rows, self._splits) if default else self.estimator
        check_heeds_weights(self._learner, self._table(rows), self._row_family(rows).y)
        self.baseline_ = self._fit_plain(rows, np.arange(rows.weight.size))

    def _fit_plain(self, rows: Training, part: np.ndarray) -> Any:
        """Return the learner fitted to some of the rows."""
        table, y = self._table(rows), self._taught_response(self._learner, rows.y)
        part, weight = copies(rows, part)
        return fit_weighted(clone(self._learner), take(table, part), y[part], weight)

    def _make_problem(self, rows, seed) -> LearnerProblem:
        tried = rows_to_try(self.tuning_rows, rows.weight.size, seed)
        parts = (self._table(rows), self._row_family(rows), rows.weight, rows.counts)
        return LearnerProblem(self._learner, *parts, tried, self.trim_weight)

    def _predict_problem(self) -> LearnerProblem:
        return self._problem.keeping(self.keep_models)

    def _base_unseen(self, rows):
        if isinstance(self.cv, str):
            return leave_one_out(self._problem, self.n_jobs, self.verbose)
        table, shape = self._table(rows), (rows.weight.size, self._problem.family.n_values)

        def said(split):
            return self._said(self._fit_plain(rows, split.train), take(table, split.test))

        return predict_left_out(self._splits, said, shape)

    def _view(self, X, codes) -> View:
        design = self._training.plain_rows(codes)
        return View(design, self._training.given_rows(X) if self._takes_table() else design)

    def _table(self, rows: Training) -> Any:
        """Return the training rows as the learner takes them."""
        return rows.table if self._takes_table() else rows.plain_rows(rows.codes)

    def _base_values(self, view):
        return self._said(self.baseline_, view.x)

    def _base_coef(self):
        return self._problem.importance[None]

    def _names(self):
        return self._training.plain_names

    def _train_design(self):
        return self._training.filled_rows()


class AttentionRegressor(NumberResponse, LearnerAttention):
    """Predict each row by a learner fitted to the training rows that matter for it, whatever the learner is.

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
    mixing : float, "auto" or "adaptive", default="auto"
        Share of the local learners: fixed, fitted, or one per query.
    similarity_features, model_features : list, callable or None, default=None
        Columns that the similarity sees, and columns that the learner uses; None means all.
    cv : "oob", int, splitter or iterable, default="oob"
        How unseen rows are predicted for tuning: each left out on its own, or by folds.
    tuning_rows : int or None, default=200
        Training rows on which temperatures and mixing are tried, drawn at random; each costs one fit per temperature.
        None tries all.
    trim_weight : float, default=0.01
        Rows of small weight that together hold at most this share of a query's weight are left out of its fit.
    keep_models : bool, default=False
        Keep the fitted learners of ``local_models``.
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
    similarity_, heads_, mixing_, guard_
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


class AttentionClassifier(LabelResponse, LearnerAttention):
    """Predict the class of each row by a learner fitted to the training rows that matter for it.

    The parameters are those of :class:`heedful.AttentionRegressor`, with a classifier that has ``predict_proba``;
    probabilities are blended, and log loss decides.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    baseline_, similarity_, heads_, mixing_, guard_
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
