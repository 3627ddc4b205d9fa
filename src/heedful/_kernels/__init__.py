"""Numba functions on arrays; numba itself is imported when the first kernel is called for."""

import importlib
from typing import Any

_HOME = {
    "binned_leaf_rows": "trees",
    "boost_tree_rows": "surrogate",
    "bucket_rows": "leaves",
    "curve_rows": "curves",
    "first_rows": "trees",
    "grow_rows": "trees",
    "head_rows": "heads",
    "keep_rows": "leaves",
    "kernel_sum_rows": "kernel_sums",
    "lasso_rows": "heads",
    "leaf_mean_rows": "leaf_means",
    "leaf_rows": "leaves",
    "leaf_score_rows": "leaves",
    "leaf_shapley_rows": "surrogate",
    "leaf_table_rows": "surrogate",
    "linkage_rows": "linkage",
    "near_leaf_rows": "trees",
    "near_rows": "near",
    "shared_leaf_rows": "leaves",
    "proximity_sum_rows": "proximity_sums",
    "newton_rows": "newton",
    "refit_rows": "descent",
    "stump_rows": "stumps",
    "tree_sum_rows": "surrogate",
    "weigh_rows": "weighting",
}

__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # found once: this is not asked for a name that is there
    globals()[name] = kernel = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    return kernel
