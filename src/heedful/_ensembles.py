"""Fitted tree ensembles of any package, read as leaves and what each leaf adds."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from heedful import _kernels
from heedful._optional import need

ACCEPTED = "a random forest, extra trees or gradient boosting of scikit-learn, LightGBM, XGBoost or CatBoost"
LOSSES = {
    "squared": ("regression", "reg:squarederror", "squared_error", "RMSE"),
    "log": (
        *("binary", "multiclass", "binary:logistic", "binary:logitraw", "multi:softprob", "multi:softmax"),
        *("log_loss", "Logloss", "MultiClass"),
    ),
}


@dataclass(kw_only=True)
class Ensemble:
    """A fitted tree ensemble as leaves; a leaf has one number in the whole ensemble.

    ``output`` (n_trees,) is the output (class) that a tree adds to. ``value`` (n_leaves,) is what a leaf adds to its
    raw score, learning rate included, or the response that a leaf of a regression forest predicts; it is empty for
    classification forests. ``start`` (n_outputs,) is the raw score before the first tree. ``boosted`` says that trees
    are summed and not averaged, ``loss`` ("squared", "log", "other") what a booster was fitted to. ``bare_chances``
    says that a bare booster of classes predicts their probabilities, not labels or raw scores.
    """

    n_features: int
    n_leaves: int
    output: np.ndarray
    value: np.ndarray
    start: np.ndarray
    loss: str = "other"
    boosted: bool = True
    bare_chances: bool = True
    takes_frames: ClassVar[bool] = False

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return self.output.size

    def leaves(self, X: Any) -> np.ndarray:
        """Return the leaf of every row in every tree (n_trees, n_rows).

        Frames are for packages that have categories of their own: LightGBM and XGBoost.
        """
        return self._find(self._rows(X))

    def row_leaves(self, X: Any) -> np.ndarray:
        """Return the leaves row by row (n_rows, n_trees)."""
        return self._find_rows(self._rows(X))

    def raw(self, leaves: np.ndarray) -> np.ndarray:
        """Return the raw scores (n_rows, n_outputs) of rows given by their leaves."""
        if self.value.size == 0:
            raise ValueError("A classification forest has no raw scores: its leaves hold classes.")
        total = np.zeros((leaves.shape[1], self.start.size))
        for output, part in zip(self.output, leaves, strict=True):
            total[:, output] += self.value[part]
        return self.start + (total if self.boosted else total / np.bincount(self.output))

    def _rows(self, X: Any) -> Any:
        """Return rows as the package takes them."""
        if not (isinstance(X, pd.DataFrame) and self.takes_frames):
            X = np.ascontiguousarray(X, dtype=np.float64)
        if X.ndim != 2 or X.shape[1] != self.n_features:
            raise ValueError(f"`X` must have {self.n_features} columns as the ensemble has, got shape {X.shape}.")
        return X

    def _find(self, X: Any) -> np.ndarray:
        raise NotImplementedError

    def _find_rows(self, X: Any) -> np.ndarray:
        return np.ascontiguousarray(self._find(X).T)


def read_ensemble(model: Any) -> Ensemble:
    """Read a fitted ensemble; one that stopped early is read up to its best iteration."""
    reader = _reader(model)
    if reader is None:
        raise TypeError(f"A tree ensemble must be {ACCEPTED}, got {model!r}.")
    if not is_fitted(model):
        raise NotFittedError(f"This {type(model).__name__} is not fitted. Call `fit` first.")
    return reader(model)


def is_ensemble(model: Any) -> bool:
    """Return whether a model, fitted or not, is of a kind that can be read."""
    return _reader(model) is not None


def is_fitted(model: Any) -> bool:
    """Return whether a model was fitted; a bare booster is if it has trees."""
    if not hasattr(model, "fit"):
        rounds = getattr(model, "num_trees", None) or getattr(model, "num_boosted_rounds", None)
        return rounds is not None and rounds() > 0
    try:
        check_is_fitted(model)
    except NotFittedError:
        return False
    return True


def flatten(trees: list[Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Return the nodes of all trees as ``leaf_rows`` takes them, their roots, and the number of leaves.

    Rows are single precision, so a threshold can be too: the largest one that is not above the tree's own.
    """
    sizes = [tree.tree_.node_count for tree in trees]
    roots = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int32)
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


@dataclass(kw_only=True)
class _Trees(Ensemble):
    """scikit-learn's trees, as ``flatten`` gives them."""

    nodes: np.ndarray
    thresholds: np.ndarray
    roots: np.ndarray

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


def _read_forest(model: Any) -> Ensemble:
    """Read a random forest or extra trees."""
    if model.n_outputs_ > 1:
        raise ValueError(f"A forest must have one response, got {model.n_outputs_}. Fit one forest for each.")
    if hasattr(model, "classes_"):
        return replace(_read_trees(model, model.estimators_, boosted=False), value=np.empty(0))
    return _read_trees(model, model.estimators_, boosted=False, loss=_loss(model.criterion))


