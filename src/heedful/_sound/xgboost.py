"""Models of XGBoost as JSON or UBJSON, checked before XGBoost sees them.

XGBoost is handed what was read and not the file, so that both see the same.
"""

import json
from typing import Any

import numpy as np

from heedful._file_checks import are_offsets, in_range, require
from heedful._sound.laws import reached, sized
from heedful._sound.ubjson import read_ubjson

PER_NODE = ("base_weights", "default_left", "loss_changes", "split_conditions", "sum_hessian")
# XGBoost takes no more than these.
CATEGORIES = 2**24


def read_xgboost(data: bytes) -> bytes:
    """Return a model's JSON as it was read from JSON or UBJSON, if it is whole and sound."""
    saved = read_ubjson(data) if data[1:2] == b"L" else json.loads(data)
    name = saved["learner"]["gradient_booster"]["name"]
    require(name == "gbtree", f"it must be made of trees (gbtree), got {str(name)[:20]!r}")
    check_xgboost(saved)
    return json.dumps(saved).encode()


def check_xgboost(saved: dict[str, Any]) -> None:
    """Check a model that was read: trees, trees of which some are dropped in fitting, or linear."""
    learner = saved["learner"]
    booster, parameters = learner["gradient_booster"], learner["learner_model_param"]
    require(booster["name"] in ("gbtree", "dart", "gblinear"), "it is of no known kind")
    n_features, n_class = int(parameters["num_feature"]), int(parameters["num_class"])
    require(n_features > 0 and n_class >= 0 and int(parameters.get("num_target", 1)) == 1, "it has several responses")
    _check_names(learner, n_features, n_class)
    if booster["name"] == "gblinear":
        _floats(booster["model"]["weights"], (n_features + 1) * max(n_class, 1))
        return
    if booster["name"] == "dart":
        _floats(booster["weight_drop"], len(booster["gbtree"]["model"]["trees"]))
        booster = booster["gbtree"]
    n_rounds = _check_rounds(booster["model"], max(n_class, 1))
    require(0 <= int(learner["attributes"].get("best_iteration", 0)) < n_rounds, "the best round is wrong")
    for tree in booster["model"]["trees"]:
        _check_tree(tree, n_features)
    _check_levels(booster["model"].get("cats", {"enc": []}), n_features)


def _check_names(learner: dict[str, Any], n_features: int, n_class: int) -> None:
    """Check what is said of columns, classes and the value that trees are added to."""
    start = json.loads(learner["learner_model_param"]["base_score"])
    require(np.size(start) in (1, n_class) and np.isfinite(start).all(), "the start is wrong")
    for name in ("feature_names", "feature_types"):
        named = learner.get(name, [])
        require(len(named) in (0, n_features) and all(isinstance(n, str) for n in named), f"{name} are wrong")
    settings = [part for part in learner["objective"].values() if isinstance(part, dict)]
    require(all(int(part.get("num_class", n_class)) == n_class for part in settings), "the number of classes is wrong")


def _check_rounds(model: dict[str, Any], n_outputs: int) -> int:
    """Return the number of rounds."""
    n_trees, per_round = len(model["trees"]), int(model["gbtree_model_param"]["num_parallel_tree"]) * n_outputs
    require(int(model["gbtree_model_param"]["num_trees"]) == n_trees > 0, "the number of trees is wrong")
    require([tree["id"] for tree in model["trees"]] == list(range(n_trees)), "the trees are not in order")
    require(in_range(_ints(model["tree_info"], n_trees), n_outputs), "a tree is of no class")
    bounds = np.arange(0, n_trees + 1, max(per_round, 1))
    if "iteration_indptr" in model:
        bounds = _ints(model["iteration_indptr"])
    require(per_round > 0 and are_offsets(bounds, n_trees), "the rounds are wrong")
    return bounds.size - 1


def _check_tree(tree: dict[str, Any], n_features: int) -> None:
    n_nodes = int(tree["tree_param"]["num_nodes"])
    require(int(tree["tree_param"]["num_feature"]) == n_features, "a tree has other columns")
    require(int(tree["tree_param"]["size_leaf_vector"]) in (0, 1), "a leaf must hold one value")
    for name in PER_NODE:
        _floats(tree[name], n_nodes)
    names = ("left_children", "right_children", "parents", "split_indices", "split_type")
    left, right, parent, feature, kind = (_ints(tree[name], n_nodes) for name in names)
    splits = np.flatnonzero(reached(left, right) & (left >= 0))
    own = (parent[left[splits]] == splits) & (parent[right[splits]] == splits)
    require(own.all(), "a node has another parent")
    require(in_range(feature[splits], n_features), "a tree splits a column that is not there")
    require(in_range(kind, 2), "a split is of no known kind")
    _check_categories(tree, np.flatnonzero(kind))


def _check_categories(tree: dict[str, Any], splits: np.ndarray) -> None:
    """Check the sets of categories of the splits that have one."""
    names = ("categories_nodes", "categories_segments", "categories_sizes", "categories")
    nodes, first, size, categories = (_ints(tree[name]) for name in names)
    alike = nodes.size == first.size == size.size
    require(alike and np.array_equal(nodes, splits), "a set of categories is missing")
    inside = (first >= 0) & (size > 0) & (first + size <= categories.size)
    require(inside.all() and in_range(categories, CATEGORIES), "a set of categories is wrong")


def _check_levels(levels: dict[str, Any], n_features: int) -> None:
    """Check the names of categories: of each column, one after the other."""
    if not levels["enc"]:
        return
    bounds, order = _ints(levels["feature_segments"], n_features + 1), _ints(levels["sorted_idx"])
    require(are_offsets(bounds, order.size) and len(levels["enc"]) == n_features, "the names of categories are wrong")
    for entry, first, last in zip(levels["enc"], bounds[:-1], bounds[1:], strict=True):
        values, places = _ints(entry["values"]), order[first:last]
        require(np.array_equal(np.sort(places), np.arange(last - first)), "the order of categories is wrong")
        offsets = np.arange(values.size + 1) if "type" in entry else _ints(entry["offsets"])
        empty = first == last and values.size == 0
        require(
            empty or (are_offsets(offsets, values.size) and offsets.size == last - first + 1), "a category is wrong"
        )


def _ints(values: Any, size: int | None = None) -> np.ndarray:
    """Return a list of whole numbers as an array."""
    found = np.asarray(values)
    require(found.dtype.kind in "iub" or found.size == 0, "whole numbers are something else")
    return sized(found.astype(np.int64), size)


def _floats(values: Any, size: int) -> np.ndarray:
    """Return a list of numbers as an array."""
    found = np.asarray(values)
    require(found.dtype.kind in "iubf" or found.size == 0, "numbers are something else")
    return sized(found, size)
