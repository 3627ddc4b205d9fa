"""The global L1 logistic model of two or more classes."""

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from heedful._checks import check_classes, check_offset, check_weights
from heedful._folds import Split
from heedful._solver import Classes
from heedful._undo import all_or_nothing
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
    penalty_factor : array-like of shape (n_features,), default=None
        Multiplies the penalty of each column: see :func:`heedful.local_lasso`.
    limits : pair of float or array-like, or list of {"+", "-", None}, default=None
        Limits of coefficients, or their signs: see :func:`heedful.local_lasso`.
    groups : array-like of shape (n_features,), default=None
        Columns that enter and leave together: see :func:`heedful.local_lasso`.

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

    def __init__(
        self,
        alpha="auto",
        *,
        classes=None,
        tol=1e-7,
        n_jobs=None,
        random_state=None,
        penalty_factor=None,
        limits=None,
        groups=None,
    ):
        super().__init__(
            alpha,
            tol=tol,
            n_jobs=n_jobs,
            random_state=random_state,
            penalty_factor=penalty_factor,
            limits=limits,
            groups=groups,
        )
        self.classes = classes

    @all_or_nothing
    def fit(
        self,
        X,
        y,
        sample_weight=None,
        splits: list[Split] | None = None,
        offset=None,
        inner: list[list[Split]] | None = None,
    ):
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
        offset : array-like of shape (n_train,), default=None
            Added to the log-odds of each row; of two classes only.
        inner : list of list of Split, default=None
            As in :meth:`heedful.baseline.LassoBaseline.fit`.

        Returns
        -------
        self : the fitted estimator
        """
        self._check_alpha()
        X, y = validate_data(self, X, y, dtype=np.float64)
        self.classes_, codes = self._places(y)
        weight = check_weights(sample_weight, X.shape[0])
        check_classes(y[weight > 0])
        offset = self._check_offset(offset, X)
        key = codes.astype(np.float64) if offset is None else np.column_stack([codes, offset])
        self._fit_family(X, Classes(codes, self.classes_.size, offset=offset), weight, splits, key, inner)
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

    def _check_offset(self, offset, X):
        """Return offsets, which only two classes have."""
        if offset is not None and self.classes_.size != 2:
            raise ValueError(
                f"`offset` must be None with more than two classes, got one with {self.classes_.size}. Leave it out."
            )
        return check_offset(offset, X.shape[0])

    def predict(self, X, offset=None):
        """Return the label of the most probable class per row of ``X``.

        Parameters
        ----------
        X : array-like of shape (n_query, n_features)
            Rows to predict.
        offset : array-like of shape (n_query,), default=None
            Added to the log-odds of each row.

        Returns
        -------
        ndarray of shape (n_query,)
            Labels.
        """
        chance = self.predict_proba(X, offset)
        return self.classes_[chance.argmax(axis=1)]

    def predict_proba(self, X, offset=None):
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
        check_is_fitted(self)
        return self.fit_.family.values(self._link(X, offset))

    def _link(self, X, offset):
        X = validate_data(self, X, reset=False, dtype=np.float64)
        shift = self._check_offset(offset, X)
        return self.link(X) if shift is None else self.link(X) + shift[:, None]

    def decision_function(self, X, offset=None):
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
        link = self._link(X, offset)
        return link[:, 0] if self.classes_.size == 2 else link
