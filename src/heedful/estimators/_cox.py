"""The attention lasso for right-censored survival: one Cox model per query, blended on the log hazard."""

from dataclasses import replace
from functools import partial
from typing import Any, Self

import numpy as np
import pandas as pd

from heedful._flow import BlockPrediction, QueryBatch, known_attention
from heedful._models.linear import FittedLinear
from heedful._models.linear_fits import LinearProblem
from heedful._responses import Response, SurvivalTimes, cumulative_hazard
from heedful._undo import all_or_nothing
from heedful.estimators._linear import LassoEstimator, paper_options
from heedful.estimators._training_rows import NO_OFFSET, Offset
from heedful.explain import Explanation


class AttentionCox(LassoEstimator):
    """Survival analysis by a weighted Cox lasso per query and a global one.

    It works as :class:`heedful.AttentionLasso`. Forests grown on martingale residuals, of the null model and of the
    global Cox lasso, give the similarities; heads fit local Cox lassos with these weights. The linear predictors of
    the heads and of the global Cox lasso are blended; the shares maximise the held-out likelihood. Hazards are relative
    to the average training row, so they can be compared between queries.

    The parameters are those of :class:`heedful.AttentionLasso`; ``alpha`` is cross-validated by partial likelihood.

    Attributes
    ----------
    baseline_ : CoxBaseline
        The global Cox lasso.
    event_times_ : ndarray
        Distinct times of events in the training rows.
    similarity_, alpha_, heads_, mixing_, guard_, held_out_error_
        As in :class:`heedful.AttentionLasso`; errors in ``heads_`` are negative log likelihoods per row, those
        in ``held_out_error_`` integrated Brier scores.

    Examples
    --------
    >>> from heedful.datasets import make_survival
    >>> train, test = make_survival(600, 6, random_state=0).split()
    >>> model = AttentionCox(random_state=0).fit(train.X, train.y)
    >>> bool(model.score(test.X, test.y) > 0.7)
    True
    >>> model.predict_survival_function(test.X[:2], times=[0.5, 1.0]).shape
    (2, 2)
    """

    @classmethod
    def as_in_the_paper(cls, **changes: Any) -> Self:
        """Return an estimator as in the paper's Algorithm 2, for survival.

        Options and parameters are those of :meth:`heedful.AttentionLasso.as_in_the_paper`. Trees are grown on
        martingale residuals, with at least three draws per leaf, as R's ranger does.

        Returns
        -------
        AttentionCox
            Not fitted.
        """
        return cls(**paper_options(min_samples_leaf=3) | changes)

    @all_or_nothing
    def fit(self, X, y, sample_weight=None, groups=None) -> Self:
        """Fit to training rows.

        Parameters
        ----------
        X : array-like of shape (n_train, n_features)
            Training rows: a numeric array, or a frame that may hold text, categories and missing cells.
        y : structured array, frame or array-like of shape (n_train, 2)
            Event and time, in this order: the event is True (or 1) if it was observed and False (or 0) if the row was
            censored; times are > 0. Fields or columns named "event" and "time" may come in any order.
        sample_weight, groups : array-like of shape (n_train,), default=None
            As in :meth:`heedful.AttentionLasso.fit`.

        Returns
        -------
        self : the fitted estimator
        """
        return self._fit(X, y, *self._fit_arguments(sample_weight, groups))

    def predict_survival_function(self, X, times=None) -> pd.DataFrame:
        """Return the survival probability of each row at each time.

        The baseline hazard is Breslow's estimator, weighted by attention, under the query's blended Cox model.

        Parameters
        ----------
        X : array-like of shape (n_query, n_features)
            Rows to predict.
        times : array-like of float, default=None
            Times; None uses ``event_times_``.

        Returns
        -------
        DataFrame of shape (n_query, n_times)
            Probabilities, indexed like the rows.
        """
        fitted, table = self._fitted, self._read(X)
        times, models, problem = self._check_times(times), fitted.models, fitted.problem
        if not (isinstance(models, FittedLinear) and isinstance(problem, LinearProblem)):
            raise TypeError(f"AttentionCox holds no linear models, got {models!r}.")
        summary = partial(_survival_block, models, problem.tables[0].x, fitted.base_coef, times)
        survival = fitted.summarise(table, summary, 64 * fitted.rows.weight.size, self._run)
        index = table.index if isinstance(table, pd.DataFrame) else pd.RangeIndex(len(survival))
        return pd.DataFrame(survival, index, pd.Index(times, name="time"))

    @property
    def event_times_(self) -> np.ndarray:
        """Distinct times of events in the training rows."""
        event, time = SurvivalTimes().encode(self._model.rows.response).T
        return np.unique(time[event > 0])

    def _response(self, y: Any) -> Response:  # noqa: ARG002 - others read labels from it
        return SurvivalTimes()

    def _predicts(self) -> None:
        return None

    def _explain(self, X: Any, y: Any, method: str, max_terms: int, given: Offset = NO_OFFSET) -> Explanation:
        explanation = super()._explain(X, y, method, max_terms, given)
        table = self._read_rows(X).copy()
        return replace(explanation, predict_survival=partial(_both_curves, (self, self.baseline_), table))

    def _check_times(self, times: Any) -> np.ndarray:
        if times is None:
            return self.event_times_
        times = np.atleast_1d(np.asarray(times, dtype=np.float64))
        if times.ndim != 1 or not np.isfinite(times).all() or (times < 0).any():
            raise ValueError("`times` must be finite numbers >= 0 in one dimension.")
        return times


def _both_curves(models: tuple[Any, Any], table: Any, times: np.ndarray) -> list[pd.DataFrame]:
    """Return the survival curves of queries by a model with attention and by the one for all rows."""
    return [model.predict_survival_function(table, times) for model in models]


def _survival_block(
    models: FittedLinear,
    x: np.ndarray,
    base_coef: np.ndarray,
    times: np.ndarray,
    batch: QueryBatch,
    block: BlockPrediction,
) -> np.ndarray:
    """Return the survival probabilities (n_query, n_times) of a block of queries; ``x`` are the training rows."""
    fit, share = models.baseline.fit_, block.mixing[:, None]
    local = models.original(block.coef) if block.coef.size else base_coef
    slope = ((1 - share) * base_coef[0] + share * local[..., 0, :]) * models.scale.unit
    attention = share * known_attention(block).toarray() + (1 - share) * (fit.weight / fit.weight.sum())
    width = slope.shape[1]
    link = slope @ x[:, :width].T
    query_link = (slope * batch.view.x[block.block, :width]).sum(axis=1, keepdims=True)
    return np.exp(-cumulative_hazard(fit.family, link - query_link, attention, times))
