"""Attention for any learner: one fit per query to the training rows that matter for it (Algorithm 1)."""

from dataclasses import dataclass
from typing import Any

from heedful._checks import check_like, check_number, check_tuning_rows
from heedful._flow import ModelKind, Settings, check_learner, check_settings
from heedful._models.learners import LearnerModels, LocalLearner
from heedful._solver.contract import check_takes_weights
from heedful.estimators._classifier import ClassifierMethods
from heedful.estimators._wrapping import WrappingEstimator, whole_seed


@dataclass(eq=False, repr=False, kw_only=True)
class AttentionRegressor(WrappingEstimator):
    """Regression by any regressor, refitted for each query with weights.

    A similarity gives each training row a weight for the query. The learner is fitted once to all rows and once per
    query with the query's weights, and both predictions are blended. Only one head (a similarity with its temperature)
    is chosen, as a fit per query is expensive.

    Parameters
    ----------
    estimator : estimator, default=None
        Any regressor whose ``fit`` takes ``sample_weight``; a Pipeline passes it to its last step. LightGBM and XGBoost
        get categories encoded as integers and bin the table once; any other learner gets the table as given. None is
        LightGBM with 8 leaves and up to 100 rounds, stopped early on held-out rows; local models use as many rounds.
    similarity, temperature, mixing, features, cv, verbose, n_jobs, random_state
        As in :class:`heedful.AttentionLasso`. Of several similarities the best is chosen; "oob" leaves out one row at
        a time.
    local : LocalLearner, default=None
        Settings of the local learners: rows to tune on, and rows of small weight to leave out of a fit. None uses the
        defaults of :class:`heedful.LocalLearner`.

    Attributes
    ----------
    baseline_ : estimator
        The learner fitted to all rows.
    similarity_, heads_, mixing_, guard_, held_out_error_
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

    local: LocalLearner | None = None

    def _plan(self, groups: Any) -> tuple[ModelKind, Settings]:
        return plan_learners(self, groups)


@dataclass(eq=False, repr=False, kw_only=True)
class AttentionClassifier(ClassifierMethods, WrappingEstimator):
    """Classification by any classifier, refitted for each query with weights.

    The parameters are those of :class:`heedful.AttentionRegressor`; the classifier needs ``predict_proba``.
    Probabilities are blended, and tuning minimises log loss.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    baseline_, similarity_, heads_, mixing_, guard_, held_out_error_
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

    local: LocalLearner | None = None

    def _plan(self, groups: Any) -> tuple[ModelKind, Settings]:
        return plan_learners(self, groups)


def plan_learners(model: AttentionRegressor | AttentionClassifier, groups: Any) -> tuple[ModelKind, Settings]:
    """Check every argument of a model with local learners."""
    if model.estimator is not None:
        check_takes_weights(model.estimator)
        check_learner(model.estimator, model)
    local = check_like("local", model.local, LocalLearner(tuning_rows=100))
    check_number("trim_weight", local.trim_weight, 0.0, 0.5, hint="0 keeps all rows in every fit.")
    check_tuning_rows(local.tuning_rows)
    kind = LearnerModels(model.estimator, local, whole_seed(model.random_state))
    return kind, check_settings(model.similarity, model.temperature, model.mixing, model.cv, groups, kind)
