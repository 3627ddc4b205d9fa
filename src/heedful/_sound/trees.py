"""Trees of scikit-learn and of our own."""

from typing import Any

import numpy as np

from heedful._sound.laws import need, reached, within


def check_tree(n_features: int, n_classes: np.ndarray, n_outputs: int, state: dict[str, Any]) -> None:
    """Check what a tree of scikit-learn is made of; it would read beyond its arrays."""
    nodes, values = state["nodes"], state["values"]
    whole = all(isinstance(number, int | np.integer) for number in (n_features, n_outputs, state["node_count"]))
    need(whole and 0 < n_outputs == np.size(n_classes) and np.ndim(n_classes) == 1, "a tree has no outputs")
    need(n_classes.dtype.kind in "iu" and within(n_classes - 1, 2**31), "the classes of a tree are wrong")
    need(nodes.ndim == 1 and state["node_count"] == nodes.size > 0, "a tree has nodes that are not there")
    need(values.shape == (nodes.size, n_outputs, n_classes.max()), "values of leaves are missing")
    seen = reached(nodes["left_child"], nodes["right_child"])
    splits = seen & (nodes["left_child"] != -1)
    need(within(nodes["feature"][splits], n_features), "a tree splits a column that is not there")


def check_histogram(state: dict[str, Any]) -> None:
    """Check what a tree of scikit-learn's histogram boosting is made of."""
    nodes = state["nodes"]
    need(nodes.ndim == 1 and nodes.size > 0, "a tree has no nodes")
    leaf = nodes["is_leaf"] != 0
    left, right = (np.where(leaf, -1, nodes[name].astype(np.int64)) for name in ("left", "right"))
    reached(left, right)
    sets = state.get("raw_left_cat_bitsets", np.empty((0, 8), np.uint32))
    levels = nodes["is_categorical"] != 0
    need(sets.ndim == 2 and sets.shape[1] == 8, "sets of categories are wrong")
    need(within(nodes["bitset_idx"][levels & ~leaf], len(sets)), "a set of categories is missing")


def check_ensemble(model: Any) -> None:
    """Check that the trees of an estimator of scikit-learn split columns that it has."""
    own, n_features = getattr(model, "__dict__", {}), getattr(model, "n_features_in_", None)
    trees = [own, *(getattr(tree, "__dict__", {}) for tree in np.ravel(own.get("estimators_", ())))]
    for tree in (entry["tree_"] for entry in trees if "tree_" in entry):
        need(tree.n_features == n_features, "a tree has other columns")
    for tree in (tree for step in own.get("_predictors", ()) for tree in step):
        check_columns(tree.nodes, n_features or 0)


def check_columns(nodes: np.ndarray, n_features: int) -> None:
    """Check that a tree of histogram boosting splits columns that are there."""
    splits = nodes["is_leaf"] == 0
    need(within(nodes["feature_idx"][splits], n_features), "a tree splits a column that is not there")


def check_forest(nodes: np.ndarray, roots: np.ndarray, children: np.ndarray, n_features: int) -> int:
    """Check trees of nodes (feature, -, left, -), one after the other from their roots on; return how many leaves.

    ``children`` are two for each node. A leaf has left = -1 and its number as the last entry; numbers must be each of
    0, 1, ... once. A feature may be given as its complement.
    """
    right = nodes.dtype == np.int32 and nodes.ndim == 2 and nodes.shape[1:] == (4,) and nodes.flags.c_contiguous
    need(right and roots.dtype == np.int32 and roots.ndim == 1, "nodes are something else")
    need(roots.size > 0 and within(roots, len(nodes)), "a tree has no root")
    leaf = nodes[:, 2] < 0
    n_leaves = int(leaf.sum())
    need(np.array_equal(np.sort(nodes[leaf, 3]), np.arange(n_leaves)), "a leaf has no number of its own")
    need(within(children[~leaf], len(nodes)), "a child is missing")
    # a child that comes after its parent can never lead back to it
    need((children[~leaf] > np.flatnonzero(~leaf)[:, None]).all(), "a tree has a circle")
    feature = nodes[~leaf, 0]
    need(within(np.where(feature < 0, ~feature, feature), n_features), "a tree splits a column that is not there")
    return n_leaves
