"""Groups of queries with like models, each shown by one of them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from heedful._checks import check_number
from heedful._show import Shown, Sketch, count, cut as cut_name, short, shorten
from heedful.cluster import cut, minimax_linkage
from heedful.explain._choice import choose_number, drop_small, explained_share, usual_size
from heedful.explain._describe import Coefs, describe_groups, tell_groups

# The label of queries in no cluster, and what they are called.
OTHERS, OTHERS_NAME = -1, "others"


@dataclass(frozen=True, repr=False)
class Clusters(Shown):
    """Hold groups of queries with like models, and their prototypes.

    Parameters
    ----------
    labels : Series
        Cluster of each query, numbered from 1 by the order of the dendrogram's leaves; -1 in none of them.
    table : DataFrame
        One row per cluster: its prototype (a query), size and radius; errors of both models if the response is known.
        The last row, -1, is of the others, which have no prototype and no radius; it is not there if there are none.
    coef : DataFrame
        Coefficients of the prototypes, without columns that no model uses.
    scaled : DataFrame
        Coefficients of all queries per standard deviation of their column, without those columns.
    linkage, merge_prototypes : ndarray
        scipy's linkage matrix of the queries, and the prototype of each merge.
    order : ndarray
        Positions of the queries in the order of the dendrogram's leaves.
    unit : str, default=""
        What distances are measured in, such as "prediction".
    explained : float, default=nan
        How much of the squared differences between the models of clustered queries is between clusters, 0 to 1.
    models : Coefs or None, default=None
        Of all queries the ``levels``, the means of what a query's model says of all queries (no columns if models are
        not linear), the coefficients, and how much one unit of each of these changes predictions.
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
        """The rows of ``table`` that are clusters, without the others."""
        return self.table[self.table.index != OTHERS]

    def describe(self, k: int = 3) -> pd.DataFrame:
        """Return what the queries of each cluster have in common, in words.

        A column of numbers is shown by the range of the middle 80 % of the cluster and of all queries, one of
        categories by the level whose share differs most. Columns are ranked by how far distributions are apart (the
        largest difference of shares below any value, or of any level), and left out where a draw of as many queries at
        random would differ as much in one of twenty cases. Coefficients are means over the cluster and over all
        queries, ranked by what their difference changes in predictions.

        Parameters
        ----------
        k : int, default=3
            Columns, and coefficients, at most.

        Returns
        -------
        DataFrame
            One row per cluster, the others last: ``size``, ``share`` of all queries; in words ``rows``, ``levels``
            (means of what its models say of all queries) and ``coefficients``; errors if the response is known.
        """
        k = int(check_number("k", k, 1, np.inf, hint="At least one."))
        if self.values is None or self.models is None:
            raise ValueError("`describe` needs the queries and their models. Use clusters that an explanation made.")
        return describe_groups(self.labels.to_numpy(), self.table, self.values, self.models, k)

    def text(self, k: int = 3) -> str:
        """Return the description of the clusters as lines to be read.

        Parameters
        ----------
        k : int, default=3
            Columns, and coefficients, at most.

        Returns
        -------
        str
            One paragraph per cluster.
        """
        return tell_groups(self.describe(k), self.table["prototype"])

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


@dataclass(frozen=True)
class Facts:
    """What is known of the models of some queries: see ``Clusters`` for names.

    ``losses`` are averaged over groups, and ``measured`` makes errors of the means.
    """

    coef: pd.DataFrame
    scaled: pd.DataFrame
    models: Coefs
    values: pd.DataFrame
    losses: dict[str, pd.Series]
    measured: Callable[[pd.Series], pd.Series]


def cluster_models(
    facts: Facts,
    points: np.ndarray,
    distances: np.ndarray,
    unit: str,
    n_clusters: int | None,
    height: float | None,
    min_size: int | None,
) -> Clusters:
    """Cluster models at ``points``, with minimax linkage of their distances; neither number nor height chooses one."""
    index, scaled = facts.coef.index, facts.scaled.loc[:, (facts.scaled != 0).any(axis=0)]
    linkage, prototypes = minimax_linkage(distances)
    if n_clusters is None and height is None:
        min_size = usual_size(len(index)) if min_size is None else min_size
        n_clusters = choose_number(linkage, prototypes, points, min_size)
    found, chosen, radius = cut(linkage, prototypes, n_clusters=n_clusters, height=height)
    group = drop_small(found, min_size or 1)
    if (group < 0).all():
        raise ValueError(
            f"`min_size` must leave a cluster, got {min_size!r}, and the largest has {np.bincount(found).max()} "
            "queries. Lower it, or ask for fewer clusters."
        )
    order = _leaves(linkage)
    number = pd.unique(found[order][group[order] >= 0])
    label = np.full(chosen.size, OTHERS)
    label[number] = np.arange(1, number.size + 1)
    labels = pd.Series(label[found], index, name="cluster")
    table = pd.DataFrame({"prototype": index[chosen[number]], "size": np.bincount(found)[number]})
    table["radius"] = radius[number]
    table.index = pd.RangeIndex(1, number.size + 1, name="cluster")
    shown = facts.coef.iloc[chosen[number]].loc[:, scaled.columns].set_axis(table.index)
    table = _add_others(table, int((group < 0).sum()))
    for name, loss in facts.losses.items():
        table[name] = facts.measured(loss.groupby(labels.to_numpy()).mean())
    return Clusters(
        labels, table, shown, scaled, linkage, prototypes, order, unit, explained_share(points, group), facts.models,
        facts.values,
    )  # fmt: skip


def check_min_size(min_size: Any, n_query: int) -> int | None:
    """Return the smallest size of a cluster as it is, or None."""
    if min_size is None:
        return None
    hint = f"There are {n_query} queries."
    return int(check_number("min_size", min_size, 1, n_query, hint=hint))


def _add_others(table: pd.DataFrame, n_others: int) -> pd.DataFrame:
    """Return the table with a last row for queries in no cluster, if there are any."""
    if not n_others:
        return table
    last = pd.DataFrame({"prototype": [None], "size": n_others, "radius": np.nan}, index=[OTHERS])
    return pd.concat([table.astype({"prototype": object}), last.astype({"prototype": object})]).rename_axis("cluster")


def _leaves(linkage: np.ndarray) -> np.ndarray:
    """Return the leaves of a linkage from left to right, without recursion."""
    n = linkage.shape[0] + 1
    stack, leaves = [2 * n - 2], []
    while stack:
        node = stack.pop()
        if node < n:
            leaves.append(node)
        else:
            left, right = linkage[node - n, :2].astype(np.int64)
            stack += [int(right), int(left)]
    return np.array(leaves)