def _read_gradient(model: Any) -> Ensemble:
    """Read scikit-learn's gradient boosting."""
    if not (isinstance(model.init_, DummyClassifier | DummyRegressor) or model.init_ == "zero"):
        raise ValueError(f"A booster must start from a constant, got init={model.init!r}. Fit one with init=None.")
    trees, n_outputs = model.estimators_.ravel(), model.estimators_.shape[1]
    ensemble = _read_trees(model, trees, n_outputs, loss=_loss(model.loss))
    ensemble = replace(ensemble, value=model.learning_rate * ensemble.value)
    raw = getattr(model, "decision_function", model.predict)
    names = getattr(model, "feature_names_in_", None)
    row = np.zeros((1, ensemble.n_features))
    return _with_start(ensemble, raw(row if names is None else pd.DataFrame(row, columns=names)))


@dataclass(kw_only=True)
class _Histogram(Ensemble):
    """scikit-learn's histogram boosting: the nodes of each tree, its first node among all, leaf numbers of nodes."""

    trees: list[np.ndarray]
    first: np.ndarray
    number: np.ndarray

    def _find(self, X: np.ndarray) -> np.ndarray:
        parts = zip(self.first, self.trees, strict=True)
        return np.stack([self.number[first + _descend(tree, X)] for first, tree in parts])


def _read_histogram(model: Any) -> Ensemble:
    """Read scikit-learn's histogram boosting, which has no public leaf numbers."""
    if model.is_categorical_ is not None:
        raise ValueError("HistGradientBoosting with categorical features cannot be read. Encode them as numbers.")
    trees = [tree.nodes for step in model._predictors for tree in step]
    start = np.ravel(model._baseline_prediction)
    first, number = _number_leaves([tree["is_leaf"] == 1 for tree in trees])
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
        loss=_loss(model.loss),
    )


def _descend(tree: np.ndarray, X: np.ndarray) -> np.ndarray:
    """Return the node where each row ends."""
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


@dataclass(kw_only=True)
class _LightGBM(Ensemble):
    """A booster of LightGBM, how many of its rounds count, and the first leaf of each tree."""

    takes_frames = True

    booster: Any
    n_rounds: int
    first: np.ndarray

    def _find(self, X: Any) -> np.ndarray:
        return np.ascontiguousarray(self._find_rows(X).T)

    def _find_rows(self, X: Any) -> np.ndarray:
        found = self.booster.predict(X, pred_leaf=True, num_iteration=self.n_rounds)
        return found.reshape(X.shape[0], -1) + self.first


