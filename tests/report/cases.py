"""Explanations and drift reports made by hand: of any size, of every response, with any names."""

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.special import expit, softmax
from tests._effects.cases import assess, draw_rows

from heedful._effects.average import average_effect
from heedful._effects.overlap import assess_overlap
from heedful._responses import Classification, Effect, Regression, SurvivalTimes
from heedful._responses.effect import COLUMNS
from heedful.attention import Attention
from heedful.explain import DriftReport, Explanation
from heedful.explain._attribution import Attribution, Deferred
from heedful.explain._drift_measures import IMPROVABLE, ROWS_MOVED, is_corrected, separate, summarise, tabulate_tests

HOSTILE = "<img src=x onerror=alert(1)>"
HOSTILE_NAMES = [
    HOSTILE,
    "kind=</script><b>bold",
    '"it\'s" & more &lt;i&gt;',
    "line\u2028and\u2029break",
    "%{x} $a$ <br>b",
]
N_TRAIN = 120
COLOURS = ["red", "green", "</script>blue"]


def make_explanation(
    n_query=30, n_features=6, task="regression", names=None, labels=None, known=True, seed=0, shapes=False
):
    """Return an explanation whose tables obey the laws of a real one."""
    rng = np.random.default_rng(seed)
    outputs = COLOURS if task == "multiclass" else [None]
    features = list(names or [f"x{j}" for j in range(n_features)])
    index = pd.Index(labels if labels is not None else [f"row {q}" for q in range(n_query)])
    design = rng.normal(size=(n_query, len(features)))
    kind = rng.integers(4, size=n_query)
    shape = (len(outputs), len(features))
    coef = (rng.normal(size=(4, *shape)) * (rng.random((4, *shape)) < 0.6))[kind] + 0.05 * rng.normal(
        size=(n_query, *shape)
    )
    intercept = rng.normal(size=(n_query, len(outputs)))
    added = _bend(design, len(outputs)) if shapes else np.zeros(coef.shape)
    link = intercept + np.einsum("qkj,qj->qk", coef, design) + added.sum(axis=2)
    base = link + 0.3 * rng.normal(size=link.shape)
    frame = _Frames(index, features, outputs)
    train_values = pd.DataFrame(np.random.default_rng(seed + 1).normal(size=(N_TRAIN, len(features))), columns=features)
    return Explanation(
        prediction=frame.per_output(_predict(link, task)),
        link=frame.per_output(link),
        lasso_intercept=frame.per_output(intercept),
        lasso_coef=frame.per_feature(coef),
        **_small(coef, design, link, frame, train_values, task),
        mixing=pd.Series(rng.random(n_query), index),
        n_eff=pd.Series(5 + 20 * rng.random(n_query), index),
        baseline_prediction=frame.per_output(_predict(base, task)),
        baseline_coef=pd.Series(coef[0].ravel(), frame.columns),
        local_coef=frame.per_feature(coef),
        lasso_design=pd.DataFrame(design, index, features),
        mean=pd.DataFrame(0.3 * design, index, features),
        attention=_attend(n_query, rng),
        train=_response(task, N_TRAIN, rng),
        heads=_heads(),
        y=_response(task, n_query, rng).set_axis(index) if known else None,
        loss=pd.Series(rng.random(n_query), index) if known else None,
        baseline_loss=pd.Series(1.2 * rng.random(n_query), index) if known else None,
        task=task,
        words=_words(task),
        values=pd.DataFrame(design, index, features),
        train_values=train_values,
        sources=pd.Series(features, features, dtype=object),
        attribution=Deferred(lambda: _attribute(coef * design[:, None, :] + added, intercept, link)),
        **(_shapes(added, frame, features, rng) if shapes else {}),
    )


def make_answers(arms=("control", "treated"), smaller_is_better=False, propensity=None):
    """Return what is known of a treatment: its average, whether effects differ, and whether it can be told."""
    rows = draw_rows(np.random.default_rng(0), 150)
    rows = rows if propensity is None else rows._replace(propensity=np.full(150, propensity))
    table = pd.DataFrame({HOSTILE: rows.outcome, "other": rows.effect})
    differences = assess(rows, smaller_is_better=smaller_is_better)
    return [average_effect(rows), differences, assess_overlap(table, rows, arms)]


def _small(coef, design, link, frame, train_values, task):
    """Return small models that keep the five largest coefficients of each query, and whom to ask about them."""
    size = np.abs(coef).max(axis=1)
    kept = size >= np.sort(size, axis=1)[:, [-min(5, size.shape[1])]]
    slope, reference = np.where(kept[:, None], coef, 0.0), train_values.to_numpy().mean(axis=0)
    terms = slope * (design - reference)[:, None]
    features = list(train_values)
    return {
        "coef": frame.per_feature(slope),
        "design": pd.DataFrame(design, frame.index, features),
        "intercept": frame.per_output(link - np.einsum("qkj,qj->qk", slope, design)),
        "start": frame.per_output(link - terms.sum(axis=2)),
        "terms": frame.per_feature(terms),
        "reference": pd.DataFrame(np.tile(reference, (len(design), 1)), frame.index, features),
        "fidelity": pd.Series(0.6 + 0.4 * np.abs(np.sin(np.arange(len(design)))), frame.index),
        "effect": frame.per_feature(coef),
        "ask": _Ask(slope, design, link, frame, train_values, task),
        "compute_effects": lambda coverage: _effects(coef, design, frame, features),
    }


