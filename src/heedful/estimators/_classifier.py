"""What an attention model that predicts classes offers beside other attention models."""

from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if

from heedful._responses import Classification, Response
from heedful.estimators._base import AttentionEstimator


def _classifies(estimator: AttentionEstimator) -> bool:
    return estimator._predicts() == "classifier"


class ClassifierMethods(AttentionEstimator):
    """Probabilities of classes, their logarithms, log-odds and the labels."""

    @available_if(_classifies)
    def predict_proba(self, X) -> np.ndarray:
        """Return the probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_query, n_features)
            Rows to predict.

        Returns
        -------
        ndarray of shape (n_query, n_classes)
            Probabilities, in the order of ``classes_``.
        """
        return self._values(X)

    @available_if(_classifies)
    def predict_log_proba(self, X) -> np.ndarray:
        """Return the logarithms of the probabilities.

        Parameters
        ----------
        X : array-like of shape (n_query, n_features)
            Rows to predict.

        Returns
        -------
        ndarray of shape (n_query, n_classes)
            Log probabilities, in the order of ``classes_``.
        """
        return np.log(self._values(X))

    @available_if(_classifies)
    def decision_function(self, X) -> np.ndarray:
        """Return the log-odds of the second class, or log probabilities.

        Parameters
        ----------
        X : array-like of shape (n_query, n_features)
            Rows to predict.

        Returns
        -------
        ndarray of shape (n_query,) or (n_query, n_classes)
            Linear predictors.
        """
        link = self._fitted.problem.family.link_of(self._values(X))
        return link[:, 0] if link.shape[1] == 1 else link

    @property
    def classes_(self) -> np.ndarray:
        """The class labels."""
        if self._model.response.classes is None:
            raise AttributeError(f"{type(self).__name__} predicts no classes.")
        return self._model.response.classes

    def _predicts(self) -> str | None:
        return "classifier"

    def _response(self, y: Any) -> Response:
        return Classification.learn(y)
