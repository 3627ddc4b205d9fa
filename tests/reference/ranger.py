"""A forest by the rules of R's ranger, in loops: which rows are drawn, which nodes are split, and where.

A node of ``stop`` draws or fewer is not split, and no part of a split has fewer than ``bucket`` draws; a row that was
drawn twice counts twice. The random numbers are those of the package, so that its forests can be held against this one.
"""

import numpy as np
from sklearn.base import BaseEstimator

from reference.trees import column_order, draw


class RangerForest(BaseEstimator):
    """Trees of numbers, or of labels if the response is text; with the methods that proximities need."""

    def __init__(self, n_trees, stop, bucket=1, seed=0):
        self.n_trees, self.stop, self.bucket, self.seed = n_trees, stop, bucket, seed

    def fit(self, X, y):
        """Grow the trees."""
        seeds = np.random.RandomState(np.random.RandomState(self.seed).randint(2**31 - 1))
        labels = np.unique(y)
        values = y[:, None] == labels if y.dtype.kind in "US" else np.rint(y[:, None] * 2.0**30)
        self.trees_ = []
        for seed in seeds.randint(0, 2**63, self.n_trees, dtype=np.int64):
            rows = np.repeat(np.arange(len(y)), draw(int(seed), len(y), len(y)))
            self.trees_.append(self.grow(X[rows], values[rows].astype(np.int64), int(seed)))
        return self

    def grow(self, X, values, seed):
        """Return a tree as a dict: a node has a column, a value up to which rows go left, and two children."""
        nodes, stack = {}, [(0, np.arange(len(X)))]
        n_nodes = 1
        while stack:
            node, rows = stack.pop()
            pure = (values[rows] == values[rows[0]]).all()
            cut = None if len(rows) <= self.stop or pure else self.best_cut(X[rows], values[rows], seed, node)
            nodes[node] = cut and (*cut, n_nodes)
            if cut is not None:
                left = X[rows, cut[0]] <= cut[1]
                stack += [(n_nodes + 1, rows[~left]), (n_nodes, rows[left])]
                n_nodes += 2
        return nodes

    def best_cut(self, X, values, seed, node):
        """Return column and value of the split that takes most off the squared error; of equal ones the first."""
        best, found = -1.0, None
        for column in column_order(seed, node, X.shape[1])[: int(np.sqrt(X.shape[1]))]:
            order = np.argsort(X[:, column])
            x, below = X[order, column], np.cumsum(values[order], axis=0)
            n_left = np.arange(1, len(x))[:, None]
            n_right = len(x) - n_left
            left, right = below[:-1].astype(float), (below[-1] - below[:-1]).astype(float)
            gain = (left**2 / n_left + right**2 / n_right).sum(axis=1)
            large = np.minimum(n_left, n_right)[:, 0] >= self.bucket
            gain[(x[1:] == x[:-1]) | ~large] = -np.inf
            at = np.argmax(gain)
            if gain[at] > best:
                best, found = gain[at], (column, (x[at] + x[at + 1]) / 2)
        return found

    def apply(self, X):
        """Return the leaf of every row in every tree (n_rows, n_trees)."""
        return np.array([[self.leaf(tree, x) for tree in self.trees_] for x in X])

    def leaf(self, tree, x):
        """Return the leaf of a row."""
        node = 0
        while tree[node] is not None:
            column, value, children = tree[node]
            node = children + (x[column] > value)
        return node
