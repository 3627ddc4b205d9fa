"""What attention models of every kind share: the flow from a table to blended local models."""

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from heedful import _blocks
from heedful._intervals.calibration import Calibration
from heedful._models.protocol import Problem
from heedful._solver import Family
from heedful._tuning.adaptive import Evidence, gather_evidence
from heedful._tuning.grid import make_grid
from heedful._tuning.guard import heads_alone
from heedful._tuning.out_of_fold import predict_by_folds, predict_out_of_bag
from heedful._tuning.shares import OutOfFold
from heedful._tuning.tune import Tuned, tune
from heedful._undo import all_or_nothing
from heedful.attention import Attention
from heedful.baseline import BASELINE_FOLDS, random_splits
from heedful.estimators._blending import Blending
from heedful.estimators._models import Frames, LocalModels
from heedful.estimators._settings import Settings, warn_of_lags
from heedful.estimators._training import Training, as_frame
from heedful.explain import Explanation
from heedful.similarity import prepare, wants_residuals

# What an explanation takes over from the models as it is.
SHARED = ("prediction", "link", "intercept", "coef", "mixing", "baseline_coef", "local_coef", "design", "slopes")


class AttentionModel(Blending, BaseEstimator):
    """Baseline, similarities, heads, shares and blend; a subclass knows its response and its kind of models."""

    baseline_: Any
    _slopes: ClassVar[bool] = True
    _few_heads: ClassVar[bool] = False
    _anchors: ClassVar[bool] = False
    _leaves_residuals: ClassVar[bool] = False

    @all_or_nothing
    def fit(self, X, y, sample_weight=None, groups=None):
        """Fit baseline and similarities, try the heads on unseen rows, and choose their shares."""
        settings = self._check_settings(groups)
        warn_of_lags(X, self.cv)
        keep_rows = any(getattr(entry, "keeps_rows", False) for entry in settings.similarities)
        keep = {"keep_rows": keep_rows, "keep_table": self._takes_table()}
        rows = Training(self, X, y, sample_weight, groups, **keep)
        seed = check_random_state(self.random_state)
        with _blocks.one_blas_thread():
            self._training = rows
            n_folds = int(self.cv) if isinstance(self.cv, Integral) else BASELINE_FOLDS
            self._splits = rows.splits or random_splits(rows.weight.size, n_folds, seed, self._strata(rows))
            self._fit_baseline(rows)
            self._fit_similarities(rows, settings, seed)
            self._fixed = settings.mixing is not None and (self._grid.n_heads == 1 or settings.mixing == 0)
            self._problem = self._make_problem(rows, seed)
            self._choose_shares(rows, settings, seed)
        return self

    def attention(self, X) -> Attention:
        """Return the weights (n_query, n_train) that the heads, blended by their shares, give to training rows."""
        check_is_fitted(self)
        codes = self._training.read(self, X)
        return self._training.give_back(self._attend(self._queries(codes), slice(0, codes.shape[0])))

    def local_models(self, X) -> LocalModels:
        """Return the baseline, the local and the blended model of each query: coefficients, or importances."""
        blend = self._blend(X, self.verbose)
        self._warn(blend.n_failed, blend.value.shape[0])
        index = X.index if isinstance(X, pd.DataFrame) else pd.RangeIndex(blend.design.shape[0])
        frames = Frames(index, self._names(), self._outputs())
        models = Frames(index, self._names(), self._outputs() if self._slopes else None)
        base_coef, mixing = self._base_coef(), blend.mixing[:, None, None]
        coef = (1 - mixing) * base_coef + mixing * blend.local_coef
        link, local_link = (self._problem.family.link_of(value) for value in (blend.value, blend.local))
        at_zero = self._at_zero(link, coef, blend.design), self._at_zero(local_link, blend.local_coef, blend.design)
        return LocalModels(
            prediction=frames.per_output(blend.value, "prediction"),
            link=frames.per_output(link, "link"),
            intercept=frames.per_output(at_zero[0], "intercept"),
            coef=models.per_feature(coef),
            mixing=pd.Series(blend.mixing, index, name="mixing"),
            baseline_prediction=frames.per_output(blend.base, "prediction"),
            local_intercept=frames.per_output(at_zero[1], "intercept"),
            local_coef=models.per_feature(blend.local_coef),
            baseline_intercept=self._base_intercept(frames),
            baseline_coef=pd.Series(base_coef.ravel(), models.columns),
            # what the user does to it must not reach the table that was asked about
            design=pd.DataFrame(blend.design, index, models.features, copy=True),
            slopes=self._slopes,
            models=blend.models,
        )

    def explain(self, X, y=None) -> Explanation:
        """Return what the predictions of ``X`` were made of; with ``y`` also how good they are.

        See :class:`heedful.explain.Explanation`: blended coefficients, the features that drove each prediction, the
        training rows it leaned on, and groups of queries with like models.
        """
        models = self.local_models(X)
        rows, index = self._training, models.coef.index
        codes = rows.read(self, X)
        attention = self._attend(self._queries(codes), slice(0, codes.shape[0]))
        given = rows.give_back(attention)
        losses = (None, None, None) if y is None else self._losses(y, models)
        return Explanation(
            **{name: getattr(models, name) for name in SHARED},
            n_eff=pd.Series(given.n_eff, index, name="n_eff"),
            baseline_prediction=models.baseline_prediction,
            mean=pd.DataFrame(attention @ self._train_design() / rows.weight.mean(), index, models.design.columns),
            attention=given,
            train=rows.response,
            heads=self.heads_,
            y=losses[0],
            loss=losses[1],
            baseline_loss=losses[2],
            task=self._task(),
            context=rows.context(codes, index),
            train_context=rows.given_context(),
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

    def _check_settings(self, groups: Any) -> Settings:
        """Check every argument before any work."""
        raise NotImplementedError

    def _takes_table(self) -> bool:
        """Return whether the models take the table as it was given; otherwise they get categories as numbers."""
        return False

    def _read_response(self, y: Any) -> np.ndarray:
        """Check the response and return it as numbers: one column, or several that say together what happened."""
        raise NotImplementedError

    def _reweigh(self, response: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Return sample weights with what the response adds to them."""
        return weight

    def _given_response(self, response: np.ndarray) -> np.ndarray:
        """Return a response as read in the terms of the user."""
        return response

    def _similarity_response(self, rows: Training) -> np.ndarray:
        """Return what similarities are fitted to."""
        raise NotImplementedError

    def _residuals(self, rows: Training) -> np.ndarray:
        """Return what a baseline that did not see a training row leaves of its response."""
        raise NotImplementedError

    def _task(self) -> str:
        """Return the kind of response, as explanations name it."""
        raise NotImplementedError

    def _query_family(self, y: Any) -> Family:
        """Return what happened to queries, as the loss of the family sees it."""
        raise NotImplementedError

    def _strata(self, rows: Training) -> np.ndarray | None:
        """Return the groups of rows that random folds share out evenly."""
        return None

    def _outputs(self) -> list | None:
        """Return the names of several outputs, None for a single one."""
        return None

    def _fit_baseline(self, rows: Training) -> None:
        """Fit ``baseline_``, the model for all rows."""
        raise NotImplementedError

    def _make_problem(self, rows: Training, seed: np.random.RandomState) -> Problem:
        """Return the local models to fit."""
        raise NotImplementedError

    def _base_unseen(self, rows: Training) -> np.ndarray:
        """Return what baselines that did not see a training row say of it, as blended; NaN where there is none."""
        raise NotImplementedError

    def _base_intercept(self, frames: Frames) -> Any:
        """Return the intercept of the baseline."""
        return np.nan

    def _train_design(self) -> np.ndarray:
        """Return the training rows as numbers to show."""
        return self._training.model_rows(self._training.codes)

    def _at_zero(self, link: np.ndarray, coef: np.ndarray, design: np.ndarray) -> np.ndarray:
        """Return the intercepts with which coefficients give the linear predictor; NaN for importances."""
        if not self._slopes:
            return np.full(link.shape, np.nan)
        return link - np.einsum("qkj,qj->qk", coef, design)

    def _losses(self, y: Any, models: LocalModels) -> tuple[pd.DataFrame, pd.Series, pd.Series]:
        """Return what happened to queries under their labels, and the losses of the blend and of the baseline."""
        family, index = self._query_family(y), models.coef.index
        check_consistent_length(models.design, family.outcome.value)
        blend, plain = (
            pd.Series(family.losses(family.observed(self._as_values(part))).value, index)
            for part in (models.prediction, models.baseline_prediction)
        )
        return as_frame(y, index), blend.rename("loss"), plain.rename("baseline_loss")

    def _as_values(self, prediction: pd.Series | pd.DataFrame) -> np.ndarray:
        """Return predictions as shown as what is blended: two classes are shown by the second."""
        value = np.asarray(prediction).reshape(len(prediction), -1)
        return np.column_stack([1 - value, value]) if self._problem.family.n_values == value.shape[1] + 1 else value

    def _targets(self, rows: Training, similarities: list[Any]) -> list[np.ndarray]:
        """Return what each similarity is fitted to: the response, or what the baseline leaves of it."""
        response = self._similarity_response(rows)
        return [self._residuals(rows) if wants_residuals(entry) else response for entry in similarities]

    def _fit_similarities(self, rows: Training, settings: Settings, seed: np.random.RandomState) -> None:
        """Fit the similarities and set up the heads to try."""
        entries = prepare(settings.similarities, self.n_jobs, seed)
        for entry in entries:
            if hasattr(entry, "bind"):
                entry.bind(rows.seen_names(entry))
        seen: dict[str, np.ndarray] = {}
        self.similarity_ = []
        for entry, target in zip(entries, self._targets(rows, entries), strict=True):
            # those that see the same rows share them
            if entry.takes not in seen:
                seen[entry.takes] = rows.seen_rows(rows.codes, entry)
            self.similarity_.append(entry.fit(seen[entry.takes], target, rows.weight))
        grids = (settings.temperatures, settings.ratios)
        self._grid = make_grid(self.similarity_, *grids, many=settings.many, few=self._few_heads)

    def _choose_shares(self, rows: Training, settings: Settings, seed: np.random.RandomState) -> None:
        """Try every head on rows it has not seen and fit shares; nothing is tried where nothing is to be chosen."""
        self._evidence: Evidence | None = None
        self._calibration: Calibration | None = None
        if self._fixed:
            unknown = np.full(self._grid.n_heads, np.nan)
            self._use(Tuned(np.full(self._grid.n_heads, settings.mixing), unknown, 1.0))
            return
        heads, baseline = self._predict_unseen(rows)
        oof = OutOfFold(heads, baseline, self._problem.family, rows.weight)
        known = np.flatnonzero(np.isfinite(heads).all(axis=1) & np.isfinite(baseline))
        tuned = tune(oof.part(known), settings.many, settings.mixing, seed)
        self._use(tuned)
        if settings.adaptive and tuned.share.any():
            local = heads_alone(oof, tuned.share)
            self._evidence = gather_evidence(baseline, local, oof.family, rows.weight, self.mixing_ / tuned.trust)
        self._keep_unseen(rows, oof, known, tuned.blend)

    def _use(self, tuned: Tuned) -> None:
        """Store shares, errors and trust."""
        self._share, self._error, self.guard_ = tuned[:3]
        self.mixing_ = float(tuned.share.sum())

    def _keep_unseen(self, rows: Training, oof: OutOfFold, known: np.ndarray, blend: np.ndarray) -> None:
        """Keep what intervals need of what the blend says of the rows ``known``, which it did not see."""

    def _predict_unseen(self, rows: Training) -> tuple[np.ndarray, np.ndarray]:
        """Return what heads and a baseline that did not see a training row say of what happened to it."""
        how = {"n_jobs": self.n_jobs, "verbose": self.verbose}
        shared = (self.similarity_, self._grid, self._problem, self._splits)
        if isinstance(self.cv, str):
            heads = predict_out_of_bag(*shared, **how)
        else:
            seen = [rows.seen_rows(rows.codes, entry) for entry in self.similarity_]
            heads = predict_by_folds(*shared, seen, self._targets(rows, self.similarity_), **how)
        return heads, self._problem.family.observed(self._base_unseen(rows))
