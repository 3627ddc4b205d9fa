"""Responses: how numbers and labels are read, weighed, handed to similarities and given back."""

import logging
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.pipeline import Pipeline
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.validation import check_is_fitted, column_or_1d

from heedful._checks import check_classes, check_response
from heedful._intervals.calibration import Calibration
from heedful._solver import Classes, Numbers
from heedful.estimators._intervals import find_intervals, rank_residuals
from heedful.estimators._training import unit_response

LOG = logging.getLogger("heedful")


class NumberResponse(RegressorMixin):
    """A response of numbers, under squared error."""

    _values: Any
    _calibration: Calibration | None

    def predict(self, X):
        """Return one prediction per row of ``X``."""
        return self._values(X)[:, 0]

    def predict_interval(self, X, coverage=0.9):
        """Return an interval around each prediction, wide where rows like the query were hard to predict.

        Parameters
        ----------
        X : array-like of shape (n_query, n_features)
            Rows to predict.
        coverage : float, default=0.9
            Share of new responses that is to lie inside, between 0 and 1.

        Returns
        -------
        ndarray of shape (n_query, 2)
            Lower and upper ends; infinite if the training rows are too few for the coverage.

        Raises
        ------
        ValueError
            If the fit tried nothing on left-out rows, as with a fixed ``mixing`` of one head.

        Notes
        -----
        Split conformal on residuals of left-out training rows, each ranked among those of the rows it attends to; with
        equal attention it is plain split conformal. See ``docs/intervals.md``.

        Examples
        --------
        >>> import numpy as np
        >>> from heedful import AttentionLasso
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(200, 2))
        >>> slope, noise = np.where(X[:, 0] > 0, [[3.0], [2.0]], [[-3.0], [0.2]])
        >>> y = slope * X[:, 1] + noise * rng.normal(size=200)
        >>> model = AttentionLasso(heads="single", random_state=0).fit(X, y)
        >>> quiet, loud = np.diff(model.predict_interval([[-1.0, 0.0], [1.0, 0.0]])).ravel()
        >>> bool(quiet < loud)
        True
        """
        return find_intervals(self, X, coverage)

    def _keep_unseen(self, rows, oof, known, blend):
        self._calibration = rank_residuals(self, rows, oof, known, blend)

    def _read_response(self, y):
        return check_response(column_or_1d(y, warn=True))

    def _similarity_response(self, rows):
        return unit_response(rows.y, rows.weight)

    def _task(self):
        return "number"

    def _query_family(self, y):
        return Numbers(self._read_response(y))

    def _row_family(self, rows):
        return Numbers(rows.y)

    def _n_classes(self):
        return None

    def _taught_response(self, learner, response):
        return response

    def _said(self, model, x):
        """Return what a fitted learner says of rows, as blended."""
        return np.asarray(model.predict(x), dtype=np.float64).reshape(-1, 1)


class LabelResponse(ClassifierMixin):
    """A response of labels, under log loss."""

    _values: Any
    _problem: Any
    class_weight: Any = None

    def predict(self, X):
        """Return the label of the most probable class per row of ``X``."""
        chance = self.predict_proba(X)
        return self.classes_[chance.argmax(axis=1)]

    def predict_proba(self, X):
        """Return the probability of each class, in the order of ``classes_``."""
        return self._values(X)

    def predict_log_proba(self, X):
        """Return the logarithms of the probabilities."""
        return np.log(self.predict_proba(X))

    def decision_function(self, X):
        """Return the log-odds of the second of two classes, or centred log probabilities of all classes."""
        chance = self.predict_proba(X)
        link = self._problem.family.link_of(chance)
        return link[:, 0] if self.classes_.size == 2 else link

    def score(self, X, y, sample_weight=None):
        """Return the accuracy; labels that were not in the training rows are an error."""
        check_is_fitted(self)
        self._codes_of(y)
        return super().score(X, y, sample_weight)

    def _read_response(self, y):
        self.classes_, codes = check_classes(y)
        alone = self.classes_[np.bincount(codes) == 1]
        if alone.size:
            LOG.warning(
                "`y` has a single row of class %r: nothing is known of that class when the row is left out. "
                "Merge the class with another, or drop the row.",
                alone[0],
            )
        return codes.astype(np.float64)

    def _reweigh(self, response, weight):
        labels = self._given_response(response)
        weight = weight * compute_sample_weight(self.class_weight, labels)
        present = np.bincount(response.astype(np.int64), weights=weight, minlength=self.classes_.size) > 0
        if present.sum() < 2:
            raise ValueError(
                "`sample_weight` and `class_weight` leave rows of one class only: give rows of at least 2 classes a "
                "positive weight."
            )
        return weight

    def _given_response(self, response):
        return self.classes_[response.astype(np.int64)]

    def _similarity_response(self, rows):
        # text tells a similarity that the response is a label
        return rows.y.astype(np.int64).astype(str)

    def _strata(self, rows):
        return rows.y

    def _outputs(self):
        return None if self.classes_.size == 2 else list(self.classes_)

    def _task(self):
        return "two classes" if self.classes_.size == 2 else "classes"

    def _query_family(self, y):
        return Classes(self._codes_of(y), self.classes_.size)

    def _row_family(self, rows):
        return Classes(rows.y, self.classes_.size)

    def _n_classes(self):
        return self.classes_.size

    def _taught_response(self, learner, response):
        """Return the labels as a learner is taught them."""
        return response.astype(np.int64) if knows_numbers(learner) else self._given_response(response)

    def _said(self, model, x):
        """Return what a fitted learner says of rows, as blended: a class that it has not seen gets nothing."""
        chance = np.zeros((x.shape[0], self.classes_.size))
        known = np.asarray(model.classes_)
        known = known.astype(np.int64) if knows_numbers(model) else np.searchsorted(self.classes_, known)
        chance[:, known] = model.predict_proba(x)
        return chance

    def _codes_of(self, y) -> np.ndarray:
        """Return the numbers of labels that were in the training rows."""
        labels = column_or_1d(y)
        unseen = np.setdiff1d(labels, self.classes_)
        if unseen.size:
            raise ValueError(
                f"`y` holds labels that were not in the training rows: {unseen[:5].tolist()}. The model knows "
                f"{self.classes_[:10].tolist()}; drop those rows or fit again."
            )
        return np.searchsorted(self.classes_, labels)


def knows_numbers(learner: Any) -> bool:
    """Return whether a learner is XGBoost's, which knows classes by number only."""
    last = learner[-1] if isinstance(learner, Pipeline) else learner
    return type(last).__module__.startswith("xgboost")
