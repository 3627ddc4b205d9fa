"""The attention lasso for right-censored survival: one Cox model per query, blended on the log hazard."""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_consistent_length

from heedful import _blocks
from heedful._checks import check_survival, check_weights
from heedful._solver import Survival, cumulative_hazard
from heedful.baseline import CoxBaseline
from heedful.estimators._linear import TOL, LinearAttention
from heedful.estimators._training import unit_response


class AttentionCox(LinearAttention):
    """Predict the log hazard of each row by a Cox model fitted to the training rows that matter for it.

    The flow is that of :class:`heedful.AttentionLasso`: forests on the martingale residuals of the model without
    columns, and on those of the baseline, say which rows matter, heads turn their scores into local Cox lassos, and
    linear predictors of heads and of one Cox lasso for all rows are blended by shares that have the largest likelihood
    of unseen rows. Local models are put on a common level: hazards are relative to the average training row, and can be
    compared between queries.

    Parameters
    ----------
    heads : {"multi", "single"}, default="multi"
        Blend many heads of several forests, or choose the best one of one forest.
    similarity : str, object, callable or list of them, default="forest"
        Who is alike: see :class:`heedful.AttentionLasso`.
    temperature : float, list of float or "auto", default="auto"
        Softmax temperatures to try; lower attends to fewer rows.
    alpha : float or "auto", default="auto"
        The baseline's penalty; "auto" cross-validates it by partial likelihood.
    alpha_ratio : float, list of float or "auto", default="auto"
        Local penalty divided by the baseline's; infinity leaves the ratio of observed to expected events.
    mixing : float, "auto" or "adaptive", default="auto"
        Total share of the heads: fixed, fitted, or one per query.
    similarity_features, model_features : list, callable or None, default=None
        Columns that the similarity sees, and columns that baseline and local models use; None means all.
    cv : "oob", int, splitter or iterable, default="oob"
        How unseen rows are predicted for tuning.
    tuning_rows : int or None, default=10_000
        Training rows on which heads are tried, drawn at random from a larger table; None tries all.
    max_extrapolation : float or None, default=0.5
        How far outside its training range a linear model may go: see :class:`heedful.AttentionLasso`.
    exact : bool, default=False
        Fit the local models of ``predict`` to convergence instead of taking one Newton step from the baseline.
    verbose : int, default=0
        1 shows progress.
    n_jobs : int, default=None
        Threads: None is one, -1 all cores. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of forests and folds.

    Attributes
    ----------
    baseline_ : CoxBaseline
        The model for all rows.
    event_times_ : ndarray
        Distinct times of events in the training rows.
    similarity_, alpha_, heads_, mixing_, guard_
        As in :class:`heedful.AttentionLasso`; errors in ``heads_`` are minus log likelihoods per row.

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

    def __init__(
        self,
        heads="multi",
        similarity="forest",
        temperature="auto",
        alpha="auto",
        alpha_ratio="auto",
        mixing="auto",
        similarity_features=None,
        model_features=None,
        cv="oob",
        tuning_rows=10_000,
        max_extrapolation=0.5,
        exact=False,
        verbose=0,
        n_jobs=None,
        random_state=None,
    ):
        super().__init__(
            heads,
            similarity,
            temperature,
            alpha,
            alpha_ratio,
            mixing,
            similarity_features,
            model_features,
            cv,
            tuning_rows,
            max_extrapolation,
            verbose,
            n_jobs,
            random_state,
        )
        self.exact = exact

    def predict(self, X):
        """Return the log hazard of each row of ``X`` relative to the average training row."""
        return self._values(X)[:, 0]

    def predict_survival_function(self, X, times=None) -> pd.DataFrame:
        """Return the probability that each row of ``X`` is without event at each of ``times`` (default: event times).

        The hazard of a query is Breslow's estimator with attention as weights, under the query's own blended model.
        """
        times = self._check_times(times)
        blend = self._blend(X, self.verbose)
        self._warn(blend.n_failed, blend.value.shape[0])
        fit = self.baseline_.fit_
        mixing = blend.mixing[:, None, None]
        slope = ((1 - mixing) * fit.coef + mixing * blend.local_coef)[:, 0] * fit.scale.unit
        queries = self._queries(self._training.read(self, X))
        blocks = _blocks.cut(slope.shape[0], 64 * fit.weight.size, self.n_jobs)
        shared = (self, queries, blend.mixing, slope, fit.scale.rows(blend.design), times)
        survival = np.concatenate(list(_blocks.run(_survival_block, blocks, *shared, n_jobs=self.n_jobs)))
        index = X.index if isinstance(X, pd.DataFrame) else pd.RangeIndex(slope.shape[0])
        return pd.DataFrame(survival, index, pd.Index(times, name="time"))

    def score(self, X, y, sample_weight=None) -> float:
        """Return the concordance index: how often, of two rows, the one with the higher hazard has its event first."""
        event, time = check_survival(y)
        risk = self.predict(X)
        check_consistent_length(risk, time)
        return concordance(event, time, risk, check_weights(sample_weight, time.size))

    def _read_response(self, y):
        event, time = check_survival(y)
        self.event_times_ = np.unique(time[event > 0])
        return np.column_stack([event, time])

    def _reweigh(self, response, weight):
        if not (weight * response[:, 0]).any():
            raise ValueError("`sample_weight` must leave at least one row with an event a positive weight.")
        return weight

    def _make_baseline(self):
        return CoxBaseline(self.alpha, tol=TOL, n_jobs=self.n_jobs)

    def _similarity_response(self, rows):
        family = Survival(*rows.y.T)
        martingale = family.residual(np.zeros((rows.weight.size, 1)), rows.weight)[:, 0]
        return unit_response(martingale, rows.weight)

    def _strata(self, rows):
        return rows.y[:, 0]

    def _task(self):
        return "survival"

    def _query_family(self, y):
        event, time = check_survival(y)
        fit = self.baseline_.fit_
        link = fit.model.link(fit.tables[0].x)[:, 0]
        return Survival(event, time, cumulative_hazard(fit.family, link, fit.weight, time))

    def _check_times(self, times: Any) -> np.ndarray:
        if times is None:
            return self.event_times_
        times = np.atleast_1d(np.asarray(times, dtype=np.float64))
        if times.ndim != 1 or not np.isfinite(times).all() or (times < 0).any():
            raise ValueError("`times` must be finite numbers >= 0 in one dimension.")
        return times


def _survival_block(block, model, queries, mixing, slope, x, times):
    """Return the survival probabilities (n_query, n_times) of a block of queries."""
    fit = model.baseline_.fit_
    prior = fit.weight / fit.weight.sum()
    share = mixing[block, None]
    attention = share * model._attend(queries, block).toarray() + (1 - share) * prior
    width = slope.shape[1]
    link = slope[block] @ fit.tables[0].x[:, :width].T
    own = (slope[block] * x[block, :width]).sum(axis=1, keepdims=True)
    hazard = cumulative_hazard(fit.family, link - own, attention, times)
    return np.exp(-hazard)


def concordance(event: np.ndarray, time: np.ndarray, risk: np.ndarray, weight: np.ndarray) -> float:
    """Return Harrell's index: pairs whose earlier time is an event; equal risks count one half."""
    agree, pairs = 0.0, 0.0
    for i in np.flatnonzero(event > 0):
        later = (time > time[i]) | ((time == time[i]) & (event == 0))
        mass = weight[i] * weight[later]
        agree += mass @ ((risk[later] < risk[i]) + 0.5 * (risk[later] == risk[i]))
        pairs += mass.sum()
    if pairs == 0:
        raise ValueError("`y` must hold at least one event before another row's time: no two rows can be compared.")
    return float(agree / pairs)
