"""``Explanation``: the models and the training rows behind predictions."""

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
from heedful.explain._errors import describe_change
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
    """The models and the training rows behind predictions, as tables.

    Made by ``explain(X, y=None)`` of an estimator; tables are indexed like the queries. Each column has a
    *contribution*, its share of the difference from the mean prediction (:meth:`contributions`); an *effect*, the
    change of the prediction with the value of the column (``effect``); and a *coefficient* in the blended local lassos
    (``lasso_coef``), which is shrunk and is not the slope of the prediction.

    Each query has a small linear model: ``link`` is ``intercept + (coef * design).sum(axis=1)``. The link is the
    prediction itself for regression and survival, and the log-odds for binary classification. For multiclass
    classification ``prediction``, ``link``, ``intercept`` and ``start`` have one column per class, and ``coef``,
    ``terms``, ``effect`` and ``lasso_coef`` two levels of columns, class and feature.

    Parameters
    ----------
    prediction, link, intercept : Series or DataFrame
        Per query.
    coef : DataFrame
        Slopes of the small models, which are fitted to predictions around the query, by column of the table; most are
        0.
    design : DataFrame
        Queries as inputs of the small models: numbers as given, dates in days since 1970, 1 for a category or a missing
        number.
    mixing, n_eff : Series
        Share of the heads, and effective sample size of the attention.
    baseline_prediction : Series or DataFrame
        Predictions of the global model.
    baseline_coef : Series
        Coefficients of the global model. With an additive model they are the coefficients of the lasso times its share;
        ``effect`` in ``curves`` has the rest.
    local_coef : DataFrame
        Coefficients of the blended heads, without the global model.
    lasso_intercept, lasso_coef : Series or DataFrame
        Local lassos, blended with each other and with the global lasso. ``link`` is
        ``lasso_intercept + (lasso_coef * lasso_design + shape).sum(axis=1)``.
    lasso_design, mean : DataFrame
        Queries as inputs of the lassos, with a column for each level of a category, and the attention-weighted mean of
        the training rows for each query.
    attention : Attention
        Weights (n_query, n_train) of the training rows.
    train : DataFrame
        Responses of the training rows, with their labels.
    heads : DataFrame
        The heads that were tried: weighting, penalty, error on held-out rows, share.
    values : DataFrame
        Queries as given.
    sources : Series
        The column of ``values`` that each column of the design comes from.
    y, loss, baseline_loss : Series or None, default=None
        Responses of the queries, and the losses of both predictions, if they are known.
    task : str, default="regression"
        Kind of response: "regression", "binary", "multiclass", "survival", "poisson", "gamma" or "tweedie".
    words : Words or None, default=None
        Names of the response, of its prediction, of the scale of the link and of the error.
    slopes : bool, default=True
        Whether models are linear. If not, coefficients are importances that sum to one, and intercepts are NaN.
    context, train_context : DataFrame or None, default=None
        Columns that only the similarity uses, for the queries and for the training rows.
    multiple : Series, DataFrame or None, default=None
        Multiple of the additive model in each query's model: 0 is a linear model, 1 the additive model itself.
    shape : DataFrame or None, default=None
        What the shape function of each feature adds (for a category at the query's level); None without an additive
        model.
    curves : DataFrame or None, default=None
        Shape functions piece by piece: feature, ends or level, weight of the training rows there, and what the piece
        adds to the linear predictor of the global model (``effect``) and of the additive model (``curve``).
    train_values : DataFrame or None, default=None
        The training rows as given; None if the model did not store them.
    start, terms : Series or DataFrame, default=None
        The small model from its reference: ``start`` and all ``terms``, slopes times distances from the reference, add
        up to the link.
    reference : DataFrame, default=None
        Reference values of the terms: the mean of a number, the reference level of a category.
    fidelity : Series, default=None
        R2 of the small model on predictions around the query.
    effect : DataFrame, default=None
        Change of the link with each column, per unit; NaN beyond the 16 most important columns. None, like ``start``
        to ``fidelity``, where models have no slopes.
    ask, compute_effects, predict_survival : callable, default=None
        Functions behind :meth:`what_if`, :meth:`effects` and :meth:`calibration` for survival.
    attribution : callable, default=None
        Function that computes the contributions, at the first call.
    offset : Series or None, default=None
        Offset of each query, which is added to the link: the logarithm of its exposure.
    local_name : str, default=""
        Kind of the local models, such as "weighted lassos, one Newton step from the global model".
    seen : Series or None, default=None
        Whether a query equals a training row in all columns, so that its error is in-sample.
    loss_error : float or None, default=None
        Standard error of the difference between the means of ``baseline_loss`` and ``loss``; infinite for fewer than
        ten queries.
    held_out : HeldOutPredictions or None, default=None
        Out-of-fold predictions of the training rows.
    null_loss : Series or None, default=None
        Losses of a null model without columns: for survival, the Kaplan-Meier curve of the training rows.

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
        """Mean of the link over the training rows, where contributions start."""
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
        """Whether contributions pass a check of their accuracy."""
        checked = attributed(self).checked
        return pd.Series(True if checked is None else checked, self.index, name="contributions_checked")

    def contributions(
        self, output: Any = None, part: str = "all", *, levels: bool = False, scale: str = "link"
    ) -> pd.DataFrame:
        """Return what each column adds to the prediction, starting from the mean.

        These are Shapley values on the scale of the link: ``base_value`` plus all contributions equals the link. The
        part "model" is what the column adds through its coefficient and shape function, relative to its mean over the
        training rows, with the mean of the query's coefficient and of the average coefficient. The part "attention" is
        what it adds through the weights of the training rows.

        Parameters
        ----------
        output : label, default=None
            Class to explain, for multiclass classification; None uses each query's most probable class.
        part : {"all", "attention", "model"}, default="all"
            The whole contribution, or one of the two parts that add up to it.
        levels : bool, default=False
            Whether to split the part "model" by level of a category.
        scale : {"link", "factor"}, default="link"
            "factor" returns exponentials: the factor by which each column multiplies an expected count or cost; hazard
            ratios for survival, odds ratios for binary classification.

        Returns
        -------
        DataFrame of shape (n_query, n_columns)
            Contributions of the columns of the table, including columns that only the similarity uses.
        """
        added = read_contributions(self, output, part, levels)
        return np.exp(added) if shows_factors(self.words, scale) else added

    def effects(self, coverage: float = 0.9) -> pd.DataFrame:
        """Return the effects of columns on the link, with intervals.

        Parameters
        ----------
        coverage : float, default=0.9
            Share of intervals that is meant to contain the true effect, between 0 and 1.

        Returns
        -------
        DataFrame
            As ``local_effects(X)`` of the estimator returns it, for up to 16 columns, the most important ones.
        """
        if self.compute_effects is None:
            raise ValueError("There are no effects: models have no slopes. Use `local_effects(X)` of the estimator.")
        hint = "0.9 is the default."
        return self.compute_effects(
            check_number("coverage", coverage, 0.0, 1.0, open_low=True, open_high=True, hint=hint)
        )

    def what_if(self, columns: Any = None, *, n_values: int = 10, queries: Any = None) -> pd.DataFrame:
        """Return predictions with other values of a column.

        Parameters
        ----------
        columns : list of labels, default=None
            Columns to change; None uses the columns of each query's small model.
        n_values : int, default=10
            Values of each column: quantiles of the training rows from the smallest to the largest, or the most
            frequent levels. The query's own value is added.
        queries : list of positions, default=None
            Queries to change; None uses all of them.

        Returns
        -------
        DataFrame
            For each query, column and value: ``query`` (by position), ``feature``, ``value``, ``prediction`` (one
            column per class for multiclass classification), ``own``, whether the value is the query's, and ``usual``,
            whether it is one of the values that all queries share.
        """
        if self.ask is None:
            raise ValueError("There is no model to ask: use `explain(X)` of an estimator, as a loaded file has none.")
        n_values = int(check_number("n_values", n_values, 2, np.inf, hint="10 is the default."))
        if queries is None:
            return self.ask(self, columns, n_values, None)
        positions = np.atleast_1d(np.asarray(queries))
        if positions.dtype.kind not in "iu" or ((positions < 0) | (positions >= len(self.index))).any():
            raise ValueError(f"`queries` must be positions from 0 to {len(self.index) - 1}, got {queries!r}.")
        return self.ask(self, columns, n_values, positions)

    def to_shap(self, output: Any = None) -> Any:
        """Return the contributions as an object for shap's plots.

        Needs shap: ``pip install shap``.

        Parameters
        ----------
        output : label, default=None
            Class to explain, for multiclass classification; None uses each query's most probable class.

        Returns
        -------
        shap.Explanation
            ``values`` are the contributions, ``base_values`` their start, ``data`` the queries as numbers (text and
            dates as codes of their levels) and ``display_data`` the queries as given.
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
        """Return the columns with the largest contributions to each prediction.

        Parameters
        ----------
        k : int, default=5
            Number of columns per query.
        output : label, default=None
            Class to explain, for multiclass classification; None uses each query's most probable class.

        Returns
        -------
        DataFrame
            Rows by query and rank: the class (multiclass classification only), the feature, its value as given, its
            contribution (for counts and costs also as ``factor``), the parts through attention and through the query's
            model, and the coefficient of a numeric feature. Learners have the importance of the feature instead of
            parts and coefficient.
        """
        return list_features(self, min(_check_count("k", k), self.values.shape[1]), output)

    def query(self, query: Any, output: Any = None) -> ExplainedQuery:
        """Return a short explanation of one prediction.

        Parameters
        ----------
        query : label
            Label of a row of ``X``.
        output : label, default=None
            Class to explain, for multiclass classification; None uses the most probable class.

        Returns
        -------
        ExplainedQuery
            Its small model as an equation, the largest contributions, and the training rows with the largest weights.
            Print it, or show it in a notebook.
        """
        return explain_query(self, find_query(self, query), output)

    def small_models(self, output: Any = None) -> pd.DataFrame:
        """Return the terms of the small models.

        Parameters
        ----------
        output : label, default=None
            Class to explain, for multiclass classification; None uses each query's most probable class.

        Returns
        -------
        DataFrame
            Rows by query and rank, the largest terms first: the class (multiclass classification only), the feature,
            its value as given, its ``reference``, ``slope`` and ``term``. ``start`` and the terms of a query add up to
            its link.
        """
        return list_terms(self, output)

    def importance(self, output: Any = None) -> pd.DataFrame:
        """Return the importance of each column over all queries.

        Parameters
        ----------
        output : label, default=None
            Class to explain, for multiclass classification; None uses each query's most probable class.

        Returns
        -------
        DataFrame
            By column, the most important first: ``contribution``, its mean absolute contribution, and the two
            parts, ``attention`` and ``model``, which add up to it. A part is negative if it works against the whole.
            Learners have no parts.
        """
        return summarise_columns(self, output)

    def top_rows(self, k: int = 5, *, values: bool = False) -> pd.DataFrame:
        """Return the training rows with the largest weights for each query.

        Parameters
        ----------
        k : int, default=5
            Number of training rows per query.
        values : bool, default=False
            Whether to show the cells of these rows, with the query itself at rank 0. Columns in which the weighted rows
            are most similar to their query, averaged over queries, come first.

        Returns
        -------
        DataFrame
            Rows by query and rank: ``row``, the label of the training row, its ``weight``, its response, and its cells
            with ``values=True``. A column of the table with one of these names is renamed, such as "weight (column)".
            Equal weights are in the order of the training rows. No rows if ``mixing`` is 0.
        """
        k = self._count_rows(k)
        if not values:
            return list_rows(self.attention, self.index, self.train, k)
        alike = self.attended().groupby("feature", sort=False)["alike"].mean()
        order = alike.reindex(self.values.columns).sort_values(ascending=False, kind="stable").index
        rows = self._known_rows()
        return self._if_any(list_cells(self.attention, self.values[order], rows[order], self.train, k))

    def attended(self) -> pd.DataFrame:
        """Compare the weighted training rows of each query with all training rows.

        Returns
        -------
        DataFrame
            Rows by query and rank, the columns of greatest similarity first: the feature, the query's value, its
            weighted mean and its mean over all rows (the most frequent cell for text), and ``alike``, the relative
            reduction of the distance to the query: 1 if all weighted rows have its value, 0 if they are as far from it
            as all rows. No rows if ``mixing`` is 0.
        """
        rows = self._known_rows()
        table = compare_columns(self.attention.toarray(), self.attention.sample_weight, self.values, rows)
        return self._if_any(table)

    def top_context(self, k: int = 5) -> pd.DataFrame:
        """Return the context of each query and of its largest weights.

        These are the columns that only the similarity uses, not the models.

        Parameters
        ----------
        k : int, default=5
            Number of training rows per query.

        Returns
        -------
        DataFrame
            Rows by query and rank, with the query itself at rank 0: label, weight and context.
        """
        if self.context is None or self.train_context is None or self.context.shape[1] == 0:
            raise ValueError(
                "There is no context: models use every column of the similarity. Name fewer columns in "
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
        """Cluster the queries by their models, with prototypes.

        Without ``n_clusters`` and ``height`` the number of clusters is chosen: every cluster has at least ``min_size``
        queries, at most 5 % of the queries are in no cluster (label -1, the others), and each further cluster explains
        another 5 % of the differences between models. If the mean silhouette stays below 0.25, there is one cluster.

        Parameters
        ----------
        n_clusters : int, default=None
            Number of clusters.
        height : float, default=None
            Largest distance of a member from its prototype.
        min_size : int, default=None
            Smallest size of a cluster; queries of smaller clusters become the others. None is 1 if ``n_clusters`` or
            ``height`` is given; otherwise 5, or with fewer than 50 queries a tenth of them, but at least 2.
        distance : {"prediction", "coef"}, default="prediction"
            Distance of two models: the root mean squared difference of their predictions for all queries, on the scale
            of ``link``; or, as in the paper, of their coefficients per standard deviation (importances for
            learners).

        Returns
        -------
        Clusters
            The clusters, with errors of the model and of the global model if the response is known.
        """
        return group_queries(self, n_clusters, height, min_size, distance)

    def calibration(self, n_bins: int = 10, *, time: float | None = None) -> pd.DataFrame:
        """Return predicted and observed responses in bins of predictions.

        Parameters
        ----------
        n_bins : int, default=10
            Bins of about equal exposure; without exposures, of about equally many queries.
        time : float, default=None
            Time at which survival is compared; None uses the median event time.

        Returns
        -------
        DataFrame
            By bin, from the lowest predictions on: ``rows``, ``exposure``, and per unit of exposure the ``observed``
            mean and the predicted means of the model (``attention``) and of the global model (``baseline``). For
            classification these are frequencies of the second class, or of each class; for survival they are survival
            probabilities at ``time``, observed by Kaplan-Meier. Both also have ``low`` and ``high``, the ends of the
            90 % interval of the observed value, and queries with equal predictions share a bin.
        """
        return calibrate(read_predicted(self), n_bins, time)

    @property
    def verdict(self) -> str:
        """Which error is lower, and whether the difference may be chance."""
        return describe_change(self)

    def lift(self) -> pd.DataFrame:
        """Return the share of the response in the rows with the lowest predictions.

        Returns
        -------
        DataFrame
            For each ``model``, "attention" and "baseline", the points of its curve: the share of the ``exposure`` with
            the lowest predictions, and the share of the ``response`` in it. The lower the curve, the better the
            ranking; a random ranking gives the diagonal.
        """
        return trace_lift(read_predicted(self))

    def stability(self, n_neighbors: int = 5) -> pd.DataFrame:
        """Measure how much the models of neighbouring queries differ.

        Parameters
        ----------
        n_neighbors : int, default=5
            Number of nearest queries to compare with.

        Returns
        -------
        DataFrame
            Per query ``lipschitz``, the largest ratio of the difference of coefficients to the difference of rows, both
            per standard deviation; and ``overlap``, the mean Jaccard index of the features that neighbours use.
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
