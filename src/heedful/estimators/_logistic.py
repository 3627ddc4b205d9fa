"""The attention lasso for classes: one L1 logistic model per query, blended on the probability scale."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

from heedful._models.linear import LocalLasso
from heedful._responses import Classification
from heedful._undo import all_or_nothing
from heedful.estimators._base import AttentionEstimator, Given
from heedful.estimators._linear import coef_intervals, plan_linear


@dataclass(eq=False, repr=False)
class AttentionLassoClassifier(AttentionEstimator):
    """Predict classes by an L1 logistic model fitted to the rows that matter.

    The flow is that of :class:`heedful.AttentionLasso`: forests on the classes, and on what the baseline leaves of
    them, say which rows matter, heads turn their scores into local models, and probabilities of heads and of one L1
    logistic model for all rows are blended by shares that have the smallest log loss on unseen rows. Two classes have
    one linear predictor, more have one for each.

    Parameters
    ----------
    class_weight : dict, "balanced" or None, default=None
        Weights of classes, as in scikit-learn: they multiply the sample weights. The other parameters are those of
        :class:`heedful.AttentionLasso`; ``alpha`` is cross-validated by log loss.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    baseline_ : LogisticBaseline
        The model for all rows.
    similarity_, alpha_, heads_, mixing_, guard_, unseen_error_
        As in :class:`heedful.AttentionLasso`; errors in ``heads_`` are log losses.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(2)
    >>> X = rng.normal(size=(300, 3))
    >>> y = np.where(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=300) > 0, "same", "other")
    >>> model = AttentionLassoClassifier(random_state=0).fit(X[:200], y[:200])
    >>> bool(model.score(X[200:], y[200:]) > 0.7 > model.baseline_.score(X[200:], y[200:]))
    True
    """

    heads: str = "multi"
    _: KW_ONLY
    similarity: Any = "forest"
    temperature: Any = "auto"
    alpha: float | str = "auto"
    local: LocalLasso | None = None
    mixing: Any = "auto"
    features: Any = None
    cv: Any = "oob"
    class_weight: Any = None
    verbose: int = 0
    n_jobs: int | None = None
    random_state: Any = None

    coef_intervals = coef_intervals

    @all_or_nothing
    def fit(self, X, y, sample_weight=None, groups=None) -> Self:
        """Fit to training rows.

        The parameters are those of :meth:`heedful.AttentionLasso.fit`.

        Returns
        -------
        self : the fitted estimator
        """
        kind, settings = plan_linear(self, groups)
        given = Given(sample_weight, groups, self.features, self.cv, self.random_state)
        return self._fit(X, y, given, lambda y: Classification.learn(y, self.class_weight), kind, settings)

    @property
    def alpha_(self) -> float:
        """The baseline's penalty."""
        return self.baseline_.alpha_

    def _predicts(self) -> str:
        return "classifier"