def _read_lightgbm(model: Any) -> Ensemble:
    """Read LightGBM from its model text; the start is part of its first trees."""
    booster = getattr(model, "booster_", model)
    text = booster.model_to_string()
    if "\nis_linear=1\n" in text:
        raise ValueError("LightGBM with linear_tree=True cannot be read: its leaves hold no single value.")
    head = dict(re.findall(r"^(num_tree_per_iteration|objective)=(.*)$", text, re.MULTILINE))
    values = [np.array(line.split(), dtype=np.float64) for line in re.findall(r"^leaf_value=(.*)$", text, re.MULTILINE)]
    n_outputs = int(head["num_tree_per_iteration"])
    return _LightGBM(
        booster=booster,
        n_rounds=len(values) // n_outputs,
        first=_starts([part.size for part in values]),
        n_features=booster.num_feature(),
        n_leaves=sum(part.size for part in values),
        output=np.tile(np.arange(n_outputs), len(values) // n_outputs),
        value=np.concatenate(values),
        start=np.zeros(n_outputs),
        loss=_loss(re.sub(r" sigmoid:1$| num_class:\d+$", "", head.get("objective", "other"))),
        boosted="\naverage_output\n" not in text,
    )


@dataclass(kw_only=True)
class _XGBoost(Ensemble):
    """A booster of XGBoost, how many of its rounds count, first nodes of trees, and leaf numbers of nodes."""

    takes_frames = True

    booster: Any
    n_rounds: int
    missing: float
    first: np.ndarray
    number: np.ndarray

    def _find(self, X: Any) -> np.ndarray:
        found = self.predict(X, pred_leaf=True).reshape(X.shape[0], -1).astype(np.int32)
        return self.number[np.add(found.T, self.first[:, None], order="C")]

    def predict(self, X: Any, **kind: bool) -> np.ndarray:
        """Return what the booster predicts of rows."""
        categories = {"enable_categorical": True} if isinstance(X, pd.DataFrame) else {}
        table = need("xgboost", "boost", "estimator").DMatrix(X, missing=self.missing, **categories)
        return self.booster.predict(table, iteration_range=(0, self.n_rounds), validate_features=False, **kind)


def _read_xgboost(model: Any) -> Ensemble:
    """Read XGBoost from its saved form; the start is what its trees leave of a margin."""
    booster = model.get_booster() if hasattr(model, "get_booster") else model
    saved = json.loads(bytes(booster.save_raw("json")))["learner"]
    best = booster.attr("best_iteration")
    n_rounds = booster.num_boosted_rounds() if best is None else int(best) + 1
    trees, output = _xgboost_trees(saved["gradient_booster"], n_rounds)
    is_leaf = [np.array(tree["left_children"]) < 0 for tree in trees]
    first, number = _number_leaves(is_leaf)
    value = np.concatenate([np.array(tree["split_conditions"]) for tree in trees])[np.concatenate(is_leaf)]
    ensemble = _XGBoost(
        booster=booster,
        n_rounds=n_rounds,
        missing=getattr(model, "missing", np.nan),
        first=first,
        number=number,
        n_features=booster.num_features(),
        n_leaves=value.size,
        output=output,
        value=value,
        start=np.zeros(output.max() + 1),
        loss="other" if callable(getattr(model, "objective", None)) else _loss(saved["objective"]["name"]),
        bare_chances=saved["objective"]["name"] not in ("binary:logitraw", "multi:softmax"),
    )
    return _with_start(ensemble, ensemble.predict(np.zeros((1, ensemble.n_features)), output_margin=True))


def _xgboost_trees(saved: dict[str, Any], n_rounds: int) -> tuple[list[dict[str, Any]], np.ndarray]:
    """Return the trees of the first rounds and the output of each."""
    if saved["name"] != "gbtree":
        raise ValueError(f"XGBoost must have booster='gbtree', got {saved['name']!r}.")
    model = saved["model"]
    trees = model["trees"][: model["iteration_indptr"][n_rounds]]
    if int(trees[0]["tree_param"]["size_leaf_vector"]) > 1:
        raise ValueError("XGBoost must have multi_strategy='one_output_per_tree': a leaf must hold one value.")
    return trees, np.array(model["tree_info"][: len(trees)], dtype=np.int64)


@dataclass(kw_only=True)
class _CatBoost(Ensemble):
    """A model of CatBoost and the first leaf of each tree."""

    model: Any
    first: np.ndarray

    def _find(self, X: np.ndarray) -> np.ndarray:
        found = self.model.calc_leaf_indexes(X).astype(np.int32)
        return np.repeat(found.T, self.start.size, axis=0) + self.first[:, None]


def _read_catboost(model: Any) -> Ensemble:
    """Read CatBoost; a tree of several classes is read as one tree for each class."""
    if model.get_cat_feature_indices():
        raise ValueError("CatBoost with categorical features cannot be read. Encode them as numbers.")
    scale, bias = model.get_scale_and_bias()
    start, sizes = np.ravel(bias), model.get_tree_leaf_counts()
    by_tree = np.split(scale * model.get_leaf_values().reshape(-1, start.size), _starts(sizes)[1:])
    value = np.concatenate([part.T.ravel() for part in by_tree])
    return _CatBoost(
        model=model,
        first=_starts(np.repeat(sizes, start.size)),
        n_features=len(model.feature_names_),
        n_leaves=value.size,
        output=np.tile(np.arange(start.size), len(sizes)),
        value=value,
        start=start,
        loss=_loss(model.get_all_params().get("loss_function", "other")),
        bare_chances=False,
    )


def _with_start(ensemble: Ensemble, own: np.ndarray) -> Ensemble:
    """Return an ensemble that starts from what its trees leave of its own raw score of a row of zeros."""
    trees = ensemble.raw(ensemble.leaves(np.zeros((1, ensemble.n_features))))
    return replace(ensemble, start=np.ravel(own).astype(np.float64) - trees[0])


def _starts(sizes: Any) -> np.ndarray:
    """Return where each tree's part begins when all are put one after the other."""
    return np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int32)


def _number_leaves(is_leaf: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return the first node of each tree, and the leaf number of every node."""
    number = np.cumsum(np.concatenate(is_leaf), dtype=np.int32) - np.int32(1)
    return _starts([part.size for part in is_leaf]), number


def _loss(name: Any) -> str:
    """Return the kind of a loss by its package's name for it."""
    return next((kind for kind, names in LOSSES.items() if name in names), "other")


def _reader(model: Any) -> Callable[[Any], Ensemble] | None:
    """Return the function that reads a model; packages are told by name, so none is imported for it."""
    kinds = ((kind.__module__.split(".")[0], kind.__name__) for kind in type(model).__mro__)
    return next((READERS[kind] for kind in kinds if kind in READERS), None)


READERS: dict[tuple[str, str], Callable[[Any], Ensemble]] = {
    ("sklearn", "ForestRegressor"): _read_forest,
    ("sklearn", "ForestClassifier"): _read_forest,
    ("sklearn", "GradientBoostingRegressor"): _read_gradient,
    ("sklearn", "GradientBoostingClassifier"): _read_gradient,
    ("sklearn", "HistGradientBoostingRegressor"): _read_histogram,
    ("sklearn", "HistGradientBoostingClassifier"): _read_histogram,
    ("lightgbm", "LGBMModel"): _read_lightgbm,
    ("lightgbm", "Booster"): _read_lightgbm,
    ("xgboost", "XGBModel"): _read_xgboost,
    ("xgboost", "Booster"): _read_xgboost,
    ("catboost", "CatBoost"): _read_catboost,
}
