"""Compile every kernel ahead, by small fits of every kind.

The fits are those of the public estimators and similarities, so that a new one is compiled without being named here.
"""

import inspect
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import is_classifier
from sklearn.ensemble import RandomForestRegressor

from heedful import cluster, estimators, similarity
from heedful._kernels._notice import COMPILED
from heedful._kernels.newton import KEPT_COLUMNS
from heedful._solver.lasso import local_lasso

N_ROWS, N_FEATURES, N_TREES = 60, 3, 8
ROWS = np.random.default_rng(0).normal(size=(N_ROWS, N_FEATURES))
WITH_TEXT = pd.DataFrame(ROWS, columns=list("abc")).assign(kind=np.resize(["one", "two", "three"], N_ROWS))
VALUE = ROWS[:, 0] * (ROWS[:, 1] > 0) + 0.5 * ROWS[:, 2]
RESPONSES = {
    "regression": VALUE,
    "effect": VALUE,
    "poisson": np.exp(VALUE),
    "binary": VALUE > 0,
    "multiclass": np.digitize(VALUE, [-0.3, 0.3]),
    "survival": np.array([*zip(VALUE > -0.5, np.exp(VALUE), strict=True)], dtype=[("event", bool), ("time", float)]),
}
# What estimators are fitted to that are fitted to neither classes nor plain numbers.
TASKS: dict[type, tuple[str, ...]] = {
    estimators.AttentionCox: ("survival",),
    estimators.AttentionGLM: ("poisson",),
    estimators.AttentionEffect: ("effect",),
}


def compile_kernels(report: Callable[[str], Any]) -> list[str]:
    """Fit small tables of every kind; tell ``report`` what is being fitted. Return the names of compiled kernels."""
    known = len(COMPILED)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for label, use in small_uses():
            report(label)
            # what needs an extra that is not installed cannot be used later either
            with suppress(ImportError):
                use()
    return COMPILED[known:]


def small_uses() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield a label and a small use of every public estimator, similarity and way of clustering."""
    for name in estimators.__all__:
        kind = getattr(estimators, name)
        for task in tasks_of(kind) if hasattr(kind, "fit") else ():
            yield f"{name}: {task}", partial(use, make(kind), task)
    for alike in similarities():
        model: Any = estimators.AttentionLasso(similarity=alike, random_state=0)
        yield f"AttentionLasso: {type(alike).__name__}", partial(use, model, "regression")
    for kind, task in ((estimators.AttentionLassoClassifier, "binary"), (estimators.AttentionCox, "survival")):
        model = kind(local=estimators.LocalLasso(exact=True), similarity=few_trees(), random_state=0)
        yield f"{kind.__name__}: {task}, to convergence", partial(use, model, task)
    for kind, task in ((estimators.AttentionLasso, "regression"), (estimators.AttentionLassoClassifier, "multiclass")):
        yield f"{kind.__name__}: {task}, with text", partial(use, make(kind), task, WITH_TEXT)
    for forest in (RandomForestRegressor(N_TREES, random_state=0), RandomForestRegressor(N_TREES, bootstrap=False)):
        model = estimators.AttentionLasso(similarity=forest, cv="oob" if forest.bootstrap else 3, random_state=0)
        yield "AttentionLasso: a forest of scikit-learn", partial(use, model, "regression")
    yield "local_lasso: many columns", fit_wide
    yield "ProtoClust", lambda: cluster.ProtoClust(n_clusters=2).fit(ROWS)


def make(kind: type) -> Any:
    """Return an unfitted estimator with few trees."""
    if kind is estimators.DriftCorrector:
        served = RandomForestRegressor(N_TREES, random_state=0).fit(ROWS, RESPONSES["regression"])
        return estimators.DriftCorrector(served, random_state=0)
    return kind(similarity=few_trees(), random_state=0)


def tasks_of(kind: type) -> tuple[str, ...]:
    """Return the names of the responses that an estimator can be fitted to."""
    return TASKS.get(kind) or (("binary", "multiclass") if is_classifier(make(kind)) else ("regression",))


def fit_wide() -> None:
    """Fit so many columns that covariances are not kept, or columns are chosen."""
    x = np.random.default_rng(0).normal(size=(N_ROWS, KEPT_COLUMNS + 1))
    local_lasso(x, x[:, 0], np.ones((1, N_ROWS)), alpha=0.1)
    local_lasso(x, x[:, 0] > 0, np.ones((1, N_ROWS)), alpha=0.1, family="binomial")


def few_trees() -> similarity.ForestProximity:
    """Return a similarity that is quick to fit."""
    return similarity.ForestProximity(N_TREES)


def similarities() -> list[Any]:
    """Return every similarity whose arguments all have defaults; forests also with few rows for each leaf."""
    kinds = [getattr(similarity, name) for name in similarity.__all__ if name != "Similarity"]
    signatures = {kind: inspect.signature(kind).parameters.values() for kind in kinds if inspect.isclass(kind)}
    free = [kind() for kind, known in signatures.items() if all(one.default is not one.empty for one in known)]
    return [*free, similarity.ForestProximity(N_TREES, leaf_rows=2), similarity.TeacherSimilarity(anchor=True)]


def use(model: Any, task: str, X: Any = ROWS) -> None:
    """Fit and ask for all that can be asked for."""
    treated = {"treatment": np.arange(N_ROWS) % 2} if hasattr(model, "effect_interval") else {}
    model.fit(X, RESPONSES[task], **treated)
    if treated:
        model.effect_interval(X[:2])
    model.predict(X)
    explanation = model.explain(X)
    explanation.clusters(2)
    if explanation.slopes:
        model.explain(X[:2], method="shapley").contributions()
    if hasattr(model, "predict_interval"):
        model.predict_interval(X)
    if hasattr(model, "coef_intervals"):
        model.coef_intervals(X[:2])
