"""A fitted model that is corrected by recent rows, without refitting (Algorithm 4)."""

from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from heedful import _blocks
from heedful._checks import check_weights
from heedful._flow import (
    BlockPrediction,
    Columns,
    FittedAttention,
    GivenRows,
    QueryBatch,
    Seeds,
    Settings,
    TrainingTable,
    Wanted,
    as_frame,
    check_columns,
    check_mixing,
    check_temperature,
    fit_heads,
    known_attention,
)
from heedful._models.recent import Recent, check_window, read_time
from heedful._models.served import ServedModel
from heedful._models.shift import FittedShift, effective_rows
from heedful._undo import all_or_nothing
from heedful.estimators._classifier import ClassifierMethods
from heedful.estimators._drift_report import Corrected, Periods, report_drift
from heedful.estimators._drift_similarity import LEAVES, check_similarities, choose_similarities
from heedful.estimators._drift_tests import FEWEST, compare_periods
from heedful.explain import DriftReport
from heedful.similarity import Similarity


@dataclass(eq=False, repr=False)
class DriftCorrector(ClassifierMethods):
    """Correct a fitted model by recent labelled rows, without refitting it.

    Each prediction is shifted by the mean residual of recent rows similar to the query: rows in the same leaves of the
    model's trees, or of a forest grown on its residuals. The weight of each similarity, the number of rows used
    (``temperature``) and the share of the shift that is applied (``mixing``) are tuned by leaving out one recent row at
    a time, so a model that has not drifted is left unchanged.

    Parameters
    ----------
    estimator : fitted model
        A booster or forest of scikit-learn, LightGBM, XGBoost or CatBoost, bare boosters and pipelines that end in one
        included; or anything with ``predict``. It is read, but never changed or refitted.
    similarity : str, object, callable or list of them, default=None
        Similarity of rows. "leaves" uses the model's own leaves, as in the paper; others are fitted to the residuals of
        the recent rows, see :class:`heedful.AttentionLasso`. Several are blended. None uses
        ``["leaves", ForestProximity(200)]``, or the forest alone for a model without leaves.
    temperature : float, list of float or "auto", default="auto"
        Softmax temperatures to try; lower attends to fewer recent rows. 1.0 is the paper's.
    mixing : float or "auto", default="auto"
        Share of the correction that is applied: 0 is the uncorrected model, 1 the paper's correction.
    window : int, float, str or Timedelta, default=None
        Recent rows to keep: a whole number counts rows, anything else is a length of ``time`` back from the latest row
        (30.0, "30D"). None keeps all.
    verbose : int, default=0
        1 shows progress.
    n_jobs : int, default=None
        Threads: None is one, -1 all cores. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of all random draws. ``fit`` draws from it and ``update`` keeps the result, so the same rows give the same
        correction in any order of updates; None draws a new seed in each ``fit``.

    Attributes
    ----------
    mixing_, guard_ : float
        Share of the correction that is applied, and how much of the fitted share the guard kept.
    temperature_ : float
        Temperature of the head with the largest share; NaN if its weighting has none.
    heads_ : DataFrame
        One row per similarity and temperature tried: its leave-one-out error on the recent rows, and its share.
    n_recent_ : int
        Recent rows in the window.
    classes_ : ndarray of shape (n_classes,)
        The labels, if the model predicts classes.

    Notes
    -----
    With w the softmax of the scores over the recent rows i, link g (the identity for regression, log-odds for
    classification) and model f: ``g(prediction) = g(f(x)) + g(sum w_i y_i) - g(sum w_i f(x_i))``. For regression this
    is the model plus the weighted mean residual. Predictions, or probabilities, are blended with those of the model by
    ``mixing``. For boosters with a Poisson, Gamma or Tweedie loss, and for :class:`heedful.AttentionGLM`, g is the
    logarithm, so the correction is a factor, and rows are weighted by the variance function of their family.

    References
    ----------
    Craig, Tibshirani, "Supervised learning pays attention", section 8, Algorithm 4.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.ensemble import GradientBoostingRegressor
    >>> X = np.random.default_rng(0).normal(size=(600, 3))
    >>> before, after = X[:, 0] ** 2, X[:, 0] ** 2 + 2 * (X[:, 1] > 0)
    >>> model = GradientBoostingRegressor(random_state=0).fit(X[:200], before[:200])
    >>> corrector = DriftCorrector(model, random_state=0).fit(X[200:400], after[200:400])
    >>> new = np.mean((corrector.predict(X[400:]) - after[400:]) ** 2)
    >>> bool(new < 0.5 * np.mean((model.predict(X[400:]) - after[400:]) ** 2))
    True
    """

    estimator: Any
    _: KW_ONLY
    similarity: Any = None
    temperature: Any = "auto"
    mixing: Any = "auto"
    window: Any = None
    verbose: int = 0
    n_jobs: int | None = None
    random_state: Any = None

    @all_or_nothing
    def fit(self, X, y, sample_weight=None, time=None) -> Self:
        """Tune similarity, temperature and mixing on recent rows.

        Parameters
        ----------
        X : array-like of shape (n_recent, n_features)
            Recent rows, with the columns that the model was fitted on.
        y : array-like of shape (n_recent,)
            Their response.
        sample_weight : array-like of shape (n_recent,), default=None
            Weights of the rows.
        time : array-like of shape (n_recent,), default=None
            Time of each row: dates or numbers, for a ``window`` of time. None uses the index of a frame that is indexed
            by dates.

        Returns
        -------
        self : the fitted estimator
        """
        settings = self._check_settings()
        served = ServedModel(self.estimator, needs_leaves=LEAVES in settings.similarities)
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        recent = self._read_recent(served, X, y, sample_weight, time, self.window)
        return self._learn(served, recent, seed, settings)

    @all_or_nothing
    def update(self, X, y, sample_weight=None, time=None) -> Self:
        """Add rows, drop rows outside the window, and tune again.

        The result equals one ``fit`` to all these rows, and the parameters are those of
        :meth:`heedful.DriftCorrector.fit`.

        Returns
        -------
        self : the fitted estimator
        """
        check_is_fitted(self)
        shift = self._shift
        settings = self._check_settings()
        new = self._read_recent(shift.served, X, y, sample_weight, time, self.window)
        self._fitted.rows.check(new.table)
        return self._learn(shift.served, shift.recent.add(new), shift.seed, settings)

    def drift_report(self, X=None, *, reference=None) -> DriftReport:
        """Report what has drifted, and which queries are corrected.

        Parameters
        ----------
        X : array-like of shape (n_query, n_features), default=None
            Queries; None uses the recent rows, each corrected by the others.
        reference : tuple (X, y) or (X, y, sample_weight), default=None
            At least 40 rows from the time of training with their response, on which the model was not trained: a
            calibration set, or the first rows after deployment. Without them drift cannot be distinguished from a model
            that never fitted well.

        Returns
        -------
        DriftReport
            Tests, errors and corrections.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.linear_model import LinearRegression
        >>> rng = np.random.default_rng(0)
        >>> X, noise = rng.normal(size=(400, 2)), rng.normal(size=400)
        >>> bent = X[:, 0] + X[:, 1] ** 2 + noise
        >>> model = LinearRegression().fit(X[:100], bent[:100])
        >>> reference = X[100:250], bent[100:250]
        >>> corrector = DriftCorrector(model, random_state=0)
        >>> corrector.fit(X[250:], bent[250:]).drift_report(reference=reference).finding
        'improvable anywhere'
        >>> moved = corrector.fit(X[250:], bent[250:] - 2 * X[250:, 0]).drift_report(reference=reference)
        >>> moved.finding
        'relation moved'
        >>> moved.columns[["effect_before", "effect_after"]].round(1).loc["x0"].tolist()
        [0.8, -1.2]
        """
        fitted, shift = self._fitted, self._shift
        known = None if reference is None else self._read_reference(reference)
        rows, base = fitted.rows, shift.base
        everyone = fitted.left_out(np.arange(len(base)))
        everyone = everyone._replace(view=everyone.view._replace(x=base, base=base))
        recent = shift.recent.part(rows.given)
        left_out = rows.give_rows(fitted.predict(everyone, Wanted(), self._run).value)
        if X is None:
            n_eff = rows.give_rows(self._count_rows(everyone))
            queries = Corrected(recent.table, recent.base, left_out, n_eff)
        else:
            table = self._read(X)
            batch = fitted.read(table)
            corrected = fitted.predict(batch, Wanted(), self._run).value
            queries = Corrected(table, batch.view.base, corrected, self._count_rows(batch))
        tuned = {"temperature": self.temperature_, "mixing": self.mixing_, "guard": self.guard_}
        with _blocks.one_blas_thread():
            compared = compare_periods(recent, known, shift.seed, self.n_jobs)
        return report_drift(recent, shift.response, left_out, queries, tuned, self.heads_, Periods(known, *compared))

    @property
    def heads_(self) -> pd.DataFrame:
        """The heads that were tried: leave-one-out error on recent rows, and share."""
        return self._model.heads_table().drop(columns="alpha_ratio")

    @property
    def temperature_(self) -> float:
        """The temperature of the head with the largest share, or NaN without one."""
        return float(self.heads_["temperature"][self._model.best_head])

    @property
    def n_recent_(self) -> int:
        """Recent rows in the window."""
        return self._shift.recent.y.size

    def __sklearn_clone__(self) -> Self:
        """Return an unfitted copy around the very same model."""
        settings = self.get_params(deep=False)
        served = settings.pop("estimator")
        return type(self)(served, **{name: clone(value, safe=False) for name, value in settings.items()})

    def _predicts(self) -> str:
        """Return what the model is; `fit` says what is wrong with one that cannot be read."""
        try:
            fitted = self.__sklearn_is_fitted__()
            served = self._shift.served if fitted else ServedModel(self.estimator, needs_leaves=False)
        except (TypeError, ValueError):
            return "regressor"
        return served.response.estimator_type or "regressor"

    def _has_intervals(self) -> bool:
        return False

    def _read(self, X: Any) -> pd.DataFrame | np.ndarray:
        table = self._shift.served.read(X)
        if table.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {table.shape[1]} features, but DriftCorrector is expecting {self.n_features_in_} features as "
                "input. Give it the columns of the recent rows."
            )
        self._fitted.rows.check(table)
        return table

    @property
    def _shift(self) -> FittedShift:
        """The model as it is served, with the recent rows."""
        models = self._model.models
        if not isinstance(models, FittedShift):
            raise TypeError(f"DriftCorrector holds no served model, got {models!r}.")
        return models

    def _check_settings(self) -> Settings:
        """Check every argument before any work."""
        check_window(self.window)
        check_random_state(self.random_state)
        similarities = [] if self.similarity is None else check_similarities(self.similarity)
        temperatures, mixing = check_temperature(self.temperature), check_mixing(self.mixing, ("auto",))
        return Settings(similarities, temperatures, (1.0,), mixing, intervals=False)

    def _read_reference(self, reference: Any) -> Recent:
        """Return rows of the model's own time, those of positive weight."""
        if not isinstance(reference, tuple | list) or len(reference) not in (2, 3):
            raise TypeError(
                "`reference` must be a tuple (X, y) or (X, y, sample_weight), rows that the model was not trained on, "
                f"got {type(reference).__name__}."
            )
        X, y, weight = (*reference, None)[:3]
        known, recent = self._read_recent(self._shift.served, X, y, weight, None, None), self._shift.recent
        self._fitted.rows.check(known.table)
        if np.array_equal(known.y, recent.y) and np.array_equal(known.base, recent.base):
            raise ValueError(
                "`reference` must be rows of the time that the model was trained in, got the recent rows themselves."
            )
        known = known.part(np.flatnonzero(known.weight))
        if known.y.size < FEWEST:
            raise ValueError(
                f"`reference` must have at least {FEWEST} rows with a positive weight, got {known.y.size}. Give more, "
                "or leave `reference` out: drift is then not tested."
            )
        return known

    def _read_recent(self, served: ServedModel, X: Any, y: Any, sample_weight: Any, time: Any, window: Any) -> Recent:
        """Return rows with their response and what the model predicts of them."""
        table = served.read(X)
        if y is None:
            raise ValueError("DriftCorrector requires y to be passed, but the target y is None.")
        check_consistent_length(table, y)
        encoded = served.response.encode(y)
        index = table.index if isinstance(table, pd.DataFrame) else pd.RangeIndex(len(table))
        weight, when = check_weights(sample_weight, len(table)), read_time(time, check_window(window), table)
        by_leaves = any(entry.takes == LEAVES for entry in choose_similarities(self.similarity, served))
        leaves = served.leaves(table) if by_leaves else np.empty((len(table), 0), np.int32)
        return Recent(table, as_frame(y, index), encoded, weight, when, served.values(table), leaves)

    def _learn(self, served: ServedModel, recent: Recent, seed: int, settings: Settings) -> Self:
        """Tune similarity and mixing on the rows in the window; nothing is stored before all is known."""
        recent = recent.within(check_window(self.window))
        served.notice(recent.base, recent.leaves)
        similarities = choose_similarities(self.similarity, served)
        by_rows = any(entry.takes != LEAVES for entry in similarities)
        models = FittedShift(_recent_table(recent, similarities, by_rows), served, recent, by_rows=by_rows, seed=seed)
        settings = settings._replace(similarities=similarities, many=len(similarities) > 1)
        check_columns(models.rows, settings.similarities)
        seeds = Seeds(np.random.RandomState(seed), np.random.RandomState(seed))
        self._model = fit_heads(models, settings, [], seeds, self._run)
        self.n_features_in_ = recent.table.shape[1]
        if served.names is not None:
            self.feature_names_in_ = np.array(served.names, dtype=object)
        return self

    def _count_rows(self, batch: QueryBatch) -> np.ndarray:
        """Return the effective number of recent rows behind each correction, block by block."""
        fitted = self._fitted
        if np.count_nonzero(fitted.tuned.share) > 1:
            return fitted.predict(batch, Wanted(models=False, summary=_effective_rows), self._run).summary
        # one head alone needs no attention of all pairs
        groups = fitted.grid.groups
        heads = [(number, weighting) for number, group in enumerate(groups) for weighting in group.weightings]
        number, weighting = heads[fitted.best_head]
        blocks = _blocks.cut(batch.size, groups[number].similarity.bytes_per_query, self.n_jobs)
        count = partial(_count_block, batch=batch, number=number, fitted=fitted, weighting=weighting)
        return np.concatenate(list(_blocks.run(count, blocks, n_jobs=self.n_jobs, verbose=self.verbose)))


def _recent_table(recent: Recent, similarities: list[Similarity], by_rows: bool) -> TrainingTable:
    """Return recent rows as a training table, each a row of its own; similarities by leaves alone need no columns."""
    columns = np.arange(recent.table.shape[1] if by_rows else 0)
    given = GivenRows(np.ones(len(recent.y)), [])
    parts: tuple = (recent.table, recent.y, recent.weight, recent.response, Columns(columns, columns), given)
    # a similarity that was handed in fitted knows its rows by their numbers
    return TrainingTable(*parts, merge=False, keep_rows=any(entry.keeps_rows for entry in similarities), told=by_rows)


def _count_block(block: slice, batch: QueryBatch, number: int, fitted: FittedAttention, weighting: Any) -> np.ndarray:
    rows = fitted.grid.groups[number].score(batch.block(number, block))
    return effective_rows(rows, weighting, fitted.problem.weight)


def _effective_rows(block: BlockPrediction) -> np.ndarray:
    return known_attention(block).n_eff
