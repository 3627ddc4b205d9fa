"""What attention models of every family share: the flow from a table to blended local models."""

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from heedful import _blocks
from heedful._kernels.shapes import Rule, Table
from heedful.attention import Attention
from heedful.baseline import BASELINE_FOLDS, random_splits
from heedful.estimators._models import Frames, LocalModels
from heedful.estimators._settings import Settings, check_settings
from heedful.estimators._training import Training, as_frame
from heedful.explain import Explanation
from heedful.heads import (
    Evidence,
    Outside,
    Problem,
    Queries,
    Tuned,
    adapt,
    blended,
    blended_attention,
    fit_heads,
    gather_evidence,
    make_grid,
    predict_by_folds,
    predict_out_of_bag,
    tune,
)
from heedful.local import Family, build_table, warn_unconverged
from heedful.similarity import prepare

TOL, MAX_ITER = 1e-7, 10_000
# What an explanation takes over from the models as it is.
SHARED = ("prediction", "link", "intercept", "coef", "mixing", "baseline_coef", "local_coef", "design")


class Blend(NamedTuple):
    """Predictions of some queries and the models behind them; ``local`` is the heads' part, ``value`` the blend.

    Values are what is blended: predictions, class probabilities, log hazards. Coefficients (n_query, n_outputs,
    n_features) are per original unit of a column.
    """

    design: np.ndarray
    value: np.ndarray
    mixing: np.ndarray
    local: np.ndarray
    local_coef: np.ndarray


