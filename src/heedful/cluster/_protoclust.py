"""A scikit-learn clusterer whose clusters each have one row as their prototype."""

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from heedful._undo import all_or_nothing
from heedful.cluster._cut import check_cut, cut
from heedful.cluster._distances import distances, metric_options, square_distances
from heedful.cluster._linkage import link


class ProtoClust(ClusterMixin, BaseEstimator):
    """Cluster rows around prototypes, which are rows of the table.

    A hierarchy by minimax linkage is cut at a number of clusters or at a height. Every row is within ``height`` of the
    prototype of its cluster, so the height bounds the distance of rows to their prototypes.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. At most one of ``n_clusters`` and ``height`` may be given; with neither there are two
        clusters, as in ``AgglomerativeClustering``, so that the defaults can be fitted.
    height : float, default=None
        Largest distance of a row to its prototype, in the units of ``metric``. Larger gives fewer clusters.
    metric : str or callable, default="euclidean"
        Name of a metric of ``scipy.spatial.distance``, a function of two rows, or "precomputed": ``X`` is then the
        symmetric matrix of distances.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_rows,)
        Cluster of each row. Clusters are numbered by their first rows.
    prototypes_ : ndarray of int of shape (n_clusters,)
        Row number of each cluster's prototype.
    heights_ : ndarray of shape (n_clusters,)
        Radius of each cluster: the largest distance of its rows to its prototype.
    cluster_centers_ : ndarray of shape (n_clusters, n_features) or None
        The prototypes themselves; None if the distances were precomputed.
    linkage_, merge_prototypes_ : ndarray of shape (n_rows - 1, 4) and (n_rows - 1,)
        The whole hierarchy, as ``minimax_linkage`` returns it. ``heedful.cluster.cut`` cuts it elsewhere without
        another fit.
    n_features_in_ : int
        Number of columns seen in ``fit``.
    feature_names_in_ : ndarray of shape (n_columns,)
        Their names, if all are strings.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from heedful.cluster import ProtoClust
    >>> X = load_iris().data
    >>> model = ProtoClust(n_clusters=3).fit(X)
    >>> model.prototypes_, model.heights_.round(2)
    (array([  7,  96, 102]), array([1.24, 1.49, 1.28]))
    >>> model.predict([[5.0, 3.5, 1.5, 0.2]])
    array([0])
    >>> ProtoClust(height=1.0).fit(X).prototypes_.size
    7
    """

    def __init__(self, n_clusters=None, *, height=None, metric="euclidean"):
        self.n_clusters = n_clusters
        self.height = height
        self.metric = metric

    @all_or_nothing
    def fit(self, X, y=None):  # noqa: ARG002 - as scikit-learn calls it
        """Build the hierarchy of the rows and cut it.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Rows, or the matrix of distances between them (n_rows, n_rows) if these are precomputed.
        y : ignored, default=None
            For compatibility with scikit-learn.

        Returns
        -------
        self : the fitted estimator
        """
        X = validate_data(self, X, dtype=np.float64)
        where = self._where()
        check_cut(X.shape[0], *where)
        self.linkage_, self.merge_prototypes_ = link(self._square(X))
        self.labels_, self.prototypes_, self.heights_ = cut(self.linkage_, self.merge_prototypes_, *where)
        self.cluster_centers_ = None if self._precomputed else X[self.prototypes_]
        return self

    def predict(self, X):
        """Return the cluster of the prototype nearest to each row.

        A row of the training table may be nearer to the prototype of a cluster other than its own.

        Parameters
        ----------
        X : array-like of shape (n_query, n_features)
            New rows, or their distances to all training rows (n_query, n_train) if these are precomputed.

        Returns
        -------
        ndarray of int of shape (n_query,)
            Numbers of clusters; of equally near ones the first.
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        if self._precomputed:
            return X[:, self.prototypes_].argmin(axis=1)
        return distances(self.metric, X, self.cluster_centers_, **self._options).argmin(axis=1)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = tags.input_tags.positive_only = self._precomputed
        return tags

    @property
    def _precomputed(self) -> bool:
        return isinstance(self.metric, str) and self.metric == "precomputed"

    def _where(self) -> tuple[int | None, float | None]:
        """Return the number and the height to cut at; exactly one of them, or what the user got wrong."""
        neither = self.n_clusters is None and self.height is None
        return (2, None) if neither else (self.n_clusters, self.height)

    def _square(self, X: np.ndarray) -> np.ndarray:
        if self._precomputed:
            return square_distances(X, "`X` with metric='precomputed'")
        self._options = metric_options(self.metric, X)
        return square_distances(distances(self.metric, X, **self._options), f"Distances by metric={self.metric!r}")
