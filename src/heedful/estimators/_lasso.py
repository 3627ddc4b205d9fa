"""The attention lasso: one lasso per query, blended with one lasso for all (the paper's Algorithm 2)."""

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from heedful import _blocks
from heedful._checks import check_choice, check_grid, check_number
from heedful._kernels.shapes import Rule
from heedful.attention import Attention
from heedful.baseline import BASELINE_FOLDS, LassoBaseline, check_folds, random_splits
from heedful.estimators._training import Training
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
from heedful.local import warn_unconverged
from heedful.similarity import prepare, resolve

TOL, MAX_ITER = 1e-7, 10_000


class LocalModels(NamedTuple):
    """Models of some queries on the original scale of the columns, indexed like the queries.

    ``prediction`` is ``intercept + (coef * design).sum(axis=1)``. ``design`` holds the queries as the models see them:
    one column per level of a category, missing numbers filled in, far values pulled back.
    """

    prediction: pd.Series
    intercept: pd.Series
    coef: pd.DataFrame
    mixing: pd.Series
    local_intercept: pd.Series
    local_coef: pd.DataFrame
    baseline_intercept: float
    baseline_coef: pd.Series
    design: pd.DataFrame


class AttentionLasso(RegressorMixin, BaseEstimator):
    """Predict each row by a lasso fitted to the training rows that matter for it.

    A similarity learned from the response says which training rows matter; a head turns its scores into weights and
    fits one weighted lasso per query; heads and one lasso for all rows are blended by shares that are fitted to
    predictions of unseen rows. A blend of linear models is a linear model, so every query has one intercept and one
    coefficient vector.

    Parameters
    ----------
    heads : {"multi", "single"}, default="multi"
        Blend many heads, or choose the best one as in the paper.
    similarity : str, object, callable or list of them, default="forest"
        "forest", an object of :mod:`heedful.similarity`, a scikit-learn forest, or a function
        ``(X_query, X_train) -> scores``.
    temperature : float, list of float or "auto", default="auto"
        Softmax temperatures to try; lower attends to fewer rows. "auto" tries a grid and two weightings without one.
    alpha : float or "auto", default="auto"
        The baseline's lasso penalty; "auto" cross-validates it.
    alpha_ratio : float, list of float or "auto", default="auto"
        Local penalty divided by the baseline's; infinity makes the local model a weighted mean.
    mixing : float, "auto" or "adaptive", default="auto"
        Total share of the heads: fixed, fitted, or one per query.
    similarity_features, model_features : list, callable or None, default=None
        Columns that the similarity sees, and columns that baseline and local models use; None means all.
    cv : "oob", int, splitter or iterable, default="oob"
        How unseen rows are predicted for tuning: out of bag, or by folds as in the paper.
    max_extrapolation : float or None, default=0.5
        How far outside the range of what it was fitted to a linear model may go, in widths of that range: a query's
        value outside its column's training range, a local prediction outside the responses attended to (the range
        being two standard deviations to each side). Farther ones are pulled back. None sets no limit.
    verbose : int, default=0
        1 shows progress.
    n_jobs : int, default=None
        Threads, as in scikit-learn: None is one, -1 all cores. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of forests and folds.

    Attributes
    ----------
    baseline_ : LassoBaseline
        The lasso for all rows.
    similarity_ : list
        The fitted similarities.
    alpha_ : float
        The baseline's penalty.
    heads_ : DataFrame
        One row per head tried: similarity, weighting, temperature, alpha ratio, its error on unseen rows, its share.
    mixing_ : float
        Total share of the heads.
    trust_ : float
        Share of the fitted blend that the guard let through.

    References
    ----------
    Craig and Tibshirani, "Supervised learning pays attention", arXiv 2512.09912.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(2)
    >>> X = rng.normal(size=(200, 3))
    >>> y = np.where(X[:, 0] > 0, 3, -3) * X[:, 1] + 0.1 * rng.normal(size=200)
    >>> model = AttentionLasso(random_state=0).fit(X, y)
    >>> X_new = rng.normal(size=(100, 3))
    >>> y_new = np.where(X_new[:, 0] > 0, 3, -3) * X_new[:, 1]
    >>> bool(model.score(X_new, y_new) > 0.5 > model.baseline_.score(X_new, y_new))
    True
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
        settings = self._check_settings(groups)
        keep_rows = any(getattr(entry, "keeps_rows", False) for entry in settings.similarities)
        rows = Training(self, X, y, sample_weight, groups, keep_rows=keep_rows)
        seed = check_random_state(self.random_state)
        with _blocks.one_blas_thread():
            self._fit_parts(rows, settings, seed)
            self._choose_shares(rows, settings, seed)
        return self

    def predict(self, X):
        """Return one prediction per row of ``X``."""
        check_is_fitted(self)
        codes = self._training.read(self, X)
        with _blocks.one_blas_thread():
            design = self._training.model_rows(codes, self.max_extrapolation)
            base = self.baseline_.intercept_ + design @ self.baseline_.coef_
            local = self._local(codes, design)
            mixing = self._mix(codes, design)
        return (1 - mixing) * base + mixing * (local[0] + (local[1] * design).sum(axis=1))

    def attention(self, X) -> Attention:
        """Return the weights (n_query, n_train) that the heads, blended by their shares, give to training rows."""
        check_is_fitted(self)
        codes = self._training.read(self, X)
        queries = self._queries(codes, self._training.model_rows(codes, self.max_extrapolation))
        return self._training.give_back(self._attend(queries, slice(0, codes.shape[0])))

    def local_models(self, X) -> LocalModels:
        """Return intercepts and coefficients of the baseline, the local and the blended model of each query."""
        check_is_fitted(self)
        codes = self._training.read(self, X)
        index = X.index if isinstance(X, pd.DataFrame) else pd.RangeIndex(codes.shape[0])
        design = self._training.model_rows(codes, self.max_extrapolation)
        intercept, coef = self._local(codes, design)
        mixing = self._mix(codes, design)
        base, base_coef = self.baseline_.intercept_, self.baseline_.coef_
        blend = (1 - mixing) * base + mixing * intercept
        blend_coef = (1 - mixing)[:, None] * base_coef + mixing[:, None] * coef
        names = self._training.names
        return LocalModels(
            prediction=pd.Series(blend + (blend_coef * design).sum(axis=1), index, name="prediction"),
            intercept=pd.Series(blend, index, name="intercept"),
            coef=pd.DataFrame(blend_coef, index, names),
            mixing=pd.Series(mixing, index, name="mixing"),
            local_intercept=pd.Series(intercept, index, name="intercept"),
            local_coef=pd.DataFrame(coef, index, names),
            baseline_intercept=base,
            baseline_coef=pd.Series(base_coef, names),
            design=pd.DataFrame(design, index, names),
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def _check_settings(self, groups: Any) -> "_Settings":
        """Check every argument before any work."""
        many = check_choice("heads", self.heads, ("multi", "single")) == "multi"
        hint = "Try values between 0.03 and 1."
        temperatures = None if _is(self.temperature, "auto") else check_grid("temperature", self.temperature, hint)
        hint = "1.0 is the paper's shared penalty."
        ratios = None if _is(self.alpha_ratio, "auto") else check_grid("alpha_ratio", self.alpha_ratio, hint)
        if not _is(self.alpha, "auto"):
            check_number("alpha", self.alpha, 0.0, np.inf, hint="Or use 'auto'.")
        mixing = None
        if isinstance(self.mixing, str):
            check_choice("mixing", self.mixing, ("auto", "adaptive"))
        else:
            mixing = check_number("mixing", self.mixing, 0.0, 1.0, hint="Or use 'auto' or 'adaptive'.")
        if self.max_extrapolation is not None:
            check_number("max_extrapolation", self.max_extrapolation, 0.0, np.inf, hint="None sets no limit.")
        check_folds(self.cv, groups)
        return _Settings(many, resolve(self.similarity, many), temperatures, ratios, mixing)

    def _fit_parts(self, rows: Training, settings: "_Settings", seed: np.random.RandomState) -> None:
        """Fit the baseline and the similarities, and set up the local problems."""
        self._training = rows
        n_folds = int(self.cv) if isinstance(self.cv, Integral) else BASELINE_FOLDS
        splits = rows.splits or random_splits(rows.y.size, n_folds, seed)
        design = rows.model_rows(rows.codes)
        self.baseline_ = LassoBaseline(self.alpha, tol=TOL, n_jobs=self.n_jobs)
        self.baseline_.fit(rows.labelled(design), rows.y, rows.weight, splits=splits)
        self._splits, self.alpha_ = splits, self.baseline_.alpha_
        similarities = prepare(settings.similarities, self.n_jobs, seed)
        response = rows.unit_response()
        self.similarity_ = [
            entry.fit(rows.seen_rows(rows.codes, entry), response, rows.weight) for entry in similarities
        ]
        self._grid = make_grid(self.similarity_, settings.temperatures, settings.ratios)
        scale = self.baseline_.scale_
        rule = Rule(scale.pad(np.ones(design.shape[1])), False, self.baseline_.start_, TOL, MAX_ITER, self._reach)
        finite = np.isfinite(self._grid.ratios)
        penalties = np.where(finite, np.where(finite, self._grid.ratios, 0.0) * self.alpha_ / scale.y_unit, np.inf)
        self._problem = Problem(self.baseline_.table_, rule, penalties)

    def _choose_shares(self, rows: Training, settings: "_Settings", seed: np.random.RandomState) -> None:
        """Try every head on rows it has not seen and fit shares; nothing is tried where nothing is to be chosen."""
        self._evidence: Evidence | None = None
        fixed = settings.mixing is not None and (self._grid.n_heads == 1 or settings.mixing == 0)
        if fixed:
            unknown = np.full(self._grid.n_heads, np.nan)
            tuned = Tuned(np.full(self._grid.n_heads, settings.mixing), unknown, 1.0)
        else:
            heads, baseline = self._predict_unseen(rows)
            outside = Outside(heads, baseline, rows.y, rows.weight)
            known = np.isfinite(heads).all(axis=1) & np.isfinite(outside.baseline)
            tuned = tune(outside.part(known), settings.many, settings.mixing, seed)
            if _is(self.mixing, "adaptive") and tuned.share.any():
                blend = blended(outside._replace(baseline=np.zeros(rows.y.size)), tuned.share / tuned.share.sum())
                self._evidence = gather_evidence(outside.baseline, blend, rows.y, rows.weight)
        self._share, self.trust_ = tuned.share, tuned.trust
        self.mixing_ = float(tuned.share.sum())
        self.heads_ = self._grid.table(self.similarity_, tuned.error, tuned.share)

    def _predict_unseen(self, rows: Training) -> tuple[np.ndarray, np.ndarray]:
        """Return predictions of every training row by heads and by a baseline that did not see it."""
        scale, how = self.baseline_.scale_, {"n_jobs": self.n_jobs, "verbose": self.verbose}
        if isinstance(self.cv, str):
            scaled = predict_out_of_bag(self.similarity_, self._grid, self._problem, **how)
            baseline = self.baseline_.predict_left_out()
        else:
            seen = [rows.seen_rows(rows.codes, entry) for entry in self.similarity_]
            starts = self.baseline_.fold_starts_
            scaled = predict_by_folds(self.similarity_, self._grid, self._problem, self._splits, starts, seen, **how)
            baseline = self.baseline_.fold_prediction_
        return scale.y_center + scale.y_unit * scaled, baseline

    def _local(self, codes: np.ndarray, design: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the heads' blended intercepts and coefficients; those of the baseline if no head is used."""
        scale = self.baseline_.scale_
        if self.mixing_ == 0:
            base = self.baseline_
            return np.full(codes.shape[0], base.intercept_), np.tile(base.coef_, (codes.shape[0], 1))
        x = scale.rows(design)
        intercept, coef, n_failed = np.zeros(x.shape[0]), np.zeros(x.shape), 0
        shares = self._grid.split(self._share / self.mixing_)
        problem = self._problem._replace(rule=self._problem.rule._replace(reach=self._reach))
        for similarity, weightings, share in zip(self.similarity_, self._grid.weightings, shares, strict=True):
            if share.any():
                queries = Queries(x, seen=self._training.seen_rows(codes, similarity))
                how = {"n_jobs": self.n_jobs, "verbose": self.verbose}
                fits = fit_heads(similarity, weightings, problem, queries, share > 0, share, **how)
                intercept += fits.intercept
                coef += fits.coef
                n_failed += fits.n_failed
        warn_unconverged(n_failed, codes.shape[0] * int((self._share > 0).sum()), MAX_ITER)
        slope = scale.original(coef)
        return scale.y_center + scale.y_unit * intercept - slope @ scale.center, slope

    def _mix(self, codes: np.ndarray, design: np.ndarray) -> np.ndarray:
        """Return the heads' share for each query."""
        if self._evidence is None:
            return np.full(codes.shape[0], self.mixing_)
        shared = (self, self._queries(codes, design), self._evidence)
        blocks = _blocks.cut(codes.shape[0], 24 * self._training.y.size, self.n_jobs)
        return np.concatenate(list(_blocks.run(_mix_block, blocks, *shared, n_jobs=self.n_jobs)))

    @property
    def _reach(self) -> float:
        """How far from the mean response it attends to a head may predict, in standard deviations."""
        return np.inf if self.max_extrapolation is None else 2.0 + 4.0 * self.max_extrapolation

    def _queries(self, codes: np.ndarray, design: np.ndarray) -> list[Queries]:
        """Return the rows once for each similarity."""
        x = self.baseline_.scale_.rows(design)
        return [Queries(x, seen=self._training.seen_rows(codes, entry)) for entry in self.similarity_]

    def _attend(self, queries: list[Queries], block: slice) -> Attention:
        """Return the blended attention over distinct training rows."""
        prior = self._problem.table.prior
        return blended_attention(self.similarity_, self._grid, self._share, prior, queries, block)


class _Settings(NamedTuple):
    """Checked arguments; None stands for "auto"."""

    many: bool
    similarities: list[Any]
    temperatures: tuple[float, ...] | None
    ratios: tuple[float, ...] | None
    mixing: float | None


def _is(value: Any, word: str) -> bool:
    return isinstance(value, str) and value == word


def _mix_block(block: slice, model: AttentionLasso, queries: list[Queries], evidence: Evidence) -> np.ndarray:
    return adapt(model._attend(queries, block), evidence, model.mixing_)
