"""Teacher similarity: rows are similar if a strong model predicts the same for both."""

import itertools
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import is_classifier
from sklearn.utils.validation import check_array, check_is_fitted

from heedful._checks import check_classes, check_response, check_weights
from heedful._ensembles import is_fitted
from heedful._kernels.shapes import ScoreRows, dense_rows
from heedful._undo import all_or_nothing
from heedful.similarity._boosted import deal_folds, default_booster, draw_seed, fit_part
from heedful.similarity._protocol import Similarity, check_rows


class TeacherSimilarity(Similarity):
    """Score two rows by how close a teacher's predictions for them are.

    Training rows have out-of-fold predictions of the teacher. For labels (text, booleans, or any response of a
    classifier) probabilities are compared.

    Parameters
    ----------
    estimator : estimator, default=None
        The teacher. A fitted one predicts new rows as it is, any other is fitted on all rows; clones are fitted on the
        folds. None is LightGBM with 300 rounds and 8 leaves.
    cv : int, default=5
        Folds of the out-of-fold predictions.
    anchor : bool, default=False
        Give each local model the query as one more row, with the teacher's prediction as the response.
    n_jobs : int, default=None
        Threads of LightGBM; None means one.
    random_state : int, RandomState instance or None, default=None
        Seed of LightGBM and of the folds.

    Attributes
    ----------
    estimator_ : estimator
        The fitted teacher.
    teacher_loss_ : float
        Mean squared error of the out-of-fold predictions; NaN for labels.

    Notes
    -----
    With the teacher's prediction f(x) of a query and out-of-fold predictions f_i of training rows, the score is
    ``-(f(x) - f_i)^2 / var(f_i)``; squares and variances of probabilities are summed over classes. A fitted teacher may
    use another unit for the response, so its predictions are rescaled to the mean and standard deviation of its clone's
    predictions. For tuning, the rows of a fold are treated as queries of a teacher that was fitted without the fold.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> X = np.arange(6.0)[:, None]
    >>> teacher = TeacherSimilarity(LinearRegression(), cv=3, random_state=0).fit(X, 2 * X[:, 0])
    >>> teacher.scores([[-1.0]]).round(2)
    array([[ -0.34,  -1.37,  -3.09,  -5.49,  -8.57, -12.34]])
    """

    takes = "codes"
    anchor = False
    temperatures_ = (1.0, 0.3, 0.1, 0.03, 0.01)

    def __init__(self, estimator=None, *, cv=5, anchor=False, n_jobs=None, random_state=None):
        self.estimator = estimator
        self.cv = cv
        self.anchor = anchor
        self.n_jobs = n_jobs
        self.random_state = random_state

    @all_or_nothing
    def fit(self, X, y, sample_weight=None):
        """Fit the teacher, and clones of it for out-of-fold predictions."""
        X = check_array(X, dtype=np.float64, ensure_all_finite="allow-nan", input_name="X")
        weight, y = check_weights(sample_weight, X.shape[0]), np.asarray(y)
        seed = draw_seed(self.random_state)
        template = self._template(y, seed)
        self._labels = is_classifier(template)
        classes, y = number_labels(y) if self._labels else (np.empty(1), check_response(y))
        fold = deal_folds(y, self._labels, self.cv, seed)
        self._fold, self._without = fold, self._predict_without(template, X, y, weight, fold, classes.size)
        self._guess = self._without[fold, np.arange(y.size)]
        self._spread = total_variance(self._guess, weight)
        self._spreads = [total_variance(known, weight) for known in self._without]
        self.teacher_loss_ = np.nan if self._labels else float(np.average((y - self._guess[:, 0]) ** 2, weights=weight))
        self.estimator_ = self.estimator if self._is_given else fit_part(template, X, y, weight)
        self._columns, self._line = np.arange(classes.size), (0.0, 1.0)
        if self._is_given and self._labels:
            self._columns = find_columns(self.estimator, classes)
        elif self._is_given:
            self._line = find_line(self._predict(X), fit_part(template, X, y, weight).predict(X))
        self.X_ = X
        return self

    def scores(self, X: Any) -> np.ndarray:
        """Return the scores of new rows (n_query, n_train)."""
        check_is_fitted(self)
        X = check_rows(self, X, self.X_.shape[1], dtype=np.float64, ensure_all_finite="allow-nan")
        return self._score(self._predict(X), self._guess, self._spread)

    def train_rows(self, index: np.ndarray) -> ScoreRows:
        """Return the scores of training rows by their out-of-fold predictions."""
        scores, fold = np.empty((index.size, self._fold.size)), self._fold[index]
        for k in np.unique(fold):
            scores[fold == k] = self._score(self._guess[index[fold == k]], self._without[k], self._spreads[k])
        scores[np.arange(index.size), index] = -np.inf
        return dense_rows(scores)

    @property
    def label(self) -> str:
        """Short name in tables of heads."""
        return "teacher" if self.estimator is None else f"teacher({type(self.estimator).__name__})"

    def teach(self, X: np.ndarray) -> np.ndarray:
        """Return the teacher's predictions of new rows.

        Parameters
        ----------
        X : ndarray of shape (n_query, n_features)
            New rows.

        Returns
        -------
        ndarray of shape (n_query,)
            Predictions.
        """
        self._check_numbers()
        return self._predict(X)[:, 0]

    def teach_train(self, index: np.ndarray) -> np.ndarray:
        """Return the out-of-fold predictions of training rows.

        Parameters
        ----------
        index : ndarray of int
            Which training rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            Predictions.
        """
        self._check_numbers()
        return self._guess[index, 0]

    @property
    def _is_given(self) -> bool:
        return self.estimator is not None and is_fitted(self.estimator)

    def _check_numbers(self) -> None:
        if self._labels:
            raise ValueError("`anchor` needs a numeric response, got labels. Set anchor=False.")

    def _template(self, y: np.ndarray, seed: int) -> Any:
        labels = y.dtype.kind not in "fiu"
        if self.estimator is None:
            return default_booster(labels, y.size, self.n_jobs, seed, "similarity='teacher'")
        if not (hasattr(self.estimator, "fit") and hasattr(self.estimator, "get_params")):
            raise TypeError(
                f"`estimator` must have `fit` and `get_params`, as clones of it are fitted on folds, got "
                f"{self.estimator!r}. Hand in the estimator, such as LGBMRegressor, and not its booster."
            )
        if labels and not is_classifier(self.estimator):
            raise TypeError(f"`estimator` must be a classifier for labels, got {self.estimator!r}.")
        return self.estimator

    def _predict_without(self, template, X, y, weight, fold, n_outputs):
        """Return predictions (n_folds, n_train, n_outputs) of each row by teachers that saw neither its fold nor k.

        With fold k left out of everything, its rows are as new to the others as queries are to all.
        """
        n_folds = fold.max() + 1
        guess = np.zeros((n_folds, y.size, n_outputs))
        for k, other in itertools.combinations_with_replacement(range(n_folds), 2):
            part = (fold != k) & (fold != other) if n_folds > 2 else fold != k
            predict = self._fit_fold(template, X[part], y[part], weight[part], n_outputs)
            guess[k, fold == other] = predict(X[fold == other])
            guess[other, fold == k] = predict(X[fold == k])
        return guess

    def _fit_fold(self, template, X, y, weight, n_outputs):
        """Return a function that predicts rows by a teacher of these; a class that it never saw gets 0."""
        seen = np.unique(y) if self._labels else np.zeros(1, np.int64)
        model = None if self._labels and seen.size == 1 else fit_part(template, X, y, weight)

        def predict(rows):
            guess = np.zeros((rows.shape[0], n_outputs))
            if model is None:
                guess[:, seen] = 1.0
            else:
                guess[:, seen] = model.predict_proba(rows) if self._labels else model.predict(rows).reshape(-1, 1)
            return guess

        return predict

    def _predict(self, X: np.ndarray) -> np.ndarray:
        """Return the teacher's predictions of new rows (n_query, n_outputs)."""
        names = getattr(self.estimator_, "feature_names_in_", None) if self._is_given else None
        table = X if names is None else pd.DataFrame(X, columns=names)
        if self._labels:
            return self.estimator_.predict_proba(table)[:, self._columns]
        shift, slope = self._line
        return shift + slope * np.reshape(self.estimator_.predict(table), (-1, 1)).astype(np.float64)

    def _score(self, guess: np.ndarray, known: np.ndarray, spread: float) -> np.ndarray:
        """Return minus squared distances to the training rows' predictions in units of their variance."""
        scores = np.zeros((guess.shape[0], known.shape[0]))
        for one, other in zip(guess.T, known.T, strict=True):
            scores -= np.subtract.outer(one, other) ** 2
        return scores / spread


