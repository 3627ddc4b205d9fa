"""See that a change of the code changes no result: ``python tools/same_results.py REV``.

Small fits of every estimator, similarity and baseline are made twice, by the code of a revision and by the code of this
checkout, and every number is compared: predictions, coefficients, attention, effects, contributions, intervals. Each
code is asked by its own copy of this file, so that a parameter may have another name; a case keeps its own.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression

from heedful import (
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
    ProtoClust,
    TreeAttentionRegressor,
    local_lasso,
    similarity,
)
from heedful.baseline import CoxBaseline, GlmBaseline, LassoBaseline, LogisticBaseline

ROOT = Path(__file__).resolve().parents[1]
N_ROWS, N_QUERY = 120, 12
TOLERANCE = 1e-10
FOREST = similarity.ForestProximity(30)

rng = np.random.default_rng(0)
X = rng.normal(size=(N_ROWS + N_QUERY, 4))
X[:, 3] = rng.integers(0, 4, len(X))
VALUE = np.where(X[:, 0] > 0, 2.0, -1.0) * X[:, 1] + 0.5 * X[:, 2] + 0.3 * rng.normal(size=len(X))
KIND = rng.choice(["one", "two", "three"], len(X))
TABLE = pd.DataFrame(X, columns=list("abcd")).assign(kind=KIND)
TABLE.loc[::17, "c"] = np.nan
WEIGHT = rng.uniform(0.2, 3.0, N_ROWS)
GROUPS = np.arange(N_ROWS) // 4
EXPOSURE = rng.uniform(0.5, 2.0, len(X))
COUNT = rng.poisson(np.exp(0.4 * VALUE) * EXPOSURE).astype(np.float64)
COST = np.exp(0.4 * VALUE) * rng.gamma(2.0, size=len(X))
EVENT = rng.random(len(X)) < 0.7
SURVIVAL = np.rec.fromarrays([EVENT, rng.exponential(np.exp(-0.5 * VALUE)) + 0.01], names=["event", "time"])
TREATED = (rng.random(len(X)) < 0.5).astype(int)
OUTCOME = VALUE + TREATED * (1.0 + X[:, 1])
TRAIN, QUERY = slice(0, N_ROWS), slice(N_ROWS, None)
CLASSES = np.digitize(VALUE, [-0.7, 0.7])

Results = dict[str, np.ndarray]


def ask(model: Any, table: Any, y: Any, **beside: Any) -> Results:
    """Return all that a fitted model says of some rows."""
    found = {"predict": model.predict(table, **beside)}
    if hasattr(model, "predict_proba"):
        found["proba"] = model.predict_proba(table, **beside)
        found["decision"] = model.decision_function(table)
    if hasattr(model, "predict_interval"):
        found["interval"] = model.predict_interval(table, **beside)
    found["attention"] = model.attention(table).toarray()
    found["effects"] = frame(model.local_effects(table))
    if hasattr(model, "coef_intervals"):
        found["coef_intervals"] = frame(model.coef_intervals(table[:3], n_draws=20))
    models = model.local_models(table)
    for name in ("coef", "intercept", "baseline_coef", "small", "prediction", "mixing"):
        if getattr(models, name, None) is not None:
            found[f"models.{name}"] = frame(getattr(models, name))
    explanation = model.explain(table, y, **beside)
    for name in ("coef", "prediction", "mixing", "loss", "baseline_loss"):
        if getattr(explanation, name, None) is not None:
            found[f"explain.{name}"] = frame(getattr(explanation, name))
    if explanation.slopes:
        found["contributions"] = frame(explanation.contributions())
    found["heads"] = frame(model.heads_.select_dtypes("number"))
    if hasattr(model, "held_out_error_"):
        found["unseen"] = np.array(list(pd.Series(model.held_out_error_).astype(float)))
    return found


def frame(values: Any) -> np.ndarray:
    """Return a table's numbers, and the codes of its words."""
    if isinstance(values, pd.Series):
        values = values.to_frame()
    if not isinstance(values, pd.DataFrame):
        return np.asarray(values, dtype=np.float64)
    columns = [column if column.dtype.kind in "fiub" else words(column) for _, column in values.items()]
    return np.column_stack([np.asarray(column, dtype=np.float64) for column in columns])


def words(column: pd.Series) -> np.ndarray:
    """Return cells as numbers; what is none by the sum of its letters."""
    return np.array(
        [float(cell) if isinstance(cell, (int, float)) else float(sum(map(ord, str(cell)))) for cell in column]
    )


def fit_and_ask(model: Any, table: Any, y: Any, fit: dict[str, Any] | None = None, **beside: Any) -> Results:
    """Fit on the first rows, ask about the others; what comes ``beside`` is given for rows of both."""
    parts = [{name: values[rows] for name, values in beside.items()} for rows in (TRAIN, QUERY)]
    model.fit(table[TRAIN], y[TRAIN], **(fit or {}), **parts[0])
    return ask(model, table[QUERY], y[QUERY], **parts[1])


