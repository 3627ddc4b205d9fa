"""The global models with names of their own, one per kind of response."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from heedful._checks import check_choice, check_classes, check_offset
from heedful._responses import Classification, CountsOrCosts, Regression, Response, SurvivalTimes
from heedful._solver.lasso import COST_FAMILIES, costs_of
from heedful.baseline._model import GlobalModel


@dataclass(eq=False, repr=False)
class LassoBaseline(RegressorMixin, GlobalModel):
    """Fit one lasso to all rows; choose its penalty by cross-validation.

    For regression. Objective, penalty path and standardisation are those of R's ``cv.glmnet`` with ``lambda.min``.

    Parameters
    ----------
    alpha : float or "auto", default="auto"
        Penalty; "auto" uses the one with the smallest cross-validated loss.
    tol : float, default=1e-7
        See :func:`heedful.local_lasso`.
    n_jobs : int, default=None
        Threads over the folds.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds, when none are given.
    penalty_factor : array-like of shape (n_features,), default=None
        Factors of the penalty of each column: see :func:`heedful.local_lasso`.
    limits : pair of float or array-like, or list of {"+", "-", None}, default=None
        Limits of coefficients, or their signs: see :func:`heedful.local_lasso`.
    groups : array-like of shape (n_features,), default=None
        Columns that enter and leave together: see :func:`heedful.local_lasso`.

    Attributes
    ----------
    alpha_ : float
        The penalty used.
    alphas_, cv_error_ : ndarray
        Penalties tried, and their cross-validated mean losses.
    coef_, intercept_ : ndarray of shape (n_features,), float
        Coefficients and intercept on the original scale, for rows with offset 0.
    fold_prediction_ : ndarray of shape (n_train,)
        Out-of-fold prediction of each row, on the scale that is blended; NaN for rows that were never left out.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(20.0)[:, None]
    >>> LassoBaseline(random_state=0).fit(X, 3 * X[:, 0] + 1).coef_.round(2)
    array([3.])
    """

    response: Response = field(init=False, default=Regression())


@dataclass(eq=False, repr=False)
class CoxBaseline(GlobalModel):
    """Fit one Cox lasso to all rows; choose its penalty by cross-validation.

    ``y`` is a structured array of events (bool) and times. Predictions are log hazards relative to a row of average
    columns. Results are those of R's ``cv.glmnet`` with family cox, Breslow's ties and ``lambda.min``; ``cv_error_``
    are negative log partial likelihoods per row. Its parameters are those of
    :class:`heedful.baseline.LassoBaseline`, and so are its attributes.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(20.0)[:, None]
    >>> y = np.array([(True, 30.0 - i + 5 * (i % 3)) for i in range(20)], dtype=[("event", bool), ("time", float)])
    >>> bool(CoxBaseline(random_state=0).fit(X, y).coef_[0] > 0)
    True
    """

    response: Response = field(init=False, default=SurvivalTimes())


@dataclass(eq=False, repr=False)
class LogisticBaseline(ClassifierMixin, GlobalModel):
    """Fit one L1 logistic model to all rows; cross-validate its penalty.

    For binary and multiclass classification. Results are those of R's ``cv.glmnet`` with family binomial or multinomial
    and ``lambda.min``. Its other parameters are those of
    :class:`heedful.baseline.LassoBaseline`, and so are its other attributes.

    Parameters
    ----------
    classes : array-like of labels, default=None
        Sorted labels, including labels without training rows; None uses the labels of the training rows.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    coef_, intercept_ : ndarray of shape (n_outputs, n_features), (n_outputs,)
        The model on the original scale: one output for binary classification, otherwise one per class.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(20.0)[:, None]
    >>> y = np.where(np.arange(20) + np.arange(20) % 3 > 10, "high", "low")
    >>> LogisticBaseline(random_state=0).fit(X, y).predict([[2.0], [18.0]])
    array(['low', 'high'], dtype='<U4')
    """

    response: Response = field(init=False)
    classes: Any = field(default=None, kw_only=True)

    _stratified = True

    @property
    def classes_(self) -> np.ndarray:
        """The labels."""
        if not hasattr(self, "fit_"):
            raise AttributeError("There are no labels before `fit`.")
        return np.asarray(self.fit_.family.classes)

    def predict_proba(self, X, offset=None) -> np.ndarray:
        """Return the probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_query, n_features)
            Rows to predict.
        offset : array-like of shape (n_query,), default=None
            Added to the log-odds of each row.

        Returns
        -------
        ndarray of shape (n_query, n_classes)
            Probabilities in the order of ``classes_``.
        """
        return self._expected(X, offset)

    def decision_function(self, X, offset=None) -> np.ndarray:
        """Return the linear predictor of each class; of two, the log-odds.

        Parameters
        ----------
        X : array-like of shape (n_query, n_features)
            Rows to predict.
        offset : array-like of shape (n_query,), default=None
            Added to the log-odds of each row.

        Returns
        -------
        ndarray of shape (n_query,) or (n_query, n_classes)
            Log-odds of the second of two classes, or one linear predictor per class.
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        offset = check_offset(offset, X.shape[0])
        link = self.link(X) if offset is None else self.link(X) + offset[:, None]
        return link[:, 0] if link.shape[1] == 1 else link

    def _read_response(self, y: Any) -> Response:
        present, _ = check_classes(y)
        if self.classes is None:
            return Classification(present)
        classes = np.asarray(self.classes)
        places = np.searchsorted(classes, present)
        if places[-1] >= classes.size or (classes[places] != present).any() or (classes[:-1] >= classes[1:]).any():
            raise ValueError(
                f"`classes` must hold all labels of `y` in order, got {classes[:10].tolist()} for labels "
                f"{present[:10].tolist()}. Use None for the labels of `y`."
            )
        return Classification(classes)


