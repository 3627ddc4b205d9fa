"""The global L1 logistic model of two or more classes."""

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from heedful._checks import check_classes, check_weights
from heedful._solver import Classes
from heedful._undo import all_or_nothing
from heedful.baseline._folds import Split
from heedful.baseline._model import GlobalModel


class LogisticBaseline(ClassifierMixin, GlobalModel):
    """Fit one L1 logistic model to all rows; cross-validate its penalty.

    Same objective, penalty path and standardisation as R's ``cv.glmnet`` with family binomial, or for more than two
    classes multinomial, and ``lambda.min``.

    Parameters
    ----------
    alpha : float or "auto", default="auto"
        Penalty; "auto" takes the one with the smallest cross-validated log loss.
    classes : array-like of labels, default=None
        Sorted labels that have a column of probabilities each, also if no row has one; None
        takes those of the training rows.
    tol : float, default=1e-7
        See :func:`heedful.local_lasso`.
    n_jobs : int, default=None
        Threads over the folds.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds, when none are given.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    alpha_ : float
        The penalty used.
    alphas_, cv_error_ : ndarray
        Penalties tried, and their cross-validated mean log losses.
    coef_, intercept_ : ndarray of shape (n_outputs, n_features), (n_outputs,)
        The model on the original scale: one output for two classes, otherwise one for each.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(20.0)[:, None]
    >>> y = np.where(np.arange(20) + np.arange(20) % 3 > 10, "high", "low")
    >>> LogisticBaseline(random_state=0).fit(X, y).predict([[2.0], [18.0]])
    array(['low', 'high'], dtype='<U4')
    """

    _strata = True

    def __init__(self, alpha="auto", *, classes=None, tol=1e-7, n_jobs=None, random_state=None):
        super().__init__(alpha, tol=tol, n_jobs=n_jobs, random_state=random_state)
        self.classes = classes

    @all_or_nothing
    def fit(self, X, y, sample_weight=None, splits: list[Split] | None = None):
        """Fit the path, choose the penalty, keep the predictions of left-out rows.

        Parameters
        ----------
        X : array-like of shape (n_train, n_features)
            Training rows.
        y : array-like of shape (n_train,)
            Labels of two or more classes.
        sample_weight : array-like of shape (n_train,), default=None
            Weights of the rows; None means equal.
        splits : list of Split, default=None
            Folds that choose the penalty; None draws ten.

        Returns
        -------
        self : the fitted estimator
        """
        self._check_alpha()
        X, y = validate_data(self, X, y, dtype=np.float64)
        self.classes_, codes = self._places(y)
        weight = check_weights(sample_weight, X.shape[0])
        check_classes(y[weight > 0])
        self._fit_family(X, Classes(codes, self.classes_.size), weight, splits, codes.astype(np.float64))
        self.intercept_, self.coef_ = self.fit_.intercept, self.fit_.coef
        return self

    def _places(self, y):
        """Return the labels, and the place of each row's among them."""
        present, codes = check_classes(y)
        if self.classes is None:
            return present, codes
        classes = np.asarray(self.classes)
        places = np.searchsorted(classes, present)
        if places[-1] >= classes.size or (classes[places] != present).any() or (classes[:-1] >= classes[1:]).any():
            raise ValueError(
                f"`classes` must hold all labels of `y` in order, got {classes[:10].tolist()} for labels "
                f"{present[:10].tolist()}. Use None for the labels of `y`."
            )
        return classes, places[codes]

    def predict(self, X):
        """Return the label of the most probable class per row of ``X``.

        Parameters
        ----------
        X : array-like of shape (n_query, n_features)
            Rows to predict.

        Returns
        -------
        ndarray of shape (n_query,)
            Labels.
        """
        chance = self.predict_proba(X)
        return self.classes_[chance.argmax(axis=1)]

    def predict_proba(self, X):
        """Return the probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_query, n_features)
            Rows to predict.

        Returns
        -------
        ndarray of shape (n_query, n_classes)
            Probabilities in the order of ``classes_``.
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return self.values(X)

    def decision_function(self, X):
        """Return the linear predictor of each class; of two, the log-odds.

        Parameters
        ----------
        X : array-like of shape (n_query, n_features)
            Rows to predict.

        Returns
        -------
        ndarray of shape (n_query,) or (n_query, n_classes)
            Log-odds of the second of two classes, or one linear predictor per class.
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        link = self.link(X)
        return link[:, 0] if self.classes_.size == 2 else link
