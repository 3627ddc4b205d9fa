"""``GlobalModel``: one penalised linear model for all rows, of any response."""

from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from heedful import _blocks
from heedful._checks import check_number, check_offset, check_weights, is_word
from heedful._folds import BASELINE_FOLDS, Split, random_splits
from heedful._frames import Observations, count_rows, find_observations
from heedful._responses import Response, with_offset
from heedful._solver.constraints import read_constraints
from heedful._undo import all_or_nothing
from heedful.baseline._global import GlobalFit, choose_in_folds, fit_global, left_out_link
from heedful.baseline._guarded import SlopeGuard, guard_slopes


@dataclass(eq=False, repr=False)
class GlobalModel(BaseEstimator):
    """Fit one penalised linear model for any response to all rows.

    Its other parameters are those of :class:`heedful.baseline.LassoBaseline`, and so are its attributes.

    Parameters
    ----------
    response : Response
        Kind of response, such as one of ``heedful.responses``.

    Examples
    --------
    >>> import numpy as np
    >>> from heedful.responses import Regression
    >>> X = np.arange(20.0)[:, None]
    >>> GlobalModel(Regression(), random_state=0).fit(X, 3 * X[:, 0] + 1).coef_.round(2)
    array([3.])
    """

    response: Response
    alpha: float | str = "auto"
    _: KW_ONLY
    tol: float = 1e-7
    n_jobs: int | None = None
    random_state: Any = None
    penalty_factor: Any = None
    limits: Any = None
    groups: Any = None

    fit_: GlobalFit = field(init=False)
    intercept_: Any = field(init=False)
    coef_: np.ndarray = field(init=False)
    _guard: SlopeGuard | None = field(init=False, default=None)
    # whether folds that are drawn share out the response evenly
    _stratified: ClassVar[bool] = False

    @all_or_nothing
    def fit(
        self,
        X,
        y,
        sample_weight=None,
        splits: list[Split] | None = None,
        offset=None,
        inner: list[list[Split]] | None = None,
    ) -> Self:
        """Fit the path, choose the penalty, store the predictions of held-out rows.

        Parameters
        ----------
        X : array-like of shape (n_train, n_features)
            Training rows.
        y : array-like of shape (n_train,)
            Their response.
        sample_weight : array-like of shape (n_train,), default=None
            Weights of the rows; None means equal.
        splits : list of Split, default=None
            Folds to choose the penalty; None draws ten.
        offset : array-like of shape (n_train,), default=None
            Added to the linear predictor of each row, such as the logarithm of its exposure; for counts, costs and
            binary classification.
        inner : list of list of Split, default=None
            Folds within the training part of each split, as positions of its rows. With them each split chooses its own
            penalty, as in nested cross-validation; None uses the penalty of all rows.

        Returns
        -------
        self : the fitted estimator
        """
        response = self._read_response(y)
        X = validate_data(self, X, dtype=np.float64)
        encoded = response.encode(y)
        check_consistent_length(X, encoded)
        offset = check_offset(offset, X.shape[0])
        if offset is not None:
            response.expected(np.ones((1, response.n_values)), offset[:1])
        encoded = with_offset(encoded, offset)
        weight = response.reweigh(encoded, check_weights(sample_weight, X.shape[0]))
        return self._fit_encoded(X, response, encoded, weight, splits, inner)

    def predict(self, X, offset=None) -> np.ndarray:
        """Return one prediction per row.

        Parameters
        ----------
        X : array-like of shape (n_query, n_features)
            Rows to predict.
        offset : array-like of shape (n_query,), default=None
            Added to the linear predictor of each row, as in ``fit``.

        Returns
        -------
        ndarray of shape (n_query,)
            Predicted values, expected counts or costs, labels of the most probable class, or log hazards relative to a
            row of average columns.
        """
        expected = self._expected(X, offset)
        return self.fit_.family.predict(expected)

    def link(self, X: np.ndarray) -> np.ndarray:
        """Return the linear predictor of rows.

        Parameters
        ----------
        X : ndarray of shape (n_query, n_features)
            New rows, checked.

        Returns
        -------
        ndarray of shape (n_query, n_outputs)
            One column, or for multiclass classification one per class.
        """
        # a product of matrices would add up in an order that depends on the rows that are asked for together
        return self.fit_.intercept + np.einsum("qj,kj->qk", np.ascontiguousarray(X), self.fit_.coef)

    def values(self, X: np.ndarray) -> np.ndarray:
        """Return predictions of new rows, on the scale that is blended with heads.

        Parameters
        ----------
        X : ndarray of shape (n_query, n_features)
            New rows, checked.

        Returns
        -------
        ndarray of shape (n_query, n_values)
            Predictions, probabilities of all classes, log rates or log relative hazards.
        """
        return self.fit_.family.scaled(0.0, 1.0).values(self.link(X))

    def predict_left_out(self, rows: np.ndarray | None = None) -> np.ndarray:
        """Return leave-one-out predictions of training rows.

        Parameters
        ----------
        rows : ndarray of int, default=None
            Positions of the training rows; None means all.

        Returns
        -------
        ndarray of shape (n_rows, n_values)
            Predictions, probabilities of all classes, log rates or log relative hazards.
        """
        check_is_fitted(self)
        if not self.fit_.tables:
            raise ValueError(
                "`predict_left_out` needs the training rows, but the baseline of a fitted attention model does not "
                f"store them. Fit a {type(self).__name__} of its own."
            )
        rows = np.arange(self.fit_.weight.size) if rows is None else rows
        values = self.fit_.family.values(left_out_link(self.fit_, rows, self.tol, self.n_jobs))
        return values if self._guard is None else self._guard.left_out(self.fit_, rows, values)

    def predict_fold(self) -> np.ndarray:
        """Return out-of-fold predictions of the training rows.

        Returns
        -------
        ndarray of shape (n_train, n_values)
            Predictions, probabilities of all classes, log rates or log relative hazards; NaN for rows that were never
            left out.
        """
        check_is_fitted(self)
        return self.fit_.family.values(self.fit_.fold_link)

    @property
    def guard_(self) -> float:
        """How much of the slopes of effects the guard kept, from 0 to 1."""
        if self._guard is None:
            raise AttributeError("Only models of treatment effects have a guard for slopes.")
        return self._guard.share

    def _read_response(self, y: Any) -> Response:
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        return self.response

    def _expected(self, X: Any, offset: Any) -> np.ndarray:
        """Return predictions with their offsets (n_query, n_values)."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return self.fit_.family.expected(self.values(X), check_offset(offset, X.shape[0]))

    def _fit_encoded(
        self,
        X: np.ndarray,
        response: Response,
        encoded: np.ndarray,
        weight: np.ndarray,
        splits: list[Split] | None,
        inner: list[list[Split]] | None = None,
        row_groups: np.ndarray | None = None,
    ) -> Self:
        """Fit to checked rows, their encoded response and final weights; rows of one group depend on each other.

        Without splits folds are those of observations, so that a row of weight 2 and the same row twice are one.
        """
        alpha = None
        if not is_word(self.alpha, "auto"):
            alpha = check_number("alpha", self.alpha, 0.0, np.inf, hint="Or use 'auto'.")
        every = np.arange(X.shape[0])
        observations, family = Observations(every, every, weight, every), response.with_rows(encoded)
        constraints = read_constraints(self.penalty_factor, self.limits, self.groups, X.shape)
        with _blocks.one_blas_thread():
            if splits is None:
                observations = find_observations(X, encoded, np.zeros(X.shape[0]), weight, count_rows(weight))
                rows, weight = observations.source, observations.weight
                X, family = X[rows], family.part(rows)
                strata = family.strata(encoded[rows]) if self._stratified else None
                splits = random_splits(rows.size, BASELINE_FOLDS, self.random_state, strata)
            fit = fit_global(X, family, weight, splits, alpha, self.tol, self.n_jobs, constraints)
            if inner is not None:
                fit = choose_in_folds(fit, X, inner, self.tol, self.n_jobs)
        self.alphas_, self.cv_error_, self.alpha_ = fit.alphas, fit.error, fit.alpha
        self._guard = None
        if family.noisy:
            fit, self._guard = guard_slopes(fit, family.level, row_groups)
        self.fit_ = fit
        if family.classes is not None:
            self.intercept_, self.coef_ = fit.intercept, fit.coef
        else:
            self.intercept_, self.coef_ = float(fit.intercept[0]), fit.coef[0]
            self.fold_prediction_ = observations.give(self.predict_fold()[:, 0])
        return self