class _Ask:
    """Answers what would be predicted: a bent line through each query's own prediction."""

    def __init__(self, slope, design, link, frame, train_values, task):
        self.slope, self.design, self.link, self.frame, self.task = slope, design, link, frame, task
        self.train_values = train_values

    def __call__(self, explanation, columns, n_values, queries=None):
        names, n_query = np.array(list(self.train_values), dtype=object), len(self.design)
        asked = (self.slope != 0).any(axis=1) if columns is None else np.tile(np.isin(names, columns), (n_query, 1))
        asked[np.setdiff1d(np.arange(n_query), np.arange(n_query) if queries is None else queries)] = False
        query, column = (np.repeat(part, n_values) for part in np.nonzero(asked))
        grid = np.quantile(self.train_values, np.linspace(0, 1, n_values), axis=0)
        value = grid[np.tile(np.arange(n_values), len(query) // n_values), column]
        own = self.design[query, column]
        away = self.slope[query, :, column] * (value - own)[:, None] + 0.2 * (np.cos(value) - np.cos(own))[:, None]
        found = _predict(self.link[query] + away, self.task)
        told = {"prediction": found[:, 0]} if len(self.frame.outputs) == 1 else dict(zip(COLOURS, found.T, strict=True))
        table = {"query": query, "feature": names[column], "value": value.astype(object)}
        return pd.DataFrame(table | told | {"own": value == own, "usual": True})


def _effects(coef, design, frame, features):
    levels = [frame.index, *([frame.outputs] if len(frame.outputs) > 1 else []), features]
    places = pd.MultiIndex.from_product([range(len(part)) for part in levels])
    named = [pd.Index(part)[places.get_level_values(at)] for at, part in enumerate(levels)]
    names = ["query", "class", "feature"] if len(levels) == 3 else ["query", "feature"]
    low = np.broadcast_to(design[:, None], coef.shape).ravel()
    table = {"effect": coef.ravel(), "low": coef.ravel() - 0.4, "high": coef.ravel() + 0.6}
    table |= {"from": low.astype(object), "to": (low + 0.5).astype(object), "per": "unit"}
    return pd.DataFrame(table, pd.MultiIndex.from_arrays(named, names=names))


def _attribute(added, intercept, link):
    """Return contributions that lead from a mean to the link, half of them through the models."""
    base = intercept.mean(axis=0)
    total = added + ((link - base - added.sum(axis=2)) / added.shape[2])[..., None]
    return Attribution(base, total, added / 2, added / 2)


def _bend(design, n_outputs):
    """Return what curves add (n_query, n_outputs, n_features)."""
    return np.stack([(k + 1) * np.tanh(3 * design) for k in range(n_outputs)], axis=1)


def _shapes(added, frame, features, rng):
    """Return tables of shapes; the first column is a category with hostile levels, the last one has no curve."""
    share, n_outputs = rng.random(len(frame.index)), len(frame.outputs)
    # a model has the same share of the curves of every class
    multiple = pd.DataFrame((share[:, None, None] * np.eye(n_outputs)).reshape(len(share), -1), frame.index)
    multiple = multiple[0] if n_outputs == 1 else multiple
    steps = {"low": [-np.inf, -1.0, 0.5], "high": [-1.0, 0.5, np.inf], "level": None, "rows": [20.0, 60.0, 30.0]}
    levels = {"low": np.nan, "high": np.nan, "level": [f"{name}{HOSTILE}" for name in range(20)], "rows": range(20)}
    parts = []
    for j, feature in enumerate(features):
        pieces = pd.DataFrame(levels if j == 0 else steps)
        gone = pd.DataFrame({"low": [np.nan], "high": [np.nan], "level": [None], "rows": [10.0]})
        for part in [pieces, gone][: 1 + (j < 2)]:
            for k, output in enumerate(frame.outputs):
                last = j == len(features) - 1
                height = 0.0 if last else np.sin(np.arange(len(part)) + k) / (1 + j)
                parts.append(
                    part.assign(feature=feature, effect=height, **({} if output is None else {"class": output}))
                )
    curves = pd.concat(parts, ignore_index=True)
    curves["curve"] = 2 * curves["effect"]
    shape = frame.per_feature(added)
    return {"multiple": multiple, "shape": shape, "curves": curves}


class _Frames:
    def __init__(self, index, features, outputs):
        self.index, self.features, self.outputs = index, features, outputs
        several = pd.MultiIndex.from_product([outputs, features], names=["class", "feature"])
        self.columns = several if len(outputs) > 1 else pd.Index(features)

    def per_output(self, values):
        return (
            pd.Series(values[:, 0], self.index)
            if len(self.outputs) == 1
            else pd.DataFrame(values, self.index, self.outputs)
        )

    def per_feature(self, values):
        return pd.DataFrame(values.reshape(len(values), -1), self.index, self.columns)


def _predict(link, task):
    if task == "multiclass":
        return softmax(link, axis=1)
    return expit(link) if task == "binary" else link


def _response(task, n, rng):
    if task == "survival":
        return pd.DataFrame({"event": rng.random(n) < 0.5, "time": rng.random(n)})
    if task == "regression":
        return pd.DataFrame({"amount": rng.normal(size=n)})
    if task == "effect":
        return pd.DataFrame({name: rng.random(n) for name in COLUMNS})
    return pd.DataFrame({"colour": rng.choice(["green", "red"] if task == "binary" else COLOURS, n)})


def _words(task):
    if task in ("binary", "multiclass"):
        return Classification(np.array(["green", "red"] if task == "binary" else COLOURS)).words
    if task == "effect":
        return Effect.words
    return SurvivalTimes.words if task == "survival" else Regression.words


def _attend(n_query, rng):
    columns = np.argsort(rng.random((n_query, N_TRAIN)), axis=1)[:, :10].astype(np.int32)
    weight = np.full(n_query * 10, 0.05)
    stored = sparse.csr_array((weight, columns.ravel(), np.arange(0, 10 * n_query + 1, 10)), shape=(n_query, N_TRAIN))
    return Attention(stored, np.full(n_query, 0.5 / (N_TRAIN - 10)), np.ones(N_TRAIN))


def _heads():
    rows = [
        (similarity, way, temperature, ratio, 0.5 + 0.1 * number, 0.25 if ratio == 1 and way != "leaf" else 0.0)
        for number, similarity in enumerate(["forest(sqrt)", "forest(all)"])
        for way, temperature in [("softmax", 0.1), ("softmax", 0.3), ("leaf", np.nan)]
        for ratio in (1.0, np.inf)
    ]
    return pd.DataFrame(rows, columns=["similarity", "weighting", "temperature", "alpha_ratio", "error", "share"])


def make_drift_report(
    n_rows=60, classes=False, time=None, names=("a", "b"), labels=None, tuned=None, shift=2.0, seed=0, tests=None
):
    """Return the report of a model that is off by ``shift`` where its first column is above zero.

    ``tests`` are statistics; with more than one there is a reference of the same rows.
    """
    rng = np.random.default_rng(seed)
    index = pd.Index(labels if labels is not None else [f"day {i}" for i in range(n_rows)])
    table = pd.DataFrame(rng.normal(size=(n_rows, len(names) - 1)), index, list(names[:-1]))
    table[names[-1]] = rng.choice(["u", HOSTILE], n_rows)
    tuned = {"temperature": 0.1, "mixing": 0.9, "guard": 1.0} | (tuned or {})
    off = shift * (table.iloc[:, 0].to_numpy() > 0)
    rows = _drift_rows(off, tuned["mixing"], classes, rng).set_axis(index)
    if time is not None:
        rows.insert(1, "time", time)
    n_eff = 5 + 20 * rng.random(n_rows)
    queries = pd.DataFrame({"correction": rows["correction"], "standard_error": 0.2, "n_eff": n_eff})
    tests = {IMPROVABLE: 5.0} if tests is None else tests
    reference = rows if ROWS_MOVED in tests else None
    return DriftReport(
        summary=summarise(rows, queries, tuned, not classes, reference),
        features=separate(table, is_corrected(queries)),
        rows=rows,
        queries=queries,
        heads=_drift_heads(tuned["mixing"]),
        error="log loss" if classes else "root mean squared error",
        tests=tabulate_tests(tests),
        columns=pd.DataFrame() if reference is None else make_columns(names),
    )


def make_columns(names, change=1.5):
    """Return columns before and after, of which the first has another effect."""
    found = {
        "mean_before": 0.1,
        "mean_after": 0.6,
        "separation": 0.3,
        "effect_before": 1.0,
        "effect_after": 1.0 + change,
        "change": change,
        "standard_error": 0.2,
    }
    return pd.DataFrame(found, pd.Index(names, name="column"))


def _drift_rows(off, mixing, classes, rng):
    n_rows = len(off)
    if classes:
        model, happened = np.full(n_rows, 0.3), np.where(off > 0, "yes", "no")
        truth = (off > 0).astype(float)
        corrected = model + 0.8 * mixing * (truth - model)
        before, after = (-np.log(np.where(off > 0, p, 1 - p)) for p in (model, corrected))
    else:
        model = rng.normal(size=n_rows)
        truth = happened = model + off + 0.2 * rng.normal(size=n_rows)
        corrected = model + mixing * off
        before, after = (truth - model) ** 2, (truth - corrected) ** 2
    told = {"model": model, "corrected": corrected, "residual": truth - model, "correction": corrected - model}
    return pd.DataFrame({"demand": happened, "weight": 1.0, **told, "loss": before, "corrected_loss": after})


def _drift_heads(mixing):
    rows = [("leaves", "softmax", t, e, s) for t, e, s in [(1.0, 4.0, 0.0), (0.1, 0.25, mixing), (0.03, 1.0, 0.0)]]
    return pd.DataFrame(rows, columns=["similarity", "weighting", "temperature", "error", "share"])
