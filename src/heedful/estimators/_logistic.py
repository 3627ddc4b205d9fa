"""The attention lasso for classification: one L1 logistic model per query, blended on the probability scale."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from heedful._responses import Classification, Response
from heedful._undo import all_or_nothing
from heedful.estimators._classifier import ClassifierMethods
from heedful.estimators._linear import LassoEstimator, paper_options
from heedful.estimators._training_rows import Offset
from heedful.explain import Explanation


@dataclass(eq=False, repr=False, kw_only=True)
class AttentionLassoClassifier(ClassifierMethods, LassoEstimator):
    """Classification by a weighted L1 logistic model per query.

    It works as :class:`heedful.AttentionLasso`. Forests on the classes, and on the residuals of the global model, give
    the similarities; heads fit local L1 logistic models with these weights. The probabilities of the heads and of the
    global model are blended; the shares minimise the log loss of held-out rows. Binary classification has one linear
    predictor, multiclass classification one per class.

    Parameters
    ----------
    class_weight : dict, "balanced" or None, default=None
        Weights of classes, as in scikit-learn; they multiply the sample weights. The other parameters are those of
        :class:`heedful.AttentionLasso`; ``alpha`` is cross-validated by log loss.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    baseline_ : LogisticBaseline
        The global L1 logistic model.
    similarity_, alpha_, heads_, mixing_, guard_, held_out_error_
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

    class_weight: Any = None

    @classmethod
    def as_in_the_paper(cls, **changes: Any) -> Self:
        """Return an estimator as in the paper's Algorithm 2, for classification.

        Options and parameters are those of :meth:`heedful.AttentionLasso.as_in_the_paper`, with fully grown trees, as
        in R's ranger.

        Returns
        -------
        AttentionLassoClassifier
            Not fitted.
        """
        return cls(**paper_options(min_samples_split=2) | changes)

    @all_or_nothing
    def fit(self, X, y, sample_weight=None, groups=None, *, offset=None) -> Self:
        """Fit to training rows.

        Parameters
        ----------
        X : array-like of shape (n_train, n_features)
            Training rows: a numeric array, or a frame that may hold text, categories and missing cells.
        y : array-like of shape (n_train,)
            Labels.
        sample_weight, groups : array-like of shape (n_train,), default=None
            As in :meth:`heedful.AttentionLasso.fit`.
        offset : array-like of shape (n_train,), default=None
            A known part of the log-odds of each row, for example from another model; binary classification only.

        Returns
        -------
        self : the fitted estimator
        """
        return self._fit(X, y, *self._fit_arguments(sample_weight, groups, Offset(offset=offset)))

    def predict(self, X, offset=None) -> np.ndarray:
        """Return the most probable class of each row.

        Parameters
        ----------
        X : array-like of shape (n_query, n_features)
            Rows to predict.
        offset : array-like of shape (n_query,), default=None
            Known parts of their log-odds; None means 0.

        Returns
        -------
        ndarray of shape (n_query,)
            Labels.
        """
        return self._predict(X, Offset(offset=offset))

    def predict_proba(self, X, offset=None) -> np.ndarray:
        """Return the probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_query, n_features)
            Rows to predict.
        offset : array-like of shape (n_query,), default=None
            Known parts of their log-odds; None means 0.

        Returns
        -------
        ndarray of shape (n_query, n_classes)
            Probabilities, in the order of ``classes_``.
        """
        return self._values(X, Offset(offset=offset))

    def score(self, X, y, sample_weight=None, offset=None) -> float:
        """Return the accuracy.

        The first parameters are those of :meth:`heedful.AttentionLasso.score`.

        Parameters
        ----------
        offset : array-like of shape (n_query,), default=None
            Known parts of the log-odds of the rows; None means 0.

        Returns
        -------
        float
            Share of rows whose class is predicted correctly.
        """
        return self._score(X, y, sample_weight, Offset(offset=offset))

    def explain(self, X, y=None, *, method: str = "fast", max_terms: int = 5, offset=None) -> Explanation:
        """Explain predictions; with ``y``, also measure how good they are.

        The first parameters are those of :meth:`heedful.AttentionLasso.explain`.

        Parameters
        ----------
        offset : array-like of shape (n_query,), default=None
            Known parts of the log-odds of the rows: predictions include them, links do not.

        Returns
        -------
        Explanation
            Small models, contributions, and the training rows with the largest weights.
        """
        return self._explain(X, y, method, max_terms, Offset(offset=offset))

    def _response(self, y: Any) -> Response:
        return Classification.learn(y, self.class_weight)
