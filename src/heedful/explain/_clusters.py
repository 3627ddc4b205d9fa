"""Clusters of queries with similar models, each with one query as its prototype."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from heedful._checks import check_number
from heedful._show import Shown, Sketch, count, cut as cut_name, short, shorten
from heedful.explain._describe import Coefs, describe_groups, format_groups

# The label of queries in no cluster, and what they are called.
OTHERS, OTHERS_NAME = -1, "others"


@dataclass(frozen=True, repr=False)
class Clusters(Shown):
    """Clusters of queries with similar models, and their prototypes.

    Parameters
    ----------
    labels : Series
        Cluster of each query, numbered from 1 by the order of the dendrogram's leaves; -1 for queries in no cluster.
    table : DataFrame
        One row per cluster: its prototype (a query), size and radius; errors of both models if the response is known.
        The last row, -1, is for queries in no cluster, if there are any; it has no prototype and no radius.
    coef : DataFrame
        Coefficients of the prototypes, for columns that some model uses.
    scaled : DataFrame
        Coefficients of all queries per standard deviation of their column, for the same columns.
    linkage, merge_prototypes : ndarray
        scipy's linkage matrix of the queries, and the prototype of each merge.
    order : ndarray
        Positions of the queries in the order of the dendrogram's leaves.
    unit : str, default=""
        Unit of the distances, such as "prediction".
    explained : float, default=nan
        Share of the squared differences between the models of clustered queries that is between clusters, 0 to 1.
    models : Coefs or None, default=None
        For all queries the ``levels``, the mean predictions of each query's model for all queries (no columns if models
        are not linear), the coefficients, and how much one unit of each coefficient changes predictions.
    values : DataFrame or None, default=None
        The queries, by column of their table.

    Examples
    --------
    >>> import numpy as np
    >>> from heedful import AttentionLasso
    >>> X = np.random.default_rng(0).normal(size=(80, 3))
    >>> e = AttentionLasso(random_state=0).fit(X, X[:, 0] * np.sign(X[:, 1])).explain(X)
    >>> groups = e.clusters(3)
    >>> int(groups.table["size"].sum()), len(groups.coef)
    (80, 3)
    """

    labels: pd.Series
    table: pd.DataFrame
    coef: pd.DataFrame
    scaled: pd.DataFrame
    linkage: np.ndarray
    merge_prototypes: np.ndarray
    order: np.ndarray
    unit: str = ""
    explained: float = np.nan
    models: Coefs | None = None
    values: pd.DataFrame | None = None

    @property
    def named(self) -> pd.DataFrame:
        """The rows of ``table`` that are clusters, without the one for others."""
        return self.table[self.table.index != OTHERS]

    def describe(self, k: int = 3) -> pd.DataFrame:
        """Describe the queries of each cluster in words.

        A numeric column is described by the range of the middle 80 % in the cluster and in all queries, a categorical
        column by the level whose share differs most. Columns are ranked by the distance of their distributions
        (Kolmogorov-Smirnov, or the largest difference of shares of a level) and left out if the distance is not
        significant at 5 %. Coefficients are means over the cluster and over all queries, ranked by how much their
        difference changes predictions.

        Parameters
        ----------
        k : int, default=3
            Largest number of columns, and of coefficients.

        Returns
        -------
        DataFrame
            One row per cluster, the others last: ``size``, ``share`` of all queries; in words ``rows``, ``levels``
            (mean predictions of its models for all queries) and ``coefficients``; errors if the response is known.
        """
        k = int(check_number("k", k, 1, np.inf, hint="At least one."))
        if self.values is None or self.models is None:
            raise ValueError("`describe` needs the queries and their models. Use clusters that an explanation made.")
        return describe_groups(self.labels.to_numpy(), self.table, self.values, self.models, k)

    def text(self, k: int = 3) -> str:
        """Return the description of the clusters as text.

        Parameters
        ----------
        k : int, default=3
            Largest number of columns, and of coefficients.

        Returns
        -------
        str
            One paragraph per cluster.
        """
        return format_groups(self.describe(k), self.table["prototype"])

    def _sketch(self) -> Sketch:
        table = self.named
        facts = [
            (
                f"cluster {label}",
                f"{count(size, 'query', 'queries')}, such as {cut_name(prototype)}, radius {short(radius)}",
            )
            for label, prototype, size, radius in table[["prototype", "size", "radius"]].itertuples()
        ]
        n_others = len(self.labels) - int(table["size"].sum())
        facts = shorten(facts) + ([("others", count(n_others, "query", "queries"))] if n_others else [])
        n_query = count(len(self.labels), "query", "queries")
        return Sketch(f"{count(len(table), 'cluster')} of {n_query}", facts, "Look at text(), describe(), table")
