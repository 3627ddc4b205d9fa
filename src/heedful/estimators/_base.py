"""What every estimator of heedful shares: a fitted attention model, asked by scikit-learn's methods."""

from collections.abc import Callable
from numbers import Integral
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.utils import ClassifierTags, RegressorTags, check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from heedful import _explaining
from heedful._checks import check_choice, check_count, check_coverage
from heedful._explaining import LocalModels
from heedful._flow import FittedAttention, ModelKind, Run, Seeds, Settings, fit_global, fit_heads, warn_of_lags
from heedful._frames import one_row, read_table, select
from heedful._responses import Response, with_offset
from heedful.attention import Attention
from heedful.estimators._baseline import baseline_for_tables
from heedful.estimators._training_rows import NO_OFFSET, FitInputs, Offset, read_training_rows
from heedful.explain import Explanation, HeldOutPredictions, Summary, measure


class AttentionEstimator(BaseEstimator):
    """Predict, attend, explain and give intervals by a fitted attention model; a subclass says how it is fitted.

    Subclasses are dataclasses: their fields are their parameters, in the order of the signature.
    """

    verbose: int
    n_jobs: int | None
    _model: FittedAttention

    def predict(self, X) -> np.ndarray:
        """Return one prediction per row.

        Parameters
        ----------
        X : array-like of shape (n_query, n_features)
            Rows to predict.

        Returns
        -------
        ndarray of shape (n_query,)
            Predicted values, labels of the most probable class, or log hazards relative to the average training row.
        """
        return self._predict(X)

    @available_if(lambda self: self._has_intervals())
    def predict_interval(self, X, coverage=0.9) -> np.ndarray:
        """Return an interval around each prediction.

        It is wide where the response is noisy: where similar rows were hard to predict.

        Parameters
        ----------
        X : array-like of shape (n_query, n_features)
            Rows to predict.
        coverage : float, default=0.9
            Share of new responses that the intervals are meant to contain, between 0 and 1.

        Returns
        -------
        ndarray of shape (n_query, 2)
            Lower and upper ends; infinite if the training rows are too few for the coverage.

        Raises
        ------
        ValueError
            If the fit evaluated nothing on held-out rows, as with one head and a fixed ``mixing``.

        Notes
        -----
        Split conformal prediction on the residuals of held-out training rows, each divided by an estimate of its spread
        made without that row: by a forest on the columns, and from the rows it is compared with. With equal spreads
        it is plain split conformal prediction. See ``docs/uncertainty.md#prediction-intervals``.

        Examples
        --------
        >>> import numpy as np
        >>> from heedful import AttentionLasso
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(200, 2))
        >>> slope, noise = np.where(X[:, 0] > 0, [[3.0], [2.0]], [[-3.0], [0.2]])
        >>> y = slope * X[:, 1] + noise * rng.normal(size=200)
        >>> model = AttentionLasso(heads="single", random_state=0).fit(X, y)
        >>> precise, noisy = np.diff(model.predict_interval([[-1.0, 0.0], [1.0, 0.0]])).ravel()
        >>> bool(precise < noisy)
        True
        """
        return self._interval(X, coverage)

    def _interval(self, X: Any, coverage: Any, given: Offset = NO_OFFSET) -> np.ndarray:
        coverage = check_coverage(coverage, "new responses")
        fitted, table = self._fitted, self._read(X)
        return fitted.intervals(table, given.read(len(table)), coverage, self._run)

    @available_if(lambda self: self._observes_response())
    def score(self, X, y, sample_weight=None) -> float:
        """Return R2, for classification accuracy, for survival concordance.

        Parameters
        ----------
        X : array-like of shape (n_query, n_features)
            Rows to predict.
        y : array-like of shape (n_query,)
            Their response.
        sample_weight : array-like of shape (n_query,), default=None
            Weights of the rows.

        Returns
        -------
        float
            The score; larger is better.
        """
        return self._score(X, y, sample_weight)

    def attention(self, X) -> Attention:
        """Return the weight of each training row in each prediction.

        Parameters
        ----------
        X : array-like of shape (n_query, n_features)
            Rows to predict.

        Returns
        -------
        Attention
            Weights (n_query, n_train); those of a query sum to one.
        """
        return self._fitted.attention(self._read(X), self._run)

    def local_models(self, X, *, max_terms: int = 5, keep_models=False) -> LocalModels:
        """Return the small model and the local lassos of each query.

        Parameters
        ----------
        X : array-like of shape (n_query, n_features)
            Rows to predict.
        max_terms : int, default=5
            Largest number of columns in the small model of a query.
        keep_models : bool, default=False
            Keep the learner fitted for each query, for estimators that fit one.

        Returns
        -------
        LocalModels
            Tables indexed like the queries.
        """
        max_terms = check_count("max_terms", max_terms, 1, hint="5 is the default.")
        return _explaining.local_models(self._fitted, self._read_rows(X), max_terms, keep_models, self._run)

    def local_effects(self, X, *, columns=None, scale: str = "link", coverage: float = 0.9) -> pd.DataFrame:
        """Return how much each prediction changes with each column.

        For a numeric column the effect is a central difference: the prediction at half a standard deviation above the
        query's value, minus the prediction at half a standard deviation below, divided by the distance between the two
        values. Both values stay within the range of the training rows, so the difference is one-sided at its border. If
        a column has up to ten distinct values, two of them are compared. The effect of a date is per day. For a
        category the effect is the prediction at the query's level minus the prediction at the reference: the most
        frequent level, or the second most frequent if the query has the first. A missing number is compared with the
        mean.

        Parameters
        ----------
        X : array-like of shape (n_query, n_features)
            Rows to predict.
        columns : column names, positions or mask, default=None
            Columns to change; None for all of them.
        scale : {"link", "response"}, default="link"
            Effects on the linear predictor (the prediction itself for regression, log-odds for classification,
            logarithms of counts, costs and hazards), or on the scale of the response: predictions, probabilities,
            expected counts per unit of exposure.
        coverage : float, default=0.9
            Share of intervals that is meant to contain the true effect, between 0 and 1.

        Returns
        -------
        DataFrame
            For each query and column (for multiclass classification also class): ``effect``; ``low`` and ``high``,
            the ends of its interval; ``from`` and ``to``, the two values compared; ``per`` "unit", "day", "level" or
            "missing".

        Examples
        --------
        >>> import numpy as np
        >>> from heedful import AttentionLasso
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(300, 2))
        >>> y = np.where(X[:, 0] > 0, 3.0, -1.0) * X[:, 1] + 0.1 * rng.normal(size=300)
        >>> effects = AttentionLasso(random_state=0).fit(X, y).local_effects([[1.0, 0.2], [-1.0, 0.2]])
        >>> effects["effect"].unstack()["x1"].round().tolist()
        [3.0, -1.0]
        """
        check_choice("scale", scale, ("link", "response"))
        coverage = check_coverage(coverage, "effects")
        table = self._read_rows(X)
        options = _explaining.EffectOptions(select(table, columns, "columns"), scale, coverage)
        return _explaining.local_effects(self._fitted, table, options, self._run)

    def explain(self, X, y=None, *, method: str = "fast", max_terms: int = 5) -> Explanation:
        """Explain predictions; with ``y``, also measure how good they are.

        Parameters
        ----------
        X : array-like of shape (n_query, n_features)
            Rows to predict.
        y : array-like of shape (n_query,), default=None
            Their response, if it is known.
        method : {"fast", "shapley"}, default="fast"
            How ``contributions`` are computed, on first use. "fast" uses trees that approximate the model; "shapley"
            evaluates the model itself, about 1,000 times per query, and gives standard errors: for single queries.
        max_terms : int, default=5
            Largest number of columns in the small model of a query. This model is fitted to predictions of rows around
            the query and reproduces the query's prediction. Fewer columns are used where they suffice.

        Returns
        -------
        Explanation
            Small models, contributions of columns, the training rows with the largest weights, and clusters of queries
            with similar models.
        """
        return self._explain(X, y, method, max_terms)

    def _explain(self, X: Any, y: Any, method: str, max_terms: int, given: Offset = NO_OFFSET) -> Explanation:
        check_choice("method", method, ("fast", "shapley"))
        max_terms = check_count("max_terms", max_terms, 1, hint="5 is the default.")
        fitted, table = self._fitted, self._read_rows(X)
        y = [y] if isinstance(X, pd.Series) and y is not None and np.ndim(y) == 0 else y
        return _explaining.explain(fitted, table, y, given.read(len(table)), method, max_terms, self._run)

    def summary(self) -> Summary:
        """Summarise how good the model is and what it uses.

        Returns
        -------
        Summary
            The table, the held-out errors of the model and of the global model, the weight of the local models, and
            the five most important columns. Print it, or show it in a notebook.
        """
        fitted = self._fitted
        return _explaining.summarise(fitted, type(self).__name__, self.held_out_error_, self._run)

    @available_if(lambda self: self._observes_response())
    def held_out(self) -> HeldOutPredictions:
        """Return out-of-fold predictions of the training rows.

        Returns
        -------
        HeldOutPredictions
            Predictions of the model and of the global model, each made without the row, the response, common measures
            and calibration. Rows that were not used for tuning, as in a table beyond ``tuning_rows``, are left out.

        Raises
        ------
        ValueError
            If the fit evaluated nothing on held-out rows, as with one head and a fixed ``mixing``.

        Examples
        --------
        >>> import numpy as np
        >>> from heedful import AttentionLassoClassifier
        >>> X = np.random.default_rng(0).normal(size=(80, 3))
        >>> model = AttentionLassoClassifier(random_state=0).fit(X, X[:, 0] * X[:, 1] > 0)
        >>> int(model.held_out().calibration(5)["rows"].sum())
        80
        """
        return _explaining.read_held_out(self._fitted)

    @property
    def baseline_(self) -> Any:
        """The global model; it takes the same tables as this estimator."""
        return baseline_for_tables(self, self._model)

    @property
    def similarity_(self) -> list[Any]:
        """The fitted similarities."""
        return self._model.grid.similarities

    @property
    def response_(self) -> Response:
        """The kind of response: its ``task``, ``words`` and ``classes``."""
        return self._model.response

    @property
    def heads_(self) -> pd.DataFrame:
        """The heads that were tried, with their held-out errors and shares."""
        return self._model.heads_table()

    @property
    def mixing_(self) -> float:
        """Total share of the heads."""
        return self._model.tuned.mixing

    @property
    def guard_(self) -> float:
        """How much of the fitted shares the guard kept, from 0 to 1."""
        return self._model.tuned.guard

    @property
    def held_out_error_(self) -> pd.Series:
        """Errors on held-out training rows.

        "attention" (the model), "baseline" (the global model) and the "standard_error" of their difference; the series
        has the name of the error. NaN if nothing was evaluated, as with one head and a fixed ``mixing``.
        """
        return measure(self._model.response.words, self._model.unseen)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.categorical = tags.input_tags.string = True
        tags.target_tags.required = True
        tags.estimator_type = self._predicts()
        if tags.estimator_type == "classifier":
            tags.classifier_tags = ClassifierTags()
        elif tags.estimator_type == "regressor":
            tags.regressor_tags = RegressorTags()
        return tags

    def _predicts(self) -> str | None:
        """Return scikit-learn's word for what this is: "regressor", "classifier", or None."""
        return "regressor"

    def _observes_response(self) -> bool:
        """Return whether new rows can have a response to be compared with."""
        return True

    def _has_intervals(self) -> bool:
        """Return whether there are intervals around predictions."""
        return self._predicts() == "regressor"

    @property
    def _fitted(self) -> FittedAttention:
        """The fitted model; raises if there is none."""
        check_is_fitted(self)
        return self._model

    @property
    def _run(self) -> Run:
        return Run(self.n_jobs, self.verbose)

    def _read(self, X: Any) -> pd.DataFrame | np.ndarray:
        """Return a table of queries, checked."""
        table = read_table(self, X, reset=False)
        self._fitted.rows.check(table)
        return table if isinstance(table, pd.DataFrame) else table.astype(np.float64, copy=False)

    def _read_rows(self, X: Any) -> pd.DataFrame | np.ndarray:
        """Return a table of queries, checked; a series is one row."""
        names = self._fitted.rows.reader.names
        return self._read(one_row(X, names, named=hasattr(self, "feature_names_in_")))

    def _values(self, X: Any, given: Offset = NO_OFFSET) -> np.ndarray:
        """Return predictions as they are expected: probabilities of all classes, or one number."""
        fitted, table = self._fitted, self._read(X)
        offset = given.read(len(table))
        return fitted.response.expected(fitted.values(table, self._run), offset)

    def _predict(self, X: Any, given: Offset = NO_OFFSET) -> np.ndarray:
        return self._fitted.response.predict(self._values(X, given))

    def _score(self, X: Any, y: Any, sample_weight: Any, given: Offset = NO_OFFSET) -> float:
        fitted, table = self._fitted, self._read(X)
        encoded = with_offset(fitted.response.encode(y), given.read(len(table)))
        check_consistent_length(table, encoded)
        return fitted.response.score(encoded, fitted.values(table, self._run), sample_weight)

    def _fit(
        self, X: Any, y: Any, given: FitInputs, learn: Callable[[Any], Response], kind: ModelKind, settings: Settings
    ) -> Self:
        """Fit to training rows; ``learn`` makes the response from ``y``."""
        warn_of_lags(X, given.cv)
        table = read_table(self, X, reset=True)
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        response = learn(y)
        rows = read_training_rows(table, y, given, response, kind, settings)
        n_folds = int(given.cv) if isinstance(given.cv, Integral) else None
        seed = check_random_state(given.random_state)
        models, splits = fit_global(rows, response, kind, settings, n_folds, seed, self._run)
        self._model = fit_heads(models, settings, splits, Seeds(seed, seed), self._run, few=kind.few_heads)
        return self