def cases() -> Iterator[tuple[str, Callable[[], Results]]]:
    """Yield each setting under its name."""
    plain: dict[str, Any] = {"similarity": FOREST, "random_state": 0}
    weighted = {"sample_weight": WEIGHT}
    label = VALUE > 0
    yield "lasso", lambda: fit_and_ask(AttentionLasso(random_state=0), TABLE, VALUE, weighted)
    yield (
        "lasso, adaptive",
        lambda: fit_and_ask(AttentionLasso(heads="single", mixing="adaptive", **plain), TABLE, VALUE),
    )
    yield (
        "lasso, weighted",
        lambda: fit_and_ask(AttentionLasso(heads="single", mixing="weighted", **plain), TABLE, VALUE),
    )
    yield "lasso, groups", lambda: fit_and_ask(AttentionLasso(cv=3, **plain), TABLE, VALUE, {"groups": GROUPS})
    yield "lasso, features", lambda: fit_and_ask(AttentionLasso(features=["a", "b"], **plain), TABLE, VALUE)
    limited = LocalLasso(limits={"a": "+"}, max_extrapolation=None)
    yield "lasso, limits", lambda: fit_and_ask(AttentionLasso(local=limited, **plain), TABLE, VALUE)
    yield "lasso, paper", lambda: fit_and_ask(AttentionLasso.as_in_the_paper(random_state=0), X, VALUE)
    for measure in (
        similarity.TeacherSimilarity(),
        similarity.BoostedProximity(),
        similarity.GaussianSimilarity(),
        similarity.RidgeSimilarity(),
        similarity.ForestProximity(30, target="scores"),
        RandomForestRegressor(20, random_state=0),
    ):
        model = AttentionLasso(similarity=measure, random_state=0)
        yield f"lasso, {type(measure).__name__}", lambda model=model: fit_and_ask(model, X, VALUE, weighted)
    binary = AttentionLassoClassifier(random_state=0)
    yield "logistic", lambda: fit_and_ask(binary, TABLE, label, weighted)
    balanced = AttentionLassoClassifier(class_weight="balanced", **plain)
    yield "logistic, several", lambda: fit_and_ask(balanced, TABLE, CLASSES)
    exact = AttentionLassoClassifier(local=LocalLasso(exact=True), **plain)
    yield "logistic, exact", lambda: fit_and_ask(exact, X, label)
    glm = AttentionGLM(**plain)
    yield "poisson", lambda: fit_and_ask(glm, TABLE, COUNT, weighted, exposure=EXPOSURE)
    yield "gamma", lambda: fit_and_ask(AttentionGLM(family="gamma", **plain), TABLE, COST)
    yield "tweedie", lambda: fit_and_ask(AttentionGLM(family=1.4, **plain), TABLE, COUNT)
    yield "cox", lambda: cox_results(AttentionCox(**plain))
    yield (
        "learner",
        lambda: fit_and_ask(AttentionRegressor(local=LocalLearner(tuning_rows=30), **plain), X, VALUE, weighted),
    )
    linear = AttentionRegressor(LinearRegression(), local=LocalLearner(tuning_rows=30), **plain)
    yield "learner, linear", lambda: fit_and_ask(linear, X, VALUE)
    yield (
        "learner, classes",
        lambda: fit_and_ask(AttentionClassifier(local=LocalLearner(tuning_rows=30), **plain), X, CLASSES),
    )
    yield "leaves", lambda: fit_and_ask(LeafAttentionRegressor(**plain), X, VALUE, weighted)
    yield "leaves, classes", lambda: fit_and_ask(LeafAttentionClassifier(**plain), X, CLASSES)
    yield "trees", lambda: fit_and_ask(TreeAttentionRegressor(**plain), X, VALUE, weighted)
    yield "effect", lambda: effect_results(AttentionEffect(**plain), OUTCOME, {})
    adaptive = AttentionEffect(heads="single", mixing=0.5, propensity=0.5, **plain)
    yield "effect, known chance", lambda: effect_results(adaptive, OUTCOME, weighted)
    times = AttentionEffect(heads="single", propensity=0.5, **plain)
    yield "effect, survival", lambda: effect_results(times, SURVIVAL, {"horizon": 1.0})
    yield "drift", drift_results
    yield "local lasso", lasso_results
    yield "baselines", baseline_results
    yield "prototypes", lambda: {"labels": ProtoClust(n_clusters=4).fit(X).labels_}


def cox_results(model: AttentionCox) -> Results:
    """Return what a Cox model says, survival curves too."""
    found = fit_and_ask(model, TABLE, SURVIVAL)
    return found | {"survival": frame(model.predict_survival_function(TABLE[QUERY]))}


def effect_results(model: AttentionEffect, y: np.ndarray, fit: dict[str, Any]) -> Results:
    """Return effects of rows and on average."""
    model.fit(X[TRAIN], y[TRAIN], treatment=TREATED[TRAIN], **fit)
    average = model.average_effect()
    return {
        "effect": model.effect(X[QUERY]),
        "interval": np.asarray(model.effect_interval(X[QUERY])),
        "average": np.array([average.effect, average.low, average.high]),
        "expected": model.expected_outcome_,
        "propensity": model.propensity_,
        "p": np.array([model.heterogeneity().p_value]),
        "models": frame(model.local_models(X[QUERY]).coef),
        "effects": frame(model.local_effects(X[QUERY])),
    }


