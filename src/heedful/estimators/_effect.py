"""Treatment effects: a weighted effect lasso per query, after Nie and Wager's R-learner."""

import warnings
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, Self, overload

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from heedful._checks import check_coverage, check_weights, is_word
from heedful._effects.average import average_effect, constant_effect
from heedful._effects.by_group import average_by_group, read_labels
from heedful._effects.held_out import effects_differ, r_loss, rows_with_effects
from heedful._effects.heterogeneity import assess_heterogeneity, effects_seem_to_differ, group_effects
from heedful._effects.inputs import Column, read_outcome, read_treatment
from heedful._effects.nuisance import Nuisance, Rows, draw_folds
from heedful._effects.overlap import assess_overlap, has_poor_overlap
from heedful._effects.ranking import weighted_share
from heedful._effects.survival import read_times
from heedful._effects.validation import Validation, validate
from heedful._flow import Settings
from heedful._folds import user_splits
from heedful._frames import count_rows, read_table, take
from heedful._models.linear import LinearModels
from heedful._responses import Effect, effect_weights
from heedful._undo import all_or_nothing
from heedful.estimators._effect_learners import NuisanceLearners
from heedful.estimators._linear import LassoEstimator, plan_linear
from heedful.estimators._training_rows import FitInputs
from heedful.explain import AverageEffect, Explanation, Heterogeneity, Overlap

ONE = "one average effect for all rows"
# Blocks of rows have at most so many folds of groups.
MOST_FOLDS = 10