class GlmBaseline(RegressorMixin, GlobalModel):
    """Fit one lasso of counts or costs to all rows; cross-validate its penalty.

    The predicted mean of a row is the exponential of its linear predictor plus offset. Results are those of R's
    ``cv.glmnet`` with family poisson, or Gamma with a log link, and ``lambda.min``; ``cv_error_`` are half mean
    deviances. Its other parameters are those of :class:`heedful.baseline.LassoBaseline`, and so are its attributes.

    Parameters
    ----------
    family : {"poisson", "gamma", "tweedie"}, default="poisson"
        "poisson" for counts, "gamma" for costs > 0, "tweedie" for costs of which some are 0.
    power : float, default=1.5
        With family tweedie, the variance power, from 1 to 2.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(20.0)[:, None]
    >>> model = GlmBaseline(random_state=0).fit(X, np.arange(20) // 4)
    >>> model.predict([[16.0]], offset=[np.log(2)]) / model.predict([[16.0]])
    array([2.])
    """

    def __init__(
        self,
        family="poisson",
        alpha="auto",
        *,
        power=1.5,
        tol=1e-7,
        n_jobs=None,
        random_state=None,
        penalty_factor=None,
        limits=None,
        groups=None,
    ):
        self.family = family
        self.alpha = alpha
        self.power = power
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.penalty_factor = penalty_factor
        self.limits = limits
        self.groups = groups

    @property
    def response(self) -> Response:  # type: ignore[override]  # a constant in other baselines
        """The kind of response."""
        return costs_of(check_choice("family", self.family, COST_FAMILIES), self.power)


# what makes them of a response
NAMED: dict[type[Response], Callable[..., GlobalModel]] = {
    Regression: lambda _, **how: LassoBaseline(**how),
    Classification: lambda response, **how: LogisticBaseline(classes=response.classes, **how),
    CountsOrCosts: lambda response, **how: GlmBaseline(response.task, power=response.power, **how),
    SurvivalTimes: lambda _, **how: CoxBaseline(**how),
}


def global_model(response: Response, **how: Any) -> GlobalModel:
    """Return the model of a response, not fitted, by the name that users know if it has one."""
    return NAMED.get(type(response), GlobalModel)(response, **how)