def drift_results() -> Results:
    """Return what a forest that is moved to later rows says."""
    served = RandomForestRegressor(20, random_state=0).fit(X[:60], VALUE[:60])
    model = DriftCorrector(served, random_state=0).fit(X[60:100], VALUE[60:100] + 1.0)
    first = model.predict(X[QUERY])
    model.update(X[100:N_ROWS], VALUE[100:N_ROWS] + 2.0)
    return {"first": first, "predict": model.predict(X[QUERY]), "attention": model.attention(X[QUERY]).toarray()}


def lasso_results() -> Results:
    """Return local lassos of every family under weights."""
    weights = np.random.default_rng(1).random((5, N_ROWS))
    responses = {"gaussian": VALUE, "binomial": VALUE > 0, "multinomial": CLASSES, "poisson": COUNT, "cox": SURVIVAL}
    found = {}
    for family, y in responses.items():
        fits = local_lasso(X[TRAIN], y[TRAIN], weights, alpha=0.02, family=family)
        found |= {f"{family}.coef": fits.coef_, f"{family}.intercept": fits.intercept_}
    return found


def baseline_results() -> Results:
    """Return the global models of all responses."""
    label = np.where(VALUE > 0, "yes", "no")
    models = {
        "lasso": (LassoBaseline(random_state=0), VALUE),
        "logistic": (LogisticBaseline(random_state=0), label),
        "classes": (LogisticBaseline(random_state=0), CLASSES),
        "poisson": (GlmBaseline("poisson", random_state=0), COUNT),
        "cox": (CoxBaseline(random_state=0), SURVIVAL),
    }
    found = {}
    for name, (model, y) in models.items():
        model.fit(X[TRAIN], y[TRAIN], sample_weight=WEIGHT)
        numbers = {
            "coef": model.coef_,
            "intercept": model.intercept_,
            "alphas": model.alphas_,
            "error": model.cv_error_,
        }
        found |= {f"{name}.{key}": np.asarray(value) for key, value in numbers.items()}
        found[f"{name}.left_out"] = model.predict_left_out()
    return found


def write(path: Path, only: str) -> None:
    """Write the results of the code that is imported."""
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, work in cases():
            if only in name:
                found |= {f"{name}: {key}": np.asarray(values) for key, values in work().items()}
    np.savez(path, **found)


def compare(before: Any, after: Any) -> list[str]:
    """Return a line for each result that is not the same."""
    lines = [f"{name}: only {'before' if name in before else 'after'}" for name in set(before) ^ set(after)]
    for name in sorted(set(before) & set(after)):
        old, new = before[name], after[name]
        if old.shape != new.shape:
            lines.append(f"{name}: shape {old.shape}, now {new.shape}")
        elif old.dtype.kind not in "fiub":
            if (old != new).any():
                lines.append(f"{name}: other labels")
        elif not np.allclose(old, new, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True):
            away = np.nanmax(np.abs(old.astype(float) - new.astype(float)))
            lines.append(f"{name}: up to {away:.2g} away")
    return sorted(lines)


def results_of(source: Path, folder: Path, name: str, only: str) -> dict[str, np.ndarray]:
    """Return the results of the code in a checkout, made by its own copy of this file."""
    path = folder / f"{name}.npz"
    environment = os.environ | {"PYTHONPATH": str(source / "src"), "HEEDFUL_QUIET": "1"}
    command = [sys.executable, str(source / "tools" / "same_results.py"), "--write", str(path), "--only", only]
    subprocess.run(command, check=True, env=environment, cwd=folder)
    return dict(np.load(path))


def main() -> int:
    """Compare, or write the results of one code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("revision", nargs="?", help="the revision to compare with")
    parser.add_argument("--only", default="", help="cases with this text in their names")
    parser.add_argument("--write", type=Path, help="write the results of this code to a file, and compare nothing")
    parser.add_argument("--before", type=Path, help="results of the revision that were written before")
    given = parser.parse_args()
    if given.write:
        write(given.write, given.only)
        return 0
    if not given.revision and not given.before:
        parser.error("name a revision, such as HEAD~1")
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        if given.before:
            before = {
                name: values for name, values in np.load(given.before).items() if given.only in name.split(": ")[0]
            }
        else:
            checkout = here / "before"
            subprocess.run(["git", "worktree", "add", "--detach", checkout, given.revision], check=True, cwd=ROOT)  # noqa: S607
            try:
                before = results_of(checkout, here, "before", given.only)
            finally:
                subprocess.run(["git", "worktree", "remove", "--force", checkout], check=True, cwd=ROOT)  # noqa: S607
        after = results_of(ROOT, here, "after", given.only)
    lines = compare(before, after)
    print("\n".join(lines) or f"All {len(after)} results are the same to {TOLERANCE:g}.")
    return bool(lines)


if __name__ == "__main__":
    sys.exit(main())
