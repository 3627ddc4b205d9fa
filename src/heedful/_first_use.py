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
    for measure in measures():
        model: Any = estimators.AttentionLasso(similarity=measure, random_state=0)
        yield f"AttentionLasso: {type(measure).__name__}", partial(use, model, "regression")
    for kind, task in ((estimators.AttentionLassoClassifier, "binary"), (estimators.AttentionCox, "survival")):
        model = kind(local=estimators.LocalLasso(exact=True), similarity=few_trees(), random_state=0)
        yield f"{kind.__name__}: {task}, to convergence", partial(use, model, task)
    for kind, task in ((estimators.AttentionLasso, "regression"), (estimators.AttentionLassoClassifier, "multiclass")):
        yield f"{kind.__name__}: {task}, with text", partial(use, make(kind), task, with_text())
    for given in (RandomForestRegressor(N_TREES, random_state=0), RandomForestRegressor(N_TREES, bootstrap=False)):
        model = estimators.AttentionLasso(similarity=given, cv="oob" if given.bootstrap else 3, random_state=0)
        yield "AttentionLasso: a forest of scikit-learn", partial(use, model, "regression")
    yield "local_lasso: many columns", fit_wide
    yield "ProtoClust", lambda: cluster.ProtoClust(n_clusters=2).fit(rows())


def make(kind: type) -> Any:
    """Return an unfitted estimator with few trees."""
    if kind is estimators.DriftCorrector:
        return estimators.DriftCorrector(
            RandomForestRegressor(N_TREES, random_state=0).fit(rows(), response("regression")), random_state=0
        )
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


def measures() -> list[Any]:
    """Return every similarity that can be made without being told more; forests also with few rows for each leaf."""
    kinds = [getattr(similarity, name) for name in similarity.__all__ if name != "Similarity"]
    free = [kind() for kind in kinds if inspect.isclass(kind) and not required(kind)]
    return [*free, similarity.ForestProximity(N_TREES, leaf_rows=2), similarity.TeacherSimilarity(anchor=True)]


def required(kind: type) -> list[str]:
    """Return the names of arguments that have no default."""
    return [name for name, given in inspect.signature(kind).parameters.items() if given.default is given.empty]


def rows() -> np.ndarray:
    """Return a small table."""
    return np.random.default_rng(0).normal(size=(N_ROWS, N_FEATURES))


def response(task: str) -> np.ndarray:
    """Return a response of the small table."""
    x = rows()
    value = x[:, 0] * (x[:, 1] > 0) + 0.5 * x[:, 2]
    times = list(zip(value > -0.5, np.exp(value), strict=True))
    return {
        "survival": np.array(times, dtype=[("event", bool), ("time", float)]),
        "regression": value,
        "effect": value,
        "poisson": np.exp(value),
        "binary": value > 0,
        "multiclass": np.digitize(value, [-0.3, 0.3]),
    }[task]


def with_text() -> pd.DataFrame:
    """Return a small table with a column of text."""
    return pd.DataFrame(rows(), columns=list("abc")).assign(kind=np.resize(["one", "two", "three"], N_ROWS))


def use(model: Any, task: str, table: Any = None) -> None:
    """Fit and ask for all that can be asked for."""
    x = rows() if table is None else table
    treated = {"treatment": np.arange(N_ROWS) % 2} if hasattr(model, "effect_interval") else {}
    model.fit(x, response(task), **treated)
    if treated:
        model.effect_interval(x[:2])
    model.predict(x)
    explanation = model.explain(x)
    explanation.clusters(2)
    if explanation.slopes:
        model.explain(x[:2], method="shapley").contributions()
    if hasattr(model, "predict_interval"):
        model.predict_interval(x)
    if hasattr(model, "coef_intervals"):
        model.coef_intervals(x[:2])
