"""One small, readable model for every row it predicts, fitted to the training rows that matter for that row.

What is in here is loaded when it is first asked for.
"""

import importlib
from typing import TYPE_CHECKING, Any

from heedful._version import __version__ as __version__

if TYPE_CHECKING:
    from heedful import attention, baseline, cluster, context, datasets, explain, plot, report, saving, similarity
    from heedful._solver.lasso import local_lasso
    from heedful.cluster import ProtoClust, minimax_linkage
    from heedful.estimators import (
        AttentionClassifier,
        AttentionCox,
        AttentionEffect,
        AttentionGLM,
        AttentionLasso,
        AttentionLassoClassifier,
        AttentionRegressor,
        DriftCorrector,
        LeafAttentionClassifier,
        LeafAttentionRegressor,
        LocalLasso,
        LocalLearner,
        LocalTrees,
        TreeAttentionRegressor,
    )
    from heedful.saving import load_model, save_model

__all__ = [
    "AttentionClassifier",
    "AttentionCox",
    "AttentionEffect",
    "AttentionGLM",
    "AttentionLasso",
    "AttentionLassoClassifier",
    "AttentionRegressor",
    "DriftCorrector",
    "LeafAttentionClassifier",
    "LeafAttentionRegressor",
    "LocalLasso",
    "LocalLearner",
    "LocalTrees",
    "ProtoClust",
    "TreeAttentionRegressor",
    "attention",
    "baseline",
    "cluster",
    "context",
    "datasets",
    "explain",
    "load_model",
    "local_lasso",
    "minimax_linkage",
    "plot",
    "report",
    "save_model",
    "saving",
    "similarity",
]

_HOME = {
    "ProtoClust": "cluster",
    "load_model": "saving",
    "local_lasso": "_solver.lasso",
    "minimax_linkage": "cluster",
    "save_model": "saving",
}


def __getattr__(name: str) -> Any:
    """Return a public name; a class that no other module is named for is an estimator."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name.islower() and name not in _HOME:
        return importlib.import_module(f"{__name__}.{name}")
    found = getattr(importlib.import_module(f"{__name__}.{_HOME.get(name, 'estimators')}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
