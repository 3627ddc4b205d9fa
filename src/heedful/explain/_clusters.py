"""Groups of queries with like models, each shown by one of them."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.spatial.distance import pdist

from heedful.cluster import cut, minimax_linkage


@dataclass(frozen=True)
class Clusters:
    """Hold groups of queries with like coefficients, and their prototypes.

    Parameters
    ----------
    labels : Series
        Group of each query, numbered from 1 by the order of the dendrogram's leaves.
    table : DataFrame
        One row per group: its prototype (a query), size and radius; errors of both models if the response is known.
    coef : DataFrame
        Coefficients of the prototypes, without columns that no model uses.
    scaled : DataFrame
        Coefficients of all queries per standard deviation of their column, without those columns.
    linkage, merge_prototypes : ndarray
        scipy's linkage matrix of the queries, and the prototype of each merge.
    order : ndarray
        Positions of the queries in the order of the dendrogram's leaves.

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


def cluster_models(
    coef: pd.DataFrame,
    scaled: pd.DataFrame,
    losses: dict[str, pd.Series],
    n_clusters: int | None,
    height: float | None,
) -> Clusters:
    """Cluster coefficient vectors, by ``scaled`` ones, with minimax linkage; ``losses`` are averaged over groups."""
    n_query = len(coef)
    if n_query < 2:
        raise ValueError(f"`explain` must have had at least 2 rows to be clustered, got {n_query}.")
    scaled = scaled.loc[:, (scaled != 0).any(axis=0)]
    linkage, prototypes = minimax_linkage(pdist(scaled.to_numpy()) if scaled.shape[1] else np.zeros(_pairs(n_query)))
    found, chosen, radius = cut(linkage, prototypes, n_clusters=n_clusters, height=height)
    order = _leaves(linkage)
    number = pd.Series(found[order]).drop_duplicates().to_numpy()
    label = np.empty(number.size, np.int64)
    label[number] = np.arange(1, number.size + 1)
    labels = pd.Series(label[found], coef.index, name="cluster")
    table = pd.DataFrame({"prototype": coef.index[chosen[number]], "size": np.bincount(found)[number]})
    table["radius"] = radius[number]
    table.index = pd.RangeIndex(1, number.size + 1, name="cluster")
    for name, loss in losses.items():
        table[name] = loss.groupby(labels.to_numpy()).mean()
    shown = coef.iloc[chosen[number]].loc[:, scaled.columns].set_axis(table.index)
    return Clusters(labels, table, shown, scaled, linkage, prototypes, order)


def _pairs(n: int) -> int:
    return n * (n - 1) // 2


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