@dataclass(eq=False, repr=False, kw_only=True)
class AttentionEffect(LassoEstimator):
    """Estimate the effect of a treatment on each row, with an R-learner.

    Cross-fitted models predict the outcome and the treatment of each row. On their residuals, one weighted lasso per
    query models the effect, as in :class:`heedful.AttentionLasso`. It is blended with one effect lasso for all rows by
    the held-out R-loss. If held-out rows show no evidence that effects differ (:meth:`heterogeneity`), every row gets
    the average effect. The estimates are causal only without unmeasured confounding and with overlap: given the
    columns, nothing else affects both treatment and outcome, and similar rows got different treatments
    (``docs/effects.md``).

    Parameters
    ----------
    similarity, temperature, mixing, features
        As in :class:`heedful.AttentionLasso`. Forests are grown on pseudo-outcomes, so they split where effects differ.
        With a number or a list for ``mixing``, rows keep their own effects even without evidence that effects differ.
        ``features`` are the columns that the effect may depend on; outcome and treatment are predicted from all.
    cv : int, splitter or iterable, default=5
        Folds for cross-fitting; each row is in exactly one test fold.
    verbose, n_jobs, random_state, heads, local
        As in :class:`heedful.AttentionLasso`, for the model of the effect.
    outcome : estimator, default=None
        Model of the expected outcome: a scikit-learn regressor, or a classifier for a binary outcome. None averages an
        attention lasso with one head and boosted trees.
    propensity : estimator or float, default=None
        Model of the expected treatment: a classifier, or a regressor for a continuous treatment. A number is a known
        propensity, such as 0.5 in a randomised trial with equal arms; give one per row to ``fit``. None is as for
        ``outcome``.

    Attributes
    ----------
    baseline_ : GlobalModel
        The effect lasso for all rows; its slopes are shrunk where held-out rows do not support them (``guard_``).
    treatments_ : ndarray of shape (2,) or None
        Labels of control and treated; None if the treatment is continuous.
    outcomes_ : ndarray of shape (2,) or None
        Labels of a binary outcome: effects are on the probability of the second. None if the outcome is numeric.
    expected_outcome_, propensity_ : ndarray of shape (n_train,)
        Out-of-fold predictions of the outcome and of the treatment of each training row.
    held_out_effect_ : ndarray of shape (n_train,)
        Out-of-fold effect on each training row.
    similarity_, heads_, mixing_, guard_, held_out_error_
        As in :class:`heedful.AttentionLasso`; errors are of pseudo-outcomes, mostly noise: use them to compare.

    References
    ----------
    Nie and Wager, "Quasi-oracle estimation of heterogeneous treatment effects", Biometrika 108 (2021).
    Rubin and van der Laan, "A doubly robust censoring unbiased transformation", Int. J. Biostatistics 3 (2007).

    Examples
    --------
    >>> from heedful.datasets import make_effects
    >>> train, test = make_effects("B", 600, random_state=0).split(500)
    >>> model = AttentionEffect(heads="single", propensity=0.5, random_state=0).fit(train.X, train.y, train.treatment)
    >>> away = model.effect(test.X) - test.effect
    >>> bool((away**2).mean() < 0.5 * test.effect.var())
    True

    With censored times, the effect on the restricted mean survival time:

    >>> import numpy as np
    >>> died, lost = np.random.default_rng(0).exponential(np.c_[1 + train.treatment, np.full(500, 4)]).T
    >>> y = np.rec.fromarrays([died <= lost, np.minimum(died, lost)], names=["event", "time"])
    >>> model = AttentionEffect(heads="single", propensity=0.5, random_state=0)
    >>> found = model.fit(train.X, y, train.treatment, horizon=2.0).average_effect()
    >>> truth = 2 * (1 - np.exp(-1)) - (1 - np.exp(-2))
    >>> bool(found.low < truth < found.high)
    True
    """

    cv: Any = 5
    # the penalty of the effect lasso for all rows is always cross-validated
    alpha: str = field(init=False, default="auto")
    outcome: Any = None
    propensity: Any = None

    _squares = True

    @all_or_nothing
    def fit(
        self, X, y, treatment, sample_weight=None, groups=None, *, propensity=None, horizon=None, estimand="rmst"
    ) -> Self:
        """Cross-fit the models of outcome and treatment, then fit the effect.

        Parameters
        ----------
        X : array-like of shape (n_train, n_features)
            Training rows, with values from before the treatment: a numeric array, or a frame that may hold text,
            categories and missing cells.
        y : array-like of shape (n_train,)
            Outcomes: numeric, or binary (text, booleans, 0 and 1), where effects are on the probability of the second
            label in order. With a ``horizon``, events and times, as in :class:`heedful.AttentionCox`.
        treatment : array-like of shape (n_train,)
            Binary, where the second value or label in order is the treatment; or continuous, with the effect per unit.
            Ordered pandas categories keep their order.
        sample_weight : array-like of shape (n_train,), default=None
            Weights of the rows: in effects and averages, weight 2 means the same row twice and weight 0 leaves the row
            out. In standard errors and tests each row counts once, whatever its weight.
        groups : array-like of shape (n_train,), default=None
            Groups of rows, such as the visits of a patient, that stay together in folds; standard errors are clustered.
        propensity : array-like of shape (n_train,), default=None
            Known propensity of each row: its probability of treatment, or its expected continuous treatment.
        horizon : float, default=None
            Time up to which effects are estimated, for censored outcomes; None for other outcomes.
        estimand : {"rmst", "survival"}, default="rmst"
            With a ``horizon``: effect on the restricted mean survival time up to the horizon, or on the probability of
            survival beyond it.

        Returns
        -------
        self : the fitted estimator
        """
        if isinstance(self.cv, str):
            raise ValueError(
                f"`cv` must be a number of folds, a splitter or an iterable of splits, got {self.cv!r}. 5 is the "
                "default."
            )
        kind, settings = self._plan(self.mixing, self.cv, groups)
        settings = settings._replace(out_of_bag=groups is None)
        table = read_table(self, X, reset=True)
        n_rows = len(table)
        weight = check_weights(sample_weight, n_rows)
        arms, seed = read_treatment(treatment, n_rows, weight), check_random_state(self.random_state)
        times = None if horizon is None else read_times(y, horizon, estimand, n_rows)
        outcomes = read_outcome(y, n_rows) if times is None else Column(times.time, None)
        cv = int(self.cv) if isinstance(self.cv, Integral) else user_splits(self.cv, table, outcomes.values, groups)
        learners = NuisanceLearners(self.outcome, self.propensity, cv, self.n_jobs, seed)
        if times is not None:
            outcomes = learners.uncensor(times, arms, table, sample_weight, groups)
        known, weighted = learners.known_propensity(propensity, arms), sample_weight is not None
        rows = draw_folds(table, [arms, outcomes], weight, groups, cv, seed, known)
        learner = learners.of("outcome", outcomes, weighted)
        of_arms = None if known is not None else learners.of("propensity", arms, weighted)
        nuisance = Nuisance(outcomes, arms, learner, of_arms, known, weight)
        frame = nuisance.expect(rows)
        splits = "oob" if groups is None else rows.given_splits()
        given = FitInputs(effect_weights(frame, weight), groups, self.features, splits, self.random_state)
        given = given._replace(counts=count_rows(weight), draws=rows.are_draws)
        self._fit(X, frame, given, lambda _: Effect(), kind, settings)
        self.treatments_, self.outcomes_ = arms.labels, outcomes.labels
        self._rows = rows_with_effects(self._model, lambda rows: self.effect(take(table, rows)), weight, groups)
        self._validation = self._validate(rows, nuisance, seed)
        differ = effects_seem_to_differ(self._validation) and effects_differ(self._model)
        if isinstance(self.mixing, str) and not differ:
            self._take_average(X, frame, given)
        return self

    def effect(self, X) -> np.ndarray:
        """Return the effect of the treatment on each row.

        Parameters
        ----------
        X : array-like of shape (n_query, n_features)
            Rows, with values from before the treatment.

        Returns
        -------
        ndarray of shape (n_query,)
            What the treatment adds to the outcome, or to the probability of its second label; per unit if continuous.
        """
        return self._predict(X)

    def effect_interval(self, X, coverage=0.9) -> np.ndarray:
        """Return an interval for the average effect on rows similar to each row.

        Parameters
        ----------
        X : array-like of shape (n_query, n_features)
            Rows, with values from before the treatment.
        coverage : float, default=0.9
            Share of intervals that is meant to contain the true average, between 0 and 1.

        Returns
        -------
        ndarray of shape (n_query, 2)
            Lower and upper ends.

        Notes
        -----
        Rows are grouped by quintiles of the predicted effect (by larger parts in small tables). The interval is for the
        average effect on the held-out rows of the query's group (``heterogeneity().groups``), or on all rows if every
        row has the average effect. It is not an interval for the effect on a single row, which is never observed.

        Examples
        --------
        >>> from heedful.datasets import make_effects
        >>> train, test = make_effects("B", 600, random_state=0).split(500)
        >>> model = AttentionEffect(heads="single", propensity=0.5, random_state=0)
        >>> low, high = model.fit(train.X, train.y, train.treatment).effect_interval(test.X).T
        >>> like = model.effect(test.X) > np.quantile(model.held_out_effect_, 0.8)
        >>> bool(low[like].min() < test.effect[like].mean() < high[like].max())
        True
        """
        coverage = check_coverage(coverage, "averages")
        effect = self.effect(X)
        if self._has_one_effect:
            average = self.average_effect(coverage=coverage)
            return np.tile([average.low, average.high], (effect.size, 1))
        groups, rows = group_effects(self._validation, coverage), self._rows
        share = weighted_share(rows.effect, rows.weight, effect)
        number = np.minimum(np.searchsorted(groups.index, share), len(groups) - 1)
        return groups[["low", "high"]].to_numpy()[number]

    def predict(self, X) -> np.ndarray:
        """Return the effect of the treatment on each row, as ``effect`` does."""
        return self.effect(X)

    def explain(self, X, y=None, *, method: str = "fast", max_terms: int = 5) -> Explanation:
        """Explain effects; ``y`` must be None."""
        if y is not None:
            raise ValueError("`y` must be None: effects are never observed, so estimates cannot be compared with them.")
        return self._explain(X, None, method, max_terms)

    @overload
    def average_effect(self, subset=None, *, target=..., by: None = None, coverage=...) -> AverageEffect: ...
    @overload
    def average_effect(self, subset=None, *, target=..., by: object, coverage=...) -> pd.DataFrame: ...
    def average_effect(self, subset=None, *, target="auto", by=None, coverage=0.9):
        """Return the doubly robust average effect over the training rows.

        Parameters
        ----------
        subset : array-like of bool of shape (n_train,), default=None
            Rows to average over; None means all rows.
        target : {"auto", "all", "treated", "control", "overlap"}, default="auto"
            Rows to average over: all, the treated, the controls, or all with overlap weights, which are largest where
            both treatments are common. A continuous treatment has no arms: use "all" or "overlap". "auto" is "overlap"
            if more than 5 % of the rows have a propensity below 0.05 or above 0.95, else "all".
        by : str, int or array-like of shape (n_train,), default=None
            A column of ``X``, or a label for each row: one average for each of at most 30 groups. Missing cells form a
            group.
        coverage : float, default=0.9
            Share of intervals that is meant to contain the true average, between 0 and 1.

        Returns
        -------
        AverageEffect or DataFrame
            The effect with its standard error, interval and p value; with ``by``, one row for each group, with its
            number of rows.

        Notes
        -----
        "treated" and "control" are grf's doubly robust averages over an arm. "overlap" regresses the outcome residuals
        on the treatment residuals, with a sandwich standard error. It has no large weights: use it where ``overlap()``
        is poor.

        Examples
        --------
        >>> from heedful.datasets import make_effects
        >>> train, _ = make_effects("B", 600, random_state=0).split(500)
        >>> model = AttentionEffect(heads="single", propensity=0.5, random_state=0)
        >>> found = model.fit(train.X, train.y, train.treatment).average_effect(by=train.X[:, 0] > 0)
        >>> found.index.tolist(), found.columns.tolist()
        ([False, True], ['effect', 'standard_error', 'low', 'high', 'p_value', 'n_rows'])
        >>> bool(found.loc[True, "effect"] > found.loc[False, "effect"])
        True
        >>> model.average_effect(target="treated").n_rows == int(train.treatment.sum())
        True
        """
        table, rows = self._fitted.rows, self._rows
        target = self._usual_target() if is_word(target, "auto") else target
        how = {"subset": subset, "target": target, "coverage": coverage}
        if by is None:
            return average_effect(rows, **how)
        return average_by_group(rows, read_labels(by, table, rows.weight), **how)

    def heterogeneity(self, *, smaller_is_better: bool = False) -> Heterogeneity:
        """Test whether effects differ, and whether predictions rank them.

        Parameters
        ----------
        smaller_is_better : bool, default=False
            Whether smaller outcomes are better, such as pain or costs: rows whose outcome falls most are treated first.

        Returns
        -------
        Heterogeneity
            Best linear predictor and rank-weighted average effects with p values, and the gain of treating the rows
            with the largest predicted effects first.
        """
        one = self._has_one_effect
        return assess_heterogeneity(self._validation, smaller_is_better=bool(smaller_is_better), one_effect=one)

    def overlap(self) -> Overlap:
        """Check whether similar rows got different treatments.

        Returns
        -------
        Overlap
            Propensities, effective sample sizes and balance of columns before and after weighting, and advice.
        """
        table = self._fitted.rows.given_values()
        labels = ("control", "treated") if self.treatments_ is None else tuple(self.treatments_.tolist())
        return assess_overlap(table, self._rows, labels)

    @property
    def expected_outcome_(self) -> np.ndarray:
        """Out-of-fold prediction of the outcome of each training row."""
        return self._rows.outcome

    @property
    def propensity_(self) -> np.ndarray:
        """Out-of-fold prediction of the treatment of each training row."""
        return self._rows.propensity

    @property
    def held_out_effect_(self) -> np.ndarray:
        """Out-of-fold effect on each training row."""
        return self._rows.effect

    def _plan(self, mixing: Any, cv: Any, groups: Any) -> tuple[LinearModels, Settings]:
        """Check every argument of the model of the effect, with another mixing and other folds."""
        model = copy(self)
        model.mixing, model.cv = mixing, cv
        return plan_linear(model, groups)

    def _validate(self, rows: Rows, nuisance: Nuisance, seed: np.random.RandomState) -> Validation:
        """Return effects of blocks of rows by models of the blocks before; none that differ if rows are too few."""
        cv: Any = "oob" if rows.groups is None else min(len(rows.splits), MOST_FOLDS)
        # heads in full: a guard would often leave one effect for all, and nothing to test
        kind, settings = self._plan(0.0 if self.mixing == 0 else 1.0, cv, rows.groups)
        source, weight, number = rows.observations.source, rows.observations.weight, int(seed.randint(2**31 - 1))

        def fit(past: np.ndarray, known: pd.DataFrame) -> Callable[[np.ndarray], np.ndarray]:
            model = copy(self)
            groups = None if rows.groups is None else rows.groups[past]
            given = FitInputs(effect_weights(known, weight[past]), groups, self.features, cv, number)
            given = given._replace(counts=np.ones(past.size), draws=rows.are_draws)
            model._fit(take(rows.table, source[past]), known, given, lambda _: Effect(), kind, settings)
            return lambda block: model.effect(take(rows.table, source[block]))

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            validation = validate(rows, nuisance, seed, fit)
        if validation is not None:
            return validation
        used = self._rows.among(np.ones(self._rows.y.size, dtype=bool))
        return Validation(used, np.zeros(used.y.size), np.zeros(used.y.size, dtype=np.intp))

    @property
    def _has_one_effect(self) -> bool:
        """Whether the average is the effect of all rows."""
        return self._fitted.response.level is not None

    def _usual_target(self) -> str:
        """Return the default of ``average_effect``."""
        return "overlap" if has_poor_overlap(self._rows) else "all"

    def _take_average(self, X: Any, frame: pd.DataFrame, given: FitInputs) -> None:
        """Fit again, with the average effect for all rows."""
        level = constant_effect(self._rows, self._usual_target())
        kind, settings = self._plan(0.0, given.cv, given.groups)
        self._fit(X, frame, given, lambda _: Effect(level), kind, settings)
        self._model.models.rival, self._model.unseen = ONE, r_loss(self._model, level)
        self._rows = self._rows._replace(effect=np.full(self._rows.y.size, level))

    def _predicts(self) -> str | None:
        return None

    def _observes_response(self) -> bool:
        return False
