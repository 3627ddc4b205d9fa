"""Many queries: the same predictions in parts, in the memory of one part; Ctrl-C leaves a model that works."""

import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestRegressor
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.tree import DecisionTreeClassifier

from heedful import (
    AttentionClassifier,
    AttentionCox,
    AttentionLasso,
    AttentionLassoClassifier,
    LeafAttentionRegressor,
    LocalLearner,
    ProtoClust,
    _blocks,
)
from heedful._flow import fit as fitting, fitted as fitted_model, parts
from heedful.similarity import ForestProximity, GaussianSimilarity

FEW = {"similarity": ForestProximity(20), "random_state": 0}
MODELS = {
    "numbers": AttentionLasso(**FEW),
    "adaptive": AttentionLasso(mixing="adaptive", **FEW),
    "classes": AttentionLassoClassifier(**FEW),
    "survival": AttentionCox(**FEW),
    "learner": AttentionClassifier(
        DecisionTreeClassifier(max_depth=2, random_state=0), local=LocalLearner(tuning_rows=10), **FEW
    ),
    "leaves": LeafAttentionRegressor(RandomForestRegressor(10, random_state=0), **FEW),
}
every_model = pytest.mark.parametrize("name", MODELS)


@pytest.fixture
def rows(rng):
    X = pd.DataFrame(rng.normal(size=(60, 3)), columns=list("abc")).assign(d=np.tile(["u", "v", "w"], 20))
    return X, X["a"] * np.where(X["b"] > 0, 2.0, -1.0)


def fitted(name, X, y):
    model = clone(MODELS[name])
    if name == "survival":
        y = pd.DataFrame({"event": np.arange(60) % 3 > 0, "time": np.exp(-y)})
    elif name in ("classes", "learner"):
        y = np.array(["low", "mid", "high"])[np.digitize(y, [-0.5, 0.5])]
    return model.fit(X[["a", "b", "c"]] if name in ("learner", "leaves") else X, y)


def said(model, X):
    X = X[list(model.feature_names_in_)]
    return model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)


@pytest.mark.one_value
@every_model
def test_parts_give_the_same_to_the_last_bit(rows, monkeypatch, name):
    model = fitted(name, *rows)
    whole = said(model, rows[0])
    for n_bytes in (1, 5000):
        monkeypatch.setattr(parts, "BUDGET", n_bytes)
        np.testing.assert_array_equal(said(model, rows[0]), whole)


def test_arrays_and_other_frames_come_in_parts_too(rows, monkeypatch):
    X, y = rows[0][["a", "b", "c"]], rows[1]
    monkeypatch.setattr(parts, "BUDGET", 5000)
    for kind in (pd.DataFrame, pl.from_pandas, np.asarray):
        model = AttentionLasso(**FEW).fit(kind(X), y)
        alone = np.concatenate([model.predict(kind(X[k : k + 1])) for k in range(60)])
        np.testing.assert_array_equal(model.predict(kind(X)), alone)


def test_several_parts_share_one_bar(rows, monkeypatch, capsys):
    model = fitted("numbers", *rows).set_params(verbose=1)
    monkeypatch.setattr(parts, "BUDGET", 5000)
    model.predict(rows[0])
    shown = capsys.readouterr().err
    assert "60/60" in shown
    assert "block" not in shown
    model.set_params(verbose=0).predict(rows[0])
    assert capsys.readouterr().err == ""


def test_fits_that_failed_in_several_parts_are_one_warning(rows, monkeypatch):
    model = fitted("numbers", *rows)
    monkeypatch.setattr(parts, "BUDGET", 1)
    real = fitted_model.predict_blocks
    monkeypatch.setattr(fitted_model, "predict_blocks", lambda *parts: real(*parts)._replace(n_failed=1))
    with pytest.warns(ConvergenceWarning, match="60 of") as heard:
        model.predict(rows[0])
    assert len(heard) == 1


@pytest.mark.more
@pytest.mark.parametrize("similarity", [ForestProximity(20), GaussianSimilarity()], ids=["sparse", "dense"])
def test_memory_does_not_grow_with_the_number_of_queries(rng, monkeypatch, similarity):
    X = rng.normal(size=(400, 3))
    model = AttentionLasso(heads="single", similarity=similarity, random_state=0).fit(X, X[:, 0] * X[:, 1])
    monkeypatch.setattr(parts, "BUDGET", 2**18)
    monkeypatch.setattr(_blocks, "BUDGET", 2**18)
    queries = rng.normal(size=(20_000, 3))
    model.predict(queries[:1000])
    few, many = (peak(model.predict, queries[:n]) for n in (2000, 20_000))
    # the predictions themselves, twice while they are put together; a matrix of all pairs would take 64 MB
    assert many - few < 3 * 8 * queries.shape[0] + 2**19, (few, many)


def peak(work, *arguments):
    tracemalloc.start()
    try:
        work(*arguments)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def interrupt_after(monkeypatch, n_blocks):
    """Let a block of queries be interrupted as by Ctrl-C, after some others."""
    real, done = _blocks._start, []

    def start(work, blocks, shared, n_jobs):
        for result in real(work, blocks, shared, n_jobs):
            done.append(result)
            if len(done) > n_blocks:
                raise KeyboardInterrupt
            yield result

    monkeypatch.setattr(_blocks, "_start", start)


@pytest.mark.one_value
@every_model
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_an_interrupted_predict_changes_nothing(rows, monkeypatch, name, n_jobs):
    model = fitted(name, *rows).set_params(n_jobs=n_jobs)
    if model.mixing_ == 0:
        tuned = model._model.tuned
        model._model.tuned = tuned._replace(share=np.full(tuned.share.size, 0.5 / tuned.share.size))
    before = said(model, rows[0])
    monkeypatch.setattr(_blocks, "BUDGET", 1)
    with monkeypatch.context() as patch:
        interrupt_after(patch, 3)
        with pytest.raises(KeyboardInterrupt):
            said(model, rows[0])
    np.testing.assert_array_equal(said(model, rows[0]), before)


@pytest.mark.more
@every_model
def test_an_interrupted_fit_leaves_the_model_as_it_was(rows, monkeypatch, name):
    X, y = rows
    model, fresh = fitted(name, X, y), clone(MODELS[name])
    before, given = said(model, X), X[list(model.feature_names_in_)]
    other = {"survival": pd.DataFrame({"event": True, "time": np.arange(1.0, 61)}, X.index)}.get(
        name, np.tile(["a", "b"], 30) if hasattr(model, "classes_") else y[::-1].to_numpy()
    )
    with monkeypatch.context() as patch:
        patch.setattr(fitting, "choose_shares", interrupt)
        for entry in (model, fresh):
            with pytest.raises(KeyboardInterrupt):
                entry.fit(given, other)
    np.testing.assert_array_equal(said(model, X), before)
    with pytest.raises(NotFittedError):
        fresh.predict(given)
    np.testing.assert_array_equal(said(fitted(name, X, y), X), before)


def interrupt(*_):
    raise KeyboardInterrupt


def test_an_interrupted_clustering_leaves_the_old_one(rng, monkeypatch):
    model = ProtoClust(n_clusters=2).fit(rng.normal(size=(20, 2)))
    before = dict(vars(model))
    monkeypatch.setattr(ProtoClust, "_square", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(rng.normal(size=(30, 3)))
    assert vars(model) == before