def number_labels(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the classes and the number of each row's; the texts "0", "1", ... keep the order of their numbers."""
    classes, codes = check_classes(y)
    numbers = np.arange(classes.size).astype(str)
    if set(classes.astype(str)) != set(numbers):
        return classes, codes
    return numbers, classes.astype(np.int64)[codes]


def find_columns(teacher: Any, classes: np.ndarray) -> np.ndarray:
    """Return where each class stands in a fitted teacher's probabilities: by name, else in order."""
    names, wanted = np.asarray(teacher.classes_).astype(str), classes.astype(str)
    if names.size != classes.size:
        raise ValueError(
            f"`estimator` was fitted on {names.size} classes, but `y` has {classes.size}. Fit it on the same rows."
        )
    if set(names) != set(wanted):
        return np.arange(classes.size)
    return np.array([np.flatnonzero(names == name)[0] for name in wanted])


def find_line(given: np.ndarray, clone: np.ndarray) -> tuple[float, float]:
    """Return shift and slope that bring a fitted teacher's predictions to the mean and deviation of its clone's."""
    slope = float(np.std(clone) / np.std(given)) if np.std(given) > 0 else 1.0
    return float(np.mean(clone) - slope * np.mean(given)), slope


def total_variance(values: np.ndarray, weight: np.ndarray) -> float:
    """Return the weighted variance summed over columns; 1 if there is none."""
    center = np.average(values, axis=0, weights=weight)
    variance = float(np.average(((values - center) ** 2).sum(axis=1), weights=weight))
    return variance if variance > 0 else 1.0
