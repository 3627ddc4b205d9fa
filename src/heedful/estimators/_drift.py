"""A fitted model that is corrected by recent rows, without refitting (Algorithm 4)."""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import ClassifierTags, RegressorTags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from heedful import _blocks
from heedful._checks import check_weights
from heedful._frames import take
from heedful._models.blocks import Queries, blended_attention, fit_heads
from heedful._models.shift import ShiftProblem, effective_rows
from heedful._solver import importance_of
from heedful._tuning.grid import make_grid
from heedful._tuning.out_of_fold import predict_out_of_bag
from heedful._tuning.shares import OutOfFold
from heedful._tuning.tune import Tuned, tune
from heedful._undo import all_or_nothing
from heedful.attention import Attention, Weighting
from heedful.estimators._drift_report import Corrected, beside, report_drift, residuals
from heedful.estimators._models import Frames
from heedful.estimators._recent import Recent, check_window, read_time
from heedful.estimators._served import ServedModel
from heedful.estimators._settings import check_mixing, check_similarity, check_temperature
from heedful.estimators._sight import Sight
from heedful.estimators._training import as_frame
from heedful.explain import DriftReport, Explanation

# A correction counts as if so many rows more had spoken against it. With 30 a model that has not drifted loses less
# than 1 % to any number of recent rows; with 10 to 20 of them a correction gains about two thirds of what it could.
ROWS_AGAINST = 30.0
# Rows whose leaves are held at a time.
LARGEST = 50_000
# The guard's halves of the rows are always drawn alike.
SEED = 0


def predicts_classes(corrector: "DriftCorrector") -> bool:
    """Return whether the model that is corrected predicts classes; `fit` says what is wrong with one that cannot."""
    try:
        served = getattr(corrector, "_served", None) or ServedModel(corrector.model, needs_leaves=False)
    except (TypeError, ValueError):
        return False
    return served.classes is not None


