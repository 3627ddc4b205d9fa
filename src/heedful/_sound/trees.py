"""Trees of scikit-learn and of our own."""

from typing import Any

import numpy as np

from heedful._file_checks import in_range, require
from heedful._sound.laws import reached


def check_tree(n_features: int, n_classes: np.ndarray, n_outputs: int, state: dict[str, Any]) -> None:
    """Check what a tree of scikit-learn is made of; it would read beyond its arrays."""
    nodes, values = state["nodes"], state["values"]
    whole = all(isinstance(number, int | np.integer) for number in (n_features, n_outputs, state["node_count"]))
    require(whole and 0 < n_outputs == np.size(n_classes) and np.ndim(n_classes) == 1, "a tree has no outputs")
    require(n_classes.dtype.kind in "iu" and in_range(n_classes - 1, 2**31), "the classes of a tree are wrong")
    require(nodes.ndim == 1 and state["node_count"] == nodes.size > 0, "a tree has nodes that are not there")
    require(values.shape == (nodes.size, n_outputs, n_classes.max()), "values of leaves are missing")
    seen = reached(nodes["left_child"], nodes["right_child"])
    splits = seen & (nodes["left_child"] != -1)
    require(in_range(nodes["feature"][splits], n_features), "a tree splits a column that is not there")


def check_histogram(state: dict[str, Any]) -> None:
    """Check what a tree of scikit-learn's histogram boosting is made of."""
    nodes = state["nodes"]
    require(nodes.ndim == 1 and nodes.size > 0, "a tree has no nodes")
    leaf = nodes["is_leaf"] != 0
    left, right = (np.where(leaf, -1, nodes[name].astype(np.int64)) for name in ("left", "right"))
    reached(left, right)
    sets = state.get("raw_left_cat_bitsets", np.empty((0, 8), np.uint32))
    levels = nodes["is_categorical"] != 0
    require(sets.ndim == 2 and sets.shape[1] == 8, "sets of categories are wrong")
    require(in_range(nodes["bitset_idx"][levels & ~leaf], len(sets)), "a set of categories is missing")


def check_ensemble(model: Any) -> None:
    """Check that the trees of an estimator of scikit-learn split columns that it has."""
    own, n_features = getattr(model, "__dict__", {}), getattr(model, "n_features_in_", None)
    trees = [own, *(getattr(tree, "__dict__", {}) for tree in np.ravel(own.get("estimators_", ())))]
    for tree in (entry["tree_"] for entry in trees if "tree_" in entry):
        require(tree.n_features == n_features, "a tree has other columns")
    for tree in (tree for step in own.get("_predictors", ()) for tree in step):
        check_columns(tree.nodes, n_features or 0)


def check_columns(nodes: np.ndarray, n_features: int) -> None:
    """Check that a tree of histogram boosting splits columns that are there."""
    splits = nodes["is_leaf"] == 0
    require(in_range(nodes["feature_idx"][splits], n_features), "a tree splits a column that is not there")