class AttentionModel(BaseEstimator):
    """Baseline, similarities, heads, shares and blend; a subclass knows its response."""

    baseline_: Any

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
        max_extrapolation=0.5,
        verbose=0,
        n_jobs=None,
        random_state=None,
    ):
        self.heads = heads
        self.similarity = similarity
        self.temperature = temperature
        self.alpha = alpha
        self.alpha_ratio = alpha_ratio
        self.mixing = mixing
        self.similarity_features = similarity_features
        self.model_features = model_features
        self.cv = cv
        self.max_extrapolation = max_extrapolation
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None, groups=None):
        """Fit baseline and similarities, try the heads on unseen rows, and choose their shares."""
        settings = check_settings(self, groups)
        keep_rows = any(getattr(entry, "keeps_rows", False) for entry in settings.similarities)
        rows = Training(self, X, y, sample_weight, groups, keep_rows=keep_rows)
        seed = check_random_state(self.random_state)
        with _blocks.one_blas_thread():
            self._fit_parts(rows, settings, seed)
            self._choose_shares(rows, settings, seed)
        return self

    def attention(self, X) -> Attention:
        """Return the weights (n_query, n_train) that the heads, blended by their shares, give to training rows."""
        check_is_fitted(self)
        codes = self._training.read(self, X)
        queries = self._queries(codes, self._training.model_rows(codes, self.max_extrapolation))
        return self._training.give_back(self._attend(queries, slice(0, codes.shape[0])))

    def local_models(self, X) -> LocalModels:
        """Return intercepts and coefficients of the baseline, the local and the blended model of each query."""
        blend = self._blend(X)
        index = X.index if isinstance(X, pd.DataFrame) else pd.RangeIndex(blend.design.shape[0])
        frames = Frames(index, self._training.names, self._outputs())
        base, base_coef = self.baseline_.fit_.intercept, self.baseline_.fit_.coef
        mixing = blend.mixing[:, None, None]
        coef = (1 - mixing) * base_coef + mixing * blend.local_coef
        family = self.baseline_.fit_.family
        link, local_link = family.link_of(blend.value), family.link_of(blend.local)
        return LocalModels(
            prediction=frames.per_output(blend.value, "prediction"),
            link=frames.per_output(link, "link"),
            intercept=frames.per_output(_at_zero(link, coef, blend.design), "intercept"),
            coef=frames.per_feature(coef),
            mixing=pd.Series(blend.mixing, index, name="mixing"),
            local_intercept=frames.per_output(_at_zero(local_link, blend.local_coef, blend.design), "intercept"),
            local_coef=frames.per_feature(blend.local_coef),
            baseline_intercept=float(base[0]) if frames.outputs is None else pd.Series(base, frames.outputs),
            baseline_coef=pd.Series(base_coef.ravel(), frames.columns),
            design=pd.DataFrame(blend.design, index, frames.features),
        )

    def explain(self, X, y=None) -> Explanation:
        """Return what the predictions of ``X`` were made of; with ``y`` also how good they are.

        See :class:`heedful.explain.Explanation`: blended coefficients, the features that drove each prediction, the
        training rows it leaned on, and groups of queries with like models.
        """
        models = self.local_models(X)
        rows, index = self._training, models.coef.index
        codes = rows.read(self, X)
        attention = self._attend(self._queries(codes, models.design.to_numpy()), slice(0, codes.shape[0]))
        given = rows.give_back(attention)
        base = self.baseline_.values(models.design.to_numpy())
        losses = (None, None, None) if y is None else self._losses(y, models, base)
        return Explanation(
            **{name: getattr(models, name) for name in SHARED},
            n_eff=pd.Series(given.n_eff, index, name="n_eff"),
            baseline_prediction=Frames(index, rows.names, self._outputs()).per_output(base, "prediction"),
            mean=pd.DataFrame(attention @ rows.model_rows(rows.codes) / rows.weight.mean(), index, rows.names),
            attention=given,
            train=rows.response,
            heads=self.heads_,
            y=losses[0],
            loss=losses[1],
            baseline_loss=losses[2],
        )

    @property
    def heads_(self) -> pd.DataFrame:
        """One row per head tried; built when asked for, as skops cannot save a frame."""
        return self._grid.table(self.similarity_, self._error, self._share)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def _read_response(self, y: Any) -> np.ndarray:
        """Check the response and return it as numbers: one column, or several that say together what happened."""
        raise NotImplementedError

    def _reweigh(self, response: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Return sample weights with what the response adds to them."""
        return weight

    def _given_response(self, response: np.ndarray) -> np.ndarray:
        """Return a response as read in the terms of the user."""
        return response

    def _make_baseline(self) -> Any:
        """Return the global model to fit."""
        raise NotImplementedError

    def _similarity_response(self, rows: Training) -> np.ndarray:
        """Return what similarities are fitted to."""
        raise NotImplementedError

    def _query_family(self, y: Any) -> Family:
        """Return what happened to queries, as the loss of the baseline's family sees it."""
        raise NotImplementedError

    def _losses(self, y: Any, models: LocalModels, base: np.ndarray) -> tuple[pd.DataFrame, pd.Series, pd.Series]:
        """Return what happened to queries under their labels, and the losses of the blend and of the baseline."""
        family, index = self._query_family(y), models.coef.index
        check_consistent_length(models.design, family.outcome.value)
        value = np.asarray(models.prediction).reshape(len(index), -1)
        value = np.column_stack([1 - value, value]) if base.shape[1] == value.shape[1] + 1 else value
        blend, plain = (family.losses(family.observed(values)).value for values in (value, base))
        return as_frame(y, index), pd.Series(blend, index, name="loss"), pd.Series(plain, index, name="baseline_loss")

    def _strata(self, rows: Training) -> np.ndarray | None:
        """Return the groups of rows that random folds share out evenly."""
        return None

    def _outputs(self) -> list | None:
        """Return the names of several outputs, None for a single one."""
        return None

    def _exact_table(self) -> Table | None:
        """Return the training rows for fits to convergence; None where one step is exact or enough."""
        if not getattr(self, "exact", False):
            return None
        fit = self.baseline_.fit_
        scale = fit.scale._replace(center=np.zeros(fit.scale.width), unit=np.ones(fit.scale.width))
        return build_table(fit.tables[0].x, np.zeros(fit.weight.size), fit.weight, scale)

    def _fit_parts(self, rows: Training, settings: Settings, seed: np.random.RandomState) -> None:
        """Fit the baseline and the similarities, and set up the local problems."""
        self._training = rows
        n_folds = int(self.cv) if isinstance(self.cv, Integral) else BASELINE_FOLDS
        self._splits = rows.splits or random_splits(rows.weight.size, n_folds, seed, self._strata(rows))
        design = rows.model_rows(rows.codes)
        self.baseline_ = self._make_baseline()
        self.baseline_.fit(rows.labelled(design), self._given_response(rows.y), rows.weight, splits=self._splits)
        self.alpha_ = self.baseline_.alpha_
        similarities = prepare(settings.similarities, self.n_jobs, seed)
        response = self._similarity_response(rows)
        self.similarity_ = [
            entry.fit(rows.seen_rows(rows.codes, entry), response, rows.weight) for entry in similarities
        ]
        self._grid = make_grid(self.similarity_, settings.temperatures, settings.ratios)
        fit, ratios = self.baseline_.fit_, self._grid.ratios
        rule = Rule(fit.scale.pad(np.ones(design.shape[1])), False, fit.model.coef[0], TOL, MAX_ITER, self._reach)
        finite = np.isfinite(ratios)
        penalties = np.where(finite, np.where(finite, ratios, 0.0) * self.alpha_ / fit.scale.y_unit, np.inf)
        self._problem = Problem(fit.family, fit.weight, fit.tables, fit.model, rule, penalties, fit.family.means())

    def _choose_shares(self, rows: Training, settings: Settings, seed: np.random.RandomState) -> None:
        """Try every head on rows it has not seen and fit shares; nothing is tried where nothing is to be chosen."""
        self._evidence: Evidence | None = None
        fixed = settings.mixing is not None and (self._grid.n_heads == 1 or settings.mixing == 0)
        if fixed:
            unknown = np.full(self._grid.n_heads, np.nan)
            tuned = Tuned(np.full(self._grid.n_heads, settings.mixing), unknown, 1.0)
        else:
            heads, baseline = self._predict_unseen(rows)
            outside = Outside(heads, baseline, self._problem.family, rows.weight)
            known = np.flatnonzero(np.isfinite(heads).all(axis=1) & np.isfinite(baseline))
            tuned = tune(outside.part(known), settings.many, settings.mixing, seed)
            if settings.adaptive and tuned.share.any():
                total = tuned.share.sum()
                blend = blended(outside._replace(baseline=np.zeros(baseline.size)), tuned.share / total)
                before = float(total) / tuned.trust
                self._evidence = gather_evidence(baseline, blend, outside.family, rows.weight, before)
        self._share, self._error, self.trust_ = tuned
        self.mixing_ = float(tuned.share.sum())

    def _predict_unseen(self, rows: Training) -> tuple[np.ndarray, np.ndarray]:
        """Return what heads and a baseline that did not see a training row say of what happened to it."""
        how = {"n_jobs": self.n_jobs, "verbose": self.verbose}
        family, x = self._problem.family, self._problem.tables[0].x
        shared = (self.similarity_, self._grid, self._problem, x, self._splits, self.baseline_.fit_.folds)
        if isinstance(self.cv, str):
            return predict_out_of_bag(*shared, **how), family.observed(self.baseline_.predict_left_out())
        seen = [rows.seen_rows(rows.codes, entry) for entry in self.similarity_]
        heads = predict_by_folds(*shared, seen, self._similarity_response(rows), **how)
        return heads, family.observed(self.baseline_.predict_fold())

    def _blend(self, X: Any) -> Blend:
        """Return the predictions of queries and the models behind them."""
        check_is_fitted(self)
        codes = self._training.read(self, X)
        with _blocks.one_blas_thread():
            design = self._training.model_rows(codes, self.max_extrapolation)
            base = self.baseline_.values(design)
            local, local_coef = self._local(codes, design, base)
            mixing = self._mix(codes, design)
        value = (1 - mixing)[:, None] * base + mixing[:, None] * local
        return Blend(design, value, mixing, local, local_coef)

    def _local(self, codes: np.ndarray, design: np.ndarray, base: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the heads' blended values and coefficients; those of the baseline if no head is used."""
        fit = self.baseline_.fit_
        if self.mixing_ == 0:
            return base, np.tile(fit.coef, (codes.shape[0], 1, 1))
        x = fit.scale.rows(design)
        value, coef, n_failed = np.zeros(base.shape), np.zeros((x.shape[0], *fit.model.coef.shape)), 0
        rule = self._problem.rule._replace(reach=self._reach)
        problem = self._problem._replace(rule=rule, exact=self._exact_table())
        shares = self._grid.split(self._share / self.mixing_)
        for similarity, weightings, share in zip(self.similarity_, self._grid.weightings, shares, strict=True):
            if share.any():
                queries = Queries(x, seen=self._training.seen_rows(codes, similarity))
                how = {"n_jobs": self.n_jobs, "verbose": self.verbose}
                fits = fit_heads(similarity, weightings, problem, queries, share > 0, share, **how)
                value += fits.value
                coef += fits.coef
                n_failed += fits.n_failed
        warn_unconverged(n_failed, codes.shape[0] * int((self._share > 0).sum()), MAX_ITER)
        return value, fit.scale.original(coef)

    def _mix(self, codes: np.ndarray, design: np.ndarray) -> np.ndarray:
        """Return the heads' share for each query."""
        if self._evidence is None:
            return np.full(codes.shape[0], self.mixing_)
        shared = (self, self._queries(codes, design), self._evidence)
        blocks = _blocks.cut(codes.shape[0], 24 * self._training.weight.size, self.n_jobs)
        return np.concatenate(list(_blocks.run(_mix_block, blocks, *shared, n_jobs=self.n_jobs)))

    @property
    def _reach(self) -> float:
        """How far from the mean response it attends to a head may predict, in standard deviations."""
        return np.inf if self.max_extrapolation is None else 2.0 + 4.0 * self.max_extrapolation

    def _queries(self, codes: np.ndarray, design: np.ndarray) -> list[Queries]:
        """Return the rows once for each similarity."""
        x = self.baseline_.fit_.scale.rows(design)
        return [Queries(x, seen=self._training.seen_rows(codes, entry)) for entry in self.similarity_]

    def _attend(self, queries: list[Queries], block: slice) -> Attention:
        """Return the blended attention over distinct training rows."""
        return blended_attention(self.similarity_, self._grid, self._share, self._problem.weight, queries, block)


def _at_zero(link: np.ndarray, coef: np.ndarray, design: np.ndarray) -> np.ndarray:
    """Return the intercepts with which coefficients give the linear predictor."""
    return link - np.einsum("qkj,qj->qk", coef, design)


def _mix_block(block: slice, model: AttentionModel, queries: list[Queries], evidence: Evidence) -> np.ndarray:
    # the guard's doubt holds for each query as for all
    return model.trust_ * adapt(model._attend(queries, block), evidence)
