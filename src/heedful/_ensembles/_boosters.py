"""Boosters of LightGBM, XGBoost and CatBoost."""

import json
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from heedful._ensembles._ensemble import Ensemble, loss_of, number_leaves, starts, with_start
from heedful._optional import import_optional


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


def read_lightgbm(model: Any) -> Ensemble:
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
        first=starts([part.size for part in values]),
        n_features=booster.num_feature(),
        n_leaves=sum(part.size for part in values),
        output=np.tile(np.arange(n_outputs), len(values) // n_outputs),
        value=np.concatenate(values),
        start=np.zeros(n_outputs),
        loss=loss_of(re.sub(r" sigmoid:1$| num_class:\d+$", "", head.get("objective", "other"))),
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
        categories = {"enable_categorical": True} if isinstance(X, pd.DataFrame) else {}
        table = import_optional("xgboost", "boost", "estimator").DMatrix(X, missing=self.missing, **categories)
        return self.booster.predict(table, iteration_range=(0, self.n_rounds), validate_features=False, **kind)


def read_xgboost(model: Any) -> Ensemble:
    """Read XGBoost from its saved form; the start is what its trees leave of a margin."""
    booster = model.get_booster() if hasattr(model, "get_booster") else model
    saved = json.loads(bytes(booster.save_raw("json")))["learner"]
    best = booster.attr("best_iteration")
    n_rounds = booster.num_boosted_rounds() if best is None else int(best) + 1
    trees, output = _xgboost_trees(saved["gradient_booster"], n_rounds)
    is_leaf = [np.array(tree["left_children"]) < 0 for tree in trees]
    first, number = number_leaves(is_leaf)
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
        loss="other" if callable(getattr(model, "objective", None)) else loss_of(saved["objective"]["name"]),
        bare_chances=saved["objective"]["name"] not in ("binary:logitraw", "multi:softmax"),
    )
    return with_start(ensemble, ensemble.predict(np.zeros((1, ensemble.n_features)), output_margin=True))


def _xgboost_trees(saved: dict[str, Any], n_rounds: int) -> tuple[list[dict[str, Any]], np.ndarray]:
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


def read_catboost(model: Any) -> Ensemble:
    """Read CatBoost; a tree of several classes is read as one tree for each class."""
    if model.get_cat_feature_indices():
        raise ValueError("CatBoost with categorical features cannot be read. Encode them as numbers.")
    scale, bias = model.get_scale_and_bias()
    start, sizes = np.ravel(bias), model.get_tree_leaf_counts()
    by_tree = np.split(scale * model.get_leaf_values().reshape(-1, start.size), starts(sizes)[1:])
    value = np.concatenate([part.T.ravel() for part in by_tree])
    return _CatBoost(
        model=model,
        first=starts(np.repeat(sizes, start.size)),
        n_features=len(model.feature_names_),
        n_leaves=value.size,
        output=np.tile(np.arange(start.size), len(sizes)),
        value=value,
        start=start,
        loss=loss_of(model.get_all_params().get("loss_function", "other")),
        bare_chances=False,
    )
