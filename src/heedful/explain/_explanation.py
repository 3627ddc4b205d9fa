"""``Explanation``: the models and the rows behind some predictions."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from heedful._checks import check_number
from heedful._frames import center_and_unit
from heedful._responses import Words
from heedful.explain._clusters import Clusters, cluster_models
from heedful.explain._stability import compare_neighbours


@dataclass(frozen=True)
class Explanation:
    """Hold the models and the rows behind some predictions, as tables.

    Made by ``explain(X, y=None)`` of an estimator; tables are indexed like the queries. ``link`` is
    ``intercept + (coef * design + shape).sum(axis=1)``: the prediction itself for numbers and survival, log-odds for
    two classes. With more classes ``prediction``, ``link`` and ``intercept`` have one column for each, and ``coef`` two
    levels of columns, class and feature.

    Parameters
    ----------
    prediction, link, intercept : Series or DataFrame
        Per query.
    coef : DataFrame
        Blended coefficients, ``(1 - mixing) * baseline + mixing * local``.
    mixing, n_eff : Series
        Share of the heads, and effective number of training rows attended to.
    baseline_prediction : Series or DataFrame
        Prediction of the model for all rows.
    baseline_coef : Series
        Coefficients of the model for all rows.
    local_coef : DataFrame
        Coefficients of the heads' blend alone.
    design, mean : DataFrame
        Queries as the models see them, and the attention-weighted mean of the training rows for each query.
    attention : Attention
        Weights (n_query, n_train) of the training rows.
    train : DataFrame
        Responses of the training rows, under their own labels.
    heads : DataFrame
        The heads that were tried: weighting, penalty, error on unseen rows, share.
    y, loss, baseline_loss : Series or None, default=None
        Responses of the queries, and the losses of both predictions, if they are known.
    task : {"regression", "binary", "multiclass", "survival"}, default="regression"
        Kind of response.
    words : Words or None, default=None
        What people call the response, its prediction, the scale of the link and the error.
    slopes : bool, default=True
        Whether models are linear. If not, coefficients are the importance of each feature in a query's model, sum one,
        the intercept is NaN, and nothing adds up to the link.
    context, train_context : DataFrame or None, default=None
        Columns that the similarity sees and the models do not, of the queries and of the training rows.
    multiple : Series, DataFrame or None, default=None
        How much of the additive model is in each query's model: 0 is a line, 1 the additive model itself.
    shape, shape_mean : DataFrame or None, default=None
        What that adds for each feature, and what it adds to the rows attended to on average; None without shapes. What
        a category adds stands with the level that the query has.
    curves : DataFrame or None, default=None
        The curves of the additive model, piece by piece: feature, ends or level, weight of the training rows there, and
        what it adds to the linear predictor.

    Examples
    --------
    >>> import numpy as np
    >>> from heedful import AttentionLasso
    >>> X = np.random.default_rng(0).normal(size=(80, 3))
    >>> e = AttentionLasso(random_state=0).fit(X, X[:, 0] * np.sign(X[:, 1])).explain(X[:5])
    >>> e.top_features(1).shape, e.top_rows(2).shape
    ((5, 6), (10, 3))
    >>> bool(np.allclose(e.contributions().sum(axis=1), e.link - e.mean_link()))
    True
    """

    prediction: pd.Series | pd.DataFrame
    link: pd.Series | pd.DataFrame
    intercept: pd.Series | pd.DataFrame
    coef: pd.DataFrame
    mixing: pd.Series
    n_eff: pd.Series
    baseline_prediction: pd.Series | pd.DataFrame
    baseline_coef: pd.Series
    local_coef: pd.DataFrame
    design: pd.DataFrame
    mean: pd.DataFrame
    attention: Any
    train: pd.DataFrame
    heads: pd.DataFrame
    y: pd.Series | pd.DataFrame | None = None
    loss: pd.Series | None = None
    baseline_loss: pd.Series | None = None
    task: str = "regression"
    words: Words | None = None
    slopes: bool = True
    context: pd.DataFrame | None = None
    train_context: pd.DataFrame | None = None
    multiple: pd.Series | pd.DataFrame | None = None
    shape: pd.DataFrame | None = None
    shape_mean: pd.DataFrame | None = None
    curves: pd.DataFrame | None = None

    @property
    def index(self) -> pd.Index:
        """Labels of the queries."""
        return self.coef.index

    @property
    def features(self) -> list[str]:
        """Names of the columns that the models use."""
        return list(self.design.columns)

    @property
    def outputs(self) -> list | None:
        """Labels of the classes if there is a model for each, else None."""
        return list(self.link.columns) if isinstance(self.link, pd.DataFrame) else None

    @property
    def n_nonzero(self) -> pd.Series:
        """Number of features with a coefficient or a curve, per query."""
        nonzero = (self._models(self.coef) != 0).any(axis=1)
        if self.shape is not None:
            nonzero |= (self._models(self.shape) != 0).any(axis=1)
        return pd.Series(nonzero.sum(axis=1), self.index, name="n_nonzero")

    def contributions(self, output: Any = None) -> pd.DataFrame:
        """Return what each feature adds to the prediction.

        Coefficient x (value - attention-weighted mean), and what its curve adds less the mean of that. They add up to
        the link less ``mean_link``.

        Parameters
        ----------
        output : label, default=None
            Class to explain where there is a model for each; None takes each query's most probable one.

        Returns
        -------
        DataFrame of shape (n_query, n_features)
            Contributions.
        """
        self._need_slopes("contributions")
        away = self.design.to_numpy() - self.mean.to_numpy()
        added = self._of_output(self._models(self.coef), output) * away + self._curved(output)
        return pd.DataFrame(added, self.index, self.features)

    def mean_link(self, output: Any = None) -> pd.Series:
        """Return the mean of what a query's model says of the rows attended to.

        Parameters
        ----------
        output : label, default=None
            Class to explain where there is a model for each; None takes each query's most probable one.

        Returns
        -------
        Series of length n_query
            Attention-weighted means of the link over the training rows.
        """
        self._need_slopes("mean_link")
        intercept = self._of_output(np.asarray(self.intercept).reshape(len(self.index), -1), output)
        slope = self._of_output(self._models(self.coef), output)
        level = intercept + (slope * self.mean.to_numpy()).sum(axis=1)
        if self.shape_mean is not None:
            level = level + self._of_output(self._models(self.shape_mean), output).sum(axis=1)
        return pd.Series(level, self.index, name="mean_link")

    def top_features(self, k: int = 5, output: Any = None) -> pd.DataFrame:
        """Return the features that drove each prediction.

        Those with the largest contributions; of models that are not linear, those with the largest importance.

        Parameters
        ----------
        k : int, default=5
            Features per query.
        output : label, default=None
            Class to explain where there is a model for each; None takes each query's most probable one.

        Returns
        -------
        DataFrame
            Rows by query and rank: feature, coefficient, value, attention-weighted mean, with shapes what the feature's
            curve adds less its mean, contribution.
        """
        k = min(_check_count("k", k), len(self.features))
        slope = self._of_output(self._models(self.coef), output)
        columns = {"coef" if self.slopes else "importance": slope, "value": self.design, "mean": self.mean}
        if self.shape_mean is not None:
            columns["shape"] = self._curved(output)
        if self.slopes:
            columns["contribution"] = self.contributions(output)
        size = np.abs(np.asarray(columns["contribution"] if self.slopes else slope))
        order = np.argsort(-size, axis=1, kind="stable")[:, :k]
        found = {name: np.take_along_axis(np.asarray(part), order, axis=1).ravel() for name, part in columns.items()}
        feature = np.asarray(self.features, dtype=object)[order].ravel()
        return pd.DataFrame({"feature": feature} | found, self._ranked(k))

    def top_rows(self, k: int = 5) -> pd.DataFrame:
        """Return the training rows that each query attended to most.

        Parameters
        ----------
        k : int, default=5
            Training rows per query.

        Returns
        -------
        DataFrame
            Rows by query and rank: label, weight and response of the training row.
        """
        k = min(_check_count("k", k), len(self.train))
        rows, weights = zip(*(self._top_of(q, k) for q in range(len(self.index))), strict=True)
        found = self.train.iloc[np.concatenate(rows)]
        table = pd.DataFrame({"row": found.index, "weight": np.concatenate(weights)}, self._ranked(k))
        return pd.concat([table, found.set_axis(table.index)], axis=1)

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
        k = min(_check_count("k", k), len(self.train))
        rows, weights = zip(*(self._top_of(q, k) for q in range(len(self.index))), strict=True)
        parts = []
        for q, (row, weight) in enumerate(zip(rows, weights, strict=True)):
            around = pd.concat([self.context.iloc[[q]], self.train_context.iloc[row]])
            around.insert(0, "weight", np.append(np.nan, weight))
            around.insert(0, "row", around.index)
            parts.append(around)
        ranked = pd.MultiIndex.from_product([self.index, range(k + 1)], names=["query", "rank"])
        return pd.concat(parts).set_axis(ranked)

    def clusters(self, n_clusters: int | None = None, *, height: float | None = None) -> Clusters:
        """Group the queries by their coefficients; a real query stands for each.

        Coefficients are per standard deviation of their column, so that units do not decide; columns that no model uses
        are left out. Give the number of groups or the height.

        Parameters
        ----------
        n_clusters : int, default=None
            Number of groups.
        height : float, default=None
            The farthest that a member may be from its prototype.

        Returns
        -------
        Clusters
            The groups, with errors of both models if the response is known.
        """
        known = {} if self.loss is None else {"error": self.loss, "baseline_error": self.baseline_loss}
        return cluster_models(self.coef, self.scaled_coef(), known, n_clusters, height)

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
            self.design.to_numpy() / self.unit(), self.scaled_coef(), _check_count("n_neighbors", n_neighbors)
        )

    def scaled_coef(self) -> pd.DataFrame:
        """Return coefficients per standard deviation of their column.

        Returns
        -------
        DataFrame
            Shaped like ``coef``; deviations are those among the queries. Importances stay as they are.
        """
        if not self.slopes:
            return self.coef
        unit = np.tile(self.unit(), self.coef.shape[1] // len(self.features))
        return self.coef * unit

    def unit(self) -> np.ndarray:
        """Return the standard deviation of each column of the design.

        Returns
        -------
        ndarray of shape (n_features,)
            Deviations among the queries; 1 for constant columns.
        """
        deviation = center_and_unit(self.design.to_numpy())[1]
        return np.where(deviation > 0, deviation, 1.0)

    def _curved(self, output: Any) -> np.ndarray:
        """Return what curves add (n_query, n_features), less what they add to the rows attended to on average."""
        if self.shape is None or self.shape_mean is None:
            return np.zeros(self.design.shape)
        return self._of_output(self._models(self.shape) - self._models(self.shape_mean), output)

    def _need_slopes(self, name: str) -> None:
        if not self.slopes:
            raise ValueError(
                f"`{name}` needs linear models, got importances of a learner's features. Use `top_features`."
            )

    def _models(self, coef: pd.DataFrame) -> np.ndarray:
        """Return coefficients as (n_query, n_outputs, n_features)."""
        return coef.to_numpy().reshape(len(coef), -1, len(self.features))

    def _of_output(self, values: np.ndarray, output: Any) -> np.ndarray:
        """Return the values (n_query, n_outputs, ...) of one output, or of each query's most probable class."""
        if self.outputs is None or not self.slopes:
            if output is not None:
                raise ValueError(f"`output` must be None where models have one linear predictor, got {output!r}.")
            return values[:, 0]
        if output is None:
            return values[np.arange(len(values)), np.asarray(self.link).argmax(axis=1)]
        if output not in self.outputs:
            raise ValueError(f"`output` must be one of the classes {self.outputs}, got {output!r}.")
        return values[:, self.outputs.index(output)]

    def _ranked(self, k: int) -> pd.MultiIndex:
        return pd.MultiIndex.from_product([self.index, range(1, k + 1)], names=["query", "rank"])

    def _top_of(self, query: int, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows with the largest weights; those that are not stored fill up what is missing."""
        rows, weights = self.attention.top(query, k)
        if rows.size < k:
            dense = self.attention.background[query] * self.attention.sample_weight
            others = np.setdiff1d(np.argsort(-dense, kind="stable"), rows, assume_unique=False)[: k - rows.size]
            rows, weights = np.append(rows, others), np.append(weights, dense[others])
        return rows, weights


def _check_count(name: str, value: Any) -> int:
    return int(check_number(name, value, 1, np.inf, hint="At least one."))
