"""``Explanation``: the models and the rows behind some predictions."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from heedful._checks import check_number
from heedful._optional import import_optional
from heedful._show import Sketch
from heedful.explain._attribution import shows_factors
from heedful.explain._calibration import calibrate, trace_lift
from heedful.explain._cells import numbers_or_codes
from heedful.explain._clusters import Clusters
from heedful.explain._columns import (
    attributed,
    list_features,
    list_terms,
    read_contributions,
    summarise_columns,
)
from heedful.explain._errors import say_change
from heedful.explain._explained import Explained
from heedful.explain._find import find_query, which_output
from heedful.explain._grouping import group_queries
from heedful.explain._measures import read_predicted
from heedful.explain._overview import page, sketch
from heedful.explain._query import ExplainedQuery, explain_query
from heedful.explain._rows import compare_columns, list_cells, list_rows
from heedful.explain._stability import compare_neighbours


@dataclass(frozen=True, repr=False)
class Explanation(Explained):
    """Hold the models and the rows behind some predictions, as tables.

    Made by ``explain(X, y=None)`` of an estimator; tables are indexed like the queries. A column has a *contribution*,
    its share of the difference from the mean prediction (:meth:`contributions`); an *effect*, what the prediction does
    when the value changes (``effect``); and a *coefficient*, that of the blended local lassos (``lasso_coef``), which
    is shrunk and is no slope of the prediction.

    The model of a query is small: ``link`` is ``intercept + (coef * design).sum(axis=1)``, the prediction itself for
    numbers and survival, log-odds for two classes. With more classes ``prediction``, ``link``, ``intercept`` and
    ``start`` have one column for each, and ``coef``, ``terms``, ``effect`` and ``lasso_coef`` two levels of columns,
    class and feature.

    Parameters
    ----------
    prediction, link, intercept : Series or DataFrame
        Per query.
    coef : DataFrame
        Slopes of the small models, fitted to predictions around the query, by column of the table: few are not 0.
    design : DataFrame
        Queries as small models take them: numbers as they are, dates in days since 1970, 1 for a category or a missing
        number.
    mixing, n_eff : Series
        Share of the heads, and effective number of training rows attended to.
    baseline_prediction : Series or DataFrame
        Prediction of the model for all rows.
    baseline_coef : Series
        Coefficients of the model for all rows. With curves they are the lasso's times its share; ``effect`` of
        ``curves`` is the rest.
    local_coef : DataFrame
        Coefficients of the heads' blend alone.
    lasso_intercept, lasso_coef : Series or DataFrame
        Local lassos, blended with each other and with the model for all rows. ``link`` is
        ``lasso_intercept + (lasso_coef * lasso_design + shape).sum(axis=1)``.
    lasso_design, mean : DataFrame
        Queries as lassos take them, with a column for each level of a category, and the attention-weighted mean of the
        training rows for each query.
    attention : Attention
        Weights (n_query, n_train) of the training rows.
    train : DataFrame
        Responses of the training rows, under their own labels.
    heads : DataFrame
        The heads that were tried: weighting, penalty, error on unseen rows, share.
    values : DataFrame
        Queries as they were given.
    sources : Series
        The column of ``values`` that each column of the design comes from.
    y, loss, baseline_loss : Series or None, default=None
        Responses of the queries, and the losses of both predictions, if they are known.
    task : str, default="regression"
        Kind of response: "regression", "binary", "multiclass", "survival", "poisson", "gamma" or "tweedie".
    words : Words or None, default=None
        What people call the response, its prediction, the scale of the link and the error.
    slopes : bool, default=True
        Whether models are linear. If not, coefficients are importances, of sum one, and intercepts NaN.
    context, train_context : DataFrame or None, default=None
        Columns that the similarity sees and the models do not, of the queries and of the training rows.
    multiple : Series, DataFrame or None, default=None
        How much of the additive model is in each query's model: 0 is a line, 1 the additive model itself.
    shape : DataFrame or None, default=None
        What that adds for each feature (of a category at the query's level); None without shapes.
    curves : DataFrame or None, default=None
        Curves piece by piece: feature, ends or level, weight of the training rows there, and what the piece adds to
        the linear predictor of the model for all rows (``effect``) and of the additive model (``curve``).
    train_values : DataFrame or None, default=None
        The training rows as they were given; None if the model does not know them.
    start, terms : Series or DataFrame, default=None
        The small model from its reference: ``start`` and all ``terms``, slopes times distances from the reference, add
        up to the link.
    reference : DataFrame, default=None
        Where terms start: the mean of a number, the level of a category that it is compared with.
    fidelity : Series, default=None
        Share of the variation of predictions around the query that its small model has.
    effect : DataFrame, default=None
        What the link does when a column changes, per unit; NaN beyond the 16 most important columns. None, as
        ``start`` to ``fidelity``, where models have no slopes.
    ask, tell_effects, tell_survival : callable, default=None
        What :meth:`what_if`, :meth:`effects` and :meth:`calibration` of survival ask.
    attribution : callable, default=None
        What contributions are read from; worked out at the first call.
    offset : Series or None, default=None
        What is added to the link of each query before it is a prediction: the logarithm of its exposure.
    local_name : str, default=""
        What the local models are, such as "weighted lassos, one Newton step from the global model".
    seen : Series or None, default=None
        Whether a query equals a training row in all columns: its error is in-sample.
    loss_error : float or None, default=None
        Standard error of the difference between the means of ``baseline_loss`` and ``loss``; infinite for fewer than
        ten queries.
    held_out : HeldOutPredictions or None, default=None
        What models that did not see a training row predict of it.
    null_loss : Series or None, default=None
        Losses of an estimate without columns: of survival those of the Kaplan-Meier curve of the training rows.

    Examples
    --------
    >>> import numpy as np
    >>> from heedful import AttentionLasso
    >>> X = np.random.default_rng(0).normal(size=(80, 3))
    >>> e = AttentionLasso(random_state=0).fit(X, X[:, 0] * np.sign(X[:, 1])).explain(X[:5])
    >>> e.top_features(1).shape, e.top_rows(2).shape
    ((5, 6), (10, 3))
    >>> bool(np.allclose(e.base_value + e.contributions().sum(axis=1), e.link))
    True
    """

    @property
    def base_value(self) -> float | pd.Series:
        """Mean of the link over training rows, where contributions start."""
        base = attributed(self).base
        return float(base[0]) if self.outputs is None else pd.Series(base, self.outputs, name="base_value")

    @property
    def standard_error(self) -> pd.DataFrame | None:
        """Standard errors of contributions, with ``method="shapley"``."""
        error, columns = attributed(self).error, self.values.columns
        if error is None:
            return None
        if self.outputs is not None:
            columns = pd.MultiIndex.from_product([self.outputs, columns], names=["class", "feature"])
        return pd.DataFrame(error.reshape(len(error), -1), self.index, columns)

    @property
    def contributions_checked(self) -> pd.Series:
        """Whether contributions pass a check, which misses some."""
        checked = attributed(self).checked
        return pd.Series(True if checked is None else checked, self.index, name="contributions_checked")

    def contributions(
        self, output: Any = None, part: str = "all", *, levels: bool = False, scale: str = "link"
    ) -> pd.DataFrame:
        """Return what each column adds to the prediction, from the overall mean.

        These are Shapley values on the scale of the link: ``base_value`` and all of them add up to the link. The part
        "model" is what the column adds by its coefficient and its curve, from its mean over the training rows, with the
        mean of the query's own coefficient and the average one; "attention" is what the choice of rows adds.

        Parameters
        ----------
        output : label, default=None
            Class to explain where there is a model for each; None takes each query's most probable one.
        part : {"all", "attention", "model"}, default="all"
            All of it, or one of the two parts that add up to it.
        levels : bool, default=False
            Whether to have the part "model" by column of the design: one for each level of a category.
        scale : {"link", "factor"}, default="link"
            "factor" has their exponentials: what each column multiplies an expected count or cost by; of survival
            hazard ratios, of two classes odds ratios.

        Returns
        -------
        DataFrame of shape (n_query, n_columns)
            Contributions of the columns of the table, those that only the similarity sees included.
        """
        added = read_contributions(self, output, part, levels)
        return np.exp(added) if shows_factors(self.words, scale) else added

    def effects(self, coverage: float = 0.9) -> pd.DataFrame:
        """Return the effects of columns on the link, with intervals.

        Parameters
        ----------
        coverage : float, default=0.9
            Share of intervals that is to hold the true effect, between 0 and 1.

        Returns
        -------
        DataFrame
            As ``local_effects(X)`` of the estimator returns it, of the 16 most important columns at most.
        """
        if self.tell_effects is None:
            raise ValueError("There are no effects: models have no slopes. Use `local_effects(X)` of the estimator.")
        hint = "0.9 means nine of ten effects."
        return self.tell_effects(check_number("coverage", coverage, 0.0, 1.0, open_low=True, open_high=True, hint=hint))

    def what_if(self, columns: Any = None, *, n_values: int = 10, queries: Any = None) -> pd.DataFrame:
        """Return what would be predicted if a column had other values.

        Parameters
        ----------
        columns : list of labels, default=None
            Columns to change; None takes for each query those of its small model.
        n_values : int, default=10
            Values of each column: quantiles of the training rows from the smallest to the largest, or the most
            frequent levels. The query's own value is added.
        queries : list of positions, default=None
            Queries to ask about; None takes all of them.

        Returns
        -------
        DataFrame
            For each query, column and value: ``query`` (by position), ``feature``, ``value``, ``prediction`` (with
            classes one column for each), ``own``, whether the value is the query's, and ``usual``, whether it is one of
            those that all queries share.
        """
        if self.ask is None:
            raise ValueError("There is no model to ask: `explain(X)` of an estimator has one, a loaded file has not.")
        n_values = int(check_number("n_values", n_values, 2, np.inf, hint="10 is the default."))
        if queries is None:
            return self.ask(self, columns, n_values, None)
        positions = np.atleast_1d(np.asarray(queries))
        if positions.dtype.kind not in "iu" or ((positions < 0) | (positions >= len(self.index))).any():
            raise ValueError(f"`queries` must be positions from 0 to {len(self.index) - 1}, got {queries!r}.")
        return self.ask(self, columns, n_values, positions)

    def to_shap(self, output: Any = None) -> Any:
        """Return the contributions as shap's plots take them.

        Needs shap: ``pip install shap``.

        Parameters
        ----------
        output : label, default=None
            Class to explain where there is a model for each; None takes each query's most probable one.

        Returns
        -------
        shap.Explanation
            ``values`` are those of :meth:`contributions`, ``base_values`` where they start, ``data`` the queries as
            numbers (text and dates by the place of their level) and ``display_data`` as they were given.
        """
        shap, values = import_optional("shap", None, "to_shap"), self.values
        return shap.Explanation(
            values=self.contributions(output).to_numpy(),
            base_values=np.atleast_1d(np.asarray(self.base_value))[which_output(self, output)[1]],
            data=np.column_stack([numbers_or_codes(values.iloc[:, j]) for j in range(values.shape[1])]),
            display_data=values.astype(object).to_numpy(),
            feature_names=[str(name) for name in values.columns],
        )

    def top_features(self, k: int = 5, output: Any = None) -> pd.DataFrame:
        """Return the columns that drove each prediction: those that add most.

        Parameters
        ----------
        k : int, default=5
            Columns per query.
        output : label, default=None
            Class to explain where there is a model for each; None takes each query's most probable one.

        Returns
        -------
        DataFrame
            Rows by query and rank: the class if there are several, the feature, its value as it was given,
            contribution (of counts and costs also the ``factor`` that it is), its parts through attention and through
            the query's own model, and the coefficient where the feature is one number. Learners have the importance of
            the feature instead of parts and coefficient.
        """
        return list_features(self, min(_check_count("k", k), self.values.shape[1]), output)

    def query(self, query: Any, output: Any = None) -> ExplainedQuery:
        """Return one prediction at a glance.

        Parameters
        ----------
        query : label
            A row of ``X`` by its label.
        output : label, default=None
            Class to explain where there is a model for each; None takes the most probable one.

        Returns
        -------
        ExplainedQuery
            Its small model as an equation, what drove it, and the rows attended to. Print it, or let a notebook show
            it.
        """
        return explain_query(self, find_query(self, query), output)

    def small_models(self, output: Any = None) -> pd.DataFrame:
        """Return the small models, term by term.

        Parameters
        ----------
        output : label, default=None
            Class to explain where there is a model for each; None takes each query's most probable one.

        Returns
        -------
        DataFrame
            Rows by query and rank, the largest terms first: the class if there are several, the feature, its value as
            it was given, the ``reference`` that it is compared with, ``slope`` and ``term``. ``start`` and the terms
            of a query add up to its link.
        """
        return list_terms(self, output)

    def importance(self, output: Any = None) -> pd.DataFrame:
        """Return how much each column matters over all queries.

        Parameters
        ----------
        output : label, default=None
            Class to explain where there is a model for each; None takes each query's most probable one.

        Returns
        -------
        DataFrame
            By column, the most important first: ``contribution``, the mean size of its contributions, and its two
            parts, ``attention`` and ``model``, which add up to it. A part is negative if it works against the whole.
            Learners have no parts.
        """
        return summarise_columns(self, output)

    def top_rows(self, k: int = 5, *, values: bool = False) -> pd.DataFrame:
        """Return the training rows that each query attended to most.

        Parameters
        ----------
        k : int, default=5
            Training rows per query.
        values : bool, default=False
            Whether to show the cells of these rows, below those of the query at rank 0. Columns in which the attended
            rows are most like their query, on the mean of the queries, come first.

        Returns
        -------
        DataFrame
            Rows by query and rank: ``row``, the label of the training row, its ``weight``, its response, and its cells
            if asked for. A column of the table that has one of these names says so: "weight (column)". Equal weights
            are in the order of the training rows. No rows if the model for all rows predicts alone, at ``mixing`` 0.
        """
        k = self._count_rows(k)
        if not values:
            return list_rows(self.attention, self.index, self.train, k)
        alike = self.attended().groupby("feature", sort=False)["alike"].mean()
        order = alike.reindex(self.values.columns).sort_values(ascending=False, kind="stable").index
        rows = self._known_rows()
        return self._if_any(list_cells(self.attention, self.values[order], rows[order], self.train, k))

    def attended(self) -> pd.DataFrame:
        """Return how the rows that each query attended to differ from all rows.

        Returns
        -------
        DataFrame
            Rows by query and rank, the columns in which they are most alike first: the feature, the query's value, its
            mean over the attended rows and over all rows (of text the most frequent cell), and ``alike``, by how much
            nearer to the query attended rows are than all rows: 1 if they all have its value, 0 if as far as all. No
            rows at ``mixing`` 0.
        """
        rows = self._known_rows()
        table = compare_columns(self.attention.toarray(), self.attention.sample_weight, self.values, rows)
        return self._if_any(table)

    def top_context(self, k: int = 5) -> pd.DataFrame:
        """Return what surrounds each query and the rows it attended to most.

        The columns are those that the similarity sees and the models do not: what made these rows alike.

        Parameters
        ----------
        k : int, default=5
            Training rows per query.

        Returns
        -------
        DataFrame
            Rows by query and rank, the query itself at rank 0: label, weight and context.
        """
        if self.context is None or self.train_context is None or self.context.shape[1] == 0:
            raise ValueError(
                "There is no context: models use every column that the similarity sees. Name fewer columns in "
                "`features={'model': ...}`."
            )
        k = self._count_rows(k)
        return self._if_any(list_cells(self.attention, self.context, self.train_context, None, k))

    def clusters(
        self,
        n_clusters: int | None = None,
        *,
        height: float | None = None,
        min_size: int | None = None,
        distance: str = "prediction",
    ) -> Clusters:
        """Group the queries by their models; a real query stands for each group.

        Without a number and a height the number follows from the data: each cluster has ``min_size`` queries, at most
        one query in twenty is in none of them (label -1, the others), and each further cluster explains 5 % more of how
        models differ. Models that differ without being in clusters (mean silhouette below 0.25) are one cluster.

        Parameters
        ----------
        n_clusters : int, default=None
            Number of clusters.
        height : float, default=None
            The farthest that a member may be from its prototype.
        min_size : int, default=None
            Smallest size of a cluster; queries of smaller ones are the others. None is 5, or a tenth of fewer than 50
            queries but at least 2, where the number is chosen, and 1 where number or height is given.
        distance : {"prediction", "coef"}, default="prediction"
            How far two models are apart: the root mean squared difference of what they say of all queries, on the scale
            of ``link``; or, as in the paper, of their coefficients per standard deviation. Learners have importances.

        Returns
        -------
        Clusters
            The groups, with errors of both models if the response is known.
        """
        return group_queries(self, n_clusters, height, min_size, distance)

    def calibration(self, n_bins: int = 10, *, time: float | None = None) -> pd.DataFrame:
        """Return what was predicted and what was observed, from low to high.

        Parameters
        ----------
        n_bins : int, default=10
            Bins of about equal exposure; without exposures, of about equally many queries.
        time : float, default=None
            Time at which survival is compared; None takes the median time of events.

        Returns
        -------
        DataFrame
            By bin, from the lowest predictions on: ``rows``, ``exposure``, and per unit of exposure what was
            ``observed`` and what both models expected, ``attention`` and ``baseline``. Classes have shares of the
            second of two, or of each, by class and bin; survival has probabilities to be without event at ``time``,
            observed by Kaplan-Meier. For these ``low`` and ``high`` are the ends of the 90 % interval of what was
            observed, and queries of equal predictions share a bin.
        """
        return calibrate(read_predicted(self), n_bins, time)

    @property
    def verdict(self) -> str:
        """Which error on the queries is lower, and whether that may be chance."""
        return say_change(self)

    def lift(self) -> pd.DataFrame:
        """Return which share of the response the lowest predictions hold.

        Returns
        -------
        DataFrame
            For each ``model``, "attention" and "baseline", the points of its curve: the share of the ``exposure`` with
            the lowest predictions, and the share of the ``response`` that it has. The lower the curve, the better the
            order; by chance it is the diagonal.
        """
        return trace_lift(read_predicted(self))

    def stability(self, n_neighbors: int = 5) -> pd.DataFrame:
        """Return how much the models of neighbouring queries differ.

        Parameters
        ----------
        n_neighbors : int, default=5
            Nearest queries that each one is compared with.

        Returns
        -------
        DataFrame
            Per query ``lipschitz``, the largest difference of coefficients over difference of rows, both per standard
            deviation; and ``overlap``, the mean share of features that two neighbours use in common (Jaccard).
        """
        return compare_neighbours(
            self.lasso_design.to_numpy() / self.unit(), self.scaled_coef(), _check_count("n_neighbors", n_neighbors)
        )

    def _sketch(self) -> Sketch:
        return sketch(self)

    def _repr_html_(self) -> str:
        return page(self)

    def _count_rows(self, k: Any) -> int:
        """Return how many training rows to list of each query: none where the model for all rows predicts alone."""
        k = min(_check_count("k", k), len(self.train))
        return 0 if self.alone else k

    def _if_any(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return a table about attended rows; without rows where there are none."""
        return table.iloc[:0] if self.alone else table


def _check_count(name: str, value: Any) -> int:
    return int(check_number(name, value, 1, np.inf, hint="At least one."))