class DriftCorrector(BaseEstimator):
    """Correct a fitted model by recent labelled rows, without refitting it.

    Each prediction is shifted by how far the model was off for the recent rows that are most like the query: those that
    end in the same leaves of its trees. How many rows count (``temperature``) and how much of the shift is applied
    (``mixing``) is chosen by leaving each recent row out, so that a model that has not drifted is left alone.

    Parameters
    ----------
    model : fitted model
        A booster or forest of scikit-learn, LightGBM, XGBoost or CatBoost, bare boosters and pipelines that end in one
        included; or anything with ``predict`` if ``similarity`` is given. It is read, never changed, never refitted.
    temperature : float, list of float or "auto", default="auto"
        Softmax temperatures to try; lower attends to fewer recent rows. 1.0 is the paper's.
    mixing : float or "auto", default="auto"
        Share of the correction that is applied: 0 is the model as it is, 1 the paper's.
    similarity : str, object, callable or list of them, default=None
        Who is alike: see :class:`heedful.AttentionLasso`. None takes the leaves of the model. Others are fitted to what
        the model leaves unexplained of the recent rows.
    window : int, float, str or Timedelta, default=None
        Recent rows to keep: a whole number counts rows, anything else is a length of ``time`` back from the latest row
        (30.0, "30D"). None keeps all.
    verbose : int, default=0
        1 shows progress.
    n_jobs : int, default=None
        Threads: None is one, -1 all cores. Results do not depend on it.

    Attributes
    ----------
    mixing_, guard_ : float
        Share of the correction, and how far the guard believes in it.
    temperature_ : float
        The temperature chosen.
    heads_ : DataFrame
        One row per temperature tried: its error on the recent rows, each left out, and its share.
    n_recent_ : int
        Recent rows in the window.
    classes_ : ndarray of shape (n_classes,)
        The labels, if the model predicts classes.

    Notes
    -----
    With w the softmax of the scores over the recent rows i, link g (the identity for numbers, log-odds for classes) and
    model f: ``g(prediction) = g(f(x)) + g(sum w_i y_i) - g(sum w_i f(x_i))``, the model plus the weighted mean residual
    for numbers. Predictions, or probabilities, are blended with the model's own by ``mixing``.

    References
    ----------
    Craig, Tibshirani, "Supervised learning pays attention", section 7, Algorithm 4.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.ensemble import GradientBoostingRegressor
    >>> X = np.random.default_rng(0).normal(size=(600, 3))
    >>> before, after = X[:, 0] ** 2, X[:, 0] ** 2 + 2 * (X[:, 1] > 0)
    >>> model = GradientBoostingRegressor(random_state=0).fit(X[:200], before[:200])
    >>> corrector = DriftCorrector(model).fit(X[200:400], after[200:400])
    >>> new = np.mean((corrector.predict(X[400:]) - after[400:]) ** 2)
    >>> bool(new < 0.5 * np.mean((model.predict(X[400:]) - after[400:]) ** 2))
    True
    """

    def __init__(
        self,
        model,
        temperature="auto",
        mixing="auto",
        similarity=None,
        window=None,
        verbose=0,
        n_jobs=None,
    ):
        self.model = model
        self.temperature = temperature
        self.mixing = mixing
        self.similarity = similarity
        self.window = window
        self.verbose = verbose
        self.n_jobs = n_jobs

    @all_or_nothing
    def fit(self, X, y, sample_weight=None, time=None):
        """Take recent rows with what happened to them; choose temperature and mixing."""
        self._check_settings()
        served = ServedModel(self.model, needs_leaves=self.similarity is None)
        return self._learn(served, self._read(served, X, y, sample_weight, time))

    @all_or_nothing
    def update(self, X, y, sample_weight=None, time=None):
        """Add rows, drop those that have left the window, and choose anew: the same as one ``fit`` to them all."""
        check_is_fitted(self)
        self._check_settings()
        return self._learn(self._served, self._recent.add(self._read(self._served, X, y, sample_weight, time)))

    def predict(self, X):
        """Return the corrected prediction of each row; of classes the most probable."""
        value = self._predict(X)
        return value[:, 0] if self._served.classes is None else self.classes_[value.argmax(axis=1)]

    @available_if(predicts_classes)
    def predict_proba(self, X):
        """Return the corrected probability of each class, in the order of ``classes_``."""
        return self._predict(X)

    @available_if(predicts_classes)
    def decision_function(self, X):
        """Return corrected log-odds of the second of two classes, or centred log probabilities of all classes."""
        link = self._problem.family.link_of(self._predict(X))
        return link[:, 0] if link.shape[1] == 1 else link

    def score(self, X, y, sample_weight=None):
        """Return R2 of numbers, accuracy of classes."""
        measure = accuracy_score if predicts_classes(self) else r2_score
        return measure(y, self.predict(X), sample_weight=sample_weight)

    def attention(self, X) -> Attention:
        """Return the weights (n_query, n_recent) of the recent rows in each query's correction."""
        check_is_fitted(self)
        table = self._served.read(X)
        return self._attend(slice(0, len(table)), self._sight.look(table)[1])

    def explain(self, X, y=None) -> Explanation:
        """Return what the corrections of ``X`` were made of; with ``y`` also how good they are.

        See :class:`heedful.explain.Explanation`. ``baseline_prediction`` is the model's own, ``top_rows`` lists the
        recent rows behind a correction with their residuals. Coefficients are the importances of the model's columns.
        """
        check_is_fitted(self)
        table = self._served.read(X)
        index = table.index if isinstance(table, pd.DataFrame) else pd.RangeIndex(len(table))
        base, queries = self._sight.look(table)
        value, attention = self._blend(base, queries), self._attend(slice(0, len(table)), queries)
        frames = Frames(index, self._sight.names, None if base.shape[1] < 3 else list(self.classes_))
        importance = importance_of(self._served.model, self._recent.table)
        coef = pd.DataFrame(np.tile(importance, (len(table), 1)), index, frames.features)
        link = frames.per_output(self._problem.family.link_of(value), "link")
        return Explanation(
            prediction=frames.per_output(value, "prediction"),
            link=link,
            intercept=link * np.nan,
            coef=coef,
            mixing=pd.Series(self.mixing_, index, name="mixing"),
            n_eff=pd.Series(attention.n_eff, index, name="n_eff"),
            baseline_prediction=frames.per_output(base, "prediction"),
            baseline_coef=pd.Series(importance, frames.features),
            local_coef=coef,
            design=pd.DataFrame(self._sight.codes(table), index, frames.features),
            mean=pd.DataFrame(attention @ self._filled_rows(), index, frames.features),
            attention=attention,
            train=beside(self._recent.response, residual=residuals(self._recent)),
            heads=self.heads_,
            task=self._served.task,
            slopes=False,
            **({} if y is None else self._losses(y, index, value, base)),
        )

    def drift_report(self, X=None) -> DriftReport:
        """Return whether the model has drifted on the recent rows, and which queries are corrected.

        Queries are the rows of ``X``, or the recent rows, each corrected by the others. See
        :class:`heedful.explain.DriftReport`.
        """
        check_is_fitted(self)
        rows = self._recent
        everyone = self._sight.recent(rows.base)
        left_out = self._blend(rows.base, everyone)
        if X is None:
            queries = Corrected(rows.table, rows.base, left_out, self._count_rows(everyone))
        else:
            table = self._served.read(X)
            base, seen = self._sight.look(table)
            queries = Corrected(table, base, self._blend(base, seen), self._count_rows(seen))
        tuned = {"temperature": self.temperature_, "mixing": self.mixing_, "trust": self.guard_}
        return report_drift(rows, self._problem.family, left_out, queries, tuned, self.heads_)

    @property
    def heads_(self) -> pd.DataFrame:
        """One row per temperature tried: its error on the recent rows, each left out, and its share."""
        table = self._grid.table(self._sight.similarities, self._error, self._share)
        return table.drop(columns="alpha_ratio")

    def __getstate__(self):
        state = super().__getstate__()
        return state | {"_recent": state["_recent"].frozen()} if "_recent" in state else state

    def __setstate__(self, state):
        super().__setstate__(state | {"_recent": state["_recent"].thawed()} if "_recent" in state else state)

    def __sklearn_clone__(self):
        """Return an unfitted copy around the very same model."""
        settings = self.get_params(deep=False)
        model = settings.pop("model")
        return type(self)(model, **{name: clone(value, safe=False) for name, value in settings.items()})

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.categorical = tags.input_tags.string = True
        if predicts_classes(self):
            tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
        else:
            tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags()
        return tags

    def _check_settings(self) -> None:
        """Check every argument before any work."""
        check_temperature(self.temperature)
        check_mixing(self.mixing, ("auto",))
        check_window(self.window)
        if self.similarity is not None:
            check_similarity(self.similarity, False)

    def _read(self, served: ServedModel, X, y, sample_weight, time) -> Recent:
        """Return rows with what happened to them and what the model says of them."""
        table = served.read(X)
        if y is None:
            raise ValueError("DriftCorrector requires y to be passed, but the target y is None.")
        check_consistent_length(table, y)
        response = served.codes_of(y)
        index = table.index if isinstance(table, pd.DataFrame) else pd.RangeIndex(len(table))
        weight, time = check_weights(sample_weight, len(table)), read_time(time, check_window(self.window), table)
        leaves = served.leaves(table) if self.similarity is None else np.empty((len(table), 0), np.int32)
        return Recent(table, as_frame(y, index), response, weight, time, served.values(table), leaves)

    def _learn(self, served: ServedModel, rows: Recent) -> "DriftCorrector":
        """Choose temperature and mixing on the rows in the window; nothing is stored before all is known."""
        rows = rows.within(check_window(self.window))
        served.notice(rows.base, rows.leaves)
        problem = ShiftProblem(served.family(rows.y), rows.base, rows.weight)
        entries = None if self.similarity is None else check_similarity(self.similarity, False)
        sight = Sight(served, rows, entries, self.n_jobs)
        grid = make_grid(sight.similarities, check_temperature(self.temperature), (1.0,))
        tuned = self._tune(problem, sight, grid)
        self._served, self._recent, self._problem, self._sight, self._grid = served, rows, problem, sight, grid
        self._share, self._error, self.guard_ = tuned[:3]
        self.mixing_, self.n_recent_, self.n_features_in_ = float(tuned.share.sum()), rows.y.size, rows.table.shape[1]
        self.temperature_ = float(self.heads_["temperature"][self._best_head()])
        if served.names is not None:
            self.feature_names_in_ = np.array(served.names, dtype=object)
        if served.classes is not None:
            self.classes_ = served.classes
        return self

    def _tune(self, problem: ShiftProblem, sight: Sight, grid: Any) -> Tuned:
        """Choose a temperature and how far to go, by what each recent row's own correction would have been."""
        mixing = check_mixing(self.mixing, ("auto",))
        if mixing is not None and (grid.n_heads == 1 or mixing == 0):
            return Tuned(np.full(grid.n_heads, mixing), np.full(grid.n_heads, np.nan), 1.0)
        heads = predict_out_of_bag(sight.similarities, grid, problem, [], n_jobs=self.n_jobs, verbose=self.verbose)
        baseline = problem.family.observed(problem.base)
        # the guard's halves must not depend on the order of the rows
        order = np.lexsort(np.column_stack([heads, baseline, problem.family.y]).T)
        oof = OutOfFold(heads, baseline, problem.family, problem.weight).part(order)
        tuned = tune(oof, False, mixing, np.random.RandomState(SEED))
        if mixing is not None:
            return tuned
        n_rows = problem.weight.sum() ** 2 / (problem.weight**2).sum()
        return tuned._replace(share=tuned.share * n_rows / (n_rows + ROWS_AGAINST))

    def _predict(self, X: Any) -> np.ndarray:
        """Return corrected predictions (n_query, 1) or probabilities."""
        check_is_fitted(self)
        table = self._served.read(X)
        parts = []
        for start in range(0, max(len(table), 1), LARGEST):
            part = take(table, slice(start, start + LARGEST))
            parts.append(self._served.values(part) if self.mixing_ == 0 else self._blend(*self._sight.look(part)))
        return np.concatenate(parts)

    def _blend(self, base: np.ndarray, queries: list[Queries]) -> np.ndarray:
        """Return what the model says of queries, and their correction, blended."""
        value, how = (1.0 - self.mixing_) * base, {"n_jobs": self.n_jobs, "verbose": self.verbose}
        parts = zip(
            self._sight.similarities, self._grid.weightings, self._grid.split(self._share), queries, strict=True
        )
        for similarity, weightings, share, rows in parts:
            if share.any():
                used = np.flatnonzero(share)
                heads, some = [weightings[k] for k in used], share[used]
                value += fit_heads(similarity, heads, self._problem, rows, some > 0, some, **how).value
        return value

    def _attend(self, block: slice, queries: list[Queries]) -> Attention:
        """Return the attention of a block of queries over the recent rows, even if no correction is applied."""
        share = np.eye(self._grid.n_heads)[self._best_head()]
        weight = self._recent.weight / self._recent.weight.mean()
        return blended_attention(self._sight.similarities, self._grid, share, weight, queries, block)

    def _best_head(self) -> int:
        """Return the head in use, or the one with the smallest error if none is."""
        return int(np.argmax(self._share) if self._share.any() else np.argmin(np.nan_to_num(self._error)))

    def _count_rows(self, queries: list[Queries]) -> np.ndarray:
        """Return the effective number of recent rows behind each correction, block by block."""
        best = self._best_head()
        which = np.repeat(np.arange(len(queries)), [len(part) for part in self._grid.weightings])[best]
        weighting = [entry for part in self._grid.weightings for entry in part][best]
        similarity, rows = self._sight.similarities[which], queries[which]
        blocks = _blocks.cut(len(rows.x), similarity.bytes_per_query, self.n_jobs)
        shared = (rows, similarity, weighting, self._recent.weight)
        return np.concatenate(
            list(_blocks.run(_count_block, blocks, *shared, n_jobs=self.n_jobs, verbose=self.verbose))
        )

    def _filled_rows(self) -> np.ndarray:
        """Return the recent rows as numbers, missing ones as means."""
        codes = self._sight.codes(self._recent.table)
        known = ~np.isnan(codes)
        means = np.where(known, codes, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
        return np.where(known, codes, means)

    def _losses(self, y: Any, index: pd.Index, value: np.ndarray, base: np.ndarray) -> dict[str, Any]:
        """Return what happened to queries, and the losses of the corrected model and of the model."""
        family = self._served.family(self._served.codes_of(y))
        check_consistent_length(value, family.y)
        own, plain = (pd.Series(family.losses(family.observed(part)).value, index) for part in (value, base))
        return {"y": as_frame(y, index), "loss": own.rename("loss"), "baseline_loss": plain.rename("baseline_loss")}


def _count_block(
    block: slice, queries: Queries, similarity: Any, weighting: Weighting, weight: np.ndarray
) -> np.ndarray:
    return effective_rows(queries.score(block, similarity), weighting, weight)
