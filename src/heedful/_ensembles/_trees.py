"""Forests and boosters of scikit-learn."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.dummy import DummyClassifier, DummyRegressor

from heedful import _kernels
from heedful._ensembles._ensemble import Ensemble, loss_of, number_leaves, starts, with_start
from heedful._file_checks import in_range, require, require_indices, require_trees


def flatten(trees: list[Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Return the nodes of all trees as ``leaf_rows`` takes them, their roots, and the number of leaves.

    Rows are single precision, so a threshold can be too: the largest one that is not above the tree's own.
    """
    sizes = [tree.tree_.node_count for tree in trees]
    roots = starts(sizes)
    nodes = np.empty((sum(sizes), 4), np.int32)
    thresholds = nodes.view(np.float32)
    n_leaves = 0
    for root, size, tree in zip(roots, sizes, (tree.tree_ for tree in trees), strict=True):
        part = slice(root, root + size)
        leaf = tree.children_left < 0
        nearest = tree.threshold.astype(np.float32)
        below = np.where(nearest > tree.threshold, np.nextafter(nearest, np.float32(-np.inf)), nearest)
        missing_left = tree.missing_go_to_left.astype(bool)
        nodes[part, 0] = np.where(leaf, 0, np.where(missing_left, ~tree.feature, tree.feature))
        thresholds[part, 1] = below
        nodes[part, 2] = np.where(leaf, -1, root + tree.children_left)
        nodes[part, 3] = np.where(leaf, n_leaves + np.cumsum(leaf) - 1, root + tree.children_right)
        n_leaves += int(leaf.sum())
    return nodes, thresholds, roots, n_leaves


def check_flat(nodes: np.ndarray, thresholds: np.ndarray, roots: np.ndarray, n_features: int) -> int:
    """Raise if nodes as ``flatten`` gives them lead nowhere; return the number of leaves."""
    require(thresholds.dtype == np.float32 and thresholds.shape == nodes.shape, "thresholds are missing")
    require(thresholds.flags.c_contiguous, "thresholds are something else")
    return require_trees(nodes, roots, nodes[:, 2:], n_features)


@dataclass(kw_only=True)
class _Trees(Ensemble):
    """scikit-learn's trees, as ``flatten`` gives them."""

    nodes: np.ndarray
    thresholds: np.ndarray
    roots: np.ndarray

    def check_loaded(self) -> None:
        super().check_loaded()
        n_leaves = check_flat(self.nodes, self.thresholds, self.roots, self.n_features)
        require(n_leaves == self.n_leaves and self.roots.size == self.n_trees, "leaves are missing")

    def _find(self, X: np.ndarray) -> np.ndarray:
        return _kernels.leaf_rows(X.astype(np.float32), self.nodes, self.thresholds, self.roots)


def _read_trees(model: Any, trees: Any, n_outputs: int = 1, **what: Any) -> _Trees:
    """Read scikit-learn's trees; those of several outputs take turns."""
    nodes, thresholds, roots, n_leaves = flatten(trees)
    return _Trees(
        nodes=nodes,
        thresholds=thresholds,
        roots=roots,
        n_features=model.n_features_in_,
        n_leaves=n_leaves,
        output=np.tile(np.arange(n_outputs), len(trees) // n_outputs),
        value=np.concatenate([tree.tree_.value[tree.tree_.children_left < 0, 0, 0] for tree in trees]),
        start=np.zeros(n_outputs),
        **what,
    )


def read_forest(model: Any) -> Ensemble:
    if model.n_outputs_ > 1:
        raise ValueError(f"A forest must have one response, got {model.n_outputs_}. Fit one forest for each.")
    if hasattr(model, "classes_"):
        return replace(_read_trees(model, model.estimators_, boosted=False), value=np.empty(0))
    return _read_trees(model, model.estimators_, boosted=False, loss=loss_of(model.criterion))


def read_gradient(model: Any) -> Ensemble:
    if not (isinstance(model.init_, DummyClassifier | DummyRegressor) or model.init_ == "zero"):
        raise ValueError(f"A booster must start from a constant, got init={model.init!r}. Fit one with init=None.")
    trees, n_outputs = model.estimators_.ravel(), model.estimators_.shape[1]
    ensemble = _read_trees(model, trees, n_outputs, loss=loss_of(model.loss))
    ensemble = replace(ensemble, value=model.learning_rate * ensemble.value)
    raw = getattr(model, "decision_function", model.predict)
    names = getattr(model, "feature_names_in_", None)
    row = np.zeros((1, ensemble.n_features))
    return with_start(ensemble, raw(row if names is None else pd.DataFrame(row, columns=names)))


@dataclass(kw_only=True)
class _Histogram(Ensemble):
    """scikit-learn's histogram boosting: the nodes of each tree, its first node among all, leaf numbers of nodes."""

    trees: list[np.ndarray]
    first: np.ndarray
    number: np.ndarray

    def check_loaded(self) -> None:
        super().check_loaded()
        for tree in self.trees:
            split = np.flatnonzero(tree["is_leaf"] == 0)
            children = np.stack([tree["left"][split], tree["right"][split]]).astype(np.int64)
            # a child that comes after its parent can never lead back to it
            require(in_range(children, tree.size) and (children > split).all(), "a child is missing, or a circle")
            require(in_range(tree["feature_idx"][split], self.n_features), "a tree splits a column that is not there")
        n_nodes = sum(tree.size for tree in self.trees)
        require_indices(self.first, n_nodes, len(self.trees))
        follow = np.array_equal(self.first, starts([tree.size for tree in self.trees]))
        require(len(self.trees) == self.n_trees and follow, "trees are missing")
        require_indices(self.number + 1, self.n_leaves + 1, n_nodes)

    def _find(self, X: np.ndarray) -> np.ndarray:
        parts = zip(self.first, self.trees, strict=True)
        return np.stack([self.number[first + _descend(tree, X)] for first, tree in parts])


def read_histogram(model: Any) -> Ensemble:
    """Read scikit-learn's histogram boosting, which has no public leaf numbers."""
    if model.is_categorical_ is not None:
        raise ValueError("HistGradientBoosting with categorical features cannot be read. Encode them as numbers.")
    trees = [tree.nodes for step in model._predictors for tree in step]
    start = np.ravel(model._baseline_prediction)
    first, number = number_leaves([tree["is_leaf"] == 1 for tree in trees])
    value = np.concatenate([tree["value"][tree["is_leaf"] == 1] for tree in trees])
    return _Histogram(
        trees=trees,
        first=first,
        number=number,
        n_features=model.n_features_in_,
        n_leaves=value.size,
        output=np.tile(np.arange(start.size), len(model._predictors)),
        value=value,
        start=start,
        loss=loss_of(model.loss),
    )


def _descend(tree: np.ndarray, X: np.ndarray) -> np.ndarray:
    node = np.zeros(X.shape[0], np.int64)
    rows = np.arange(X.shape[0] if tree["is_leaf"][0] == 0 else 0)
    while rows.size:
        split = node[rows]
        value = X[rows, tree["feature_idx"][split]]
        left = np.where(np.isnan(value), tree["missing_go_to_left"][split] == 1, value <= tree["num_threshold"][split])
        split = np.where(left, tree["left"][split], tree["right"][split])
        node[rows] = split
        rows = rows[tree["is_leaf"][split] == 0]
    return node
